"""A picture of a terminal: runs commands in a folder with the bundled table and draws what they print.

python examples/terminal.py target/release/arss docs/images/terminal.svg   # also: make pictures
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMANDS = ["arss select forest.csv -k 5 -o picks.parquet", "arss outliers forest.csv -n 4 --clean clean.csv"]
WIDTH, HEIGHT = 7.23, 17


def lines(arss: Path) -> list[tuple[str, str]]:
    """What the commands print, each line with its colour."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(next(ROOT.glob("crates/*/data/forest.csv")), folder)
        path = f"{arss.resolve().parent}{os.pathsep}{os.environ['PATH']}"
        for command in COMMANDS:
            run = subprocess.run(
                command.split(), cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True
            )
            found.append((f"$ {command}", "#9ece6a"))
            found += [(line, "#7f8bb3") for line in run.stderr.splitlines()]
            found += [(line, "#d5daf0") for line in run.stdout.splitlines()]
            found.append(("", "#d5daf0"))
    return found[:-1]


def picture(text: list[tuple[str, str]]) -> str:
    """The lines as SVG."""
    width = max(len(line) for line, _ in text) * WIDTH + 32
    height = len(text) * HEIGHT + 30
    rows = "\n".join(
        f'<text x="16" y="{26 + at * HEIGHT}" fill="{colour}" xml:space="preserve">{html.escape(line)}</text>'
        for at, (line, colour) in enumerate(text)
    )
    font = 'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="12"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" {font}>\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>\n{rows}\n</svg>\n'
    )


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(picture(lines(Path(sys.argv[1]))))
