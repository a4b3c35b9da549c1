"""Exemplars as an outlier detector: mean AUROC and average precision over the sets of ADBench.

    python3 benchmarks/quality/adbench.py DIR        # DIR/<group>/*.npz with X and y; writes results-adbench.jsonl

Sets of more than 10,000 rows are sampled. Those of the group Classical are scaled by the command line's robust scale.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

HERE = Path(__file__).resolve().parent


def scores(X: np.ndarray, scale: str) -> np.ndarray:
    """Outlier scores by the command line."""
    with tempfile.TemporaryDirectory() as folder:
        table, told = Path(folder) / "table.npy", Path(folder) / "scores.csv"
        np.save(table, X)
        command = [sys.executable, "-m", "arss", "outliers", str(table), "-q", "-n", "1", "--scale", scale]
        subprocess.run([*command, "--scores", str(told)], check=True, stdout=subprocess.DEVNULL)
        lines = np.genfromtxt(told, delimiter=",", names=True)
    return lines["outlier_score"]


def main() -> None:
    """One line a set, then the means."""
    lines = []
    for path in sorted(Path(sys.argv[1]).glob("*/*.npz")):
        data = np.load(path, allow_pickle=True)
        X, y = data["X"].astype(float), data["y"]
        if len(X) > 10_000:
            rows = np.random.default_rng(0).permutation(len(X))[:10_000]
            X, y = X[rows], y[rows]
        if y.min() == y.max():
            continue
        found = scores(X, "robust" if path.parent.name == "Classical" else "none")
        line = {"group": path.parent.name, "set": path.stem, "auroc": round(float(roc_auc_score(y, found)), 4)}
        lines.append(line | {"precision": round(float(average_precision_score(y, found)), 4)})
    (HERE / "results-adbench.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for name, tabular in (("tabular", True), ("embeddings", False)):
        some = [line for line in lines if (line["group"] == "Classical") == tabular]
        means = [np.mean([line[what] for line in some]) for what in ("auroc", "precision")]
        print(f"{name}: {len(some)} sets, AUROC {means[0]:.4f}, average precision {means[1]:.4f}")


if __name__ == "__main__":
    main()
