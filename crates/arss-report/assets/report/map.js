// The map with its picks as buttons, its colours, its legend, the cards that are pinned, and the rows that are selected.

// Picks that get a button on the map.
const BUTTONS = 300;
const BADGE = 22;

function mapSection() {
  const canvas = make("canvas", { class: "map", tabindex: "0", role: "application", "aria-label": "Map of the " + item + "s. " + report.map.text + " Arrow keys go from point to point, Enter lists the " + item + ", plus and minus zoom.", "aria-roledescription": "map" });
  const view = new MapView(canvas);
  const badges = make("div", { class: "badges", role: "group", "aria-label": Pick + "s on the map; arrow keys go from one to the next" });
  const pins = make("div", { class: "pins", id: "pins" });
  const list = make("div", { id: "selected" });
  const legend = make("div", { class: "row legend", id: "legend" });
  const picks = pickButtons(view, badges, pins);
  const stage = make("div", { class: "stage" }, canvas, badges);
  const mode = modes(canvas);
  controls(view, canvas, mode.value, (points, how) => chosenPoints(points, how, view, list, picks));
  const choose = colourChoice(view, legend);
  const zoom = [["Zoom in", () => view.zoomBy(1.5)], ["Zoom out", () => view.zoomBy(1 / 1.5)], ["Whole map", () => view.whole()]];
  const tools = make("div", { class: "row tools" }, choose, mode.element, ...zoom.map(([name, action]) => button(name, action)));
  view.listeners.push(() => placeBadges(view, picks));
  addEventListener("arss-colours", () => view.colour(view.name));
  const [x, y] = report.map.axes;
  const caption = make("figcaption", { class: "note" }, report.map.text + " Across: " + x + "; up: " + y + ". " + report.map.colours_note);
  const figure = make("figure", {}, tools, legend, stage, caption);
  const element = section("The map", "map", make("div", { class: "map-and-pins" }, figure, pins), list);
  const start = () => {
    view.resize();
    view.colour(isExemplars ? "exemplar" : "kind");
    if (typeof ResizeObserver === "function") new ResizeObserver(() => view.resize()).observe(canvas);
  };
  return { element, start, view };
}

// Moving or drawing a lasso.
function modes(canvas) {
  let mode = "move";
  const all = [["move", "Move"], ["lasso", "Lasso"]].map(([name, text]) => {
    const element = button(text, () => {
      mode = name;
      canvas.classList.toggle("lasso", mode === "lasso");
      all.forEach((other) => other.setAttribute("aria-pressed", String(other === element)));
    }, { "aria-pressed": String(name === mode) });
    return element;
  });
  return { value: () => mode, element: make("span", { class: "row", role: "group", "aria-label": "What dragging does" }, ...all) };
}

function colourChoice(view, legend) {
  const options = [];
  if (isExemplars) options.push(["exemplar", "exemplar"]);
  options.push(["kind", "kind of " + item]);
  if (report.outliers) options.push(["outlier", "outlier score"]);
  const used = report.map.colours.map((colour, at) => [at, colour]).filter(([, colour]) => colour.used);
  const others = report.map.colours.map((colour, at) => [at, colour]).filter(([, colour]) => !colour.used);
  const group = (name, list) => (list.length ? [make("optgroup", { label: name }, ...list.map(([at, colour]) => make("option", { value: at }, colour.name)))] : []);
  const select = make("select", { id: "colour" }, ...options.map(([value, name]) => make("option", { value }, name)), ...group("columns chosen by", used), ...group("other columns", others));
  select.addEventListener("change", () => { view.colour(select.value); showLegend(view, legend, select); });
  view.listeners.push(() => { if (view.shown !== view.name) showLegend(view, legend, select); });
  return make("label", { class: "row" }, "Coloured by", select);
}

function showLegend(view, legend, select) {
  view.shown = view.name;
  const swatch = (colour, text) => {
    const mark = make("span", { class: "swatch", "aria-hidden": "true" });
    mark.style.background = colour;
    return make("span", {}, mark, " " + text);
  };
  const name = select.selectedOptions[0] ? select.selectedOptions[0].textContent : "";
  const shapes = [make("span", {}, make("span", { class: "badge-sample", "aria-hidden": "true" }), " " + Pick.toLowerCase())];
  if (marks.kind.some((kind) => (kind & 3) === OUTLIER)) shapes.push(make("span", { class: "outlier" }, make("span", { "aria-hidden": "true" }, "\u25b2"), " outlier"));
  const { look } = view;
  if (look.groups) {
    shapes.push(...look.groups.map((text, at) => swatch(PALETTE[at], text)));
    if (look.colours.length && view.buckets[0].length) shapes.push(swatch(look.colours[0], "no value"));
  }
  if (look.ends) {
    const bar = make("span", { class: "ramp", "aria-hidden": "true" });
    bar.style.background = "linear-gradient(to right," + Array.from({ length: 6 }, (_, at) => rampColour(at / 5)).join(",") + ")";
    shapes.push(make("span", { class: "row" }, name + ", by rank: " + look.ends[0], bar, look.ends[2] + " (middle: " + look.ends[1] + ")"));
  }
  if (view.name === "exemplar") shapes.push(make("span", {}, "each group has the colour of its exemplar"));
  legend.replaceChildren(...shapes);
}

// A button for each of the first picks, in order of rank; one of them is in the order of the tabulator.
function pickButtons(view, badges, pins) {
  const points = new Map();
  for (let at = 0; at < marks.count; at++) if (kindOf(at) === CHOSEN) points.set(marks.number[at], at);
  const shown = cards.slice(0, BUTTONS).filter((card) => points.has(card.item));
  const all = shown.map((card, index) => {
    const name = Pick + " " + card.rank + ": " + item + " " + card.item + (card.rows === null ? "" : ", stands for " + counted(card.rows, item));
    const element = button(String(card.rank), () => pin(card, pins, element), { class: "badge", "aria-pressed": "false", "aria-label": name, tabindex: index ? "-1" : "0" });
    const point = points.get(card.item);
    element.style.setProperty("--own", pickColour(card.rank));
    const on = () => {
      view.light(isExemplars ? card.rank : 0);
      showPoint(point, view);
    };
    const off = () => { view.light(0); hideTip(); };
    element.addEventListener("pointerenter", on);
    element.addEventListener("focus", on);
    element.addEventListener("pointerleave", off);
    element.addEventListener("blur", off);
    element.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = all[(index + step + all.length) % all.length];
      element.tabIndex = -1;
      next.element.tabIndex = 0;
      next.element.focus();
    });
    return { element, point, card, pins };
  });
  badges.append(...all.map((one) => one.element));
  return all;
}

// Numbers are written where they do not lie on each other; the rest are diamonds.
function placeBadges(view, picks) {
  const taken = [];
  for (const { element, point } of picks) {
    const [x, y] = view.place(point);
    const outside = x < 0 || y < 0 || x > view.width || y > view.height;
    element.hidden = outside;
    const free = !outside && taken.every(([a, b]) => Math.abs(a - x) >= BADGE + 2 || Math.abs(b - y) >= BADGE + 2);
    if (free) taken.push([x, y]);
    element.classList.toggle("small", !free);
    element.style.left = x.toFixed(1) + "px";
    element.style.top = y.toFixed(1) + "px";
  }
}

// Pins the card of a pick beside the map, or takes it away.
function pin(card, pins, from) {
  const there = pins.querySelector('[data-rank="' + card.rank + '"]');
  if (there) {
    there.remove();
    from.setAttribute("aria-pressed", "false");
    say("Card of " + item + " " + card.item + " taken away");
    return;
  }
  const off = button("Unpin", () => pin(card, pins, from), { class: "unpin" });
  pins.prepend(make("div", { "data-rank": card.rank }, cardElement(card, "h3"), off));
  from.setAttribute("aria-pressed", "true");
  say("Card of " + item + " " + card.item + " pinned");
}

// The rows that a click or a lasso chose, as a table below the map.
function chosenPoints(points, how, view, list, picks) {
  const pick = how !== "lasso" && points.length === 1 ? picks.find((one) => one.point === points[0]) : null;
  if (pick) return pick.element.click();
  if (how === "lasso") view.selected = new Set(points);
  else points.forEach((at) => (view.selected.has(at) ? view.selected.delete(at) : view.selected.add(at)));
  const rows = Array.from(view.selected);
  say(counted(rows.length, item) + " selected");
  if (!rows.length) return list.replaceChildren();
  const place = (at) => placeOf.get(marks.number[at]);
  const without = rows.filter((at) => place(at) === undefined).length;
  const columns = [numeric(Item, (at) => marks.number[at]), { name: "Kind", value: (at) => KINDS[kindOf(at)] }];
  if (isExemplars) columns.push(numeric("Exemplar", (at) => marks.pick[at] || null));
  columns.push(numeric("Outlier score", (at) => marks.outlier[at]), ...cellColumns(rows, place));
  const note = without ? " Cells of " + counted(without, item) + " of them are not in this page." : "";
  const table = new DataTable("selected " + item + "s", counted(rows.length, item) + " selected on the map." + note, columns, rows, { first: { column: 0, order: "ascending" } });
  const clear = button("Clear the selection", () => { view.selected.clear(); list.replaceChildren(); view.draw(); });
  list.replaceChildren(make("h3", {}, "Selected on the map"), table.element, clear);
}
