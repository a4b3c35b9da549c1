// What the report is made of: elements, sections, tables. Strings only ever become text nodes, never markup.
"use strict";
const parts = (() => {
  // An element with attributes and children; strings become text nodes.
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
    return element;
  }

  function section(title, name, ...children) {
    const heading = make("h2", { id: name + "-title" }, title);
    return make("section", { id: name, "aria-labelledby": name + "-title" }, heading, ...children);
  }

  // A number with about four digits.
  function short(value) {
    if (value === null || value === undefined) return "-";
    if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  }

  const percent = (share) => (share * 100).toFixed(1) + " %";

  // A table whose columns are { name, number, value(row), text(row) }; a click on a heading sorts.
  function sortable(caption, columns, rows, first) {
    const body = make("tbody");
    const heads = columns.map((column) => {
      const button = make("button", { type: "button" }, column.name);
      const head = make("th", { scope: "col", "aria-sort": "none" }, button);
      if (column.number) head.className = "number";
      return { head, button, column };
    });
    const lines = rows.map((row) => ({ row, line: make("tr", {}, ...columns.map((column) => cell(column, row))) }));
    body.append(...lines.map(({ line }) => line));
    for (const { head, button, column } of heads) {
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.head.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        lines.sort((a, b) => (down ? -1 : 1) * compare(column.value(a.row), column.value(b.row)));
        body.append(...lines.map(({ line }) => line));
      });
    }
    heads[first.column].head.setAttribute("aria-sort", first.order);
    const head = make("thead", {}, make("tr", {}, ...heads.map((one) => one.head)));
    const table = make("table", {}, make("caption", {}, make("span", {}, caption)), head, body);
    const frame = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, table);
    if (rows.length > 15) frame.classList.add("tall");
    return frame;
  }

  function cell(column, row) {
    const text = column.text ? column.text(row) : String(column.value(row));
    const element = make("td", {}, column.strong && column.strong(row) ? make("strong", {}, text) : text);
    if (column.number) element.className = "number";
    if (column.wrap) element.className = "wrap";
    else if (text.length > 24) element.title = text;
    return element;
  }

  // Numbers by size, before text by its order; what does not exist comes first.
  function compare(a, b) {
    const missing = (value) => value === null || value === undefined || value === "";
    if (missing(a) || missing(b)) return missing(b) - missing(a);
    const [x, y] = [Number(a), Number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number.isNaN(x) && Number.isNaN(y) ? String(a).localeCompare(String(b)) : Number.isNaN(x) - Number.isNaN(y);
    }
    return x - y;
  }

  const numeric = (name, value, text) => ({ name, number: true, value, text: text || ((row) => short(value(row))) });

  // The values of a chart for those who cannot see it.
  function valuesTable(headings, rows) {
    const line = (tag, cells) => make("tr", {}, ...cells.map((text) => make(tag, { class: "number" }, tag === "th" ? make("span", {}, text) : text)));
    const table = make("table", {}, make("thead", {}, line("th", headings)), make("tbody", {}, ...rows.map((row) => line("td", row))));
    const frame = make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": headings.join(", ") }, table);
    return make("details", {}, make("summary", {}, "The values as a table"), frame);
  }

  return { make, section, short, percent, sortable, numeric, valuesTable };
})();
