"""Tables in Markdown, for every report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def filled(page: str, found: dict[str, str]) -> str:
    """The page with each `<!-- table: NAME -->` ... `<!-- end -->` replaced by that table."""

    def block(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in found:
            raise SystemExit(f"the page asks for the table {name!r}, but there is none of that name")
        return f"<!-- table: {name} -->\n{found[name]}\n<!-- end -->"

    return re.sub(r"<!-- table: (.+?) -->\n.*?<!-- end -->", block, page, flags=re.DOTALL)
