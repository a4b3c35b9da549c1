"""Feature selection by transposing: clusters and nearest neighbours on the chosen columns, against the usual rivals."""

from __future__ import annotations

import itertools
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import arss
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import confusion_matrix, normalized_mutual_info_score
from sklearn.neighbors import KNeighborsClassifier

import datasets
from experiment import Config, Context, Record

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]
Split = tuple[Matrix, Labels, Matrix, Labels]
#: (table, how many columns, number of classes, seed) -> columns, best first.
Chooser = Callable[[Matrix, int, int, int], NDArray[np.int64]]
NEIGHBOURS = 5


def of(method: str, **settings: object) -> Chooser:
    """`arss.FeatureSelector` with these settings."""

    def choose(X: Matrix, k: int, classes: int, seed: int) -> Labels:
        return arss.FeatureSelector(method, n_features_to_select=k, n_jobs=1, **settings).fit(X).feature_indices_

    return choose


def _all(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    return np.arange(X.shape[1])


def _random(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    return np.random.default_rng(seed).permutation(X.shape[1])[:k]


def _variance(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    return np.argsort(-X.var(0), kind="stable")[:k]


def _neighbours(X: Matrix) -> object:
    """The graph of MCFS and of the Laplacian score: five nearest neighbours, weights of one."""
    from skfeature.utility.construct_W import construct_W

    return construct_W(X.copy(), metric="euclidean", neighbor_mode="knn", weight_mode="binary", k=NEIGHBOURS)


def _laplacian(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    from skfeature.function.similarity_based.lap_score import lap_score

    return lap_score(X.copy(), mode="index", W=_neighbours(X))[:k]


def _mcfs(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    from skfeature.function.sparse_learning_based.MCFS import mcfs

    return mcfs(X.copy(), n_selected_features=k, mode="index", W=_neighbours(X), n_clusters=classes)[:k]


def _udfs(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    from skfeature.function.sparse_learning_based.UDFS import udfs

    return udfs(X.copy(), mode="index", gamma=0.1, k=NEIGHBOURS, n_clusters=classes)[:k]


def _udfs_as_published(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    """UDFS in NumPy: skfeature-chappers 1.2.1 gives every row the neighbours of the first six (`idx_new[q]`)."""
    gamma, size = 0.1, NEIGHBOURS + 1
    squares = (X * X).sum(1)
    near = np.argpartition(squares[:, None] + squares - 2.0 * X @ X.T, size, axis=1)[:, :size]
    centre = np.eye(size) - 1.0 / size
    M = np.zeros((X.shape[1], X.shape[1]))
    for rows in near:
        local = centre @ X[rows]
        M += local.T @ np.linalg.solve(local @ local.T + gamma * np.eye(size), local)
    weights = np.ones(X.shape[1])
    before = np.inf
    for _ in range(100):
        W = np.linalg.eigh(M + gamma * np.diag(weights))[1][:, :classes]
        lengths = np.sqrt((W * W).sum(1) + 1e-16)
        now = float(np.trace(W.T @ M @ W) + gamma * lengths.sum())
        if abs(before - now) < 1e-3:
            break
        before, weights = now, 0.5 / lengths
    return np.argsort(-lengths, kind="stable")[:k]


def _cur(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    from skmatter.feature_selection import CUR

    return CUR(n_to_select=k, random_state=seed).fit(X).selected_idx_[:k]


def _fastcan(X: Matrix, k: int, classes: int, seed: int) -> Labels:
    """Without labels: the table is its own target."""
    from fastcan import FastCan

    return FastCan(k, verbose=0).fit(X, X).indices_


METHODS: dict[str, Chooser] = {
    "ARSS": of("arss"),
    "ARSS, paper": of("arss", preset="paper"),
    "RRSS": of("rrss"),
    "TED": of("ted"),
    "RRQR": of("rrqr"),
    "variance": _variance,
    "Laplacian score": _laplacian,
    "MCFS": _mcfs,
    "UDFS": _udfs_as_published,
    "UDFS (skfeature)": _udfs,
    "CUR (skmatter)": _cur,
    "fastcan": _fastcan,
    "random": _random,
    "all features": _all,
}
#: The number of coefficients is part of the model: a run for each K.
NOT_NESTED = ("MCFS",)


def plan(config: Config) -> Iterator[Record]:
    """Seed by seed."""
    for seed, name, method in itertools.product(range(config["seeds"]), config["sets"], METHODS):
        yield {"set": name, "seed": seed, "method": method}


def measure(key: Record, context: Context) -> Record:
    """Clustering accuracy, mutual information and 1-NN accuracy for each K."""
    X, y, test, test_y = split(
        key["set"], key["seed"], context.folder, (context.config["rows"], context.config["test"])
    )
    classes, seed = len(np.unique(y)), key["seed"]
    ks = sizes(X.shape[1], context.config["sizes"])
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            chosen = _choose(key["method"], X, ks, (classes, seed))
        except (ValueError, np.linalg.LinAlgError) as error:
            return {"k": ks, "failed": str(error)[:200]}
    seconds = time.perf_counter() - start
    found = [judge((X[:, one], y, test[:, one], test_y), classes, seed) for one in chosen]
    values = {name: [round(one[name], 4) for one in found] for name in found[0]}
    return (
        {"k": [len(one) for one in chosen] if key["method"] == "all features" else ks}
        | values
        | {"seconds": round(seconds, 4)}
    )


def _choose(method: str, X: Matrix, ks: list[int], about: tuple[int, int]) -> list[Labels]:
    if method == "all features":
        return [METHODS[method](X, 0, *about)]
    if method in NOT_NESTED:
        return [METHODS[method](X, k, *about) for k in ks]
    longest = METHODS[method](X, max(ks), *about)
    return [longest[:k] for k in ks]


def sizes(columns: int, count: int) -> list[int]:
    """From five columns to half of them; half of them if that is fewer."""
    half = columns // 2
    return sorted({round(k) for k in np.geomspace(min(5, half), half, count)})


@lru_cache(maxsize=2)
def split(name: str, seed: int, folder: Path | None, size: tuple[int, int]) -> Split:
    """Rows to choose on and test rows, without the columns that are constant in the first, which scale to [0, 1]."""
    X, y = datasets.load(name, folder)
    order = np.random.default_rng([seed, zlib.crc32(name.encode())]).permutation(len(X))
    n = min(size[0], len(X) // 2)
    ours, theirs = order[:n], order[n : n + size[1]]
    X = X[:, np.ptp(X[ours], axis=0) > 0]
    scaled = (X - X[ours].min(0)) / np.ptp(X[ours], axis=0)
    return scaled[ours], y[ours], scaled[theirs], y[theirs]


def judge(data: Split, classes: int, seed: int) -> dict[str, float]:
    """K-means against the classes (best matching, NMI), and the nearest neighbour on the test rows."""
    X, y, test, test_y = data
    groups = KMeans(classes, n_init=5, random_state=seed).fit_predict(X)
    counts = confusion_matrix(np.unique(y, return_inverse=True)[1], groups)
    rows, places = linear_sum_assignment(-counts)
    nearest = KNeighborsClassifier(1).fit(X, y).predict(test)
    return {
        "acc": float(counts[rows, places].sum() / len(y)),
        "nmi": float(normalized_mutual_info_score(y, groups)),
        "nn": float((nearest == test_y).mean()),
    }
