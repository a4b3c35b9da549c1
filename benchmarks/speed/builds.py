"""Two builds of the command on the same tables, turn by turn: processor time, peak memory and start-up.

    python3 benchmarks/speed/builds.py OLD NEW        # two binaries; writes builds.jsonl and builds.md

A turn is one run of the old build and one of the new one, so that what else the machine does meets both. The
best of the turns counts. Needs NumPy and a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
#: Rows, columns, type, picks, method and its flags. Exemplars is not among them: it is another method since.
CASES = [
    (200_000, 16, "f8", 100, ["arss", "--iterations", "30"]),
    (20_000, 256, "f4", 100, ["arss", "--iterations", "30"]),
    (200_000, 16, "f8", 100, ["rrss", "--iterations", "30"]),
    (20_000, 256, "f4", 100, ["rrss", "--iterations", "30"]),
    (200_000, 54, "f8", 100, ["ted"]),
    (100_000, 16, "f8", 100, ["kmeans"]),
    (4_000, 16, "f8", 50, ["kmedoids"]),
    (100_000, 54, "f8", 100, ["rrqr"]),
    (100_000, 54, "f8", 100, ["random"]),
    (50, 3, "f8", 5, ["random"]),
]


def table(rows: int, columns: int, kind: str) -> np.ndarray:
    """Five groups of rows."""
    rng = np.random.default_rng(rows + columns)
    centres = 4 * rng.standard_normal((5, columns))
    return (centres[rng.integers(0, 5, rows)] + rng.standard_normal((rows, columns))).astype(kind)


def run(binary: str, file: Path, picks: int, method: list[str]) -> dict[str, float]:
    """What one run takes, as the system counts it."""
    told = file.with_name("used.json")
    command = [binary, "select", str(file), "-k", str(picks), "--scale", "none", "-q", "--json", "--method", *method]
    launch = [sys.executable, "-S", str(HERE / "launch.py"), str(told)]
    subprocess.run([*launch, *command], check=True, stdout=subprocess.DEVNULL)
    return json.loads(told.read_text())


def main() -> None:
    """Run all cases and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.npy"
        for rows, columns, kind, picks, method in CASES:
            np.save(file, table(rows, columns, kind))
            found: dict[str, list[dict[str, float]]] = {"old": [], "new": []}
            for _ in range(args.turns if rows > 1000 else 20):
                found["old"].append(run(args.old, file, picks, method))
                found["new"].append(run(args.new, file, picks, method))
            best = {name: {key: min(one[key] for one in runs) for key in runs[0]} for name, runs in found.items()}
            lines.append({"rows": rows, "columns": columns, "type": kind, "k": picks, "method": method, **best})
            print(json.dumps(lines[-1]), flush=True)
    (HERE / "builds.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    text = [
        "| rows x columns | method | processor s: old / new | ratio | ms, whole process | ratio | peak MB | ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        old, new = line["old"], line["new"]
        seconds = f"{old['cpu_s']:.3f} / {new['cpu_s']:.3f} | {new['cpu_s'] / old['cpu_s']:.2f}"
        whole = f"{1000 * old['seconds']:.0f} / {1000 * new['seconds']:.0f} | {new['seconds'] / old['seconds']:.2f}"
        memory = f"{old['peak_mb']:.0f} / {new['peak_mb']:.0f} | {new['peak_mb'] / old['peak_mb']:.2f}"
        shape = f"{line['rows']:,} x {line['columns']} {line['type']}"
        text.append(f"| {shape} | {line['method'][0]} | {seconds} | {whole} | {memory} |")
    (HERE / "builds.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
