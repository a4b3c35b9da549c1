// The cards of the picks: what each is, what it stands for, how it differs, what is near it, what would be lost.

// Cards that are shown at first, and cells on a card.
const FIRST = 12;
const CARD_CELLS = 8;

function cardElement(card, level) {
  const title = make(level, { class: "card-title" }, make("span", { class: "rank" }, String(card.rank)), Item + " " + (item === "row" ? card.item : (cellsAt(card.at) || [card.item])[0]));
  title.firstChild.style.setProperty("--own", pickColour(card.rank));
  return make("article", { class: "card" }, title, standsFor(card), ...differs(card), ...cellsList(card), ...nearest(card));
}

function standsFor(card) {
  const parts = [];
  if (card.rows !== null) parts.push("Stands for " + counted(card.rows, item) + " (" + percent(card.share) + ").");
  if (card.loss !== null) parts.push("Without it the coverage would be " + points(card.loss) + " lower.");
  if (card.spread && card.rows > 1) parts.push("Half of its " + item + "s are within " + card.spread[0].toFixed(2) + " of it, 95 % within " + card.spread[1].toFixed(2) + ".");
  if (!parts.length) parts.push("Score " + short(card.score) + ".");
  return make("p", {}, parts.join(" "));
}

function differs(card) {
  if (item !== "row") return [];
  if (!card.differs.length) return [make("p", {}, "It is like the typical row in every column that was chosen by.")];
  const rows = card.differs.map((one) => {
    const category = one.words.startsWith("as ");
    const typical = one.typical === null ? "" : category ? "; the commonest is " + one.typical : " the typical " + brief(one.typical);
    const words = category ? ": " + one.words + typical : one.words === "about" ? ": about" + typical : ": " + one.words + typical;
    return make("li", {}, make("span", { class: "what" }, make("b", {}, one.name), " " + brief(one.cell ?? signed(one.z)) + words), category ? null : strip(one));
  });
  return [make("p", { class: "lead" }, "How it differs from the typical row:"), make("ul", { class: "differs" }, ...rows)];
}

function cellsList(card) {
  const cells = cellsAt(card.at);
  if (!cells || item !== "row") return [];
  // The label first: it was not chosen by, and people look for it.
  const order = report.label === null ? ORDER : [report.label, ...ORDER.filter((column) => column !== report.label)];
  const pair = (column) => [make("dt", {}, report.headings[column]), make("dd", {}, folding(cells[column], cutAt.get(card.at + ":" + column)))];
  const first = make("dl", { class: "cells" }, ...order.slice(0, CARD_CELLS).flatMap(pair));
  if (order.length <= CARD_CELLS) return [first];
  const rest = make("details", {}, make("summary", {}, counted(order.length - CARD_CELLS, "more column")));
  rest.addEventListener("toggle", () => {
    if (rest.open && rest.children.length === 1) rest.append(make("dl", { class: "cells" }, ...order.slice(CARD_CELLS).flatMap(pair)));
  });
  return [first, rest];
}

// The nearest rows as rows: the columns in which the pick is special first.
function nearest(card) {
  if (!card.near.length) return [];
  if (item !== "row") return [make("p", {}, "Nearest columns: " + card.near.map((at) => cellsAt(at)[0]).join(", ") + ".")];
  const special = [...new Set(card.differs.map((one) => one.column))];
  const shown = [...special, ...ORDER.filter((column) => !special.includes(column))].slice(0, 4);
  const head = make("tr", {}, make("th", { scope: "col" }, Item), ...shown.map((column) => make("th", { scope: "col" }, report.headings[column])));
  const lines = card.near.map((at) => make("tr", {}, make("th", { scope: "row" }, String(report.rows.items[at])), ...shown.map((column) => make("td", {}, folding(cellsAt(at)[column].slice(0, 200), 0)))));
  const label = "The " + item + "s nearest to " + item + " " + card.item;
  const table = make("table", { class: "near" }, make("caption", {}, make("span", {}, label)), make("thead", {}, head), make("tbody", {}, ...lines));
  return [make("details", {}, make("summary", {}, "Its nearest " + item + "s"), make("div", { class: "scroll plain", role: "group", tabindex: "0", "aria-label": label }, table))];
}

function cardsSection() {
  const grid = make("div", { class: "cards" });
  let shown = 0;
  const more = button("Show more cards", () => add());
  const add = () => {
    grid.append(...cards.slice(shown, shown + FIRST).map((card) => cardElement(card, "h3")));
    shown += FIRST;
    more.hidden = shown >= cards.length;
    more.textContent = "Show " + Math.min(FIRST, cards.length - shown) + " more cards";
  };
  add();
  return section(isExemplars ? "The exemplars" : "The chosen " + item + "s", "cards", make("p", { class: "note" }, report.cards.text), grid, more);
}

// The picks as a table with all columns of the file.
function picksSection() {
  const columns = [numeric("Rank", (card) => card.rank), itemColumn(), numeric("Score", (card) => card.score)];
  if (isExemplars) {
    columns.push(numeric("Stands for", (card) => card.rows, (card) => thousands(card.rows)), numeric("Share", (card) => card.share, (card) => percent(card.share)));
    if (cards[0].loss !== null) columns.push(numeric("Loss", (card) => card.loss, (card) => points(card.loss)));
  }
  if (report.outliers) columns.push(numeric("Outlier score", (card) => card.outlier));
  if (item === "row") columns.push(...cellColumns(cards, (card) => card.at));
  const caption = item === "row" ? "The picks with all columns of the file, those that were chosen by first." : "The chosen columns.";
  const table = new DataTable("picks", caption, columns, cards, { fixed: 2, first: { column: 0, order: "ascending" } });
  return section("All picks", "picks", table.element);
}
