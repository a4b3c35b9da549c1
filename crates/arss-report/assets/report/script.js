// Draws the report. Cell values are data: they only ever become text nodes, never markup.
"use strict";
(() => {
  const { make, section, short, percent, sortable, numeric, valuesTable } = parts;
  const report = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const tip = document.getElementById("tip");
  const item = report.item;
  const Item = item === "row" ? "Row" : "Column";

  // --- tables ---

  // The columns of the file; right-aligned where all cells are numbers.
  function cellColumns(rows) {
    return report.headings.map((name, at) => {
      const value = (row) => row.cells[at] ?? "";
      const number = rows.every((row) => value(row).trim() !== "" && !Number.isNaN(Number(value(row))));
      return { name, number, value, text: value };
    });
  }

  function picksTable() {
    const rows = report.picks.rows;
    const columns = [numeric("Rank", (row) => row.rank), numeric(Item, (row) => row.item), numeric("Score", (row) => row.score)];
    if (rows.some((row) => row.share !== null)) {
      columns.push(numeric("Stands for", (row) => row.share, (row) => percent(row.share)));
    }
    columns.push(numeric("Outlier score", (row) => row.outlier));
    if (rows.some((row) => row.near.length)) {
      columns.push({ name: "Nearest " + item + "s", value: (row) => row.near[0], text: (row) => row.near.join(", ") });
    }
    columns.push(...cellColumns(rows));
    const table = sortable(report.picks.text, columns, rows, { column: 0, order: "ascending" });
    return section(report.picks.title, "picks", table);
  }

  function strangestTable() {
    const rows = report.strangest;
    if (!rows) return [];
    const chosen = { name: "Chosen", value: (row) => (row.chosen ? "yes" : "no") };
    const columns = [numeric(Item, (row) => row.item), numeric("Outlier score", (row) => row.outlier), chosen];
    let caption = "The " + rows.length + " " + item + "s with the largest outlier scores, the strangest first.";
    if (rows.some((row) => row.why)) {
      columns.push({ name: "Why", wrap: true, value: (row) => row.why ?? "-" });
      caption += " Why: where it differs most from its nearest exemplar, + above and - below, in usual differences of ordinary rows.";
    }
    columns.push(...cellColumns(rows));
    return [section("The strangest " + item + "s", "strangest", sortable(caption, columns, rows, { column: 1, order: "descending" }))];
  }

  function comparisonTable() {
    const found = report.comparison;
    if (!found) return [];
    const columns = [{ name: "Method", value: (row) => row.method }];
    found.measures.forEach(([name], at) => columns.push({
      name, number: true, value: (row) => (row.values[at] === "-" ? null : row.values[at]),
      text: (row) => row.values[at] + (row.best[at] ? " (best)" : ""), strong: (row) => row.best[at],
    }));
    const meanings = make("dl");
    found.measures.forEach(([name, meaning]) => meanings.append(make("dt", {}, name), make("dd", {}, meaning)));
    const lost = found.left_out.length ? [make("ul", { "aria-label": "Left out" }, ...found.left_out.map((line) => make("li", {}, line)))] : [];
    // The methods come by accuracy where there is a label, by distance otherwise.
    const last = found.measures.length - 1;
    const first = found.measures[last][0] === "accuracy" ? { column: last + 1, order: "descending" } : { column: 1, order: "ascending" };
    const table = sortable(found.text, columns, found.rows, first);
    return [section("The methods compared", "comparison", table, meanings, ...lost)];
  }

  // --- charts ---

  const charts = [];
  const color = (name) => "var(--" + name + ")";
  const config = {
    background: null,
    font: "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif",
    // The figure has a text of its own; thousands of labelled marks would only be in the way.
    aria: false,
    axis: {
      labelColor: color("soft"), titleColor: color("soft"), gridColor: color("line"), domainColor: color("line"), tickColor: color("line"),
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", gridOpacity: 0.6,
    },
    legend: { labelColor: color("ink"), titleColor: color("soft"), labelFontSize: 13, orient: "top" },
    view: { stroke: color("line") },
    bar: { color: color("other") },
    line: { color: color("chosen"), strokeWidth: 2 },
    rule: { color: color("outlier"), strokeWidth: 2, strokeDash: [5, 3] },
    point: { filled: true },
  };

  function draw(frame, spec) {
    const full = { width: "container", height: 230, autosize: { type: "fit-x", contains: "padding" }, config, ...spec };
    const options = { actions: false, renderer: "svg", ast: true, mode: "vega-lite", tooltip: showTip };
    const drawn = vegaEmbed(frame, full, options).then(({ view }) => view);
    charts.push(drawn);
    return drawn;
  }

  // The chart as one picture with a description; inside, vega-embed sets roles of its own.
  const picture = (frame, text) => make("div", { role: "img", "aria-label": text }, frame);

  // A figure: the chart as one picture with its description, the same text below it, and what else belongs to it.
  function figure(text, spec, ...more) {
    const frame = make("div", { class: "chart" });
    const element = make("figure", {}, picture(frame, text), make("figcaption", { class: "note" }, text), ...more);
    // Drawn once it is in the page: its width is that of its place there.
    later.push(() => draw(frame, spec));
    return element;
  }
  const later = [];

  const lineOf = (points, x, y) => points.map((point) => ({ [x]: point[0], [y]: point[1] }));
  const field = (name, title, more) => ({ field: name, type: "quantitative", title, ...more });
  const whole = { tickMinStep: 1, format: "d" };

  // A line, and over it points that can be hovered: a line itself only knows its first value.
  function curve(values, encoding, points) {
    const dot = { type: "point", size: 40, opacity: points ? 1 : 0, tooltip: { content: "data" } };
    const { strokeDash, ...rest } = encoding;
    return [{ data: { values }, mark: "line", encoding }, { data: { values }, mark: points ? { ...dot, color: color("chosen") } : dot, encoding: rest }];
  }

  function coverageChart() {
    if (!report.coverage) return [];
    const points = lineOf(report.coverage.chart, "k", "coverage");
    const last = points[points.length - 1];
    const x = field("k", "number chosen", { axis: whole, scale: { zero: false } });
    const y = field("coverage", "coverage", { scale: { domainMin: 0, nice: true } });
    const spec = {
      layer: [
        ...curve(points, { x, y }, points.length < 60),
        { data: { values: [last] }, mark: { type: "rule" }, encoding: { x } },
        { data: { values: [last] }, mark: { type: "point", size: 130, color: color("chosen"), stroke: color("halo"), opacity: 1, tooltip: { content: "data" } }, encoding: { x, y } },
        { data: { values: [{ ...last, label: "K = " + last.k }] }, mark: { type: "text", align: "right", dx: -8, dy: 14, fontSize: 13, color: color("ink") }, encoding: { x, y, text: { field: "label" } } },
      ],
    };
    const table = valuesTable(["number chosen", "coverage"], report.coverage.chart.map(([k, value]) => [k, short(value)]));
    return [section("Coverage against the number chosen", "coverage", figure(report.coverage.text, spec, table))];
  }

  function histogram(chart, name, beyond) {
    const side = (bin) => (chart.threshold !== null && bin.from >= chart.threshold ? "beyond" : "within");
    const values = chart.bins.filter((bin) => bin.count > 0).map((bin) => ({ ...bin, side: side(bin) }));
    const ends = [chart.bins[0].from, chart.bins[chart.bins.length - 1].to];
    if (chart.threshold !== null) {
      ends[0] = Math.min(ends[0], chart.threshold);
      ends[1] = Math.max(ends[1], chart.threshold);
    }
    const scale = { type: chart.log ? "log" : "linear", domain: ends, nice: false, ...(chart.log ? {} : { zero: false }) };
    const x = field("from", name + (chart.log ? " (logarithmic)" : ""), { scale, axis: { format: chart.log && ends[1] > 1e4 * ends[0] ? ".0e" : ".4~g", labelOverlap: true, tickCount: 6 } });
    const y = field("count", item + "s (square-root scale)", { scale: { type: "sqrt" }, axis: { tickMinStep: 1, tickCount: 6 } });
    const colors = { field: "side", type: "nominal", legend: null, scale: { domain: ["within", "beyond"], range: [color("other"), color(beyond)] } };
    const layer = [{ data: { values }, mark: { type: "rect", stroke: color("ground"), strokeWidth: 1, tooltip: { content: "data" } }, encoding: { x, x2: { field: "to" }, y, y2: { datum: 0 }, color: colors } }];
    if (chart.threshold !== null) {
      layer.push({ data: { values: [{ from: chart.threshold }] }, mark: { type: "rule", color: color("ink") }, encoding: { x } });
    }
    return { layer };
  }

  const binsTable = (chart, name) =>
    valuesTable([name + " from", "to", item + "s"], chart.bins.filter((bin) => bin.count).map((bin) => [short(bin.from), short(bin.to), bin.count]));

  function outlierChart() {
    if (!report.outliers) return [];
    const { text, chart } = report.outliers;
    const title = chart.threshold === null ? "Outlier scores" : "Outlier scores and their threshold";
    return [section(title, "outliers", figure(text, histogram(chart, "outlier score", "outlier"), binsTable(chart, "outlier score")))];
  }

  function scoreChart() {
    if (!report.scores) return [];
    const { all, picks } = report.scores;
    if (all) {
      return [section("Scores", "scores", figure(all.text, histogram(all.chart, "score", "chosen"), binsTable(all.chart, "score")))];
    }
    const values = lineOf(picks.chart, "rank", "score");
    const y = field("score", "score");
    const ranks = { field: "rank", type: "ordinal", title: "rank", axis: { labelAngle: 0, labelOverlap: true } };
    const bars = { data: { values }, mark: { type: "bar", color: color("chosen"), tooltip: { content: "data" } }, encoding: { x: ranks, y } };
    const line = { layer: curve(values, { x: field("rank", "rank", { axis: whole }), y }, false) };
    const spec = values.length > 80 ? line : bars;
    const table = valuesTable(["rank", "score"], picks.chart.map(([rank, score]) => [rank, short(score)]));
    return [section("Scores", "scores", figure(picks.text, spec, table))];
  }

  function convergenceCharts() {
    const history = report.convergence;
    if (!history) return [];
    const x = field("iteration", "iteration", { axis: whole, scale: { zero: false, nice: false } });
    const figures = [];
    if (history.objective.length > 1) {
      const values = lineOf(history.objective, "iteration", "objective");
      const y = field("objective", "objective", { scale: { zero: false }, axis: { format: ".4~g" } });
      const spec = { layer: curve(values, { x, y }, false) };
      const table = valuesTable(["iteration", "objective"], history.objective.map(([at, value]) => [at, short(value)]));
      figures.push(figure("The objective at each iteration: " + short(values[0].objective) + " at first, " + short(values[values.length - 1].objective) + " at the end.", spec, table));
    }
    const named = [["stopping rule", history.residual], ["duality gap", history.gap]].filter(([, points]) => points.length > 1);
    if (named.length) {
      const values = named.flatMap(([name, points]) => points.map(([iteration, value]) => ({ iteration, value, name })));
      const y = field("value", "size (logarithmic)", { scale: { type: "log" }, axis: { format: ".0e", tickCount: 5 } });
      const kinds = { domain: named.map(([name]) => name), range: [color("chosen"), color("outlier")].slice(0, named.length) };
      const encoding = { x, y, color: { field: "name", type: "nominal", title: null, scale: kinds }, strokeDash: { field: "name", type: "nominal", title: null, scale: { domain: kinds.domain, range: [[1, 0], [6, 3]].slice(0, named.length) } } };
      const ends = named.map(([name, points]) => name + " " + short(points[points.length - 1][1]));
      const table = valuesTable(["iteration", "value", "of"], values.map(({ iteration, value, name }) => [iteration, short(value), name]));
      figures.push(figure("What is left at each iteration; at the end: " + ends.join(", ") + ".", { layer: curve(values, encoding, false) }, table));
    }
    return [section("Convergence and certificate", "convergence", make("p", {}, history.text), make("div", { class: "pair" }, ...figures))];
  }

  // --- the map ---

  function mapSpec() {
    const kinds = ["other", "outlier", "chosen"].filter((kind) => report.map.points.some((point) => point.kind === kind));
    const looks = { other: { size: 28, opacity: 0.55 }, outlier: { size: 60, opacity: 0.9 }, chosen: { size: 200, opacity: 1 } };
    const [xs, ys] = report.map.frame;
    const style = (values) => ({ domain: kinds, range: kinds.map((kind) => values[kind]) });
    const x = field("x", report.map.axes[0], { scale: { domain: xs, nice: false, zero: false }, axis: { tickCount: 8 } });
    const y = field("y", report.map.axes[1], { scale: { domain: ys, nice: false, zero: false }, axis: { tickCount: 8 } });
    const points = {
      data: { values: report.map.points.map((point) => ({ ...point, ...looks[point.kind] })) },
      params: [{ name: "zoom", select: { type: "interval", zoom: "wheel![event.ctrlKey || event.metaKey]" }, bind: "scales" }],
      mark: { type: "point", clip: true, strokeWidth: 1, tooltip: { content: "data" } },
      encoding: {
        x, y,
        color: { field: "kind", type: "nominal", legend: null, scale: style({ other: color("other"), outlier: color("outlier"), chosen: color("chosen") }) },
        shape: { field: "kind", type: "nominal", legend: null, scale: style({ other: "circle", outlier: "triangle-up", chosen: "diamond" }) },
        size: { field: "size", type: "quantitative", scale: null },
        opacity: { field: "opacity", type: "quantitative", scale: null },
      },
    };
    const chosen = report.map.points.filter((point) => point.rank && report.picks.rows.length <= 60);
    const ranks = {
      data: { values: chosen },
      mark: { type: "text", dx: 9, dy: -9, fontSize: 12, fontWeight: "bold", color: color("ink"), clip: true, tooltip: null },
      encoding: { x, y, text: { field: "rank" } },
    };
    return { height: matchMedia("(max-width: 40rem)").matches ? 340 : 460, layer: [points, ranks] };
  }

  function mapFigure() {
    const frame = make("div", { class: "chart" });
    let view = null;
    later.push(() => draw(frame, mapSpec()).then((drawn) => { view = drawn; }));
    // The interval's signals are named after the fields.
    const zoom = (factor) => () => {
      if (!view) return;
      ["x", "y"].forEach((axis, at) => {
        const [low, high] = (factor && view.signal("zoom_" + axis)) || report.map.frame[at];
        const [middle, half] = [(low + high) / 2, ((high - low) / 2) * (factor || 1)];
        view.signal("zoom_" + axis, [middle - half, middle + half]);
      });
      view.runAsync();
    };
    const buttons = [["Zoom in", 1 / 1.5], ["Zoom out", 1.5], ["Whole map", 0]].map(([name, factor]) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", zoom(factor));
      return button;
    });
    const hint = make("span", { class: "note" }, "Drag to move; Ctrl and the wheel zoom; point at a mark to see the " + item + ".");
    // Vega's legend would not be read out; this one is text.
    const shapes = { chosen: "\u25c6", outlier: "\u25b2", other: "\u25cf" };
    const known = Object.keys(shapes).filter((kind) => report.map.points.some((point) => point.kind === kind));
    const legend = make("p", { class: "row legend" }, ...known.map((kind) => make("span", { class: kind }, make("span", { "aria-hidden": "true" }, shapes[kind]), " " + kind)));
    const caption = make("figcaption", { class: "note" }, report.map.text);
    return section("The data in two dimensions", "map", make("figure", {}, make("div", { class: "row" }, ...buttons, hint), legend, picture(frame, report.map.text), caption));
  }

  // --- what is shown at the pointer ---

  function showTip(handler, event, mark, value) {
    tip.replaceChildren();
    tip.hidden = !value;
    if (!value) return;
    const pairs = value.cells ? pointPairs(value) : Object.entries(value).filter(([name]) => name !== "side");
    if (value.cells) {
      const kind = { chosen: "chosen, rank " + value.rank, outlier: "outlier", other: "" }[value.kind];
      tip.append(make("strong", {}, Item + " " + value.item + (kind ? ": " + kind : "")));
    }
    const list = make("dl");
    pairs.forEach(([name, shown]) => list.append(make("dt", {}, name), make("dd", {}, typeof shown === "number" ? short(shown) : shown)));
    tip.append(list);
    place(event);
  }

  function pointPairs(point) {
    const pairs = report.headings.map((name, at) => [name, point.cells[at] ?? ""]);
    if (point.outlier !== null) pairs.push(["outlier score", point.outlier]);
    if (point.edge) pairs.push(["place", "further out than drawn"]);
    return pairs;
  }

  // Beside the pointer, but inside the window.
  function place(event) {
    const at = event.touches && event.touches.length ? event.touches[0] : event;
    const { width, height } = tip.getBoundingClientRect();
    const left = at.clientX + 14 + width > innerWidth ? at.clientX - 14 - width : at.clientX + 14;
    const top = at.clientY + 14 + height > innerHeight ? at.clientY - 14 - height : at.clientY + 14;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, top) + "px";
  }

  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  // --- the rest of the page ---

  function repeat() {
    const facts = make("dl");
    report.facts.forEach(([name, value]) => facts.append(make("dt", {}, name), make("dd", {}, value)));
    const licences = make("pre", {}, document.getElementById("licences").textContent);
    return section(
      "To repeat it", "repeat",
      make("p", {}, "This command, with arss " + report.version + " and the same file, gives the same choice and the same page:"),
      make("pre", {}, make("code", {}, report.command)),
      facts,
      make("details", {}, make("summary", {}, "Software in this page"), licences),
    );
  }

  function setAside() {
    return report.set_aside ? [section("Set aside", "set-aside", make("p", {}, report.set_aside))] : [];
  }

  function columnRoles() {
    if (report.columns.length === 0) return [];
    const head = make("tr", {}, ...["column", "role", "chosen by", "why"].map((name) => make("th", {}, name)));
    const rows = report.columns.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
    const table = make("table", { id: "column-roles" }, make("thead", {}, head), make("tbody", {}, ...rows));
    const used = report.columns.filter((cells) => cells[2] === "yes").length;
    const summary = make("summary", {}, used + " of " + report.columns.length + " columns were chosen by");
    return [section("Columns", "columns", make("details", {}, summary, make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Columns" }, table)))];
  }

  function themeButton() {
    const button = document.getElementById("theme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
    const name = () => { button.textContent = dark() ? "Light colours" : "Dark colours"; };
    button.addEventListener("click", () => {
      document.documentElement.dataset.theme = dark() ? "light" : "dark";
      name();
    });
    system.addEventListener("change", name);
    name();
  }

  function page() {
    document.title = report.input + " - arss report";
    document.getElementById("title").textContent = "What stands for " + report.input;
    themeButton();
    const summary = section("In three sentences", "summary", ...report.summary.map((sentence) => make("p", {}, sentence)));
    summary.classList.add("summary");
    const pair = make("div", { class: "pair" }, ...coverageChart(), ...outlierChart(), ...scoreChart());
    main.append(summary, ...setAside(), ...comparisonTable(), mapFigure(), picksTable(), pair, ...convergenceCharts(), ...strangestTable(), ...columnRoles(), repeat());
    later.forEach((start) => start());
    // Tests wait for this.
    Promise.all(charts).then(() => { document.documentElement.dataset.drawn = String(charts.length); });
  }

  page();
})();
