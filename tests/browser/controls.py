"""Every control of the report page, used as somebody would: by the pointer and by the keyboard."""

import csv
import time

ENTER, ESCAPE, RIGHT, LEFT = "\ue007", "\ue00c", "\ue014", "\ue012"


def text_of(browser, selector):
    return browser.script("return document.querySelector(arguments[0]).textContent", selector)


def count(browser, selector):
    return browser.script("return document.querySelectorAll(arguments[0]).length", selector)


def place(browser, selector):
    """The middle of an element that is brought into sight; once the page stands still, as scrolling takes tips away."""
    browser.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
    settled(browser)
    return browser.script(
        """
        const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
        """,
        selector,
    )


def press(browser, selector, name):
    """Presses a button from the keyboard."""
    browser.script(
        "[...document.querySelectorAll(arguments[0])].find((b) => b.textContent.startsWith(arguments[1])).focus()",
        selector,
        name,
    )
    browser.keys(ENTER)


def settled(browser):
    """Waits until the map is drawn."""
    browser.answer("requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))")


READ = """
    const canvas = document.querySelector("canvas.map");
    // A copy: reading the page's own often would make the browser warn.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
"""


def pixels(browser):
    """How many points of the map have which colour."""
    settled(browser)
    return browser.script(
        READ
        + """
        const found = {};
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 120) {
            const name = [data[at] >> 5, data[at + 1] >> 5, data[at + 2] >> 5].join();
            found[name] = (found[name] || 0) + 1;
        }
        return found;
        """
    )


def picture(browser):
    """A number that every pixel of the map and its place go into."""
    settled(browser)
    sum_up = (
        "let sum = 0; for (let at = 0; at < data.length; at++) sum = (sum * 31 + data[at]) % 1000000007; return sum"
    )
    return browser.script(READ + sum_up)


def changed(browser, before):
    """The picture of the map once it is another one: events may be late on a busy machine."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        now = picture(browser)
        if now != before:
            return now
    raise AssertionError("the map stayed as it was")


def check_map(browser):
    """Something is drawn, in several colours, and numbers do not lie on each other."""
    found = pixels(browser)
    assert sum(found.values()) > 400 and len(found) > 3, found
    boxes = browser.script(
        "return [...document.querySelectorAll('.badge:not(.small):not([hidden])')]"
        ".map((b) => b.getBoundingClientRect()).map((b) => [b.x, b.y, b.right, b.bottom])"
    )
    assert boxes
    for at, a in enumerate(boxes):
        for b in boxes[:at]:
            apart = a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
            assert apart, (a, b)


def check_colours_of_map(browser):
    """Each way to colour it draws another picture and another legend."""
    options = browser.script(
        "return [...document.querySelectorAll('#colour option')].map((o) => [o.value, o.textContent])"
    )
    assert len(options) >= 3, options
    seen = set()
    for value, _ in options[:8]:
        browser.script(
            "const s = document.getElementById('colour'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))",
            value,
        )
        seen.add((str(sorted(pixels(browser).items())), text_of(browser, "#legend")))
    assert len(seen) >= len(options[:8]) - 1, (options, len(seen))
    browser.script(
        "const s = document.getElementById('colour'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))",
        options[0][0],
    )


def check_light(browser):
    """Pointing at a pick lights its group up and shows its row."""
    before = pixels(browser)
    browser.move(*place(browser, ".badge:not(.small)"))
    browser.wait("!document.getElementById('tip').hidden", 10)
    lit = pixels(browser)
    tip = text_of(browser, "#tip")
    assert sum(lit.values()) < sum(before.values()), "the others are dimmed"
    assert tip.startswith("Row "), tip
    browser.keys(ESCAPE)
    assert browser.script("return document.getElementById('tip').hidden")
    browser.move(2, 2)


def check_pin(browser):
    """A click pins a card, another takes it away; the keyboard does the same."""
    browser.drag(place(browser, ".badge:not(.small)"))
    assert count(browser, "#pins .card") == 1
    rank = text_of(browser, "#pins .rank")
    assert browser.script("return document.querySelector('.badge[aria-pressed=true]').textContent") == rank
    press(browser, "#pins button", "Unpin")
    assert count(browser, "#pins .card") == 0
    browser.script("document.querySelector('.badge[tabindex=\"0\"]').focus()")
    first = browser.script("return document.activeElement.textContent")
    browser.keys(RIGHT)
    assert browser.script("return document.activeElement.textContent") == str(int(first) + 1)
    browser.keys(ENTER)
    assert text_of(browser, "#pins .rank") == str(int(first) + 1)
    browser.keys(ENTER)
    browser.keys(LEFT)
    assert count(browser, "#pins .card") == 0
    assert count(browser, '.badge[tabindex="0"]') == 1


def check_keyboard(browser):
    """Arrows go from point to point, which is told; Enter lists the row; plus and minus zoom."""
    browser.script("document.querySelector('canvas.map').focus()")
    told = []
    for key in (RIGHT, RIGHT, LEFT):
        browser.keys(key)
        told.append(text_of(browser, "#live"))
    assert all(text.startswith("Row ") for text in told) and told[0] != told[1], told
    browser.keys(ENTER)
    settled(browser)
    chosen = count(browser, "#selected tbody tr") + count(browser, "#pins .card")
    assert chosen == 1, chosen
    before = picture(browser)
    browser.keys("+")
    changed(browser, before)
    browser.keys("0")
    browser.script("document.querySelectorAll('#selected > button, #pins button.unpin').forEach((b) => b.click())")
    browser.keys(ESCAPE)


def check_lasso(browser):
    """A line around all points lists all of them; a line around nothing clears the list."""
    press(browser, "#map button", "Lasso")
    left, top, right, bottom = browser.script(
        """
        document.querySelector("canvas.map").scrollIntoView({block: "center"});
        const box = document.querySelector("canvas.map").getBoundingClientRect();
        return [box.left, box.top, box.right, box.bottom];
        """
    )
    corners = [
        (left + 2, top + 2),
        (right - 3, top + 2),
        (right - 3, bottom - 3),
        (left + 2, bottom - 3),
        (left + 2, top + 9),
    ]
    browser.drag(*corners)
    drawn = browser.script("return JSON.parse(document.getElementById('data').textContent).map.count")
    caption = text_of(browser, "#selected caption")
    found = int(caption.split(" ")[0].replace(",", ""))
    assert found >= 0.97 * drawn, (caption, drawn)
    browser.drag((left + 2, top + 2), (left + 8, top + 2), (left + 8, top + 8))
    assert count(browser, "#selected table") == 0
    press(browser, "#map button", "Move")


def check_zoom(browser):
    before = picture(browser)
    press(browser, "#map button", "Zoom in")
    closer = changed(browser, before)
    place(browser, "canvas.map")
    # From where no exemplar is.
    x, y = browser.script(
        """
        const canvas = document.querySelector("canvas.map"), box = canvas.getBoundingClientRect();
        for (let x = box.left + 60; x < box.right - 60; x += 23)
            for (let y = box.top + 60; y < box.bottom - 60; y += 23)
                if (document.elementFromPoint(x, y) === canvas) return [x, y];
        """
    )
    # Far: there may be nothing in the middle.
    browser.drag((x, y), (x + 100, y + 40), (x + 300, y + 120))
    moved = changed(browser, closer)
    press(browser, "#map button", "Whole map")
    assert changed(browser, moved) == before


def column(browser, name, table):
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


def order(browser, name, table):
    return browser.script(
        "return [...document.querySelectorAll(`#${arguments[1]} thead th`)]"
        ".find((h) => h.textContent === arguments[0]).ariaSort",
        name,
        table,
    )


def check_sort(browser):
    ranks = column(browser, "Rank", "picks")
    assert ranks == sorted(ranks, key=int) and order(browser, "Rank", "picks") == "ascending"
    press(browser, "#picks thead button", "Row")
    rows = [int(row) for row in column(browser, "Row", "picks")]
    assert rows == sorted(rows) and order(browser, "Row", "picks") == "ascending"
    browser.keys(ENTER)
    assert [int(row) for row in column(browser, "Row", "picks")] == rows[::-1]
    assert order(browser, "Row", "picks") == "descending" and order(browser, "Rank", "picks") == "none"
    press(browser, "#picks thead button", "Rank")


def check_search(browser):
    """A search leaves the rows that have the text, in all columns or in one."""
    rows = column(browser, "Row", "picks")
    wanted = rows[-1]

    def search(text, where):
        browser.script(
            """
            const [text, where] = arguments;
            const input = document.querySelector("#picks input");
            const select = document.querySelector("#picks select");
            select.value = where;
            select.dispatchEvent(new Event("change"));
            input.value = text;
            input.dispatchEvent(new Event("input"));
            """,
            text,
            where,
        )
        return column(browser, "Row", "picks")

    assert search(wanted, "1") == [row for row in rows if wanted in row]
    assert wanted in search(wanted, "-1")
    assert search("no such text anywhere", "-1") == []
    assert search("", "-1") == rows


def check_download(browser, folder, table="picks"):
    """The csv file holds the rows that are shown, with all columns."""
    browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    press(browser, f"#{table} button", "Download as csv")
    target = folder / f"{table}.csv"
    end = time.monotonic() + 20
    while not target.exists() and time.monotonic() < end:
        time.sleep(0.05)
    with target.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    target.unlink()
    data = browser.script("return JSON.parse(document.getElementById('data').textContent)")
    headings, rows = data["headings"], column(browser, "Row", table)
    assert len(lines) == len(rows) + 1 and set(headings) <= set(lines[0]), lines[0]
    assert [line[lines[0].index("Row")] for line in lines[1:]] == rows
    return lines


def check_copy(browser):
    """The command is in the clipboard, or marked to be copied."""
    browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.script("document.getElementById('repeat').scrollIntoView()")
    browser.drag(place(browser, "#repeat button"))
    browser.wait("document.querySelector('#repeat button').textContent !== 'Copy the command'", 10)
    assert text_of(browser, "#repeat button") == "Copied", text_of(browser, "#repeat button")
