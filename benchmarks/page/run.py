"""Size and load time of report pages, and how long the map takes to be drawn again; Chromium through its driver.

python3 benchmarks/page/run.py target/release/arss > benchmarks/page/results.jsonl
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "browser"))

from driver import Browser  # noqa: E402

#: Rows and columns.
SHAPES = [(1_000, 10), (100_000, 10), (1_000_000, 10), (500, 2_000)]
REPEATS = 5
#: Milliseconds of one frame while the map is coloured anew and moved.
FRAMES = """
const canvas = document.querySelector("canvas.map");
const select = document.getElementById("colour");
const times = [];
let last = performance.now();
const turn = (left) => {
    select.selectedIndex = left % select.options.length;
    select.dispatchEvent(new Event("change"));
    requestAnimationFrame(() => requestAnimationFrame(() => {
        const now = performance.now();
        times.push(now - last);
        last = now;
        left ? turn(left - 1) : done(times);
    }));
};
turn(12);
"""


def write(path: Path, rows: int, columns: int) -> None:
    """Rows in five groups, with a column of texts and an identifier."""
    generator = random.Random(rows)
    with path.open("w") as file:
        file.write("id," + ",".join(f"x{j}" for j in range(columns)) + ",kind\n")
        for row in range(rows):
            group = row % 5
            numbers = ",".join(f"{generator.gauss(3 * group * (j % 2), 1):.3f}" for j in range(columns))
            file.write(f"r{row},{numbers},kind {group}\n")


def main() -> None:
    """Measure every shape."""
    arss = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for rows, columns in SHAPES:
            write(folder / "t.csv", rows, columns)
            words = [arss, "select", "t.csv", "-k", "20", "-q", "--force", "--no-config", "--report", "page.html"]
            subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=900)
            page = folder / "page.html"
            text = page.read_text(encoding="utf-8")
            data = len(text.split('id="data">', 1)[1].split("</script>", 1)[0])
            with Browser(folder / f"profile-{rows}") as browser:
                browser.size(1400, 900)
                loads = []
                for _ in range(REPEATS):
                    browser.open(page)
                    loads.append(int(browser.wait("document.documentElement.dataset.drawn")))
                frames = browser.answer(FRAMES)
                drawn = browser.script("return JSON.parse(document.getElementById('data').textContent).map.count")
            found = {"rows": rows, "columns": columns, "bytes": page.stat().st_size, "without_data": len(text) - data}
            found |= {"points": drawn, "load_ms": loads, "recolour_ms": [round(time) for time in frames]}
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
