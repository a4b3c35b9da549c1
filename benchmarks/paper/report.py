"""Writes tables and figures from the records only, also the tables of docs/explanation/paper-claims.md."""

from __future__ import annotations

import argparse
from pathlib import Path

import figures
import tables
import timings
from markdown import filled

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "explanation" / "paper-claims.md"


def main() -> None:
    """Tables, figures, and the page if the committed results are reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder with the records")
    parser.add_argument("--out", type=Path, help="folder for tables and figures; else beside this file and the page")
    chosen = parser.parse_args()
    out = chosen.out or HERE
    (out / "figures").mkdir(parents=True, exist_ok=True)
    found, timed = tables.all_of(chosen.results), timings.all_of(chosen.results)
    (out / "tables.md").write_text(as_page("Tables", found))
    (out / "timings.md").write_text(as_page("Timings", timed))
    figures.draw(chosen.results, out / "figures")
    if chosen.out is None:
        PAGE.write_text(filled(PAGE.read_text(), found | timed))


def as_page(title: str, found: dict[str, str]) -> str:
    """All tables one below the other."""
    parts = [f"## {name}\n\n{text}" for name, text in found.items()]
    return "\n\n".join([f"# {title}\n\nMade by `report.py` from `results/*.jsonl`.", *parts]) + "\n"


if __name__ == "__main__":
    main()
