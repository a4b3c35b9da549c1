// Charts as pictures that follow the colours of the page: lines, bars, small strips.

const CHART = { width: 640, height: 260, left: 76, right: 14, top: 14, bottom: 46 };

// About `count` round numbers from low to high.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  const size = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((step) => step >= raw) || 10 * size;
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) found.push(Math.abs(value) < step / 1e6 ? 0 : value);
  return found;
}

// Powers of ten from low to high.
function powers(low, high) {
  const found = [];
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((last - first) / 6));
  for (let power = first; power <= last; power += step) found.push(10 ** power);
  return found;
}

// A scale from values to places.
function scale(domain, range, kind) {
  const bend = { log: Math.log10, root: Math.sqrt, plain: (value) => value }[kind || "plain"];
  const [low, high] = domain.map(bend);
  const place = (value) => range[0] + ((bend(value) - low) / (high - low || 1)) * (range[1] - range[0]);
  const marks = kind === "log" ? powers(...domain) : ticks(domain[0], domain[1], Math.abs(range[1] - range[0]) / (range[1] < range[0] ? 45 : 70));
  // A short stretch of a logarithmic axis has no power of ten in it.
  return { place, marks: marks.length > 1 ? marks : ticks(domain[0], domain[1], 4) };
}

// A picture with axes; `axes` are { x: { domain, title, kind, text }, y: ... }.
function chart(text, axes, shapes) {
  const { width, height, left, right, top, bottom } = CHART;
  const x = scale(axes.x.domain, [left, width - right], axes.x.kind);
  const y = scale(axes.y.domain, [height - bottom, top], axes.y.kind);
  const lines = [];
  for (const value of x.marks.filter((value) => !axes.x.whole || Number.isInteger(value))) {
    const at = x.place(value);
    lines.push(draw("line", { class: "grid", x1: at, x2: at, y1: top, y2: height - bottom }));
    lines.push(draw("text", { x: at, y: height - bottom + 18, "text-anchor": "middle" }, (axes.x.text || short)(value)));
  }
  for (const value of y.marks.filter((value) => !axes.y.whole || Number.isInteger(value))) {
    const at = y.place(value);
    lines.push(draw("line", { class: "grid", x1: left, x2: width - right, y1: at, y2: at }));
    lines.push(draw("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, (axes.y.text || short)(value)));
  }
  const names = [
    draw("text", { class: "axis", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, axes.x.title),
    draw("text", { class: "axis", x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: "rotate(-90 14 " + (top + height - bottom) / 2 + ")" }, axes.y.title),
  ];
  const picture = draw("svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": text }, lines, names, shapes(x, y));
  return make("figure", {}, make("div", { class: "chart" }, picture), make("figcaption", { class: "note" }, text));
}

function line(points, x, y, attributes) {
  const path = points.map(([a, b], at) => (at ? "L" : "M") + x.place(a).toFixed(2) + " " + y.place(b).toFixed(2)).join("");
  return draw("path", { d: path, fill: "none", ...attributes });
}

function dots(points, x, y, attributes, name) {
  return points.map(([a, b]) => draw("circle", { cx: x.place(a), cy: y.place(b), r: 3.5, ...attributes }, draw("title", {}, name([a, b]))));
}

// A number beside a logarithmic axis: powers of ten that are large or small as such.
const power = (value) => (value !== 0 && (value < 1e-3 || value >= 1e5) ? value.toExponential(0) : short(value));

const low = (values) => values.reduce((least, value) => Math.min(least, value), Infinity);
const high = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);

// The coverage against the number of picks, the chosen number marked, and what lies beyond it.
function coverageChart(found) {
  const all = [...found.coverage, ...found.ahead];
  const last = found.coverage[found.coverage.length - 1];
  const axes = {
    x: { domain: [Math.min(1, all[0][0]), Math.max(2, all[all.length - 1][0])], title: "number chosen", whole: true, text: (value) => thousands(value) },
    y: { domain: [0, Math.max(1e-9, Math.min(1, 1.05 * high(all.map((point) => point[1]))))], title: "coverage", text: (value) => Math.round(100 * value) + " %" },
  };
  const name = ([k, covered]) => k + " chosen: coverage " + percent(covered);
  return chart(found.text, axes, (x, y) => [
    line(found.coverage, x, y, { class: "curve" }),
    found.ahead.length ? line([last, ...found.ahead], x, y, { class: "curve ahead" }) : [],
    all.length < 80 ? dots(found.coverage, x, y, { class: "dot" }, name) : [],
    dots(found.ahead, x, y, { class: "dot open" }, name),
    draw("line", { class: "rule", x1: x.place(last[0]), x2: x.place(last[0]), y1: y.place(0), y2: CHART.top }),
    dots([last], x, y, { class: "dot", r: 7 }, name),
    draw("text", { class: "strong", x: x.place(last[0]) - 10, y: y.place(last[1]) + 20, "text-anchor": "end" }, "K = " + last[0]),
  ]);
}

// How many items have about which value.
function histogram(text, found, name, beyond) {
  const ends = [found.bins[0].from, found.bins[found.bins.length - 1].to];
  if (found.threshold !== null) [ends[0], ends[1]] = [Math.min(ends[0], found.threshold), Math.max(ends[1], found.threshold)];
  const most = high(found.bins.map((bin) => bin.count));
  const axes = {
    x: { domain: ends, title: name + (found.log ? " (logarithmic)" : ""), kind: found.log ? "log" : "plain", text: power },
    y: { domain: [0, most], title: item + "s (square-root scale)", kind: "root", whole: true, text: thousands },
  };
  return chart(text, axes, (x, y) => [
    found.bins.filter((bin) => bin.count > 0).map((bin) => {
      const side = found.threshold !== null && bin.from >= found.threshold ? beyond : "other";
      const [a, b] = [x.place(bin.from), x.place(bin.to)];
      return draw("rect", { class: "bar " + side, x: a, width: Math.max(1, b - a - 1), y: y.place(bin.count), height: y.place(0) - y.place(bin.count) },
        draw("title", {}, short(bin.from) + " to " + short(bin.to) + ": " + counted(bin.count, item)));
    }),
    found.threshold === null ? [] : draw("line", { class: "rule", x1: x.place(found.threshold), x2: x.place(found.threshold), y1: CHART.top, y2: y.place(0) }),
  ]);
}

// One or two lines against a number that counts.
function curves(text, named, xTitle, yTitle, kind) {
  const all = named.flatMap(([, points]) => points);
  const [least, most] = [low(all.map((point) => point[1])), high(all.map((point) => point[1]))];
  const domain = kind === "log" ? [least, Math.max(most, least * 1.01)] : [kind === "zero" ? Math.min(0, least) : least, most === least ? least + 1 : most];
  const axes = {
    x: { domain: [low(all.map((point) => point[0])), Math.max(2, high(all.map((point) => point[0])))], title: xTitle, whole: true },
    y: { domain, title: yTitle, kind: kind === "log" ? "log" : "plain", text: kind === "log" ? power : short },
  };
  const figure = chart(text, axes, (x, y) => named.map(([name, points], at) => [
    line(points, x, y, { class: at ? "curve second" : "curve" }),
    points.length < 60 ? dots(points, x, y, { class: at ? "dot second" : "dot" }, ([a, b]) => name + ", " + a + ": " + short(b)) : [],
  ]).flat());
  if (named.length > 1) figure.prepend(make("p", { class: "row legend" }, ...named.map(([name], at) => make("span", { class: at ? "second" : "chosen" }, make("span", { "aria-hidden": "true" }, at ? "\u254c " : "\u2501 "), name))));
  return figure;
}

// A strip that shows where a value and its group lie around the typical one.
const STRIP = 4;
function strip(difference) {
  const place = (z) => 65 + (Math.max(-STRIP, Math.min(STRIP, z)) / STRIP) * 60;
  const group = difference.group;
  const text = difference.name + ": " + signed(difference.z) + " usual deviations from typical" + (group ? "; the middle 80 % of its group from " + signed(group[0]) + " to " + signed(group[1]) : "");
  return draw("svg", { class: "strip", viewBox: "0 0 130 16", role: "img", "aria-label": text },
    draw("title", {}, text),
    draw("line", { class: "grid", x1: 4, x2: 126, y1: 8, y2: 8 }),
    group ? draw("rect", { class: "group", x: place(group[0]), width: Math.max(2, place(group[1]) - place(group[0])), y: 4, height: 8 }) : [],
    draw("line", { class: "rule", x1: 65, x2: 65, y1: 1, y2: 15 }),
    draw("path", { class: "here", d: "M" + place(difference.z) + " 2l5 6l-5 6l-5 -6z" }));
}
