// Puts the page together.

function themeButton() {
  const press = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const changed = () => {
    press.textContent = dark() ? "Light colours" : "Dark colours";
    dispatchEvent(new Event("arss-colours"));
  };
  press.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    changed();
  });
  system.addEventListener("change", changed);
  changed();
}

// On paper everything is open.
function openForPrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("article details:not([open])")).slice(0, 60);
    opened.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((details) => { details.open = false; }));
}

function page() {
  document.title = legible(report.input) + " - arss report";
  document.getElementById("title").textContent = legible("What stands for " + report.input);
  const map = mapSection();
  const pair = make("div", { class: "pair" }, ...outlierSection(), ...scoreSection());
  document.getElementById("main").append(
    summarySection(), ...comparisonSection(), map.element, cardsSection(), ...explainedSection(), ...asideSection(), ...howManySection(),
    picksSection(), pair, ...convergenceSection(), ...columnsSection(), repeatSection(),
  );
  themeButton();
  openForPrint();
  map.start();
  // Milliseconds since the page was asked for; tests wait for it.
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.drawn = String(Math.ceil(performance.now())); }));
}

page();
