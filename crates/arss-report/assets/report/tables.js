// Tables: sorted by a press on a heading, searched, filtered, turned over sideways, and offered as csv.

// Rows and columns that are shown at a time.
const ROWS = 100;
const COLUMNS = 24;

// A table. `columns` are { name, number, value(row), text(row), node(row) }; the first `fixed` of them are always shown.
class DataTable {
  constructor(name, caption, columns, rows, options) {
    Object.assign(this, { name, columns, rows, fixed: 1, first: null, tools: true, ...options });
    this.from = 0;
    this.shown = ROWS;
    this.order = rows.map((_, at) => at);
    this.sorted = this.first;
    this.search = "";
    this.column = -1;
    this.caption = make("caption", {}, make("span", {}, caption));
    this.head = make("thead");
    this.body = make("tbody");
    this.count = make("p", { class: "note", "aria-live": "polite" });
    this.frame = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": this.label || caption },
      make("table", {}, this.caption, this.head, this.body));
    this.more = button("Show more rows", () => { this.shown += ROWS; this.fill(); });
    this.element = make("div", { class: "data-table" }, this.tools ? this.toolbar() : null, this.frame, make("div", { class: "row" }, this.count, this.more));
    this.sort();
    this.frame.addEventListener("scroll", () => this.hint(), { passive: true });
    if (typeof ResizeObserver === "function") new ResizeObserver(() => this.hint()).observe(this.frame);
  }

  toolbar() {
    const search = make("input", { type: "search", placeholder: "Search", "aria-label": "Search in " + this.name });
    search.addEventListener("input", () => { this.search = search.value.toLowerCase(); this.shown = ROWS; this.fill(); });
    const names = this.columns.map((column, at) => make("option", { value: at }, column.name));
    const where = make("select", { "aria-label": "Search in which column" }, make("option", { value: -1 }, "all columns"), ...names);
    where.addEventListener("change", () => { this.column = Number(where.value); this.show(this.column); this.fill(); });
    const save = button("Download as csv", () => download(this.name.replace(/\W+/g, "-") + ".csv", this.csv()));
    this.pages = this.columns.length > COLUMNS ? this.pager() : null;
    return make("div", { class: "row tools" }, search, make("span", {}, "in"), where, this.pages, save);
  }

  // Turns over to other columns of a wide table.
  pager() {
    const turn = (by) => () => { this.from = Math.min(Math.max(0, this.from + by), this.last()); this.draw(); };
    this.where = make("span", { class: "note" });
    return make("span", { class: "row" }, button("\u2039 columns", turn(-this.wide()), { "aria-label": "Earlier columns" }), this.where,
      button("columns \u203a", turn(this.wide()), { "aria-label": "Later columns" }));
  }

  wide() { return COLUMNS - this.fixed; }
  last() { return Math.max(0, this.columns.length - this.fixed - this.wide()); }

  // Brings a column into sight.
  show(column) {
    const at = column - this.fixed;
    if (at >= 0 && (at < this.from || at >= this.from + this.wide())) {
      this.from = Math.min(at, this.last());
      this.draw();
    }
  }

  visible() {
    return [...this.columns.slice(0, this.fixed), ...this.columns.slice(this.fixed + this.from, this.fixed + this.from + this.wide())];
  }

  sort() {
    if (this.sorted) {
      const { column, order } = this.sorted;
      const value = this.columns[column].value;
      const sign = order === "descending" ? -1 : 1;
      this.order.sort((a, b) => sign * compare(value(this.rows[a]), value(this.rows[b])) || a - b);
    }
    this.draw();
  }

  draw() {
    const heads = this.visible().map((column) => {
      const at = this.columns.indexOf(column);
      const order = this.sorted && this.sorted.column === at ? this.sorted.order : "none";
      const press = button(column.name, () => {
        this.sorted = { column: at, order: order === "ascending" ? "descending" : "ascending" };
        this.sort();
        this.head.querySelector('[data-column="' + at + '"] button').focus();
      });
      return make("th", { scope: "col", "aria-sort": order, class: column.number ? "number" : null, "data-column": at }, press);
    });
    this.head.replaceChildren(make("tr", {}, ...heads));
    if (this.where) this.where.textContent = (this.from + 1) + " to " + (this.from + this.visible().length - this.fixed) + " of " + (this.columns.length - this.fixed);
    this.fill();
  }

  // The rows that the search leaves, in order.
  found() {
    if (!this.search) return this.order.map((at) => this.rows[at]);
    const looked = this.column < 0 ? this.columns : [this.columns[this.column]];
    const has = (row) => looked.some((column) => textOf(column, row).toLowerCase().includes(this.search));
    return this.order.map((at) => this.rows[at]).filter(has);
  }

  fill() {
    const rows = this.found();
    const visible = this.visible();
    this.body.replaceChildren(...rows.slice(0, this.shown).map((row) => make("tr", {}, ...visible.map((column, at) => cell(column, row, at < this.fixed)))));
    this.more.hidden = rows.length <= this.shown;
    this.count.hidden = rows.length === this.rows.length && rows.length <= this.shown;
    this.count.textContent = thousands(Math.min(rows.length, this.shown)) + " of " + counted(this.rows.length, "row") + (this.search ? ", " + rows.length + " found" : "");
    this.frame.classList.toggle("tall", Math.min(rows.length, this.shown) > 15);
    this.hint();
  }

  // Says that there is more to the side.
  hint() {
    const { scrollLeft, clientWidth, scrollWidth } = this.frame;
    this.frame.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 4);
    this.frame.classList.toggle("more-left", scrollLeft > 4);
  }

  // The rows that are found, with all columns, as they stood in the file.
  csv() {
    const line = (cells) => cells.map(field).join(",") + "\r\n";
    return line(this.columns.map((column) => column.name)) + this.found().map((row) => line(this.columns.map((column) => textOf(column, row, true)))).join("");
  }
}

function textOf(column, row, whole) {
  const value = column.value(row);
  if (whole && column.number && typeof value === "number") return String(value);
  // A cell that is cut in the page says so in the file, too.
  if (whole && column.characters && column.characters(row)) return value + "\u2026 [" + column.characters(row) + " characters]";
  return String(column.text ? column.text(row) : value ?? "");
}

function cell(column, row, head) {
  const text = textOf(column, row);
  const content = column.node ? column.node(row) : folding(text, column.characters ? column.characters(row) : 0);
  const mark = column.mark && column.mark(row);
  const inner = mark ? [make("mark", { title: mark.title }, content, make("span", { class: "by" }, " " + mark.text))] : content;
  const classes = [column.number ? "number" : "", column.wrap ? "wrap" : "", column.strong && column.strong(row) ? "best" : ""].join(" ").trim();
  return make(head ? "th" : "td", { class: classes || null, scope: head ? "row" : null }, inner);
}

// Numbers by size, before text by its order; what does not exist comes first.
function compare(a, b) {
  const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
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
  const line = (tag, cells) => make("tr", {}, ...cells.map((text) => make(tag, { class: "number", scope: tag === "th" ? "col" : null }, String(text))));
  const table = make("table", {}, make("thead", {}, line("th", headings)), make("tbody", {}, ...rows.map((row) => line("td", row))));
  const frame = make("div", { class: "scroll tall plain", tabindex: "0", role: "group", "aria-label": headings.join(", ") }, table);
  return make("details", {}, make("summary", {}, "The values as a table"), frame);
}
