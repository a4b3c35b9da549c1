"""Processor time of reading a table: the `arss` binary against pandas (csv) and pyarrow (Parquet).

Every run is a whole process, and its user and system seconds are counted. What a process takes to start is measured in
the same way and subtracted: `arss` on ten rows, the bare import of the rival. All runs are taken in turn; the best
counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEED = 0
#: Rows and columns of the floats, rows of the mixed table, rows and columns of the wide one.
FULL = {"floats": (500_000, 20), "mixed": (300_000, 20), "wide": (200, 20_000)}
SMALL = {"floats": (2_000, 20), "mixed": (1_500, 20), "wide": (20, 300)}
WORDS = ["red", "green", "blue", "north", "south", "east", "west", "small", "medium", "large", "yes", "no"]
#: The table of ten rows on which `arss` is run to see what its start takes.
TEN = "ten.csv"

DEFAULTS = ["-k", "3", "--method", "random", "--quiet", "--no-config"]
#: The least that still reads all: a value that is missing anywhere stops the run. To print the rows that were chosen,
#: Parquet is read a second time; --json does not print them.
LEAST = [*DEFAULTS, "--threads", "1", "--missing", "error", "--encode", "none", "--scale", "none", "--json"]
UNSCALED = [*DEFAULTS, "--scale", "none"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}


@dataclass(frozen=True)
class Case:
    """A table, and how both sides read it."""

    name: str
    file: str
    #: What of FULL or SMALL it is made by.
    shape: str
    flags: list[str]
    rival: str
    imports: str
    call: str
    #: The most that arss may take, as a multiple of the rival; none where it is told beside another.
    target: float | None
    environment: dict[str, str] = field(default_factory=dict)


def parquet(name: str, shape: str, target: float | None, then: str = "") -> Case:
    """A case of Parquet, in one thread on both sides; `then` is what the rival does with its table `t`.

    `read_table` imports `pyarrow.dataset`, and that pandas, when it is first called; this is no reading.
    """
    file = f"{shape}.parquet"
    call = f't = pyarrow.parquet.read_table("{file}", use_threads=False){then}'
    imports = "import numpy, pyarrow.parquet, pyarrow.dataset"
    return Case(name, file, shape, LEAST, "pyarrow", imports, call, target, ONE_THREAD)


#: pandas asked for what arss does by itself: dates are dates, texts are categories.
TYPED = (
    'f = pandas.read_csv("mixed.csv", parse_dates=["day", "time"], '
    'dtype={f"category{number}": "category" for number in range(5)})'
)
#: And then one matrix of it: dates as seconds, a column of 0 and 1 for each text, numbers by median and quartiles.
MATRIX = (
    f"{TYPED}; "
    'd = f.select_dtypes("datetime").apply(lambda x: (x - pandas.Timestamp(0)).dt.total_seconds()); '
    'n = pandas.concat([f.select_dtypes("number"), d], axis=1); '
    "q = n.quantile([0.25, 0.5, 0.75]); "
    'c = pandas.get_dummies(f.select_dtypes("category"), dtype=float); '
    "m = numpy.column_stack([(n - q.loc[0.5]) / (q.loc[0.75] - q.loc[0.25]), c])"
)

CASES = [
    Case("csv, floats", "floats.csv", "floats", LEAST, "pandas", "import pandas", 'pandas.read_csv("floats.csv")', 1.1),
    Case("csv, mixed", "mixed.csv", "mixed", DEFAULTS, "pandas", "import pandas", 'pandas.read_csv("mixed.csv")', 1.1),
    Case("csv, mixed, typed", "mixed.csv", "mixed", UNSCALED, "pandas", "import pandas", TYPED, None),
    Case("csv, mixed, matrix", "mixed.csv", "mixed", DEFAULTS, "pandas", "import numpy, pandas", MATRIX, None),
    parquet("Parquet, floats", "floats", 1.1),
    # The same work: pyarrow leaves columns, arss makes one matrix row by row.
    parquet("Parquet, floats, matrix", "floats", None, "; m = numpy.column_stack([c.to_numpy() for c in t.columns])"),
    parquet("Parquet, wide", "wide", 1.5),
]


@dataclass(frozen=True)
class Command:
    """What is run in the folder of the tables."""

    tool: str
    #: "read", or "start" for what is subtracted.
    what: str
    program: str
    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def shown(self) -> str:
        """The command as one would type it, without folders."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        program = "arss" if self.tool == "arss" else "python"
        return " ".join([*variables, program, shlex.join(self.arguments)])

    def cpu(self, folder: Path) -> float:
        """User and system seconds of one run."""
        process = subprocess.Popen(
            [self.program, *self.arguments],
            cwd=folder,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"exit code {process.returncode}: {self.shown()}")
        return usage.ru_utime + usage.ru_stime


def floats(rows: int, columns: int) -> pd.DataFrame:
    """Normal numbers."""
    values = np.random.default_rng(SEED).normal(size=(rows, columns))
    return pd.DataFrame(values, columns=[f"x{column}" for column in range(columns)])


def mixed(rows: int) -> pd.DataFrame:
    """Ten columns of floats, five of a few texts, three of integers, a date and a time."""
    rng = np.random.default_rng(SEED)
    frame = floats(rows, 10)
    for number, levels in enumerate([2, 3, 5, 8, 12]):
        frame[f"category{number}"] = np.array(WORDS)[rng.integers(0, levels, rows)]
    for number, most in enumerate([10, 100, 1_000]):
        frame[f"count{number}"] = rng.integers(0, most, rows)
    first = np.datetime64("2020-01-01", "s")
    frame["day"] = first + rng.integers(0, 1_000, rows).astype("timedelta64[D]")
    frame["time"] = first + rng.integers(0, 86_400_000, rows).astype("timedelta64[s]")
    return frame


def write_parquet(frame: pd.DataFrame, file: Path) -> None:
    """Parquet as pyarrow writes it by default."""
    pq.write_table(pa.table({name: frame[name].to_numpy() for name in frame.columns}), file)


def write_tables(folder: Path, shapes: Mapping[str, tuple[int, int]]) -> None:
    """All tables, made once."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "tables.done"
    wanted = json.dumps({"seed": SEED, "shapes": shapes})
    if done.exists() and done.read_text() == wanted:
        return
    done.unlink(missing_ok=True)
    frame = floats(*shapes["floats"])
    frame.head(10).to_csv(folder / TEN, index=False)
    frame.to_csv(folder / "floats.csv", index=False)
    write_parquet(frame, folder / "floats.parquet")
    mixed(shapes["mixed"][0]).to_csv(folder / "mixed.csv", index=False)
    write_parquet(floats(*shapes["wide"]), folder / "wide.parquet")
    done.write_text(wanted)


def commands(case: Case, binary: str) -> list[Command]:
    """Both sides reading, and both sides starting."""
    read = f"{case.imports}; {case.call}"
    return [
        Command("arss", "read", binary, ["select", case.file, *case.flags]),
        Command(case.rival, "read", sys.executable, ["-c", read], case.environment),
        Command("arss", "start", binary, ["select", TEN, *case.flags]),
        Command(case.rival, "start", sys.executable, ["-c", case.imports], case.environment),
    ]


def check(case: Case, binary: str, folder: Path, shape: tuple[int, int]) -> None:
    """Stop unless `arss` sees every row and chooses by every column."""
    flags = [flag for flag in case.flags if flag != "--json"]
    found = subprocess.run(
        [binary, "select", case.file, *flags, "--json"], cwd=folder, stdout=subprocess.PIPE, check=True, text=True
    )
    told = json.loads(found.stdout)
    used = sum(column["used"] for column in told["column_roles"])
    if (told["n_samples"], used) != shape:
        raise SystemExit(f"{case.file}: {told['n_samples']} rows and {used} columns take part, not {shape}")


def versions(binary: str) -> dict[str, str]:
    """Of everything that takes part."""
    own = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[-1]
    rivals = {package: version(package) for package in ("numpy", "pandas", "pyarrow")}
    return {"arss": own, "python": platform.python_version(), **rivals}


def measure(binary: str, folder: Path, shapes: Mapping[str, tuple[int, int]], repeats: int) -> list[dict[str, object]]:
    """All commands in turn, so many times; a line each."""
    for case in CASES:
        check(case, binary, folder, shapes[case.shape])
    about = {"versions": versions(binary), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    lines: list[dict[str, object]] = []
    for repetition in range(repeats):
        for case in CASES:
            for command in commands(case, binary):
                line: dict[str, object] = {"table": case.name, "what": command.what, "tool": command.tool}
                line["cpu_seconds"] = round(command.cpu(folder), 4)
                lines.append({**line, "repetition": repetition, "command": command.shown(), **about})
        print(f"{repetition + 1} of {repeats} repetitions", flush=True)
    return lines


def seconds(lines: list[dict[str, object]], case: Case, tool: str, of: Callable[[list[float]], float]) -> float:
    """What reading took a tool, without its start."""

    def taken(what: str) -> float:
        wanted = (case.name, tool, what)
        return of([float(str(at["cpu_seconds"])) for at in lines if (at["table"], at["tool"], at["what"]) == wanted])

    return taken("read") - taken("start")


def ratio(own: float, rival: float) -> float:
    """Not a number where the start of the rival took as long as its run: no target is met then."""
    return own / rival if rival > 0 else float("nan")


def report(lines: list[dict[str, object]], folder: Path, shapes: Mapping[str, tuple[int, int]], repeats: int) -> str:
    """The lines as a page in Markdown."""
    rows: list[str] = []
    missed: list[str] = []
    medians: list[str] = []
    for case in CASES:
        own, rival = (seconds(lines, case, tool, min) for tool in ("arss", case.rival))
        own_median, rival_median = (seconds(lines, case, tool, statistics.median) for tool in ("arss", case.rival))
        count, columns = shapes[case.shape]
        size = (folder / case.file).stat().st_size / 1e6
        rows.append(
            f"| {case.name}, {count:,} x {columns:,}, {size:.0f} MB | {own:.3f} | {case.rival} {rival:.3f} "
            f"| {ratio(own, rival):.2f} | {case.target or ''} |"
        )
        medians.append(f"{ratio(own_median, rival_median):.2f}")
        if case.target is not None and not ratio(own, rival) <= case.target:
            missed.append(case.name)
    used = ", ".join(f"{name} {number}" for name, number in dict(lines[0]["versions"]).items())  # type: ignore[call-overload]
    text = [
        "# Reading a table",
        "",
        "Made by `make bench-reading`; `results.jsonl` has a line a run, with its command.",
        "Seconds are those of the processor, user and system, of a whole process, without what it takes to start:",
        "`arss` on ten rows, the bare import of the rival.",
        f"All are taken in turn, and the best of {repeats} counts. The ratio is arss over rival.",
        "",
        "| table | arss CPU s | rival CPU s | ratio | target |",
        "|---|--:|--:|--:|--:|",
        *rows,
        "",
        f"Targets missed: {'; '.join(missed) or 'none'}. Ratios of the medians, in this order: {', '.join(medians)}.",
        "",
        "All but the mixed table: `arss` with one thread, a random choice, nothing scaled or encoded; Parquet with one",
        "thread on both sides, csv by pandas with its defaults.",
        "The mixed table has 10 floats, 5 categories, 3 integers, a date and a time. In its first line both take",
        "their defaults: `arss` understands dates, makes 45 columns of the 20, and scales them, while pandas leaves",
        "dates and categories as text. In the line *typed* pandas is asked for dates and categories, and `arss` does",
        "not scale; in the line *matrix* pandas makes one scaled matrix of all of it, as `arss` does.",
        "",
        f"Versions: {used}; {lines[0]['machine']}.",
    ]
    return "\n".join(text) + "\n"


def main() -> None:
    """Make the tables, run all, write what came out."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, default=target / "release" / "arss")
    parser.add_argument("--work", type=Path, default=target / "reading", help="folder of the tables")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="tiny tables, to try the script; prints the page only")
    args = parser.parse_args()
    if args.repeats < 1:
        parser.error("--repeats: at least 1")
    binary = str(args.binary.resolve())
    shapes = SMALL if args.small else FULL
    folder = args.work.resolve() / ("small" if args.small else "full")
    write_tables(folder, shapes)
    lines = measure(binary, folder, shapes, args.repeats)
    page = report(lines, folder, shapes, args.repeats)
    print(page)
    if not args.small:
        (HERE / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (HERE / "README.md").write_text(page)


if __name__ == "__main__":
    main()
