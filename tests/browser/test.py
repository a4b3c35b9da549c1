"""The report page in a real browser: what it draws, how its controls behave, and what it must never do.

python3 tests/browser/test.py target/debug/arss [axe.min.js]
"""

import html
import os
import pathlib
import subprocess
import sys
import tempfile

import controls
import media
import tables
from controls import column, count, text_of
from driver import Browser


def check_quiet(browser, page):
    """No error, no request but for the page itself, and nothing hostile ran."""
    problems = [entry for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not problems, problems
    asked = [url for url in browser.requests() if not url.startswith(("data:", "chrome", "blob:"))]
    assert asked == [page.as_uri()], asked
    assert browser.script("return typeof window.hacked") == "undefined"
    # Markup in a cell would have made an element.
    assert count(browser, "main img, main script, main svg[onload], #tip img") == 0


def check_policy(browser):
    """Nothing may be added to the page and run, neither as an element nor as an attribute."""
    browser.script(
        """
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        const button = document.createElement("button");
        button.setAttribute("onclick", "window.hacked = 1");
        document.body.append(button);
        button.click();
        """
    )
    assert browser.script("return typeof window.hacked") == "undefined"
    refused = [entry["message"] for entry in browser.log("browser")]
    assert refused and all("Content Security Policy" in message for message in refused), refused


def open_page(browser, page):
    browser.log("performance")
    browser.log("browser")
    browser.open(page)
    browser.wait("document.documentElement.dataset.drawn")


def sections(browser):
    return browser.script("return [...document.querySelectorAll('section')].map((s) => s.id)")


def check_structure(browser):
    """What a screen reader goes by."""
    assert count(browser, "h1") == 1
    assert browser.script("return [...document.querySelectorAll('section')].every((s) => s.querySelector('h2'))")
    captions = browser.script("return [...document.querySelectorAll('.data-table caption')].map((c) => c.textContent)")
    assert captions and all(len(caption) > 10 for caption in captions), captions
    names = browser.script("return [...document.querySelectorAll('svg[role=img]')].map((p) => p.ariaLabel)")
    assert names and all(len(name) > 15 for name in names), names


def check_contrast(browser):
    """Light and dark by the system and by the button; text and marks stand out in both."""
    contrast = """
        const light = (colour) => {
            const part = colour.match(/[\\d.]+/g).slice(0, 3)
                .map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
            return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
        };
        const ground = light(getComputedStyle(document.body).backgroundColor);
        const of = (select, what) => {
            const a = light(getComputedStyle(document.querySelector(select))[what]);
            return (Math.max(a, ground) + 0.05) / (Math.min(a, ground) + 0.05);
        };
        const line = document.querySelector(".curve") ? [of(".curve", "stroke")] : [];
        return [ground, of("p", "color"), of(".note", "color"), of("svg text", "fill"), ...line];
    """
    grounds = {}
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        ground, *ratios = browser.script(contrast)
        assert all(ratio >= 4.5 for ratio in ratios), (scheme, ratios)
        grounds[scheme] = ground
    assert grounds["light"] > 0.9 and grounds["dark"] < 0.05, grounds
    dark = controls.pixels(browser)
    browser.script("document.getElementById('theme').click()")
    assert browser.script(contrast)[0] > 0.9
    assert controls.pixels(browser) != dark, "the map follows"
    browser.script("delete document.documentElement.dataset.theme")
    browser.scheme("light")


def check_phone(browser, page):
    browser.size(390, 844, phone=True)
    open_page(browser, page)
    wide = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= 390 and wide[1] == 390, wide
    right = browser.script(
        "return Math.max(...[...document.querySelectorAll('main svg, canvas, .card')]"
        ".map((s) => s.getBoundingClientRect().right))"
    )
    assert right <= 390, right


def check_print(browser):
    """On paper: light whatever the screen is, nothing wider than the page, cards whole, no controls."""
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.size(760, 1100)
    browser.command("Emulation.setEmulatedMedia", media="print", features=dark)
    ground, wide, buttons = browser.script(
        "return [getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth,"
        " [...document.querySelectorAll('.tools button')].filter((b) => b.offsetParent).length]"
    )
    assert ground == "rgb(255, 255, 255)" and wide <= 760 and buttons == 0, (ground, wide, buttons)
    # Columns have their names on paper, too.
    heads = "[...document.querySelectorAll('#picks thead th')].slice(0, 11).every((h) => h.innerText.trim())"
    assert browser.script(f"return document.querySelector('#picks thead th') !== null && {heads}")
    browser.command("Emulation.setEmulatedMedia", media="", features=dark)
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000


def check_axe(browser, axe):
    """No violation of the rules of axe-core, in either colours, with everything open."""
    if not axe:
        return
    browser.script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    browser.script(axe)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        found = browser.answer(
            "axe.run(document, {resultTypes: ['violations']}).then((r) => done(r.violations.map("
            "(v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])), (e) => done(String(e)))"
        )
        assert found == [], found
    browser.scheme("light")


def keep(browser, name, whole=True):
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        browser.picture(pathlib.Path(folder) / f"{name}.png", whole)


def check_controls(browser, folder):
    controls.check_map(browser)
    controls.check_colours_of_map(browser)
    controls.check_light(browser)
    controls.check_pin(browser)
    controls.check_keyboard(browser)
    controls.check_lasso(browser)
    controls.check_zoom(browser)
    controls.check_sort(browser)
    controls.check_search(browser)
    controls.check_download(browser, folder)
    controls.check_copy(browser)


def check_page(browser, page, axe, wanted):
    """What holds for every page; `wanted` sections are there."""
    browser.size(1400, 900)
    browser.scheme("light")
    open_page(browser, page)
    assert set(wanted) <= set(sections(browser)), sections(browser)
    check_structure(browser)
    keep(browser, f"{page.stem}-1400")
    check_contrast(browser)
    check_axe(browser, axe)
    browser.scheme("dark")
    keep(browser, f"{page.stem}-dark")
    check_print(browser)
    check_quiet(browser, page)
    check_phone(browser, page)
    keep(browser, f"{page.stem}-390")
    check_quiet(browser, page)


def check_hostile(browser):
    """Hostile cells are shown as text, and long ones are folded."""
    shown = browser.script(
        "return [...document.querySelectorAll('#picks td, #aside td, .card dd')].map((c) => c.textContent).join('|')"
    )
    for text in ("<script>window.hacked=1</script>", "=cmd|' /C calc'!A0", "<svg onload=hacked=1>"):
        assert text in shown, text
    # What cannot be seen is shown by a sign, and text cannot be turned around.
    assert "\x00" not in shown and "\u202e" not in shown
    assert max(len(part) for part in shown.split("|")) < 1500


def check_wide(browser):
    """All of 2,000 columns can be reached, by turning over and by name."""
    seen = set()
    for _ in range(200):
        seen.update(
            browser.script("return [...document.querySelectorAll('#picks thead button')].map((b) => b.textContent)")
        )
        later = browser.script(
            "const where = document.querySelector('#picks .tools .note').textContent;"
            "const buttons = [...document.querySelectorAll('#picks .tools button')];"
            "buttons.find((b) => b.textContent.startsWith('columns')).click();"
            "return document.querySelector('#picks .tools .note').textContent !== where"
        )
        if not later:
            break
    assert {f"gene{j}" for j in range(2000)} <= seen, len(seen)


def check_notebook(browser, page, folder):
    """Inside a frame, as notebooks show it: drawn, its controls work, and it cannot touch what is around it."""
    text = html.escape(page.read_text(encoding="utf-8"), quote=True)
    around = folder / "notebook.html"
    frame = f'<iframe title="report" width="1200" height="800" srcdoc="{text}"></iframe>'
    around.write_text(f"<!DOCTYPE html><title>notebook</title>{frame}", encoding="utf-8")
    browser.size(1400, 900)
    browser.log("browser")
    browser.open(around)
    browser.wait("document.querySelector('iframe').contentDocument.documentElement.dataset.drawn")
    browser.call("POST", "/frame", {"id": 0})
    controls.check_map(browser)
    browser.script("document.querySelector('.badge').click()")
    assert count(browser, "#pins .card") == 1
    browser.call("POST", "/frame", {"id": None})
    problems = [entry for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not problems, problems


def check_others(browser, folder, axe):
    """What only some pages have."""
    check_page(browser, folder / "rrss.html", axe, ["map", "cards", "convergence", "outliers"])
    assert "how-many" not in sections(browser)
    check_page(browser, folder / "compare.html", axe, ["comparison", "map", "cards"])
    assert text_of(browser, "#comparison .advice p").startswith("Take ")
    names = column(browser, "Method", "comparison .data-table")
    assert len(names) == 9 and count(browser, "#comparison .matrix tbody tr") == 9, names
    check_page(browser, folder / "outliers.html", axe, ["aside", "map"])
    assert count(browser, "#aside mark") > 5
    check_page(browser, folder / "features.html", axe, ["explained", "cards"])
    assert count(browser, "#explained tbody tr") == 3
    open_page(browser, folder / "left.html")
    assert count(browser, "#comparison li") == 7
    check_quiet(browser, folder / "left.html")
    browser.size(1400, 900)
    open_page(browser, folder / "wide.html")
    check_wide(browser)
    check_quiet(browser, folder / "wide.html")


def check_media(browser, arss, folder, axe):
    """Pages about pictures and texts."""
    media.make_pages(arss, folder)
    for name, check in (("pictures", media.check_pictures), ("texts", media.check_texts)):
        check(browser, folder / f"{name}.html")
        browser.size(1400, 900)
        check_axe(browser, axe)
        keep(browser, name)


def make_pages(arss, folder):
    tables.hostile(folder / "hostile.jsonl")
    tables.wide(folder / "wide.csv")

    def run(*words):
        subprocess.run([arss, *words, "--no-config"], cwd=folder, check=True, capture_output=True, timeout=300)

    run("select", "hostile.jsonl", "-k", "9", "--report", "exemplars.html")
    run("select", "hostile.jsonl", "-k", "5", "--method", "rrss", "--report", "rrss.html")
    run("compare", "hostile.jsonl", "-k", "6", "--label", tables.NAME, "--report", "compare.html")
    run("compare", "hostile.jsonl", "-k", "6", "--patience", "0", "--report", "left.html")
    run("outliers", "hostile.jsonl", "--threshold", "1.5", "--report", "outliers.html")
    run("features", "hostile.jsonl", "-k", "2", "--report", "features.html")
    run("select", "wide.csv", "-k", "4", "--report", "wide.html")
    run("demo", "demo")


def main():
    arss = pathlib.Path(sys.argv[1]).resolve()
    axe = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8") if len(sys.argv) > 2 else None
    # Chromium may still be writing into its profile when it is told to go.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        make_pages(arss, folder)
        everything = [
            "summary",
            "map",
            "cards",
            "aside",
            "how-many",
            "picks",
            "outliers",
            "scores",
            "columns",
            "repeat",
        ]
        with Browser(folder / "profile") as browser:
            check_page(browser, folder / "exemplars.html", axe, everything)
            browser.size(1400, 900)
            open_page(browser, folder / "exemplars.html")
            check_hostile(browser)
            check_controls(browser, folder)
            check_policy(browser)
            check_page(browser, folder / "demo" / "report.html", axe, everything)
            browser.size(1400, 900)
            open_page(browser, folder / "demo" / "report.html")
            check_controls(browser, folder)
            check_others(browser, folder, axe)
            check_notebook(browser, folder / "demo" / "report.html", folder)
            check_media(browser, arss, folder, axe)
    rules = "0 violations" if axe else "SKIPPED, there is no npm to install it with"
    print(f"test-browser: 10 pages opened, every control used, nothing hostile ran; axe-core: {rules}")


if __name__ == "__main__":
    main()
