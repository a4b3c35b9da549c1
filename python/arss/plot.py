"""Pictures of a selection (needs matplotlib: the extra `plot`).

Each function draws into `ax`, or into a new figure, and returns the axes.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from arss._input import Floats, read

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["convergence", "coverage", "picks", "scores"]

_CHUNK = 4096


def picks(selector: Any, X: Any, *, n_outliers: int = 10, ax: "Axes | None" = None) -> "Axes":
    """The rows in two dimensions, the chosen ones and the strangest ones marked.

    More than two columns are projected onto the two directions of largest variance of the rows
    that are not among the strangest, which would otherwise decide the view.
    """
    check_is_fitted(selector)
    ax = _axes(ax)
    values = _table(selector, X)
    strange = np.argsort(-np.nan_to_num(selector.outlier_scores_, nan=-np.inf), kind="stable")[:n_outliers]
    flat = _projected(values, strange)
    chosen = selector.sample_indices_
    x, y = flat.T
    ax.scatter(x, y, s=8, color="0.75", label=f"{len(flat)} rows", linewidths=0)
    ax.scatter(x[strange], y[strange], s=40, marker="x", color="tab:red", label=f"{len(strange)} strangest")
    ax.scatter(x[chosen], y[chosen], s=40, color="tab:blue", edgecolors="white", label=f"{len(chosen)} chosen")
    names = ("column 0", "column 1") if values.shape[1] == 2 else ("first direction", "second direction")
    ax.set(xlabel=names[0], ylabel=names[1], title=type(selector).__name__)
    ax.legend()
    return ax


def scores(selector: Any, *, ax: "Axes | None" = None) -> "Axes":
    """The scores, best first: of every row where they were computed, of the picks otherwise."""
    check_is_fitted(selector)
    ax = _axes(ax)
    every = getattr(selector, "all_scores_", None)
    values = np.sort(selector.scores_ if every is None else every[np.isfinite(every)])[::-1]
    ax.plot(np.arange(1, len(values) + 1), values, color="0.5")
    chosen = selector.scores_ if hasattr(selector, "sample_indices_") else values[: len(selector.feature_indices_)]
    ax.plot(np.arange(1, len(chosen) + 1), chosen, ".", color="tab:blue", label="chosen")
    ax.set(xlabel="rank", ylabel="score", title=f"{type(selector).__name__}: scores")
    ax.legend()
    return ax


def coverage(selector: Any, X: Any, *, ax: "Axes | None" = None) -> "Axes":
    """How near the rows are to the nearest of the first K picks, for every K: median and mean."""
    check_is_fitted(selector)
    ax = _axes(ax)
    values = _table(selector, X)
    chosen = selector.sample_indices_
    middle, mean = np.empty(len(chosen)), np.empty(len(chosen))
    nearest = np.full(len(values), np.inf)
    for k, pick in enumerate(chosen):
        for start in range(0, len(values), _CHUNK):
            block = slice(start, start + _CHUNK)
            distance = np.sqrt(((values[block] - values[pick]) ** 2).sum(axis=1))
            np.minimum(nearest[block], distance, out=nearest[block])
        middle[k], mean[k] = np.median(nearest), nearest.mean()
    ranks = np.arange(1, len(chosen) + 1)
    ax.plot(ranks, middle, color="tab:blue", label="median")
    ax.plot(ranks, mean, color="tab:orange", label="mean")
    ax.set(xlabel="K", ylabel="distance to the nearest pick", title=f"{type(selector).__name__}: coverage")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def convergence(selector: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Residual, and gap where there is one, against the iteration."""
    check_is_fitted(selector)
    history = selector.history_
    if len(history["iteration"]) == 0:
        raise ValueError(f"{type(selector).__name__} does not iterate: there is no convergence to show")
    ax = _axes(ax)
    for name, colour in (("residual", "tab:blue"), ("gap", "tab:orange")):
        if np.isfinite(history[name]).any():
            ax.plot(history["iteration"], history[name], color=colour, label=name)
    if not ax.lines:
        ax.plot(history["iteration"], history["objective"], color="tab:green", label="objective")
    ax.set(xlabel="iteration", yscale="log", title=f"{type(selector).__name__}: {selector.status_}")
    ax.legend()
    return ax


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("arss.plot needs matplotlib: pip install 'arss[plot]'") from error
    axes: Axes = plt.subplots()[1]
    return axes


def _table(selector: Any, X: Any) -> Floats:
    """`X` as the selector saw it: one 2-D array, all rows, holes filled by the column's mean."""
    from sklearn.base import clone

    missing = "mean" if selector.missing == "drop" else selector.missing
    data = read(clone(selector), X, missing, selector.encode)
    return np.column_stack(data.table) if isinstance(data.table, list) else data.table


def _projected(values: Floats, strange: NDArray[np.int64]) -> Floats:
    if values.shape[1] == 1:
        return np.column_stack([values[:, 0], np.zeros(len(values))])
    if values.shape[1] == 2:
        return values
    usual = np.delete(values, strange, axis=0) if len(strange) < len(values) else values
    centre = usual.mean(axis=0)
    covariance = (usual - centre).T @ (usual - centre)
    directions: Floats = np.linalg.eigh(covariance)[1][:, :-3:-1]
    projected: Floats = (values - centre) @ directions
    return projected
