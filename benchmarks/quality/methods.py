"""Who chooses: our methods through the package's public interface, and the rivals' own packages.

A method takes the candidates, the numbers K and a seed, and gives a list of picks for each K. Methods whose
picks for a smaller K are the first of those for a larger one run once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import arss
import numpy as np
from numpy.typing import NDArray

import stamp

Indices = NDArray[np.int64]
Scores = NDArray[np.float64]
Choice = tuple[Indices, Scores | None]
Chooser = Callable[[NDArray[np.float64], int, int], Choice]


@dataclass(frozen=True)
class Method:
    """`choose(X, k, seed)` gives picks and outlier scores, if it has any; `package` is where it comes from."""

    package: str
    choose: Chooser
    nested: bool = True

    def run(self, X: NDArray[np.float64], ks: Sequence[int], seed: int) -> tuple[list[Indices], Scores | None]:
        """Picks for each k, and the outlier scores of the run with the largest."""
        if not self.nested:
            chosen = [self.choose(X, k, seed) for k in ks]
            return [picks for picks, _ in chosen], chosen[-1][1]
        picks, scores = self.choose(X, max(ks), seed)
        return [picks[:k] for k in ks], scores


# ---- ours ----


def exemplars(**settings: object) -> Method:
    """`arss.Exemplars` with these settings."""

    def choose(X: NDArray[np.float64], k: int, seed: int) -> Choice:
        selector = arss.Exemplars(n_samples=k, random_state=seed, n_jobs=1, **settings).fit(X)
        return selector.sample_indices_, selector.outlier_scores_

    return Method("arss", choose, nested=False)


def _ours(name: str, seeded: bool = False) -> Chooser:
    def choose(X: NDArray[np.float64], k: int, seed: int) -> Choice:
        how: dict[str, Any] = {"random_state": seed} if seeded else {}
        selector = getattr(arss, name)(n_samples=k, n_jobs=1, **how).fit(X)
        return selector.sample_indices_, selector.outlier_scores_

    return choose


# ---- rivals ----


def _random(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    return np.random.default_rng(seed).permutation(len(X))[:k], None


def _kmeans(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    """The row nearest to each centre; no row twice."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import pairwise_distances

    centres = KMeans(k, random_state=seed).fit(X).cluster_centers_
    picks: list[int] = []
    for distances in pairwise_distances(centres, X):
        distances[picks] = np.inf
        picks.append(int(distances.argmin()))
    return np.array(picks), None


def _fasterpam(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    import kmedoids
    from sklearn.metrics import pairwise_distances

    return kmedoids.fasterpam(pairwise_distances(X), k, random_state=seed).medoids.astype(np.int64), None


def _submodlib(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    """Its default similarity of the Euclidean metric: exp(-d / L)."""
    from submodlib import FacilityLocationFunction

    function = FacilityLocationFunction(n=len(X), mode="dense", data=X, metric="euclidean")
    return np.array([i for i, _ in function.maximize(budget=k, optimizer="LazyGreedy", show_progress=False)]), None


def _apricot(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    from apricot import FacilityLocationSelection

    return FacilityLocationSelection(k, random_state=seed).fit(X).ranking.astype(np.int64), None


def _farthest(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    from skmatter.sample_selection import FPS

    return FPS(n_to_select=k, initialize="random", random_state=seed).fit(X).selected_idx_, None


def _cur(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    from skmatter.sample_selection import CUR

    return CUR(n_to_select=k, random_state=seed).fit(X).selected_idx_, None


def _typiclust(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    from skactiveml.pool import TypiClust

    return TypiClust(random_state=seed).query(X, np.full(len(X), np.nan), batch_size=k), None


def _probcover(X: NDArray[np.float64], k: int, seed: int, deltas: Scores | None = None) -> Choice:
    from skactiveml.pool import ProbCover

    return ProbCover(deltas=deltas, random_state=seed).query(X, np.full(len(X), np.nan), batch_size=k), None


def _probcover_scaled(X: NDArray[np.float64], k: int, seed: int) -> Choice:
    """Radii to try that fit the data: its own, up to 2, are meant for rows of length one."""
    from sklearn.metrics import pairwise_distances

    typical = float(np.median(pairwise_distances(X[:1000])))
    return _probcover(X, k, seed, deltas=typical * np.arange(0.05, 1.0, 0.05))


OURS = {
    "exemplars": exemplars(),
    "arss": Method("arss", _ours("ARSS")),
    "rrss": Method("arss", _ours("RRSS")),
    "ted": Method("arss", _ours("TED")),
    "facility": Method("arss", _ours("FacilityLocation", seeded=True)),
    "kmedoids": Method("arss", _ours("KMedoidsSelector", seeded=True), nested=False),
    "kmeans": Method("arss", _ours("KMeansSelector", seeded=True), nested=False),
    "rrqr": Method("arss", _ours("RRQR")),
}
RIVALS = {
    "random": Method("numpy", _random),
    "k-means-nearest": Method("scikit-learn", _kmeans, nested=False),
    "FasterPAM": Method("kmedoids", _fasterpam, nested=False),
    "submodlib": Method("submodlib-py", _submodlib),
    "apricot": Method("apricot-select", _apricot),
    "FPS": Method("skmatter", _farthest),
    "CUR": Method("skmatter", _cur),
    "TypiClust": Method("scikit-activeml", _typiclust, nested=False),
    "ProbCover": Method("scikit-activeml", _probcover),
    "ProbCover scaled": Method("scikit-activeml", _probcover_scaled),
}


def gated(name: str) -> Method:
    """A rival that chooses among the rows that pass the gate of exemplars (the K least strange, if fewer pass)."""
    rival = RIVALS[name]

    def choose(X: NDArray[np.float64], k: int, seed: int) -> Choice:
        scores = arss.Exemplars(n_samples=1, random_state=seed, n_jobs=1).fit(X).outlier_scores_
        passed = np.flatnonzero(scores <= max(1.0, np.partition(scores, k - 1)[k - 1]))
        return passed[rival.choose(X[passed], k, seed)[0]], scores

    return Method(rival.package, choose, rival.nested)


def versions(packages: set[str]) -> dict[str, str | None]:
    """The version of each package, None where it is not installed; ours with the commit."""
    return {package: stamp.installed(package) for package in packages}
