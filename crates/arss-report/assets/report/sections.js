// The sections around the map: what was read, what was set aside, how many, comparisons, columns, the command.

function pairs(list) {
  return make("dl", { class: "pairs" }, ...list.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
}

function summarySection() {
  const element = section("In three sentences", "summary", ...report.summary.map((sentence) => make("p", {}, sentence)));
  element.append(make("h3", {}, "What was read, and what became of it"), pairs(report.reading));
  return element;
}

// The strangest rows, with the cells that make them strange marked in place.
function asideSection() {
  const found = report.strangest;
  if (!found) return [];
  const rows = found.rows;
  const aside = rows.some((row) => row.aside);
  const intro = report.set_aside ? [make("p", {}, report.set_aside)] : [];
  const columns = [itemColumn(), numeric("Outlier score", (row) => row.outlier)];
  columns.push({ name: "Became", value: (row) => (row.chosen ? "chosen" : row.aside ? "set aside" : "kept") });
  if (rows.some((row) => row.why)) columns.push({ name: "Why", wrap: true, value: (row) => row.why ?? "-" });
  if (rows.some((row) => row.nearest)) columns.push(numeric("Nearest exemplar", (row) => row.nearest ?? null));
  const place = (row) => row.at;
  // Columns with marks come first.
  const weight = new Map();
  rows.forEach((row) => row.marks.forEach(([column]) => weight.set(column, (weight.get(column) || 0) + 1)));
  const order = [...ORDER].sort((a, b) => (weight.get(b) || 0) - (weight.get(a) || 0) || ORDER.indexOf(a) - ORDER.indexOf(b));
  for (const column of item === "row" ? order : []) {
    columns.push({ ...cellColumn(column, rows, place), mark: (row) => {
      const mark = row.marks.find(([marked]) => marked === column);
      const exemplar = row.nearest && cellsAt((cards[row.nearest - 1] || {}).at);
      return mark && { text: signed(mark[1]), title: signed(mark[1]) + " usual differences from its nearest exemplar" + (exemplar ? ", which has " + exemplar[column] : "") };
    } });
  }
  const table = new DataTable("strangest " + item + "s", found.text, columns, rows, { first: { column: 1, order: "descending" } });
  return [section(aside ? "What was set aside" : item === "row" ? "The strangest rows" : "Explained least", "aside", ...intro, table.element)];
}

function howManySection() {
  const found = report.how_many;
  if (!found) return [];
  const all = [...found.coverage, ...found.ahead];
  const values = valuesTable(["number chosen", "coverage"], all.map(([k, value]) => [k, percent(value)]));
  const next = found.next.length ? [make("p", {}, "The next would be " + item + (found.next.length > 1 ? "s " : " ") + found.next.join(", ") + ".")] : [];
  return [section("How many?", "how-many", make("p", {}, found.reason), coverageChart(found), ...next, values)];
}

function outlierSection() {
  if (!report.outliers) return [];
  const { text, chart: found } = report.outliers;
  const title = found.threshold === null ? "Outlier scores" : "Outlier scores and their threshold";
  return [section(title, "outliers", histogram(text, found, "outlier score", "outlier"), binsTable(found, "outlier score"))];
}

function binsTable(found, name) {
  return valuesTable([name + " from", "to", item + "s"], found.bins.filter((bin) => bin.count).map((bin) => [short(bin.from), short(bin.to), bin.count]));
}

function scoreSection() {
  if (!report.scores) return [];
  const { all, picks } = report.scores;
  if (all) return [section("Scores", "scores", histogram(all.text, all.chart, "score", "chosen"), binsTable(all.chart, "score"))];
  const values = valuesTable(["rank", "score"], picks.chart.map(([rank, score]) => [rank, short(score)]));
  return [section("Scores", "scores", curves(picks.text, [["score", picks.chart]], "rank", "score", "zero"), values)];
}

function convergenceSection() {
  const history = report.convergence;
  if (!history) return [];
  const figures = [];
  if (history.objective.length > 1) {
    const [first, last] = [history.objective[0], history.objective[history.objective.length - 1]];
    figures.push(curves("The objective at each iteration: " + short(first[1]) + " at first, " + short(last[1]) + " at the end.", [["objective", history.objective]], "iteration", "objective", "plain"));
  }
  const named = [["stopping rule", history.residual], ["duality gap", history.gap]].filter(([, points]) => points.length > 1);
  if (named.length) {
    const ends = named.map(([name, points]) => name + " " + short(points[points.length - 1][1]));
    figures.push(curves("What is left at each iteration; at the end: " + ends.join(", ") + ".", named, "iteration", "size (logarithmic)", "log"));
  }
  return [section("Convergence and certificate", "convergence", make("p", {}, history.text), make("div", { class: "pair" }, ...figures))];
}

// A table of shares, the larger the darker.
function matrix(caption, corner, names, rows, shares, text) {
  const head = make("tr", {}, make("th", { scope: "col" }, corner), ...names.map((name) => make("th", { scope: "col" }, name)));
  const lines = rows.map((name, at) => make("tr", {}, make("th", { scope: "row" }, name), ...shares[at].map((share) => {
    const element = make("td", { class: "share" }, text(share));
    element.style.setProperty("--share", Math.round(100 * share) + "%");
    return element;
  })));
  return make("div", { class: "scroll tall", role: "region", tabindex: "0", "aria-label": corner }, make("table", { class: "matrix" }, make("caption", {}, make("span", {}, caption)), make("thead", {}, head), make("tbody", {}, ...lines)));
}

function comparisonSection() {
  const found = report.comparison;
  if (!found) return [];
  const columns = [{ name: "Method", value: (row) => row.method }];
  found.measures.forEach(([name], at) => columns.push({
    name, number: true, value: (row) => (row.values[at] === "-" ? null : Number(row.values[at])),
    text: (row) => row.values[at] + (row.best[at] ? " (best)" : ""), strong: (row) => row.best[at],
  }));
  columns.push(numeric("seconds", (row) => found.seconds[found.rows.indexOf(row)], (row) => seconds(found.seconds[found.rows.indexOf(row)])));
  const table = new DataTable("comparison", found.text + " Seconds are those of this run.", columns, found.rows, { tools: false, label: "Methods compared" });
  const lost = found.left_out.length ? [make("ul", { "aria-label": "Left out" }, ...found.left_out.map((line) => make("li", {}, line)))] : [];
  const names = found.rows.map((row) => row.method);
  const overlap = matrix("The share of the picks of the method on the left that the method above chose, too.", "Overlap of picks", names, names, found.overlap, (share) => Math.round(100 * share) + " %");
  const advice = make("div", { class: "advice" }, ...found.advice.map((line) => make("p", {}, line)));
  return [section("The methods compared", "comparison", advice, table.element, pairs(found.measures), ...lost, make("h3", {}, "Do they choose the same rows?"), overlap)];
}

// What each chosen column explains of the others, and which are near copies.
function explainedSection() {
  const found = report.explained;
  if (!found) return [];
  const columns = [{ name: "Column", value: (row) => row.name }, { ...numeric("all chosen together", (row) => row.together, (row) => percent(row.together)), share: (row) => row.together }];
  found.chosen.forEach((name, at) => columns.push(numeric(name, (row) => row.by[at], (row) => percent(row.by[at]))));
  const shaded = columns.map((column, at) => (at === 0 ? column : { ...column, node: (row) => {
    const element = make("span", { class: "share" }, column.text(row));
    element.style.setProperty("--share", Math.round(100 * column.value(row)) + "%");
    return [element];
  } }));
  const table = new DataTable("what is explained", found.text, shaded, found.others, { fixed: 2, first: { column: 1, order: "descending" } });
  const copies = found.copies.length
    ? [make("p", {}, "Near copies (correlation of at least .98, or of at most \u2212.98):"), make("ul", { id: "copies" }, ...found.copies.map(([a, b, r]) => make("li", {}, a + " and " + b + ": " + r.toFixed(3))))]
    : [make("p", {}, "No two columns are near copies of each other (correlation of at least .98).")];
  return [section("What the chosen columns explain", "explained", table.element, make("h3", {}, "Near copies"), ...copies)];
}

function columnsSection() {
  if (!report.columns.length) return [];
  const rows = report.columns;
  const columns = ["Column", "Role", "Chosen by", "Why"].map((name, at) => ({ name, wrap: at === 3, value: (row) => row[at] }));
  const count = rows.filter((row) => row[2] === "yes").length;
  const table = new DataTable("columns", "What each column of the file is, and what became of it.", columns, rows, {});
  return [section("Columns", "columns", make("details", {}, make("summary", {}, count + " of " + rows.length + " columns were chosen by"), table.element))];
}

function repeatSection() {
  const code = make("code", {}, report.command);
  const press = button("Copy the command", () => copy(report.command, code).then((done) => { press.textContent = done ? "Copied" : "Marked: copy it"; }));
  return section("To repeat it", "repeat", make("p", {}, "This, with arss " + report.version + " and the same table, gives the same choice and the same page:"), make("pre", {}, code), press, pairs(report.facts));
}
