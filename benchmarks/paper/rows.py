"""Who chooses rows: the methods of the paper and ours, through the public interface of the installed package.

Only TED that may pick a row twice, as its authors' code does, is not in the package: it is the N x N form in NumPy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import islice

import arss
import numpy as np
from numpy.typing import NDArray

import forms

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]
Chooser = Callable[[Matrix, int, int], Indices]

TED_ALPHA = 0.1


def of(name: str, seeded: bool = False, **settings: object) -> Chooser:
    """A class of the package with these settings, on one thread."""

    def choose(X: Matrix, k: int, seed: int) -> Indices:
        how = settings | ({"random_state": seed} if seeded else {})
        return quiet_fit(getattr(arss, name)(n_samples=k, n_jobs=1, **how), X).sample_indices_

    return choose


def quiet_fit(selector: arss.ARSS, X: Matrix) -> arss.ARSS:
    """Fits without warnings: what they say is recorded or well known here (saturation, a loss that never acts)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(X)


def _repeating_ted(X: Matrix, k: int, seed: int) -> Indices:
    return np.fromiter(islice(forms.ted(X, TED_ALPHA, repeats=True), k), np.int64)


METHODS: dict[str, Chooser] = {
    "TED": of("TED", alpha=TED_ALPHA),
    "TED, repeats allowed": _repeating_ted,
    "RRSS": of("RRSS"),
    "ARSS, paper": of("ARSS", preset="paper"),
    "ARSS": of("ARSS"),
    "Exemplars": of("Exemplars", seeded=True),
    "random": of("RandomSelector", seeded=True),
    "k-means": of("KMeansSelector", seeded=True),
    "k-medoids": of("KMedoidsSelector", seeded=True),
    "RRQR": of("RRQR"),
}
#: Their picks for a small K are not the first ones for a larger K.
NOT_NESTED = ("k-means", "k-medoids")


def picks(method: str, X: Matrix, ks: Sequence[int], seed: int) -> list[Indices]:
    """The picks for each K."""
    if method in NOT_NESTED:
        return [METHODS[method](X, k, seed) for k in ks]
    longest = METHODS[method](X, max(ks), seed)
    return [longest[:k] for k in ks]
