"""One method on one table in a process of its own: seconds of the choice, after a small one.

Run by run.py: python rivals.py METHOD TABLE.npy K; prints a JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Chooser = Callable[[NDArray[np.float64], int], Any]


def _kmeans(X: NDArray[np.float64], k: int) -> Any:
    from sklearn.cluster import KMeans
    from sklearn.metrics import pairwise_distances_argmin

    return pairwise_distances_argmin(KMeans(k, random_state=0).fit(X).cluster_centers_, X)


def _minibatch(X: NDArray[np.float64], k: int) -> Any:
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.metrics import pairwise_distances_argmin

    return pairwise_distances_argmin(MiniBatchKMeans(k, random_state=0).fit(X).cluster_centers_, X)


def _fasterpam(X: NDArray[np.float64], k: int) -> Any:
    import kmedoids
    from sklearn.metrics import pairwise_distances

    return kmedoids.fasterpam(pairwise_distances(X), k, random_state=0).medoids


def _submodlib(X: NDArray[np.float64], k: int) -> Any:
    from submodlib import FacilityLocationFunction

    function = FacilityLocationFunction(n=len(X), mode="dense", data=X, metric="euclidean")
    return function.maximize(budget=k, optimizer="LazyGreedy", show_progress=False)


def _apricot(X: NDArray[np.float64], k: int) -> Any:
    from apricot import FacilityLocationSelection

    return FacilityLocationSelection(k, random_state=0).fit(X).ranking


def _ours(name: str, **settings: object) -> Chooser:
    def choose(X: NDArray[np.float64], k: int) -> Any:
        import arss

        return getattr(arss, name)(n_samples=k, **settings).fit(X).sample_indices_

    return choose


METHODS: dict[str, Chooser] = {
    "arss.Exemplars": _ours("Exemplars", n_jobs=-1),
    "arss.ARSS, 50 iterations": _ours("ARSS", max_iter=50, tol=0.0, n_jobs=-1),
    "arss.RRSS, 50 iterations": _ours("RRSS", max_iter=50, tol=0.0, n_jobs=-1),
    "arss.TED": _ours("TED", n_jobs=-1),
    "arss.KMedoidsSelector": _ours("KMedoidsSelector"),
    "scikit-learn KMeans": _kmeans,
    "scikit-learn MiniBatchKMeans": _minibatch,
    "kmedoids FasterPAM": _fasterpam,
    "submodlib facility location": _submodlib,
    "apricot facility location": _apricot,
}
#: Those that hold an N x N matrix of 8-byte numbers.
QUADRATIC = {"kmedoids FasterPAM", "submodlib facility location", "apricot facility location"}


def main() -> None:
    """Load, choose, report."""
    name, path, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    X = np.load(path)
    METHODS[name](X[:1000], min(k, 100))  # imports and compiles
    start = time.perf_counter()
    picks = METHODS[name](X, k)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": round(seconds, 3), "picks": len(picks)}))


if __name__ == "__main__":
    main()
