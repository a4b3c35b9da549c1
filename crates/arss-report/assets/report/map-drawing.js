// The map on a canvas: where each point is, which colour it has, and what is lit up.

// Okabe and Ito's colours, which the colour-blind can tell apart; yellow is darker here, to be seen on white. The last is
// for all other texts.
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a7d00", "#8d8d8d"];
const TURNS = PALETTE.length - 1;
// From dark blue over grey to yellow: lightness rises, so that it reads in grey, too.
const RAMP = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
const LEVELS = 48;

function rampColour(share) {
  const at = Math.min(RAMP.length - 1.001, share * (RAMP.length - 1));
  const [a, b, part] = [RAMP[Math.floor(at)], RAMP[Math.floor(at) + 1], at % 1];
  return "rgb(" + a.map((value, i) => Math.round(value + part * (b[i] - value))).join(" ") + ")";
}

const pickColour = (rank) => PALETTE[(rank - 1) % TURNS];

// A colour of the page as it is now, light or dark.
function pageColour(name) {
  const probe = make("span", { hidden: true });
  probe.style.color = "var(--" + name + ")";
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

// Ways to colour: { name, colours: of buckets, bucket(point), legend }.
function colouring(name) {
  const [other, outlier] = [pageColour("other"), pageColour("outlier")];
  if (name === "kind") {
    return { colours: [other, outlier, other], bucket: (at) => kindOf(at), legend: [] };
  }
  if (name === "exemplar") {
    const bucket = (at) => (marks.pick[at] ? 1 + ((marks.pick[at] - 1) % TURNS) : kindOf(at) === OUTLIER ? PALETTE.length + 1 : 0);
    return { colours: [other, ...PALETTE, outlier], bucket, legend: [] };
  }
  const ramp = Array.from({ length: LEVELS }, (_, at) => rampColour(at / (LEVELS - 1)));
  if (name === "outlier") {
    const order = Array.from(marks.outlier.keys()).filter((at) => Number.isFinite(marks.outlier[at])).sort((a, b) => marks.outlier[a] - marks.outlier[b]);
    const levels = new Uint8Array(marks.count);
    order.forEach((at, rank) => { levels[at] = 1 + Math.floor((rank / Math.max(1, order.length - 1)) * (LEVELS - 1)); });
    const ends = order.length ? [0, Math.floor((order.length - 1) / 2), order.length - 1].map((at) => short(marks.outlier[order[at]])) : ["-", "-", "-"];
    return { colours: [other, ...ramp], bucket: (at) => levels[at], ends };
  }
  const found = map.colours[Number(name)];
  const levels = unpacked(found.levels, Uint8Array);
  if (found.groups) {
    return { colours: [other, ...PALETTE], bucket: (at) => (levels[at] === 255 ? 0 : levels[at] + 1), groups: found.groups };
  }
  return { colours: [other, ...ramp], bucket: (at) => (levels[at] === 255 ? 0 : 1 + Math.floor((levels[at] / 254) * (LEVELS - 1))), ends: found.ends || ["low", "middle", "high"] };
}

// More points are drawn pixel by pixel.
const MANY = 20000;

// A colour as the number that stands for it in the pixels of a canvas.
function rgb(context, colour) {
  context.fillStyle = colour;
  const found = context.fillStyle;
  const parts = found.startsWith("#") ? [1, 3, 5].map((at) => parseInt(found.slice(at, at + 2), 16)) : found.match(/[\d.]+/g).map(Number);
  return ((220 << 24) | (parts[2] << 16) | (parts[1] << 8) | parts[0]) >>> 0;
}

class MapView {
  constructor(canvas) {
    this.canvas = canvas;
    this.zoom = 1;
    this.centre = [0.5, 0.5];
    this.lit = 0;
    this.selected = new Set();
    this.cursor = -1;
    this.path = [];
    this.name = "kind";
    this.listeners = [];
  }

  // Colours by something: points of one colour are drawn together.
  colour(name) {
    this.name = name;
    this.look = colouring(name);
    this.ink = pageColour("ink");
    const buckets = this.look.colours.map(() => []);
    for (let at = 0; at < marks.count; at++) if (kindOf(at) !== CHOSEN) buckets[this.look.bucket(at)].push(at);
    this.buckets = buckets;
    this.draw();
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const ratio = Math.min(2, devicePixelRatio || 1);
    [this.width, this.height, this.ratio] = [width, height, ratio];
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.draw();
  }

  // Where a point is on the canvas.
  place(at) {
    return [this.across(marks.x[at] / 65535), this.down(1 - marks.y[at] / 65535)];
  }
  across(share) { return (0.5 + (share - this.centre[0]) * this.zoom) * this.width; }
  down(share) { return (0.5 + (share - this.centre[1]) * this.zoom) * this.height; }

  // Zooms by a factor around a place of the canvas.
  zoomBy(factor, place) {
    const [x, y] = place || [this.width / 2, this.height / 2];
    const zoom = Math.min(200, Math.max(1, this.zoom * factor));
    const under = [(x / this.width - 0.5) / this.zoom + this.centre[0], (y / this.height - 0.5) / this.zoom + this.centre[1]];
    this.zoom = zoom;
    this.centre = [under[0] - (x / this.width - 0.5) / zoom, under[1] - (y / this.height - 0.5) / zoom];
    this.bound();
  }

  moveBy(dx, dy) {
    this.centre = [this.centre[0] - dx / this.width / this.zoom, this.centre[1] - dy / this.height / this.zoom];
    this.bound();
  }

  whole() {
    [this.zoom, this.centre] = [1, [0.5, 0.5]];
    this.draw();
  }

  // The middle of what is seen stays on the map.
  bound() {
    const half = 0.5 / this.zoom;
    this.centre = this.centre.map((value) => Math.min(1 - half, Math.max(half, value)));
    this.draw();
  }

  // Lights up the group of a pick; 0 for none.
  light(rank) {
    if (this.lit !== rank) {
      this.lit = rank;
      this.draw();
    }
  }

  draw() {
    if (this.waiting || !this.width || !this.buckets) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
      this.listeners.forEach((tell) => tell());
    });
  }

  paint() {
    const context = this.canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const size = (marks.count > MANY ? 1.6 : marks.count > 4000 ? 2.2 : 3) * Math.min(2, Math.sqrt(this.zoom));
    if (marks.count > MANY) this.pixels(context, Math.round(size * this.ratio));
    this.buckets.forEach((bucket, at) => {
      context.fillStyle = this.look.colours[at];
      for (const point of bucket) if (marks.count <= MANY || kindOf(point) === OUTLIER) this.point(context, point, size);
    });
    context.globalAlpha = 1;
    this.rings(context);
    if (this.path.length > 1) this.outline(context);
  }

  // Very many points as squares of pixels, which is several times faster than drawing each.
  pixels(context, size) {
    const { width, height } = this.canvas;
    const image = context.createImageData(width, height);
    const data = new Uint32Array(image.data.buffer);
    const [left, top] = [0.5 - this.centre[0] * this.zoom, 0.5 - this.centre[1] * this.zoom];
    const [right, up] = [(this.zoom * width) / 65535, (this.zoom * height) / 65535];
    this.buckets.forEach((bucket, index) => {
      const colour = rgb(context, this.look.colours[index]);
      for (const at of bucket) {
        if (kindOf(at) === OUTLIER) continue;
        const x = Math.floor(left * width + marks.x[at] * right), y = Math.floor(top * height + (65535 - marks.y[at]) * up);
        if (x < 0 || y < 0 || x + size >= width || y + size >= height) continue;
        const shade = this.lit && marks.pick[at] !== this.lit ? colour & 0x28ffffff : colour;
        for (let row = y; row < y + size; row++) data.fill(shade, row * width + x, row * width + x + size);
      }
    });
    context.putImageData(image, 0, 0);
  }

  point(context, at, size) {
    const [x, y] = this.place(at);
    if (x < -9 || y < -9 || x > this.width + 9 || y > this.height + 9) return;
    context.globalAlpha = this.lit ? (marks.pick[at] === this.lit ? 1 : 0.1) : marks.count > MANY ? 0.6 : 0.75;
    if (kindOf(at) === OUTLIER) {
      const tall = marks.count > 4000 ? size + 0.8 : size + 2;
      context.beginPath();
      context.moveTo(x, y - tall);
      context.lineTo(x + tall, y + tall);
      context.lineTo(x - tall, y + tall);
      context.fill();
    } else if (marks.count > 4000) {
      context.fillRect(x - size / 2, y - size / 2, size, size);
    } else {
      context.beginPath();
      context.arc(x, y, size, 0, 7);
      context.fill();
    }
  }

  // Rings around what is selected, and around the point that the keyboard is at.
  rings(context) {
    context.strokeStyle = this.ink;
    const ring = (at, size, width) => {
      const [x, y] = this.place(at);
      context.lineWidth = width;
      context.beginPath();
      context.arc(x, y, size, 0, 7);
      context.stroke();
    };
    if (this.selected.size < 2000) this.selected.forEach((at) => ring(at, 5, 1));
    if (this.cursor >= 0) ring(this.cursor, 9, 2.5);
  }

  outline(context) {
    context.strokeStyle = this.ink;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.beginPath();
    this.path.forEach(([x, y], at) => (at ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.stroke();
    context.setLineDash([]);
  }

  // The point nearest to a place, within so many pixels.
  nearest(x, y, within) {
    let best = -1, least = within * within;
    for (let at = 0; at < marks.count; at++) {
      const dx = this.across(marks.x[at] / 65535) - x, dy = this.down(1 - marks.y[at] / 65535) - y;
      if (dx * dx + dy * dy <= least) {
        best = at;
        least = dx * dx + dy * dy;
      }
    }
    return best;
  }

  // The points inside a closed line.
  inside(path) {
    const found = [];
    for (let at = 0; at < marks.count; at++) {
      const [x, y] = this.place(at);
      let odd = false;
      for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
        const [[ax, ay], [bx, by]] = [path[i], path[j]];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
      }
      if (odd) found.push(at);
    }
    return found;
  }

  // The nearest point in a direction from where the keyboard is.
  beside(dx, dy) {
    const [x, y] = this.cursor < 0 ? [this.width / 2, this.height / 2] : this.place(this.cursor);
    let [best, least] = [-1, Infinity];
    for (let at = 0; at < marks.count; at++) {
      if (at === this.cursor) continue;
      const [px, py] = this.place(at);
      const [along, aside] = [(px - x) * dx + (py - y) * dy, Math.abs((px - x) * dy) + Math.abs((py - y) * dx)];
      if (along > 0.5 && along + 2 * aside < least) [best, least] = [at, along + 2 * aside];
    }
    return best;
  }
}
