"""How well corrupted rows can be told at all: detectors that are told what ours is not.

Each is trained on clean rows of the same set that are not in the table, and on corrupted copies of them by the same
kind of noise. It ranks the rows of the table, of which it has seen none. The best of the three stands beside ours.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import arss
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier

import datasets
import objective
from objective import Matrix, Task

HERE = Path(__file__).parent
SETS = ["texture", "vowel", "magic", "spambase", "ionosphere", "wdbc", "phoneme", "ring", "twonorm", "movement_libras"]
KINDS = ["gaussian", "laplace", "salt-and-pepper"]
#: Corrupted copies of each row to learn from.
COPIES = 3


def taught(cell: objective.Cell, kind: str, seed: int) -> tuple[Matrix, Matrix]:
    """Rows to learn from, and which are corrupted: those of the test part, once as they are and thrice corrupted."""
    random = np.random.default_rng(seed)
    everyone = np.ones(len(cell.test), bool)
    copies = [objective.corrupt(cell.test, everyone, kind, random) for _ in range(COPIES)]
    clean = np.concatenate([cell.test] * COPIES)
    return np.concatenate([clean, *copies]), np.repeat([0, 1], len(clean))


def bounds(cell: objective.Cell, kind: str, seed: int) -> dict[str, float]:
    """The area under the curve of each detector."""
    rows, corrupted = taught(cell, kind, seed)
    learners = {
        "trees": ExtraTreesClassifier(400, min_samples_leaf=2, random_state=seed),
        "boosting": HistGradientBoostingClassifier(max_iter=300, random_state=seed),
        "network": MLPClassifier((128, 128), alpha=1e-3, max_iter=60, early_stopping=True, random_state=seed),
    }
    found = {}
    for name, learner in learners.items():
        odds = learner.fit(rows, corrupted).predict_proba(cell.X)[:, 1]
        found[name] = round(float(roc_auc_score(cell.corrupted, odds)), 4)
    return found


def main() -> int:
    """A line for each set and seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with <set>.parquet (or ARSS_DATA)")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--share", type=float, default=0.2)
    chosen = parser.parse_args()
    lines = []
    for name in chosen.sets:
        for seed in chosen.seeds:
            kind = KINDS[seed % len(KINDS)]
            cell = objective.make(Task(name, kind, chosen.share, seed), datasets.folder(chosen.data), 2000, 5000)
            scores = arss.Exemplars(20, random_state=seed).fit(cell.X).outlier_scores_
            ours = round(float(roc_auc_score(cell.corrupted, scores)), 4)
            line = {"set": name, "kind": kind, "share": chosen.share, "seed": seed, "ours": ours}
            lines.append(line | bounds(cell, kind, seed))
            print(lines[-1], file=sys.stderr, flush=True)
    (HERE / "results-bound.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    best = [max(line[name] for name in ("trees", "boosting", "network")) for line in lines]
    print(f"ours {np.mean([line['ours'] for line in lines]):.4f}, told more {np.mean(best):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
