"""Is `--memory` kept? Runs of many shapes, methods, limits, threads and formats against the kernel's own peak.

    python3 benchmarks/memory/run.py --binary target/release/arss [--count 300] [--seed 1] [--only N] [--work DIR]

Number N of a seed is always the same run. A run may be refused in one line, or work from scratch files; it may not use
more than the limit and 3 %. Writes results.jsonl and the table of README.md; the code is 1 if a limit was not kept.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
LAUNCH = HERE.parent / "speed" / "launch.py"
#: What may be used beyond the limit.
ALLOWED = 1.03
#: Seconds of a run.
LIMIT = 600

#: Rows and columns.
SHAPES = [(200_000, 4), (60_000, 16), (20_000, 64), (6_000, 256), (3_000, 1_000), (3_000, 2_000), (600, 2_000)]
METHODS = {
    "exemplars": "", "facility": "", "ted": "", "arss": "--iterations 2", "rrss": "--iterations 2",
    "kmeans": "--iterations 2", "kmedoids": "--iterations 1", "rrqr": "", "random": "",
}  # fmt: skip
FORMATS = ["npy", "csv", "parquet", "csv.gz", "jsonl", "single.npy"]
THREADS = [1, 2, 16, 64]
#: Limits as so many times the bytes of the table, beside what the program itself takes.
TIMES = [0.3, 1.0, 2.0, 4.0, 8.0]
PROGRAM = 40 << 20


@dataclass(frozen=True)
class Run:
    """One run of the campaign."""

    rows: int
    columns: int
    layout: str
    method: str
    threads: int
    limit: int
    k: int

    @property
    def name(self) -> str:
        """The name of the table's file."""
        return f"t{self.rows}x{self.columns}.{self.layout}"

    def words(self, folder: Path, scratch: Path) -> list[str]:
        """The command line, without the program."""
        path = str(folder / self.name)
        line = ["select", path, "-q", "--json", "--no-config", "-k", str(self.k), "--method", self.method]
        line += ["--threads", str(self.threads), "--memory", str(self.limit), "--scratch", str(scratch)]
        return line + METHODS[self.method].split()


def draw(seed: int, number: int, shapes: list[tuple[int, int]]) -> Run:
    """The run with this number."""
    dice = random.Random(seed * 1_000_003 + number)
    (rows, columns), method = dice.choice(shapes), dice.choice(list(METHODS))
    layout = dice.choice(FORMATS)
    if layout == "jsonl" and rows * columns > 1_500_000:
        layout = "npy"
    limit = PROGRAM + int(dice.choice(TIMES) * rows * columns * 8)
    return Run(rows, columns, layout, method, dice.choice(THREADS), limit, dice.choice([5, 20, 50]))


def write(run: Run, folder: Path) -> None:
    """The table of a run, unless it is there."""
    path = folder / run.name
    if path.exists():
        return
    values = np.random.default_rng(run.rows).normal(size=(run.rows, run.columns)) + np.arange(run.rows)[:, None] % 3
    if run.layout in ("npy", "single.npy"):
        np.save(path, values.astype(np.float32) if run.layout == "single.npy" else values)
    elif run.layout == "jsonl":
        names = [f"c{at}" for at in range(run.columns)]
        with path.open("w") as file:
            file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in values.round(4).tolist())
    elif run.layout == "parquet":
        import pyarrow
        import pyarrow.parquet

        frame = pyarrow.table({f"c{at}": values[:, at] for at in range(run.columns)})
        pyarrow.parquet.write_table(frame, path)
    else:
        header = ",".join(f"c{at}" for at in range(run.columns))
        np.savetxt(path, values, delimiter=",", fmt="%.4f", header=header, comments="")


def measure(binary: Path, folder: Path, run: Run) -> dict[str, object]:
    """Peak and outcome of a run."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        report = Path(scratch) / "report.json"
        words = [sys.executable, "-S", str(LAUNCH), str(report), str(binary), *run.words(folder, Path(scratch))]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
        peak = json.loads(report.read_text())["peak_mb"] if report.exists() else float("nan")
    outcome = {0: "ran", 2: "refused"}.get(done.returncode, f"code {done.returncode}")
    if outcome == "refused" and "of memory" not in done.stderr:
        outcome = "code 2"
    said = done.stderr.strip().splitlines()[-1:] if outcome != "ran" else []
    share = round(peak * 2**20 / run.limit, 3)
    return asdict(run) | {"outcome": outcome, "peak_mb": round(peak, 1), "share": share, "said": "".join(said)}


def is_kept(result: dict[str, object]) -> bool:
    """Whether a run did as it was told."""
    return result["outcome"] in ("ran", "refused") and float(str(result["share"])) <= ALLOWED


def table(results: list[dict[str, object]]) -> str:
    """One line for each method."""
    by_method: dict[object, list[dict[str, object]]] = defaultdict(list)
    for result in results:
        by_method[result["method"]].append(result)
    lines = ["| method | runs | ran | refused | largest share of the limit | above 1.03 |", "|---|--:|--:|--:|--:|--:|"]
    for method, own in [*sorted(by_method.items(), key=lambda item: str(item[0])), ("all", results)]:
        ran = [result for result in own if result["outcome"] == "ran"]
        most = max((float(str(result["share"])) for result in ran), default=0.0)
        above = sum(not is_kept(result) for result in own)
        refused = sum(result["outcome"] == "refused" for result in own)
        lines.append(f"| {method} | {len(own)} | {len(ran)} | {refused} | {most:.2f} | {above} |")
    return "\n".join(lines)


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time; their memory does not depend on it")
    parser.add_argument("--only", type=int)
    parser.add_argument("--work", type=Path, help="keeps the tables between campaigns")
    parser.add_argument("--small", action="store_true", help="small tables only, for a test")
    parser.add_argument("--out", type=Path, help="where results.jsonl is written")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arss-memory-") as temporary:
        folder = args.work or Path(temporary)
        folder.mkdir(exist_ok=True)
        numbers = range(args.count) if args.only is None else [args.only]
        runs = [draw(args.seed, number, SHAPES[1:4] if args.small else SHAPES) for number in numbers]
        for run in runs:
            write(run, folder)
        with ThreadPoolExecutor(args.jobs) as pool:
            found = pool.map(partial(measure, args.binary.resolve(), folder), runs)
            results: list[dict[str, object]] = []
            for number, result in zip(numbers, found, strict=True):
                results.append({"number": number} | result)
                if not is_kept(results[-1]) or args.only is not None:
                    print(json.dumps(results[-1]), flush=True)
    if args.out:
        args.out.write_text("".join(json.dumps(result) + "\n" for result in results))
    print(table(results))
    return 0 if all(map(is_kept, results)) else 1


if __name__ == "__main__":
    sys.exit(main())
