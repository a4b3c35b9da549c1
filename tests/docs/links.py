"""Checks the documents of the repository without a network.

python3 tests/docs/links.py                   relative links, images and anchors; every page is in SUMMARY.md
python3 tests/docs/links.py --paths           also that the repository paths quoted in the book exist
python3 tests/docs/links.py --html FOLDER     the links of a built book
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "docs"
PAGES = ["*.md", "docs/**/*.md", "benchmarks/**/*.md", "python/*.md", "fuzz/*.md", "crates/**/*.md", "tests/**/*.md"]
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
#: Folders whose files the book may quote as `folder/...`.
QUOTED = ("crates/", "python/", "benchmarks/", "tests/", "examples/", "docs/", "fuzz/")


def prose(text: str) -> str:
    """The text without blocks of code and without code in a line.

    >>> prose("see [a](b.md)\\n```sh\\n[no](c.md)\\n```\\nand `[no](d.md)`")
    'see [a](b.md)\\n\\nand '
    """
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def targets(text: str) -> list[str]:
    """What the links and images of a page point to, in order.

    >>> targets("[a](b.md#c) ![d](e.png) <img src='f.svg'> `[no](g.md)` [x](<h i.md>)")
    ['b.md#c', 'e.png', 'h i.md', 'f.svg']
    """
    text = prose(text)
    found = re.findall(r"\]\((?:<([^>]*)>|([^)\s]*))[^)]*\)", text)
    return [a or b for a, b in found] + re.findall(r"(?:src|href)=['\"]([^'\"]*)['\"]", text)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and mdBook make it.

    >>> slug("Ctrl-C, and `arss.toml` (settings)")
    'ctrl-c-and-arsstoml-settings'
    """
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """The anchors of a page; the second heading of the same name ends in -1.

    >>> sorted(anchors("# A b\\n## A b\\n"))
    ['a-b', 'a-b-1']
    """
    found: set[str] = set()
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#{1,6} +(.*)$", text, flags=re.MULTILINE):
        name = first = slug(heading)
        count = 0
        while name in found:
            count += 1
            name = f"{first}-{count}"
        found.add(name)
    return found


def broken_links(page: Path) -> Iterator[str]:
    """The relative links of a page that lead nowhere."""
    for link in targets(page.read_text()):
        if SCHEME.match(link) or link.startswith("//"):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{link}: no such file"
        elif ROOT not in target.parents:
            yield f"{link}: outside the repository"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            yield f"{link}: no such heading"


def summary() -> Iterator[str]:
    """Pages that SUMMARY.md lacks or names twice."""
    named = [(BOOK / link).resolve() for link in targets((BOOK / "SUMMARY.md").read_text())]
    for page in sorted(BOOK.rglob("*.md")):
        if page.name != "SUMMARY.md" and (count := named.count(page)) != 1:
            yield f"{page.relative_to(ROOT)} is named {count} times, not once"


def missing_paths(page: Path) -> Iterator[str]:
    """Paths that a page quotes and that are not there; `part/of/path.rs` is looked for in all crates."""
    for quoted in re.findall(r"`([^`\n]*)`", page.read_text()):
        path = quoted.split("::")[0].rstrip("/")  # `crates/arss/src/error.rs::Error` names what is in the file
        if not re.fullmatch(r"[\w./*+-]+", path):
            continue
        pattern = path if path.startswith(QUOTED) else f"crates/**/{path}" if path.endswith(".rs") else None
        if pattern and not any(ROOT.glob(pattern)):
            yield f"`{quoted}`: no such path"


class Page(HTMLParser):
    """The links and anchors of a page of the built book."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Keep what the tag points to, and its id."""
        for name, value in attributes:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def broken_html(folder: Path) -> Iterator[str]:
    """Links of the built book that lead nowhere."""
    pages = {path.resolve(): Page(path.read_text()) for path in folder.rglob("*.html")}
    for page, content in pages.items():
        if page.name == "404.html":  # served under any address
            continue
        for link in content.links:
            if SCHEME.match(link) or link.startswith("//"):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{page.relative_to(folder.resolve())}: {link}: no such file"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{page.relative_to(folder.resolve())}: {link}: no such anchor"


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", action="store_true")
    parser.add_argument("--html", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.html:
        wrong = list(broken_html(options.html))
        count = len(list(options.html.rglob("*.html")))
    else:
        pages = sorted({page.resolve() for pattern in PAGES for page in ROOT.glob(pattern)})
        wrong = [f"{page.relative_to(ROOT)}: {what}" for page in pages for what in broken_links(page)]
        wrong += [f"docs/SUMMARY.md: {what}" for what in summary()]
        if options.paths:
            wrong += [f"{page.relative_to(ROOT)}: {what}" for page in pages for what in missing_paths(page)]
        count = len(pages)
    print("\n".join(wrong) or f"{count} pages, all links lead somewhere", file=sys.stderr if wrong else sys.stdout)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
