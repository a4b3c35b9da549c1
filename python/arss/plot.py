"""Pictures of a selection (needs matplotlib: the extra `plot`).

Each function draws into `ax`, or into a new figure, and returns the axes.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from arss._input import Floats, Preparation, Table, unfilled
from arss._missing import is_sparse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["convergence", "coverage", "picks", "scores"]

_CHUNK = 4096
#: The most values that are fetched from a cluster.
_FETCHED = 50_000_000
_DIRECTIONS = ("first direction", "second direction")


class _Items(NamedTuple):
    """What was chosen from, as points."""

    #: One row for each; NaN where all was missing.
    values: Floats
    chosen: NDArray[np.int64]
    outlier_scores: NDArray[np.float64]
    #: What they are called, and one of their coordinates.
    what: str
    axis: str


def picks(selector: Any, X: Any, *, n_outliers: int = 10, ax: "Axes | None" = None) -> "Axes":
    """The rows in two dimensions, the chosen ones and the strangest ones marked; the columns of a `FeatureSelector`.

    More than two columns are projected onto the two directions of largest variance of the rows
    that are not among the strangest, which would otherwise decide the view.
    """
    check_is_fitted(selector)
    ax = _axes(ax)
    items = _items(selector, X)
    strange = np.argsort(-np.nan_to_num(items.outlier_scores, nan=-np.inf), kind="stable")[:n_outliers]
    flat = _projected(items.values, strange)
    chosen = items.chosen
    x, y = flat.T
    ax.scatter(x, y, s=8, color="0.75", label=f"{len(flat)} {items.what}", linewidths=0)
    ax.scatter(x[strange], y[strange], s=40, marker="x", color="tab:red", label=f"{len(strange)} strangest")
    ax.scatter(x[chosen], y[chosen], s=40, color="tab:blue", edgecolors="white", label=f"{len(chosen)} chosen")
    names = (f"{items.axis} 0", f"{items.axis} 1") if items.values.shape[1] == 2 else _DIRECTIONS
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
    """How near the rows are to the nearest of the first K picks, for every K: median and mean.

    Of a `FeatureSelector` the columns.
    """
    check_is_fitted(selector)
    ax = _axes(ax)
    items = _items(selector, X)
    values, chosen = items.values, items.chosen
    middle, mean = np.empty(len(chosen)), np.empty(len(chosen))
    nearest = np.full(len(values), np.inf)
    for k, pick in enumerate(chosen):
        for start in range(0, len(values), _CHUNK):
            block = slice(start, start + _CHUNK)
            distance = np.sqrt(((values[block] - values[pick]) ** 2).sum(axis=1))
            np.minimum(nearest[block], distance, out=nearest[block])
        middle[k], mean[k] = np.nanmedian(nearest), np.nanmean(nearest)
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


def _items(selector: Any, X: Any) -> _Items:
    """The rows or, of a feature selector, the columns."""
    if hasattr(selector, "feature_indices_"):
        values = _filled(unfilled(selector, X, None, Preparation(None, None)).table, None)
        return _Items(values.T, selector.feature_indices_, selector.residuals_, "columns", "row")
    how = selector._preparation or Preparation(None, None)
    values = _filled(unfilled(selector, _in_memory(selector, X), selector.encode, how).table, how.fills)
    # Those of a fit on Dask are fetched from the cluster.
    outlier_scores = np.asarray(selector.outlier_scores_)
    return _Items(values, selector.sample_indices_, outlier_scores, "rows", "column")


def _in_memory(selector: Any, X: Any) -> Any:
    """The table itself; one on a cluster is fetched if it is small enough for a picture."""
    if not hasattr(X, "to_delayed"):
        return X
    cells = selector.n_rows_ * selector.n_features_in_
    if cells > _FETCHED:
        raise ValueError(f"{cells} values on a cluster are too many for a picture: fit and show a sample of the rows")
    return X.compute()


def _filled(table: Table, fills: list[float] | None) -> Floats:
    """One array of all rows, holes filled as in `fit` or by the column's mean; a row without any value stays."""
    values = np.column_stack(table) if isinstance(table, list) else table
    if is_sparse(values):
        values = values.toarray()  # type: ignore[attr-defined]
    holes: NDArray[np.bool_] = np.isnan(values)
    if not holes.any():
        return values
    middle = np.nanmean(values, axis=0) if fills is None else np.asarray(fills, dtype=values.dtype)
    filled: Floats = np.where(holes & ~holes.all(axis=1, keepdims=True), middle, values)
    return filled


def _projected(values: Floats, strange: NDArray[np.int64]) -> Floats:
    if values.shape[1] == 1:
        return np.column_stack([values[:, 0], np.zeros(len(values))])
    if values.shape[1] == 2:
        return values
    usual = np.delete(values, strange, axis=0) if len(strange) < len(values) else values
    usual = usual[~np.isnan(usual).any(axis=1)]
    centre = usual.mean(axis=0)
    if len(usual) >= usual.shape[1]:
        directions: Floats = np.linalg.eigh((usual - centre).T @ (usual - centre))[1][:, :-3:-1]
    else:
        # Fewer points than coordinates: the matrix of their products is the smaller one.
        directions = _wide_directions(usual - centre)
    projected: Floats = (values - centre) @ directions
    return projected


def _wide_directions(centred: Floats) -> Floats:
    squares, vectors = np.linalg.eigh(centred @ centred.T)
    longest = np.sqrt(np.maximum(squares[:-3:-1], np.finfo(np.float64).tiny))
    directions = centred.T @ vectors[:, :-3:-1] / longest
    # A single point has no direction, two have one.
    return np.pad(directions, ((0, 0), (0, 2 - directions.shape[1])))
