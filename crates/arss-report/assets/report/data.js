// The data of the page, unpacked.

const report = JSON.parse(document.getElementById("data").textContent);
const item = report.item;
const Item = item === "row" ? "Row" : "Column";
const used = new Set(report.used);
// Columns of the file, those that were chosen by first.
const ORDER = [...report.used, ...report.headings.map((_, at) => at).filter((at) => !used.has(at))];
const placeOf = new Map(report.rows.items.map((number, at) => [number, at]));
const cutAt = new Map((report.rows.cut || []).map(([at, column, characters]) => [at + ":" + column, characters]));

function unpacked(text, Kind) {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  return new Kind(bytes.buffer);
}

const map = report.map;
const marks = {
  count: map.count,
  x: unpacked(map.x, Uint16Array),
  y: unpacked(map.y, Uint16Array),
  number: unpacked(map.numbers, Uint32Array),
  kind: unpacked(map.kinds, Uint8Array),
  pick: unpacked(map.picks, Uint16Array),
  outlier: unpacked(map.outliers, Float32Array),
};
const OTHER = 0, OUTLIER = 1, CHOSEN = 2, EDGE = 4;
const kindOf = (at) => marks.kind[at] & 3;
const KINDS = ["", "outlier", "exemplar"];

// The cells of a row by its place among those in the page; none if it is not.
const cellsAt = (place) => (place === undefined || place === null ? null : report.rows.cells[place]);
const cellsOf = (number) => cellsAt(placeOf.get(number));
const cards = report.cards.cards;
const cardOf = new Map(cards.map((card) => [card.item, card]));
const isExemplars = cards.some((card) => card.share !== null);
const Pick = isExemplars ? "Exemplar" : "Pick";

// The cells of a column of the file as a column of a table.
function cellColumn(column, rows, place) {
  const value = (row) => (cellsAt(place(row)) || [])[column] ?? "";
  const filled = rows.map(value).filter((text) => text.trim() !== "");
  const number = filled.length > 0 && filled.every((text) => !Number.isNaN(Number(text)));
  return {
    name: report.headings[column], number, value, file: column, used: used.has(column),
    text: value, characters: (row) => cutAt.get(place(row) + ":" + column),
  };
}
// What an item is called: a row by its number in the file, a column by its name.
const itemColumn = () => (item === "row" ? numeric(Item, (row) => row.item) : { name: Item, value: (row) => (cellsAt(row.at) || [row.item])[0] });
const cellColumns = (rows, place) => ORDER.map((column) => cellColumn(column, rows, place));
