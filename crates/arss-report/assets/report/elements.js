// Elements, numbers and texts. Strings only ever become text nodes or attributes, never markup.

// An element with attributes and children; strings become text nodes, and what is not there is left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  setAll(element, attributes);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined).map((child) => (child instanceof Node ? child : legible(child))));
  return element;
}

// The same for pictures.
function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAll(element, attributes);
  element.append(...children.flat(Infinity).map((child) => (child instanceof Node ? child : legible(child))));
  return element;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
}

function section(title, name, ...children) {
  const heading = make("h2", { id: name + "-title" }, title);
  return make("section", { id: name, "aria-labelledby": name + "-title" }, heading, ...children);
}

function button(name, action, attributes) {
  const element = make("button", { type: "button", ...attributes }, name);
  element.addEventListener("click", action);
  return element;
}

// Characters that cannot be seen or that turn the text around them become marks: NUL is shown as a picture of itself.
function legible(text) {
  return String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, "\u2426");
}

// A number with about four digits.
function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "-";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

// A cell as a sentence says it: long numbers with five digits.
const brief = (text) => (text.length > 8 && /^[-+\d.eE]+$/.test(text) && Number.isFinite(Number(text)) ? String(Number(Number(text).toPrecision(5))) : text);
const seconds = (value) => (value < 0.001 ? "below 0.001" : value.toFixed(3));
const percent = (share) => (share * 100).toFixed(1) + " %";
const points = (share) => (share * 100).toFixed(2) + " points";
const signed = (value) => (value > 0 ? "+" : "\u2212") + (Math.abs(value) >= 10 ? Math.abs(value).toFixed(0) : Math.abs(value).toFixed(1));
const thousands = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (count, what) => thousands(count) + " " + what + (count === 1 ? "" : "s");

// Says something to those who listen.
function say(text) {
  document.getElementById("live").textContent = legible(text);
}

// A long text folded: its start, and the rest at a press.
const FOLDED = 90;
function folding(text, characters) {
  if (text.length <= FOLDED) return [legible(text)];
  const rest = characters > text.length ? text + "\u2026 (" + thousands(characters) + " characters in all)" : text;
  const start = make("span", {}, text.slice(0, FOLDED) + "\u2026 ");
  const more = button("more", () => {
    const open = more.getAttribute("aria-expanded") === "true";
    start.textContent = legible(open ? text.slice(0, FOLDED) + "\u2026 " : rest + " ");
    more.textContent = open ? "more" : "less";
    more.setAttribute("aria-expanded", String(!open));
  }, { class: "fold", "aria-expanded": "false" });
  return [start, more];
}

// Offers a text as a file.
function download(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Puts a text into the clipboard; where that is forbidden the text is marked, so that it can be copied by hand.
function copy(text, place) {
  const marked = () => {
    getSelection().selectAllChildren(place);
    const done = document.execCommand && document.execCommand("copy");
    say(done ? "Copied" : "Marked, to be copied by hand");
    return done;
  };
  if (!navigator.clipboard) return Promise.resolve(marked());
  return navigator.clipboard.writeText(text).then(() => { say("Copied"); return true; }, marked);
}

// A text as a field of a csv file.
const field = (text) => (/[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
