"""Pages about folders of pictures and texts: what is shown, that names stay text, and that many pictures scroll."""

import shutil
import subprocess

from controls import count, text_of

HOSTILE = "<img src=x onerror=hacked=1> 'quote\" &amp; \u202egpj.png"


def make_pages(arss, folder):
    """A page of pictures, one of them with a hostile name, and one of texts."""
    pictures = folder / "demo" / "pictures"
    shutil.copytree(pictures, folder / "photos")
    for number, path in enumerate(sorted((folder / "photos").iterdir())):
        if number % 3 == 0:
            path.rename(path.with_name(f"{number} {HOSTILE}"))
    (folder / "photos" / "<b>broken.png").write_text("no picture")
    texts = folder / "texts"
    texts.mkdir()
    for number in range(40):
        topic = ("tea cup leaf kettle", "ship sea sail storm", "<script>window.hacked=1</script> code page")[number % 3]
        (texts / f"<i>{number}.txt").write_text(f"{topic} {topic.split()[number % 4 - 1]} number{number}")

    def run(*words):
        subprocess.run([arss, *words, "--no-config"], cwd=folder, check=True, capture_output=True, timeout=300)

    run("select", "photos", "-k", "12", "--no-cache", "--report", "pictures.html")
    run("select", "texts", "-k", "6", "--report", "texts.html")


def open_page(browser, page):
    browser.log("performance")
    browser.log("browser")
    browser.open(page)


def check_quiet(browser, page):
    """No error, no request but for the page itself, and nothing hostile ran."""
    problems = [entry for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not problems, problems
    asked = [url for url in browser.requests() if not url.startswith(("data:", "chrome", "blob:"))]
    assert asked == [page.as_uri()], asked
    assert browser.script("return typeof window.hacked") == "undefined"
    foreign = "return [...document.images].every((i) => i.src.startsWith('data:image/jpeg;base64,'))"
    assert browser.script(foreign) and count(browser, "script") == 0


def check_pictures(browser, page):
    """Twelve picks with thumbnails; a click shows what is near; the map holds all pictures."""
    browser.size(1400, 900)
    open_page(browser, page)
    assert text_of(browser, "h1") == "12 of 151 pictures that stand for all"
    assert count(browser, ".pick") == 12 and count(browser, ".pick summary img") == 12
    drawn = "[...document.querySelectorAll('.pick summary img')].every((i) => i.complete && i.naturalWidth > 0)"
    browser.wait(drawn)
    browser.script("document.querySelector('.pick summary').click()")
    assert count(browser, ".pick[open] .few img") == 8
    browser.wait("[...document.querySelectorAll('.pick[open] img')].every((i) => i.complete && i.naturalWidth > 0)")
    on_map, chosen = count(browser, ".map area"), count(browser, ".map area[href]")
    browser.wait("document.querySelector('.map img').complete && document.querySelector('.map img').naturalWidth > 0")
    # Every place of the map lies on its picture, and a pick leads to its card.
    inside = """const image = document.querySelector('.map img');
        return [...document.querySelectorAll('.map area')].every((area) => {
            const [left, top, right, bottom] = area.coords.split(',').map(Number);
            return 0 <= left && left < right && right <= image.naturalWidth && 0 <= top && top < bottom
                && bottom <= image.naturalHeight;
        });"""
    assert browser.script(inside)
    links = "[...document.querySelectorAll('.map area[href]')]"
    assert browser.script(f"return {links}.every((a) => document.querySelector(a.hash + '.pick'))")
    assert 130 <= on_map <= 150 and chosen == 12, (on_map, chosen)
    shown = browser.script("return document.body.innerText")
    assert "<img src=x onerror=hacked=1> 'quote\" &amp; \u2426gpj.png" in shown and "\u202e" not in shown
    assert "<b>broken.png: is no picture of a known format" in shown
    wide = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], wide
    browser.size(390, 844, phone=True)
    open_page(browser, page)
    wide = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide == [390, 390], wide
    check_quiet(browser, page)


def check_texts(browser, page):
    """Picks with their terms and how they begin, as text."""
    browser.size(1400, 900)
    open_page(browser, page)
    assert text_of(browser, "h1") == "6 of 40 texts that stand for all"
    assert count(browser, ".pick") == 6 and count(browser, ".pick i") >= 6
    browser.script("document.querySelector('.pick summary').click()")
    assert count(browser, ".pick[open] .few figure") == 8
    assert "<script>window.hacked=1</script>" in browser.script("return document.body.innerText")
    check_quiet(browser, page)
