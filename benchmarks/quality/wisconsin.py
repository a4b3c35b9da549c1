"""Clean Wisconsin, K = 100, on which an earlier gate took one of the two classes for garbage.

    PYTHONPATH=benchmarks python3 benchmarks/quality/wisconsin.py --binary target/release/arss

Half of the rows are candidates, the others test rows; accuracy is the mean of 1-NN and a linear SVM, as in run.py.
Writes results-wisconsin.jsonl.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

import dirt
import keel
import objective

HERE = Path(__file__).resolve().parent
SEEDS = range(5)
K = 100


def main() -> None:
    """One line a seed and method, and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True, help="the program, built with --release")
    chosen = parser.parse_args()
    frame = pd.read_csv(keel.as_csv("wisconsin"))
    X = frame.drop(columns="label").to_numpy(float)
    y = np.unique(frame["label"], return_inverse=True)[1].astype(np.int64)
    lines = []
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(len(X))
        ours, theirs = order[: len(X) // 2], order[len(X) // 2 :]
        units = StandardScaler().fit(X[ours])
        table, test = units.transform(X[ours]), units.transform(X[theirs])
        picks = {
            "arss": dirt.program(chosen.binary, table, seed, "--scale", "none", k=K),
            "random": np.random.default_rng(seed).permutation(len(table))[:K],
        }
        for method, rows in picks.items():
            cell = objective.Cell(table, y[ours], np.zeros(len(table), bool), test, y[theirs])
            found = objective.score(cell, rows)
            accuracy = 50 * (found["nn"] + found["svm"])
            classes = len(np.unique(y[ours][rows]))
            lines.append({"method": method, "seed": seed, "k": K, "accuracy": round(accuracy, 2), "classes": classes})
    (HERE / "results-wisconsin.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    print(pd.DataFrame(lines).groupby("method")[["accuracy", "classes"]].mean())


if __name__ == "__main__":
    main()
