"""The table of README.md, from results.jsonl."""

import json
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Print it as Markdown."""
    heads = ["rows x columns", "page", "without data", "points", "drawn after (median of 5)", "map anew (median of 12)"]
    print(f"| {' | '.join(heads)} |")
    print("|---|---|---|---|---|---|")
    for line in (HERE / "results.jsonl").read_text().splitlines():
        run = json.loads(line)
        sizes = [f"{run[name] / 1e6:.2f} MB" for name in ("bytes", "without_data")]
        times = [f"{median(run['load_ms']):.0f} ms", f"{median(run['recolour_ms'][1:]):.0f} ms"]
        print(
            f"| {run['rows']:,} x {run['columns']:,} | {' | '.join(sizes)} | {run['points']:,} | {' | '.join(times)} |"
        )


if __name__ == "__main__":
    main()
