"""What is measured: a table of candidates of which a share is corrupted, and how well picks of it serve."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC, LinearSVC

from datasets import load

Matrix = NDArray[np.float64]
#: From rows, their labels and test rows to the labels of these.
Learner = Callable[[Matrix, NDArray[np.int64], Matrix], NDArray[np.int64]]


@dataclass(frozen=True)
class Task:
    """One table: a set, a kind and share of corruption, a seed."""

    set: str
    kind: str
    share: float
    seed: int


@dataclass(frozen=True)
class Cell:
    """The candidates with their (kept) labels, which of them are corrupted, and clean test rows."""

    X: Matrix
    y: NDArray[np.int64]
    corrupted: NDArray[np.bool_]
    test: Matrix
    test_y: NDArray[np.int64]


def make(task: Task, folder: Path | None, candidates: int, test: int) -> Cell:
    """Splits, standardises by the clean candidates, then corrupts a share of the candidates of each class.

    Split and corrupted rows depend on the set and seed only; a larger share holds the smaller one's rows.
    """
    X, y = load(task.set, folder)
    random = np.random.default_rng([task.seed, zlib.crc32(task.set.encode())])
    order = random.permutation(len(X))
    n = min(candidates, len(X) // 2)
    ours, theirs = order[:n], order[n : n + test]
    mean, spread = X[ours].mean(0), X[ours].std(0)
    varies = spread > 1e-9
    scaled = [np.where(varies, (X[rows] - mean) / np.where(varies, spread, 1.0), 0.0) for rows in (ours, theirs)]
    corrupted = _choose(y[ours], task.share, random)
    scaled[0][corrupted] = corrupt(scaled[0], corrupted, task.kind, random) * varies
    return Cell(scaled[0], y[ours], corrupted, scaled[1], y[theirs])


def _choose(y: NDArray[np.int64], share: float, random: np.random.Generator) -> NDArray[np.bool_]:
    chosen = np.zeros(len(y), bool)
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        chosen[rows[: round(share * len(rows))]] = True
    return chosen


def corrupt(X: Matrix, rows: NDArray[np.bool_], kind: str, random: np.random.Generator) -> Matrix:
    """The corrupted form of those rows; columns have mean 0 and standard deviation 1."""
    clean = X[rows]
    if kind == "gaussian":
        return clean + random.normal(size=clean.shape)
    if kind == "laplace":
        return clean + random.laplace(size=clean.shape)
    if kind == "gross":
        return clean + 10.0 * random.normal(size=clean.shape)
    if kind == "salt-and-pepper":
        die = random.random(clean.shape)
        return np.where(die < 0.15, X.min(0), np.where(die < 0.3, X.max(0), clean))
    if kind == "none":
        return clean
    if kind == "mixed":  # the paper's: every row gets one of the three
        each = np.stack([corrupt(X, rows, one, random) for one in ("gaussian", "laplace", "salt-and-pepper")])
        mixed: Matrix = each[random.integers(3, size=len(clean)), np.arange(len(clean))]
        return mixed
    raise ValueError(f"there is no corruption called {kind!r}")


def score(cell: Cell, picks: NDArray[np.int64]) -> dict[str, float]:
    """Accuracies on the test rows after training on the picks, share of corrupted picks, coverage."""
    X, y = cell.X[picks], cell.y[picks]
    inner = cell.test @ X.T
    nearest = ((X * X).sum(1) - 2.0 * inner).argmin(1)
    return {
        "nn": float((y[nearest] == cell.test_y).mean()),
        "svm": float((_svm(X, y, cell.test) == cell.test_y).mean()),
        "svc": float((_svc(X, y, inner) == cell.test_y).mean()),
        "corrupted": float(cell.corrupted[picks].mean()),
        "coverage": _coverage(cell.X[~cell.corrupted], X),
    }


def more(cell: Cell, picks: NDArray[np.int64]) -> dict[str, float]:
    """What accuracy and mean distance do not show.

    `lost_nn` and `lost_svm` are accuracies where the labels of corrupted rows are lost too: such a pick teaches
    nothing. `classes` is the share of the classes that have a pick, `imbalance` how far the classes' shares of the
    picks are from those of the clean candidates (0 to 1, total variation). `far95` and `farthest` are distances of
    clean candidates to the nearest pick, `mmd` the maximum mean discrepancy between picks and clean candidates.
    """
    clean = ~cell.corrupted
    useful = picks[clean[picks]]
    labels = np.unique(cell.y)
    ours, all_rows = ((cell.y[rows][:, None] == labels).mean(0) for rows in (picks, np.flatnonzero(clean)))
    far = _nearest(cell.X[clean], cell.X[picks])
    return {
        "lost_nn": _share_right(cell, useful, _nn),
        "lost_svm": _share_right(cell, useful, _svm),
        "classes": float((ours > 0).mean()),
        "imbalance": float(np.abs(ours - all_rows).sum() / 2),
        "far95": float(np.quantile(far, 0.95)),
        "farthest": float(far.max()),
        "mmd": _discrepancy(cell.X[clean], cell.X[picks]),
    }


def _share_right(cell: Cell, picks: NDArray[np.int64], learn: Learner) -> float:
    """Accuracy on the test rows after training on the picks; 0 if there are none."""
    if len(picks) == 0:
        return 0.0
    return float((learn(cell.X[picks], cell.y[picks], cell.test) == cell.test_y).mean())


def _nn(X: Matrix, y: NDArray[np.int64], test: Matrix) -> NDArray[np.int64]:
    nearest: NDArray[np.int64] = y[((X * X).sum(1) - 2.0 * test @ X.T).argmin(1)]
    return nearest


def _discrepancy(rows: Matrix, picks: Matrix) -> float:
    """Maximum mean discrepancy under a Gaussian kernel whose width is the median distance of the rows."""
    squares = _squares(rows, rows)
    width = np.median(squares[~np.eye(len(rows), dtype=bool)])
    if width <= 0.0:
        return 0.0
    within, across, among = (
        np.exp(-part / width).mean() for part in (squares, _squares(rows, picks), _squares(picks, picks))
    )
    return float(np.sqrt(max(within - 2.0 * across + among, 0.0)))


def _svm(X: Matrix, y: NDArray[np.int64], test: Matrix) -> NDArray[np.int64]:
    """LinearSVC(C=1), one class against the rest; accuracies at this tolerance: the default's within .001."""
    if len(np.unique(y)) == 1:
        return np.full(len(test), y[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: NDArray[np.int64] = LinearSVC(C=1.0, tol=1e-2, max_iter=100, random_state=0).fit(X, y).predict(test)
    return found


def _svc(X: Matrix, y: NDArray[np.int64], inner: Matrix) -> NDArray[np.int64]:
    """SVC(kernel="linear", C=1), each class against each other, from the products of the test rows with X."""
    if len(np.unique(y)) == 1:
        return np.full(len(inner), y[0])
    machine = SVC(C=1.0, kernel="precomputed").fit(X @ X.T, y)
    found: NDArray[np.int64] = machine.predict(inner)
    return found


def _coverage(rows: Matrix, picks: Matrix) -> float:
    """Mean distance of the rows to the nearest pick."""
    return float(_nearest(rows, picks).mean())


def _nearest(rows: Matrix, picks: Matrix) -> Matrix:
    """The distance of each row to the nearest pick."""
    nearest: Matrix = np.sqrt(np.maximum(_squares(rows, picks).min(1), 0.0))
    return nearest


def _squares(rows: Matrix, others: Matrix) -> Matrix:
    """Squared distances."""
    squares: Matrix = (rows * rows).sum(1)[:, None] + (others * others).sum(1) - 2.0 * rows @ others.T
    return squares


def auroc(cell: Cell, outlier_scores: NDArray[np.float64] | None) -> float | None:
    """How well the scores tell corrupted rows from clean ones; None where there is nothing to tell."""
    if outlier_scores is None or not cell.corrupted.any():
        return None
    return float(roc_auc_score(cell.corrupted, outlier_scores))
