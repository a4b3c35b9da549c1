#!/usr/bin/env python3
"""The recorder: runs every method on every format and in every home, and compares with what was kept.

    python tests/recorder/run.py --binary target/release/arss [--only 'select/arss'] [--renew] [--keep DIR]

Two things are checked. What is told must be what `answers.json` holds: bit for bit on machines of the kind that wrote
it, the same choices and six digits elsewhere. And all homes of a choice (memory, scratch files, taken up after a break,
Python, Dask) must tell the same, on any machine. Messages, headings and prose are not looked at.
The Python that runs this needs the wheel of the same source with its extra `dask`, and python/requirements-test.txt.
"""

import argparse
import csv
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import tables
from cases import ARRAYS, FORMATS, Case, every_case
from digest import Output, differences, pruned, read, sheet

HERE = Path(__file__).resolve().parent
ANSWERS = HERE / "answers.json"
#: Seconds for a command, and for all cases of a Python process.
PATIENCE, PATIENCE_OF_PYTHON = 60, 300
#: Homes that add up the rows in another order: their fractions may differ by so much, or so much in single precision.
REORDERED = {("select", "dask"), ("select", "dask-files"), ("features", "disk")}
ROUNDING, SINGLE_ROUNDING = 1e-10, 1e-5
#: Choices by numbers that are hardly more than rounding: on another machine they may be others.
ONE_MACHINE = ("select/arss*/single/*", "select/rrss*/single/*", "select/arss-paper/wide/*")
#: How often a run is started that may end before it is broken off.
ATTEMPTS = 8
Outputs = dict[str, Output]


class FailedError(Exception):
    """A case that did not do what it should."""


class Recorder:
    """Runs cases, each in a folder of its own."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self.binary, self.folder, self.tables = binary, folder, folder / "tables"
        self.environment = {name: os.environ[name] for name in os.environ if name != "COLUMNS"}
        self.tables.mkdir(parents=True)
        tables.write_all(self.tables)

    def start(self, case: Case, words: list[str], folder: Path) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", "arss"] if case.name.endswith("/wheel") else [self.binary]
        # The memory that is reckoned with depends on the number of cores.
        one_core = lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # noqa: E731
        with (self.tables / case.stdin if case.stdin else Path(os.devnull)).open("rb") as stdin:
            pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            how = {"cwd": folder, "env": self.environment, "preexec_fn": one_core if "--memory" in words else None}
            return subprocess.Popen([*program, *words], **pipes, **how)

    def finish(self, running: subprocess.Popen[bytes], code: int) -> str:
        out, err = communicate(running, PATIENCE)
        if running.returncode != code:
            said = err.decode(errors="replace").strip().splitlines()[-1:]
            raise FailedError(f"expected the exit code {code}, found {running.returncode}: {' '.join(said)}")
        return out.decode()

    def break_off(self, case: Case, words: list[str], folder: Path) -> None:
        """Breaks a run off so that nothing but a checkpoint is left."""
        kept = folder / "kept" / "checkpoint"
        for _ in range(ATTEMPTS):
            running, started = self.start(case, words, folder), time.monotonic()
            while running.poll() is None and time.monotonic() < started + PATIENCE:
                with suppress(FileNotFoundError):
                    if "\npasses " in kept.read_text():
                        break
                time.sleep(0.0005)
            running.send_signal(case.broken)
            communicate(running, PATIENCE)
            left = sorted(path.name for path in folder.iterdir() if not path.name.startswith(".arss-"))
            if running.returncode in (-signal.SIGKILL, 130) and left == ["kept"]:
                return
            shutil.rmtree(folder)
            folder.mkdir()
        raise FailedError(f"expected a checkpoint, found {left} and the exit code {running.returncode}")

    def run(self, case: Case) -> dict[str, Outputs]:
        """What a case tells."""
        folder = self.folder / case.name.replace("/", "_")
        folder.mkdir()
        *first, words = [line.replace("T/", "../tables/").split() for line in case.line.split(" && ")]
        for line in first:
            self.finish(self.start(case, line, folder), 0)
        if case.broken:
            self.break_off(case, words, folder)
            words.append("--resume")
        printed = self.finish(self.start(case, words, folder), case.code)
        paths = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
        found = {name: read(path) for name, path in paths.items() if not path.name.startswith(".arss-")}
        (folder / "stdout").write_text(printed)
        if "--json" not in words:
            found["stdout"] = Output.of(printed if case.code else sheet(printed, words[0]))
        else:
            found["stdout"] = Output.of(pruned(json.loads(printed)))
            if "scores.csv" in paths and words[0] != "outliers":
                found["answer"] = Output.of(answer(json.loads(printed), folder))
        if words[0] == "report" and paths["page.html"].read_bytes() != paths["again.html"].read_bytes():
            raise FailedError("expected the page of the run, found another one")
        return {case.name: found}

    def in_python(self, kind: str, pattern: str) -> dict[str, Outputs]:
        """What the cases of `homes.py` tell."""
        words = [sys.executable, str(HERE / "homes.py"), kind, str(self.tables), pattern]
        # A session of its own: whatever happens, workers do not outlive it.
        running = subprocess.Popen(words, stdout=subprocess.PIPE, env=self.environment, start_new_session=True)
        out, _ = communicate(running, PATIENCE_OF_PYTHON, group=True)
        if running.returncode:
            raise FailedError(f"expected the exit code 0, found {running.returncode}")
        return {case: {name: Output.of(tree) for name, tree in told.items()} for case, told in json.loads(out).items()}


def communicate(running: subprocess.Popen[bytes], patience: float, group: bool = False) -> tuple[bytes, bytes]:
    """What a process says until it ends, or is ended."""
    try:
        return running.communicate(timeout=patience)
    except BaseException as error:
        (os.killpg if group else os.kill)(running.pid, signal.SIGKILL)
        running.communicate()
        raise FailedError(f"expected an end, still ran after {patience} s") from error


def answer(told: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What every home tells of a choice, from the JSON and the files."""

    def column(file: str, name: str, kind: type) -> list[Any]:
        with (folder / file).open(newline="") as lines:
            return [kind(row[name]) for row in csv.DictReader(lines)]

    names = ("indices", "scores", "iterations", "objective", "gap", "shares", "coverage")
    found = {name: told[name] for name in names if name in told}
    found["outlier_scores"] = column("scores.csv", "residual", float)
    if (folder / "assignments.csv").exists():
        found["labels"] = [rank - 1 for rank in column("assignments.csv", "rank", int)]
    return found


def machine() -> dict[str, Any]:
    """What the last bits depend on: what the processor can do, and the library of functions."""
    lines = (line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines() if ":" in line)
    facts = {name.strip(): value.split() for name, value in lines}
    flags = sorted(flag for flag in facts.get("flags", []) if flag.startswith(("avx", "fma")))
    return {"vendor": " ".join(facts.get("vendor_id", [])), "flags": flags, "libc": " ".join(platform.libc_ver())}


def compare_homes(found: dict[str, Outputs]) -> Iterator[str]:
    """Where a home does not tell what memory tells, and a format not what csv or npy tells."""
    for name, outputs in found.items():
        command, method, table, home, *_ = [*name.split("/"), "", "", ""]
        like = "tall" if table in ARRAYS else "csv" if table in FORMATS else table
        twin = f"{command}/{method}/{table if home != 'memory' else like}/memory"
        common = outputs.keys() & found.get(twin, {}).keys()
        for output in sorted(common if home != "memory" else common & {"answer"}):
            mine, theirs = outputs[output], found[twin][output]
            rounding = SINGLE_ROUNDING if table == "single" else ROUNDING
            if mine.exact != theirs.exact and not ((command, home) in REORDERED and mine.is_close(theirs, rounding)):
                yield f"{name} {output}: expected what {twin} tells, found something else"


def every_run(recorder: Recorder, pattern: str) -> tuple[dict[str, Outputs], list[str]]:
    """What all cases tell, and which of them failed."""
    cases = [case for case in every_case() if fnmatch(case.name, pattern)]
    found: dict[str, Outputs] = {}
    failed: list[str] = []
    pool = ThreadPoolExecutor(2)
    runs = {f"homes.py {kind}": pool.submit(recorder.in_python, kind, pattern) for kind in ("dask", "local")}
    runs |= {case.name: pool.submit(recorder.run, case) for case in cases}
    try:
        wait(runs.values())
    finally:
        pool.shutdown(cancel_futures=True)
    for name, run in runs.items():
        try:
            found |= run.result()
        except Exception as error:
            failed.append(f"{name}: {error if isinstance(error, FailedError) else repr(error)}")
    for name in [name for name, outputs in found.items() if "error" in outputs]:
        failed.append(f"{name}: {found.pop(name)['error'].tree}")
    return dict(sorted(found.items())), failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True, help="the arss that is run")
    parser.add_argument("--only", default="", help="cases whose name holds this; * and ? stand for anything")
    parser.add_argument("--renew", action="store_true", help="write answers.json anew (these cases of it)")
    parser.add_argument("--keep", type=Path, help="a new folder, in which all files are left")
    options = parser.parse_args()
    # Commands end by Ctrl-C even if whoever started this ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    started, pattern = time.monotonic(), f"*{options.only}*"
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(options.binary.resolve(), (options.keep or Path(folder)).resolve())
        found, problems = every_run(recorder, pattern)
    failed = {line.split(":")[0] for line in problems}
    problems += compare_homes(found)
    digests = {case: {name: output.digest() for name, output in outputs.items()} for case, outputs in found.items()}
    kept = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {"machine": None, "cases": {}}
    exact = kept["machine"] == machine()
    if options.renew:
        others = {case: outputs for case, outputs in kept["cases"].items() if not fnmatch(case, pattern)}
        if others and not exact:
            parser.error("answers.json is of another machine: it can only be renewed as a whole")
        write(dict(sorted((others | digests).items())))
    else:
        wanted = {case: outputs for case, outputs in kept["cases"].items() if fnmatch(case, pattern)}
        for case in sorted((wanted.keys() | digests.keys()) - failed):
            if exact or not any(fnmatch(case, few) for few in ONE_MACHINE):
                lines = differences(wanted.get(case, {}), digests.get(case, {}), exact)
                problems += [case + line for line in lines]
    how = "written" if options.renew else "bit for bit" if exact else "six digits, another machine wrote the answers"
    print(
        *problems,
        f"recorder: {len(found)} cases, {len(problems)} differences, {time.monotonic() - started:.0f} s ({how})",
        sep="\n",
    )
    return 1 if problems else 0


def write(cases: dict[str, Any]) -> None:
    """A case a line."""
    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(outputs)}" for case, outputs in cases.items())
    ANSWERS.write_text(f'{{"machine": {json.dumps(machine())}, "cases": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    sys.exit(main())
