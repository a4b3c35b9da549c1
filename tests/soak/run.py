"""Random commands over random small tables, and what they choose and write worked out again in NumPy.

    python3 tests/soak/run.py --binary target/debug/arss --count 2000 --seed 1 [--jobs 2] [--report FILE.jsonl]

Number N of seed S is always the same table and the same command: `--only N` runs it alone and keeps its folder. A
difference is one line; the code is 1 if there is any. Needs NumPy; with pyarrow there are Parquet and Arrow files, too.
"""

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import commands
import tables
from check import differences

#: Seconds that a command may take; the tables are tiny.
LIMIT = 60


def one(binary: Path, seed: int, number: int, kept: Path | None = None) -> dict[str, object]:
    """A table and a command on it: what differs."""
    dice = random.Random(seed * 1_000_003 + number)
    table = tables.make(dice)
    command = commands.make(dice, table)
    with tempfile.TemporaryDirectory(prefix="arss-soak-") as temporary:
        folder = kept or Path(temporary)
        folder.mkdir(exist_ok=True)
        words = command.words(tables.write(table, folder).name)
        try:
            done = subprocess.run(
                [binary, *words], cwd=folder, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL
            )
            found = differences(table, command, folder, done)
        except subprocess.TimeoutExpired:
            found = [f"took more than {LIMIT} seconds"]
        left = [path.name for path in folder.iterdir() if path.name.startswith(".arss")]
        found += [f"left behind: {name}" for name in left]
    return {"number": number, "method": command.method, "layout": table.layout, "words": words, "differences": found}


def main() -> int:
    """Run them all; how many differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--report", type=Path, help="a csv of what was run, and what differed")
    args = parser.parse_args()
    binary = args.binary.resolve()
    if args.only is not None:
        print(json.dumps(one(binary, args.seed, args.only, Path(f"soak-{args.only}")), indent=1))
        return 0
    with ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(partial(one, binary, args.seed), range(args.count)))
    bad = [result for result in results if result["differences"]]
    for result in bad:
        print(f"{result['number']} {' '.join(result['words'])}", *result["differences"], sep="\n    ")  # type: ignore[arg-type, misc]
    runs, wrong = Counter(r["method"] for r in results), Counter(r["method"] for r in bad)
    if args.report:
        with args.report.open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["method", "runs", "with differences"])
            lines.writerows([method, runs[method], wrong[method]] for method in sorted(runs, key=str))
    print(f"{len(results)} commands with seed {args.seed}, {len(bad)} with differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
