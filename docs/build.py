"""Lays out the source of the book in target/book/src, for `make book`.

mdBook takes pages from one folder only, and the book links to measurements that lie beside their benchmarks. So the
pages keep their places below target/book/src, and files that they link to come along: every link is then the same here,
on a website that shows the repository, and in the book.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "target" / "book" / "src"
sys.path.insert(0, str(ROOT / "tests" / "docs"))

from links import SCHEME, targets  # noqa: E402


def copy(path: Path) -> None:
    """The file at the same place below OUT."""
    to = OUT / path.relative_to(ROOT)
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)


def files_of(page: Path) -> set[Path]:
    """The files of the repository that a page links to."""
    links = {link.partition("#")[0] for link in targets(page.read_text()) if not SCHEME.match(link)}
    return {path for link in links if (path := (page.parent / link).resolve()).is_file()}


def main() -> None:
    """The summary with links from the top of the repository, its pages, and what they link to."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    summary = ROOT / "docs" / "SUMMARY.md"
    pages = files_of(summary)
    for path in pages.union(*map(files_of, pages)) - {summary}:
        copy(path)
    text = re.sub(r"\]\((\.\./)?", lambda up: "](" if up.group(1) else "](docs/", summary.read_text())
    (OUT / "SUMMARY.md").write_text(text)


if __name__ == "__main__":
    main()
