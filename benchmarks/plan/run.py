"""Compare what `arss plan` says with what `arss select` takes: memory and seconds, eight shapes, every method.

    python3 benchmarks/plan/run.py --binary target/release/arss        # writes results.jsonl and README.md

A quiet machine is needed: the seconds are wall-clock seconds.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
#: Starts a command from a small process: the peak of a child begins with the memory of its parent.
LAUNCH = HERE.parent / "speed" / "launch.py"
#: Seconds that this process takes.
START_UP = 0.02
METHODS = ["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"]
#: Rows, columns, type.
SHAPES = [
    (2_000, 10, "f8"),
    (20_000, 10, "f8"),
    (200_000, 16, "f8"),
    (1_000_000, 8, "f4"),
    (50_000, 64, "f4"),
    (5_000, 200, "f8"),
    (2_000, 1_000, "f8"),
    (300, 5_000, "f8"),
]
#: Shapes that are also run from scratch files, with this share of the memory that the plan names.
FROM_DISK = [(200_000, 16, "f8"), (1_000_000, 8, "f4")]
SHARE = 0.92
LONGEST = 40.0
PICKS = 50

#: What the table does not say by itself.
NOTES = """Runs from scratch files are planned as the run in memory that they would have been, and kept to `--memory`:
their memory is not judged. Iterations of ARSS and RRSS differ by a factor of three between a table and parts of it, in
either direction; the plan takes the geometric mean of those of several parts. 1,000,000 x 8 takes more than any part.
"""


def table(rows: int, columns: int, kind: str) -> np.ndarray:
    """Five groups, and two rows in a hundred that belong to none."""
    rng = np.random.default_rng(rows + columns)
    centres = 4 * rng.standard_normal((5, columns))
    found = centres[rng.integers(0, 5, rows)] + rng.standard_normal((rows, columns))
    wild = rng.random(rows) < 0.02
    found[wild] += 8 * rng.standard_normal((int(wild.sum()), columns))
    return found.astype(kind)


def measured(command: list[str], folder: str) -> tuple[float, int]:
    """Seconds and peak memory in bytes of a command."""
    told = pathlib.Path(folder) / "launch.json"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-S", str(LAUNCH), str(told), *command], stdout=subprocess.DEVNULL, check=True)
    seconds = time.perf_counter() - start - START_UP
    return seconds, int(json.loads(told.read_text())["peak_mb"] * 2**20)


def planned(command: list[str]) -> dict:
    """What `arss plan` says."""
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def one(binary: str, file: str, shape: tuple, method: str, more: list[str], home: str) -> dict:
    """The plan and the run of a method."""
    flags = [file, "-k", str(PICKS), "--method", method, *more]
    plan = planned([binary, "plan", *flags, "--json"])
    line = {"shape": list(shape), "method": method, "home": home, "planned": {"bytes": plan["memory"]["bytes"]}}
    line["planned"]["seconds"] = plan.get("time", {}).get("seconds")
    if (line["planned"]["seconds"] or 0) > LONGEST:
        return line | {"left out": f"planned to take more than {LONGEST:.0f} s"}
    seconds, peak = measured([binary, "select", *flags, "--quiet"], os.path.dirname(file))
    return line | {"took": {"seconds": round(seconds, 3), "bytes": peak}}


def report(lines: list[dict]) -> str:
    """The lines as a table in Markdown."""
    text = [
        "# What `arss plan` says, and what a run takes",
        "",
        "Made by `make bench-plan`; raw lines in `results.jsonl`. Ratios are plan over run: 2 is twice too much.",
        "Seconds below .3 s are not judged: starting and reading weigh as much as choosing.",
        "",
        "| rows x columns | home | method | memory, MB: plan / run | ratio | seconds: plan / run | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    memory, seconds = [], []
    for line in lines:
        rows, columns, kind = line["shape"]
        name = f"| {rows:,} x {columns:,} {kind} | {line['home']} | {line['method']} "
        plan = line["planned"]
        if "took" not in line:
            text.append(f"{name}| {plan['bytes'] / 1e6:.0f} / - | | {plan['seconds']:.0f} / - | {line['left out']} |")
            continue
        took = line["took"]
        ratio = plan["bytes"] / took["bytes"]
        if line["home"] == "memory":
            memory.append(ratio)
        cells = f"| {plan['bytes'] / 1e6:.0f} / {took['bytes'] / 1e6:.0f} | {ratio:.2f} "
        cells += f"| {plan['seconds']:.2f} / {took['seconds']:.2f} "
        if took["seconds"] >= 0.3:
            speed = plan["seconds"] / took["seconds"]
            seconds.append(speed)
            cells += f"| {speed:.2f} |"
        else:
            cells += "| |"
        text.append(name + cells)

    def within(ratios: list[float], factor: float) -> str:
        good = sum(1 / factor <= ratio <= factor for ratio in ratios)
        worst = max(ratios, key=lambda ratio: max(ratio, 1 / ratio))
        return f"{good} of {len(ratios)} within a factor of {factor}, the worst is {worst:.2f}"

    text += ["", f"Memory in memory: {within(memory, 1.25)}. Seconds: {within(seconds, 2)}.", "", NOTES]
    return "\n".join(text)


def main() -> None:
    """Run everything and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="target/release/arss")
    parser.add_argument("--only", default="", help="part of a method's name; its lines replace those that are there")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    args = parser.parse_args()
    binary = str(pathlib.Path(args.binary).resolve())
    kept = args.out / "results.jsonl"
    lines = [json.loads(line) for line in kept.read_text().splitlines()] if args.only and kept.exists() else []
    lines = [line for line in lines if args.only not in line["method"]]
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            file = str(pathlib.Path(folder) / "table.npy")
            np.save(file, table(*shape))
            for method in [name for name in METHODS if args.only in name]:
                lines.append(one(binary, file, shape, method, [], "memory"))
                print(json.dumps(lines[-1]), flush=True)
                if shape in FROM_DISK and method in ("exemplars", "arss", "rrss", "ted"):
                    # Too little for the table in memory, enough for what has to stay there.
                    limit = int(SHARE * lines[-1]["planned"]["bytes"]) >> 20
                    more = ["--memory", f"{limit}M", "--scratch", folder]
                    lines.append(one(binary, file, shape, method, more, "disk"))
                    print(json.dumps(lines[-1]), flush=True)

    def place(line: dict) -> tuple[int, int, bool]:
        return SHAPES.index(tuple(line["shape"])), METHODS.index(line["method"]), line["home"] == "disk"

    lines.sort(key=place)
    kept.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (args.out / "README.md").write_text(report(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
