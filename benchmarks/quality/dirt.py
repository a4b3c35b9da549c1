"""Raw tables with the dirt of real files: how many bad rows are picked, and how well the clean rows are served.

    PYTHONPATH=benchmarks python3 benchmarks/quality/dirt.py --data DIR --binary target/release/arss

The program runs with its defaults on a .npy of raw values. A bad row is one of: some cells -9999, some cells times
1,000, all columns shuffled, some cells 0; "some" are 5 to 30 % of its cells, at least one. Distances and accuracies are
in units of the clean rows. Writes results-dirt.jsonl; `report.py` makes the table.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import kmedoids
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import RobustScaler, StandardScaler

import datasets
import objective

HERE = Path(__file__).resolve().parent
SETS = ["letter", "waveform", "optdigits", "pima", "vehicle", "segment", "satimage", "pendigits"]
SHARES = [0.0, 0.1, 0.3]
SEEDS = [0, 1]
ROWS, TEST, K = 1000, 3000, 50

Table = NDArray[np.float64]
Rows = NDArray[np.bool_]
Picks = NDArray[np.int64]


def spoil(table: Table, share: float, random: np.random.Generator) -> tuple[Table, Rows]:
    """The table with a share of its rows spoilt, and which."""
    spoilt = table.copy()
    bad = np.zeros(len(table), bool)
    bad[random.permutation(len(table))[: round(share * len(table))]] = True
    columns = table.shape[1]
    for row in np.flatnonzero(bad):
        kind = random.choice(["code", "unit", "shuffled", "zero"])
        cells = random.permutation(columns)[: max(1, int(np.ceil(random.uniform(0.05, 0.3) * columns)))]
        if kind == "code":
            spoilt[row, cells] = -9999.0
        elif kind == "unit":
            spoilt[row, cells] *= 1000.0
        elif kind == "shuffled":
            spoilt[row] = random.permutation(spoilt[row])
        else:
            spoilt[row, cells] = 0.0
    return spoilt, bad


def program(binary: Path, table: Table, seed: int, *flags: str, k: int = K) -> Picks:
    """What the command line picks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npy"
        np.save(path, table)
        command = [str(binary), "select", str(path), "-k", str(k), "--seed", str(seed), "--json", "-q", *flags]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
    return np.array(json.loads(found.stdout)["indices"])


def fasterpam(table: Table, seed: int) -> Picks:
    """FasterPAM on rows that are scaled already."""
    picks: Picks = kmedoids.fasterpam(pairwise_distances(table), K, random_state=seed, n_cpu=1).medoids.astype(np.int64)
    return picks


def methods(binary: Path, spoilt: Table, bad: Rows, seed: int) -> dict[str, Callable[[], Picks]]:
    """Who chooses."""
    clean = np.flatnonzero(~bad)

    def by_hand() -> Picks:
        picks: Picks = clean[fasterpam(StandardScaler().fit_transform(spoilt[clean]), seed)]
        return picks

    return {
        "arss": lambda: program(binary, spoilt, seed),
        "arss --scale standard": lambda: program(binary, spoilt, seed, "--scale", "standard"),
        "FasterPAM, StandardScaler": lambda: fasterpam(StandardScaler().fit_transform(spoilt), seed),
        "FasterPAM, RobustScaler": lambda: fasterpam(RobustScaler().fit_transform(spoilt), seed),
        "random": lambda: np.random.default_rng(seed).permutation(len(spoilt))[:K],
        "bad rows removed by hand, FasterPAM": by_hand,
    }


def judge(table: Table, labels: NDArray[np.int64], bad: Rows, picks: Picks, test: objective.Cell) -> dict[str, float]:
    """Share of bad picks, mean distance of clean rows to the nearest clean pick, accuracy; all in clean units."""
    good = picks[~bad[picks]]
    rows, names = test.X[picks], labels[picks]
    return {
        "bad": float(bad[picks].mean()),
        "distance": objective._coverage(table[~bad], table[good]) if len(good) else float("inf"),
        "nn": float((objective._nn(rows, names, test.test) == test.test_y).mean()),
        "svm": float((objective._svm(rows, names, test.test) == test.test_y).mean()),
    }


def main() -> None:
    """A line for each method on each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with <set>.parquet (or ARSS_DATA)")
    parser.add_argument("--binary", type=Path, required=True, help="the program, built with --release")
    parser.add_argument("--out", type=Path, default=HERE / "results-dirt.jsonl")
    chosen = parser.parse_args()
    with chosen.out.open("w", encoding="utf-8") as file:
        for name, seed, share in itertools.product(SETS, SEEDS, SHARES):
            X, y = datasets.load(name, datasets.folder(chosen.data))
            random = np.random.default_rng([seed, zlib.crc32(name.encode())])
            order = random.permutation(len(X))
            count = min(ROWS, len(X) // 2)
            ours, theirs = order[:count], order[count : count + TEST]
            spoilt, bad = spoil(X[ours], share, random)
            units = StandardScaler().fit(X[ours][~bad])
            clean, seen = units.transform(X[ours]), units.transform(spoilt)
            cell = objective.Cell(seen, y[ours], bad, units.transform(X[theirs]), y[theirs])
            for method, choose in methods(chosen.binary, spoilt, bad, seed).items():
                found = judge(clean, y[ours], bad, choose(), cell)
                line = {"set": name, "seed": seed, "share": share, "method": method}
                file.write(json.dumps(line | {key: round(value, 5) for key, value in found.items()}) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
