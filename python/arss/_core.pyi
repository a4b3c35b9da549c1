"""The extension module: private, may change at any time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

class NotFinite(ValueError): ...
class OverQuota(ValueError): ...

class History(TypedDict):
    iteration: NDArray[np.int64]
    objective: NDArray[np.float64]
    residual: NDArray[np.float64]
    gap: NDArray[np.float64]
    mu: NDArray[np.float64]
    active: NDArray[np.float64]

class Selection(TypedDict):
    indices: NDArray[np.int64]
    scores: NDArray[np.float64]
    all_scores: NDArray[np.float64] | None
    row_norms: NDArray[np.float64] | None
    residuals: NDArray[np.float64]
    labels: NDArray[np.int64]
    shares: NDArray[np.float64]
    coverage: NDArray[np.float64]
    status: str
    iterations: int
    objective: float
    constraint_residual: float | None
    gap: float | None
    gamma: float | None
    history: History
    seconds: tuple[float, float, float]
    rows_scored: int
    notes: list[tuple[str, str]]

def select(
    table: NDArray[np.floating[Any]] | list[NDArray[np.floating[Any]]],
    k: int | None,
    method: str,
    settings: Mapping[str, object],
    *,
    features: bool = False,
    threads: int = 1,
    all_scores: bool = False,
    progress: Callable[[str, int, int, float, float, float], object] | None = None,
) -> Selection: ...
def defaults(method: str) -> dict[str, float]: ...
def main(words: Sequence[str]) -> int: ...
