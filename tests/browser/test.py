"""The report page in a real browser: what it draws, how it behaves, and what it must never do."""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

from driver import Browser

HOSTILE = [
    "<script>window.hacked=1</script>",
    "</script><img src=x onerror=hacked=1>",
    "=cmd|' /C calc'!A0",
    "\"quoted\" 'twice' & <b>bold</b>",
    "{data}{script}<!-- ]]>",
    "line\u2028separators\u2029and \u202eturned",
    "naïve ☃ 日本語 🦀",
    "<svg onload=hacked=1>",
]


def hostile_table(path):
    """Rows in three groups and some far out, with text that would do something if it were markup."""
    generator = random.Random(1)
    lines = ['id,"<img src=x onerror=hacked=1>",' + ",".join(f"value{j}" for j in range(5))]
    for row in range(400):
        group = row % 3
        far = 40 if row % 40 == 7 else 1
        numbers = [f"{generator.gauss(6 * group * (j % 2), 1) * far:.4f}" for j in range(5)]
        text = HOSTILE[row % len(HOSTILE)].replace('"', '""')
        lines.append(f'r{row},"{text}",' + ",".join(numbers))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def check_quiet(browser, page):
    """No error, no request but for the page itself, and nothing hostile ran."""
    problems = [entry for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not problems, problems
    asked = [url for url in browser.requests() if not url.startswith(("data:", "chrome"))]
    assert asked == [page.as_uri()], asked
    assert browser.script("return typeof window.hacked") == "undefined"
    # Markup in a cell would have made an element.
    assert browser.script("return document.querySelectorAll('main img, main script, main b, #tip img').length") == 0


def open_page(browser, page):
    browser.log("performance")
    browser.log("browser")
    browser.open(page)
    return int(browser.wait("document.documentElement.dataset.drawn"))


def marks(browser, section):
    return browser.script(
        "return document.querySelectorAll(`#${arguments[0]} svg .mark-symbol path,"
        " #${arguments[0]} svg .mark-rect path, #${arguments[0]} svg .mark-line path`).length",
        section,
    )


def check_charts(browser, sections):
    for section, least in sections.items():
        found = marks(browser, section)
        assert found >= least, f"{section}: {found} marks, {least} expected"
        label = browser.script("return document.querySelector(`#${arguments[0]} [role=img]`).ariaLabel", section)
        assert len(label) > 20, label


def check_hover(browser):
    """The tip of the chosen point on top shows the values of its row, as text."""
    place = browser.script(
        """
        document.getElementById("map").scrollIntoView({block: "center"});
        const paths = [...document.querySelectorAll("#map svg .mark-symbol.role-mark path")];
        const point = paths[paths.length - 1].getBoundingClientRect();
        return [point.x + point.width / 2, point.y + point.height / 2];
        """
    )
    browser.move(*place)
    browser.wait("!document.getElementById('tip').hidden", 10)
    tip, wanted = browser.script(
        """
        const data = JSON.parse(document.getElementById("data").textContent);
        const shown = document.querySelector("#tip strong").textContent;
        const point = data.map.points.find((point) => shown.startsWith("Row " + point.item + ":"));
        return [document.getElementById("tip").textContent, point.cells];
        """
    )
    assert "chosen, rank" in tip, tip
    assert all(cell in tip for cell in wanted), (tip, wanted)
    browser.keys("\ue00c")  # Escape
    assert browser.script("return document.getElementById('tip').hidden")


def column(browser, name, table="picks"):
    """The cells of a column of a table, from top to bottom."""
    return browser.script(
        """
        const heads = [...document.querySelectorAll(`#${arguments[1]} thead th`)];
        const at = heads.findIndex((head) => head.textContent === arguments[0]);
        return [...document.querySelectorAll(`#${arguments[1]} tbody tr`)].map((line) => line.cells[at].textContent);
        """,
        name,
        table,
    )


def press(browser, name, table="picks"):
    """Presses a heading from the keyboard."""
    browser.script(
        "[...document.querySelectorAll(`#${arguments[1]} thead button`)]"
        ".find((b) => b.textContent === arguments[0]).focus()",
        name,
        table,
    )
    browser.keys("\ue007")  # Enter


def order(browser, name, table="picks"):
    """How a table says it is sorted by a column."""
    return browser.script(
        "return [...document.querySelectorAll(`#${arguments[1]} thead th`)]"
        ".find((h) => h.textContent === arguments[0]).ariaSort",
        name,
        table,
    )


def check_sort(browser):

    ranks = column(browser, "Rank")
    assert ranks == sorted(ranks, key=int) and order(browser, "Rank") == "ascending"
    press(browser, "Row")
    rows = [int(row) for row in column(browser, "Row")]
    assert rows == sorted(rows) and (order(browser, "Row"), order(browser, "Rank")) == ("ascending", "none")
    press(browser, "Row")
    assert [int(row) for row in column(browser, "Row")] == rows[::-1] and order(browser, "Row") == "descending"
    press(browser, "Rank")
    assert column(browser, "Rank") == ranks


def check_comparison(browser):
    """The table of the methods: all there, the best named in words, sorted from the keyboard, measures explained."""

    def values(name):
        return [float(cell.removesuffix(" (best)")) for cell in column(browser, name, "comparison")]

    assert len(column(browser, "Method", "comparison")) == 9
    accuracy = values("accuracy")
    assert accuracy == sorted(accuracy, reverse=True) and order(browser, "accuracy", "comparison") == "descending"
    assert column(browser, "accuracy", "comparison")[0].endswith(" (best)")
    press(browser, "distance", "comparison")
    distance = values("distance")
    assert distance == sorted(distance) and order(browser, "distance", "comparison") == "ascending"
    assert order(browser, "accuracy", "comparison") == "none"
    best = browser.script("return [...document.querySelectorAll('#comparison td strong')].map((s) => s.textContent)")
    assert best and all(text.endswith(" (best)") for text in best), best
    terms = browser.script("return [...document.querySelectorAll('#comparison dt')].map((t) => t.textContent)")
    assert terms == ["distance", "outliers", "reconstruction", "accuracy"], terms
    left = browser.script("return document.querySelectorAll('#comparison li').length")
    assert left == 0, left


def check_reasons(browser):
    """The strangest rows say why, by the names of columns."""
    why = column(browser, "Why", "strangest")
    assert len(why) == 20 and all("value" in text for text in why[:9]), why


def check_set_aside(browser):
    """What was set aside has a paragraph: how many rows, how sure, what they look like, how to keep them."""
    shown = browser.script("return document.querySelector('#set-aside p').textContent")
    assert " of 400 rows (" in shown and "Confidence " in shown and "look like scattered errors" in shown, shown
    assert "--no-gate" in shown and "gate=False" in shown, shown


def check_zoom(browser):
    label = (
        "return [...document.querySelectorAll('#map .role-axis-label text')].map((t) => t.textContent).sort().join()"
    )
    before = browser.script(label)
    press = "[...document.querySelectorAll('#map button')].find((b) => b.textContent === arguments[0]).click()"
    browser.script(press, "Zoom in")
    browser.wait(f"(() => {{ {label} }})() !== {before!r}", 10)
    browser.script(press, "Whole map")
    browser.wait(f"(() => {{ {label} }})() === {before!r}", 10)


def check_colours(browser):
    """Follows the system, unless the button was pressed; text is readable in both."""
    contrast = """
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
        const light = (color) => {
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            const part = (x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
            const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
            return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        };
        const ground = light(getComputedStyle(document.body).backgroundColor);
        const of = (select, what) => {
            const a = light(getComputedStyle(document.querySelector(select))[what]);
            return (Math.max(a, ground) + 0.05) / (Math.min(a, ground) + 0.05);
        };
        return [ground, of("p", "color"), of(".note", "color"), of("#map svg .role-axis-label text", "fill"),
                of("#map svg .mark-symbol.role-mark path:last-child", "fill")];
    """
    grounds = {}
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        ground, *ratios = browser.script(contrast)
        assert all(ratio >= 4.5 for ratio in ratios), (scheme, ratios)
        grounds[scheme] = ground
    assert grounds["light"] > 0.9 and grounds["dark"] < 0.05, grounds
    browser.script("document.getElementById('theme').click()")
    assert browser.script(contrast)[0] > 0.9
    browser.script("delete document.documentElement.dataset.theme")
    browser.scheme("light")


def check_phone(browser, page):
    browser.size(390, 844, phone=True)
    open_page(browser, page)
    wide = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= 390 and wide[1] == 390, wide
    right = browser.script(
        "return Math.max(...[...document.querySelectorAll('main svg')].map((s) => s.getBoundingClientRect().right))"
    )
    assert right <= 390, right


def check_print(browser):
    """On paper: light whatever the screen is, and nothing wider than the page."""
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.size(760, 1100)
    browser.command("Emulation.setEmulatedMedia", media="print", features=dark)
    ground, wide = browser.script(
        "return [getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth]"
    )
    assert ground == "rgb(255, 255, 255)" and wide <= 760, (ground, wide)
    browser.command("Emulation.setEmulatedMedia", media="", features=dark)
    assert browser.pdf().startswith(b"%PDF")


def check_structure(browser):
    """What a screen reader goes by."""
    assert browser.script("return document.querySelectorAll('h1').length") == 1
    bare = browser.script(
        "return [...document.querySelectorAll('section')].filter((s) => !s.querySelector('h2')).length"
    )
    assert bare == 0
    tables = "[...document.querySelectorAll('section > .scroll > table')]"
    assert browser.script(f"return {tables}.every((t) => t.caption && t.caption.textContent.length > 10)")
    pictures = "[...document.querySelectorAll('.chart')].map((chart) => chart.parentElement)"
    assert browser.script(
        f"return {pictures}.every((p) => p.getAttribute('role') === 'img' && p.ariaLabel.length > 20)"
    )


def keep(browser, name, whole=True):
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        browser.picture(pathlib.Path(folder) / f"{name}.png", whole)


def check_page(browser, page, charts):
    browser.size(1280, 900)
    browser.scheme("light")
    drawn = open_page(browser, page)
    assert drawn == charts, f"{drawn} charts"
    check_structure(browser)
    keep(browser, f"{page.stem}-light")
    check_hover(browser)
    check_sort(browser)
    check_zoom(browser)
    check_colours(browser)
    browser.scheme("dark")
    keep(browser, f"{page.stem}-dark")
    check_print(browser)
    check_quiet(browser, page)
    check_phone(browser, page)
    keep(browser, f"{page.stem}-phone")
    check_quiet(browser, page)


def main():
    arss = pathlib.Path(sys.argv[1]).resolve()
    # Chromium may still be writing into its profile when it is told to go.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        hostile_table(folder / "hostile.csv")

        def run(*words):
            subprocess.run([arss, *words], cwd=folder, check=True, capture_output=True, timeout=120)

        run("select", "hostile.csv", "-k", "9", "--report", "exemplars.html")
        run("select", "hostile.csv", "-k", "5", "--method", "rrss", "--report", "rrss.html")
        label = "<img src=x onerror=hacked=1>"
        run("compare", "hostile.csv", "-k", "6", "--label", label, "--report", "compare.html")
        run("compare", "hostile.csv", "-k", "6", "--patience", "0", "--report", "left.html")
        run("outliers", "hostile.csv", "--threshold", "1.5", "--report", "outliers.html")
        run("demo", "demo")
        with Browser(folder / "profile") as browser:
            check_page(browser, folder / "exemplars.html", 4)
            check_charts(browser, {"map": 200, "coverage": 1, "outliers": 5, "scores": 9})
            check_set_aside(browser)
            check_page(browser, folder / "rrss.html", 5)
            check_charts(browser, {"map": 200, "outliers": 5, "scores": 5, "convergence": 2})
            assert browser.script("return document.getElementById('set-aside')") is None
            check_page(browser, folder / "demo" / "report.html", 4)
            check_page(browser, folder / "compare.html", 4)
            check_comparison(browser)
            check_page(browser, folder / "outliers.html", 4)
            check_reasons(browser)
            open_page(browser, folder / "left.html")
            assert browser.script("return document.querySelectorAll('#comparison li').length") == 7
            check_quiet(browser, folder / "left.html")
    print("test-browser: 6 pages opened, drawn, hovered, sorted, zoomed; nothing hostile ran, nothing was asked for")


if __name__ == "__main__":
    main()
