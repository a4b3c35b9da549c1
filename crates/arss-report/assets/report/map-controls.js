// What the pointer and the keyboard do on the map.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// `found` is told which points were chosen, by a click or a lasso.
function controls(view, canvas, mode, found) {
  let start = null;
  let last = null;
  let moved = false;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = last = at(event);
    moved = false;
    canvas.setPointerCapture(event.pointerId);
    if (mode() === "lasso") view.path = [start];
  });
  canvas.addEventListener("pointermove", (event) => {
    const here = at(event);
    if (!start) return hover(view, here, event);
    if (Math.hypot(here[0] - start[0], here[1] - start[1]) > 4) moved = true;
    if (!moved) return;
    hideTip();
    if (mode() === "lasso") {
      view.path.push(here);
      view.draw();
    } else {
      view.moveBy(here[0] - last[0], here[1] - last[1]);
    }
    last = here;
  });
  const end = (event) => {
    if (!start) return;
    const path = view.path;
    const point = moved ? -1 : view.nearest(...at(event), 12);
    [start, view.path] = [null, []];
    if (moved && mode() === "lasso") found(view.inside(path), "lasso");
    else if (point >= 0) found([point], "click");
    view.draw();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", () => { [start, view.path] = [null, []]; view.draw(); });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    view.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, at(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => keys(event, view, found));
}

// Arrows go from point to point, Enter lists the row, + and - zoom, 0 shows the whole map.
function keys(event, view, found) {
  const arrow = ARROWS[event.key];
  if (arrow) {
    const next = view.beside(...arrow);
    if (next >= 0) {
      view.cursor = next;
      say(told(next));
      showPoint(next, view);
    }
  } else if (event.key === "Enter" || event.key === " ") {
    if (view.cursor >= 0) found([view.cursor], "key");
  } else if (event.key === "+" || event.key === "=") view.zoomBy(1.4, view.cursor < 0 ? null : view.place(view.cursor));
  else if (event.key === "-") view.zoomBy(1 / 1.4);
  else if (event.key === "0") view.whole();
  else return;
  event.preventDefault();
  view.draw();
}

// A point in a sentence.
function told(at) {
  const card = cardOf.get(marks.number[at]);
  const what = kindOf(at) === CHOSEN ? ", " + Pick.toLowerCase() + (card ? " " + card.rank : "") : kindOf(at) === OUTLIER ? ", outlier" : "";
  const group = marks.pick[at] && kindOf(at) !== CHOSEN ? ", group of exemplar " + marks.pick[at] : "";
  return Item + " " + marks.number[at] + what + group;
}

function hover(view, [x, y], event) {
  const point = view.nearest(x, y, 10);
  if (point < 0) hideTip();
  else showTip(tipOf(point), [event.clientX, event.clientY]);
}

function showPoint(point, view) {
  const box = view.canvas.getBoundingClientRect();
  const [x, y] = view.place(point);
  showTip(tipOf(point), [box.left + x, box.top + y]);
}

// --- what is shown at the pointer ---

const TIP_CELLS = 12;
function tipOf(point) {
  const number = marks.number[point];
  const list = make("dl");
  const add = (name, text) => list.append(make("dt", {}, name), make("dd", {}, text.length > 60 ? text.slice(0, 60) + "\u2026" : text));
  const cells = cellsOf(number);
  if (cells) ORDER.slice(0, TIP_CELLS).forEach((column) => add(report.headings[column], cells[column]));
  if (cells && ORDER.length > TIP_CELLS) add("\u2026", "and " + counted(ORDER.length - TIP_CELLS, "more column"));
  if (!cells) add("cells", "not in this page, which holds those of " + thousands(report.rows.items.length) + " " + item + "s");
  if (Number.isFinite(marks.outlier[point])) add("outlier score", short(marks.outlier[point]));
  if (marks.kind[point] & EDGE) add("place", "further out than drawn");
  return [make("strong", {}, told(point)), list];
}

function showTip(content, place) {
  const tip = document.getElementById("tip");
  tip.replaceChildren(...content);
  tip.hidden = false;
  // Beside the pointer, but inside the window.
  const { width, height } = tip.getBoundingClientRect();
  const [x, y] = place;
  tip.style.left = Math.max(4, x + 14 + width > innerWidth ? x - 14 - width : x + 14) + "px";
  tip.style.top = Math.max(4, y + 14 + height > innerHeight ? y - 14 - height : y + 14) + "px";
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true });
