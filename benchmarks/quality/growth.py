"""How time and memory of exemplars grow with the rows: Covertype, K = 500, through the command-line program.

    python growth.py --data DIR --binary target/release/arss

Each N is a seeded sample of the rows as a .npy file of f64, measured RUNS times; growth.jsonl has every run.
The last N is the whole set. `report.py` makes the table. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import datasets

HERE = Path(__file__).parent
LAUNCH = HERE.parent / "speed" / "launch.py"
ROWS = [50_000, 100_000, 200_000, 400_000, 581_012]
RUNS = 3
K = 500


def main() -> None:
    """Measures every N and replaces the file of results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with covertype.parquet (or ARSS_DATA)")
    parser.add_argument("--binary", type=Path, required=True, help="the program, built with --release")
    chosen = parser.parse_args()
    X, _ = datasets.load("covertype", datasets.folder(chosen.data))
    order = np.random.default_rng(0).permutation(len(X))
    version = subprocess.run([chosen.binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder, (HERE / "growth.jsonl").open("w") as file:
        for rows in ROWS:
            table = Path(folder) / "table.npy"
            np.save(table, X[order[:rows]])
            for _ in range(RUNS):
                line = {"rows": rows, "k": K} | measure(chosen.binary, table) | {"version": version}
                file.write(json.dumps(line) + "\n")
                print(line, file=sys.stderr)


def measure(binary: Path, table: Path) -> dict[str, float]:
    """Seconds, seconds of both cores and peak memory of the process, reading included; `choice_s` is without it."""
    report = table.with_suffix(".json")
    command = [str(binary.resolve()), "select", str(table), "-k", str(K), "--json", "--quiet"]
    start = time.perf_counter()
    done = subprocess.run([sys.executable, str(LAUNCH), str(report), *command], capture_output=True, check=True)
    seconds = time.perf_counter() - start
    used = {name: round(value, 3) for name, value in json.loads(report.read_text()).items()}
    return {"seconds": round(seconds, 3), "choice_s": round(json.loads(done.stdout)["solve_seconds"], 3)} | used


if __name__ == "__main__":
    main()
