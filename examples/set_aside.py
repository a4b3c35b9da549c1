"""What Exemplars does with a small table: the rows, the picks, and the rows that are set aside, as an SVG.

The table has a tight class, a wide class, a small group that keeps company, and scattered errors. The program chooses;
only the drawing happens here.

python examples/set_aside.py target/release/arss docs/images/exemplars.svg   # also: make pictures
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

K = 12
WIDTH, HEIGHT, MARGIN, FOOT = 640, 400, 14, 34
#: Colours that all can tell apart (Okabe and Ito).
ROW, PICK, ASIDE = "#999999", "#0072B2", "#D55E00"


def table() -> list[tuple[float, float]]:
    """300 rows around one place, 150 widely around another, 14 close together, 16 anywhere."""
    draw = random.Random(4)
    rows = [(draw.gauss(-4, 0.5), draw.gauss(-1, 0.5)) for _ in range(300)]
    rows += [(draw.gauss(4, 1.6), draw.gauss(1, 1.6)) for _ in range(150)]
    rows += [(draw.gauss(-3, 0.15), draw.gauss(6, 0.15)) for _ in range(14)]
    rows += [(draw.uniform(-12, 14), draw.uniform(-9, 10)) for _ in range(16)]
    return [(round(x, 3), round(y, 3)) for x, y in rows]


def choose(arss: Path, rows: list[tuple[float, float]]) -> tuple[list[int], list[bool], float]:
    """The picks, whether each row is set aside, and how sure that is."""
    with tempfile.TemporaryDirectory() as folder:
        lines = ["x,y", *(f"{x},{y}" for x, y in rows)]
        (Path(folder) / "table.csv").write_text("\n".join(lines) + "\n")
        words = ["select", "table.csv", "-k", str(K), "--scale", "none", "--assignments", "rows.csv", "--json", "-q"]
        done = subprocess.run(
            [arss.resolve(), *words, "--no-config"], cwd=folder, check=True, capture_output=True, text=True
        )
        with (Path(folder) / "rows.csv").open(newline="") as file:
            aside = [float(row["outlier_score"]) > 1 for row in csv.DictReader(file)]
    found = json.loads(done.stdout)
    return found["indices"], aside, found["outlier_confidence"]


def drawing(rows: list[tuple[float, float]], picks: list[int], aside: list[bool], confidence: float) -> str:
    """The picture; its text says what it shows."""
    low, high = ([pick(row[at] for row in rows) for at in (0, 1)] for pick in (min, max))
    across, up = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN - FOOT

    def place(row: tuple[float, float]) -> tuple[float, float]:
        x, y = ((row[at] - low[at]) / (high[at] - low[at]) for at in (0, 1))
        return round(MARGIN + across * x, 1), round(MARGIN + up * (1 - y), 1)

    def dot(at: tuple[float, float], radius: float, colour: str, more: str = "") -> str:
        return f'<circle cx="{at[0]}" cy="{at[1]}" r="{radius}" fill="{colour}"{more}/>'

    def cross(at: tuple[float, float]) -> str:
        x, y = at
        return f'<path d="M{x - 4} {y - 4}l8 8m0-8l-8 8" stroke="{ASIDE}" stroke-width="2" fill="none"/>'

    usual = [dot(place(row), 2.2, ROW, ' fill-opacity="0.7"') for row, out in zip(rows, aside, strict=True) if not out]
    crosses = [cross(place(row)) for row, out in zip(rows, aside, strict=True) if out]
    chosen = [dot(place(rows[at]), 5.5, PICK, ' stroke="#ffffff" stroke-width="1.5"') for at in picks]
    what = f"{len(rows)} rows, {len(picks)} picks, {sum(aside)} rows set aside (confidence {confidence:.2f})"
    base = HEIGHT - FOOT / 2
    legend = []
    words = [f"{len(rows) - sum(aside)} rows", f"{len(picks)} picks", f"{sum(aside)} set aside"]
    for number, word in enumerate(words):
        x = MARGIN + 10 + 150 * number
        mark = (dot((x, base), 3, ROW), dot((x, base), 5.5, PICK), cross((x, base)))[number]
        legend += [mark, f'<text x="{x + 12}" y="{base + 4.5}">{word}</text>']
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">',
            f"<title>{what}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            *usual,
            *crosses,
            *chosen,
            '<g font-family="DejaVu Sans, Arial, sans-serif" font-size="13" fill="#222222">',
            *legend,
            "</g>",
            "</svg>",
        ]
    )


def main() -> None:
    """Draws into the file that is named."""
    arss, target = Path(sys.argv[1]), Path(sys.argv[2])
    rows = table()
    picture = drawing(rows, *choose(arss, rows))
    target.write_text(picture + "\n")
    print(picture.split("<title>")[1].split("</title>")[0])


if __name__ == "__main__":
    main()
