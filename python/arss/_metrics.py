"""How rows are compared: by their values, by distances that are given, or by a function of two rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.preprocessing import normalize

from arss._input import Input
from arss._missing import Floats, is_sparse
from arss._options import METRICS, Metric

#: Most rows that a function compares: all pairs are kept, and each is a call.
MOST_ROWS = 8192
#: Metrics of tables that hold a value for each pair of rows.
GIVEN = ("precomputed", "precomputed_similarity")


def metric_of(estimator: Any) -> str:
    """How the core compares rows; a function and similarities become distances first."""
    metric: Metric = getattr(estimator, "metric", "euclidean")
    if callable(metric):
        if not getattr(estimator, "_by_pairs", False):
            raise ValueError("metric is a function: only Exemplars, FacilityLocation and KMedoidsSelector take one")
        return "precomputed"
    if metric not in METRICS:
        known = ", ".join(map(repr, METRICS))
        raise ValueError(f"metric={metric!r}, but it must be one of {known}, or a function of two rows")
    return "precomputed" if metric in GIVEN else metric


def metric_elsewhere(estimator: Any) -> str:
    """The same for a table that is not in memory."""
    found = metric_of(estimator)
    if found == "precomputed":
        name = "a function" if callable(estimator.metric) else repr(estimator.metric)
        raise ValueError(f"metric={name} needs the whole table in memory: all pairs of rows are looked at")
    return found


def is_given(estimator: Any) -> bool:
    """Whether the table holds a value for each pair of rows."""
    return getattr(estimator, "metric", None) in GIVEN


def measured(estimator: Any, data: Input) -> Input:
    """The table of `fit` as the core takes it: distances, where a function or similarities tell them."""
    metric = getattr(estimator, "metric", "euclidean")
    estimator._rows_of_fit = None
    if callable(metric):
        rows = whole(data)
        estimator._rows_of_fit = rows
        return data._replace(table=by_function(metric, rows))
    if metric == "precomputed_similarity":
        own = self_similarities(data.table)
        # Similarities of rows to come say nothing of those rows themselves: known if all are alike.
        estimator._self_similarity = float(own[0]) if len(own) and np.ptp(own) <= 1e-6 * abs(own[0]) else None
        estimator._own_similarities = own
        return data._replace(table=from_similarities(data.table, own, own))
    return data


def measured_new(estimator: Any, values: Floats) -> Floats:
    """Rows to come as the core takes them."""
    metric = getattr(estimator, "metric", "euclidean")
    if callable(metric):
        return np.asarray(pairwise_distances(_dense(values), estimator._rows_of_fit, metric=metric), dtype=np.float64)
    if metric == "precomputed_similarity":
        if estimator._self_similarity is None:
            raise ValueError(
                "the rows of fit differ in their similarity to themselves, so that of new rows is not known"
            )
        own = np.full(values.shape[0], estimator._self_similarity)
        found: Floats = from_similarities(values, own, estimator._own_similarities)
        return found
    return values


def by_function(metric: Callable[[Any, Any], float], rows: Floats) -> NDArray[np.float64]:
    """The distances of all pairs of rows."""
    n = len(rows)
    if n > MOST_ROWS:
        raise ValueError(
            f"a function compares at most {MOST_ROWS} rows: {n} rows are {n * (n - 1) // 2} calls and "
            f"{8 * n * n / 2**30:.1f} GiB of distances; pass distances or a graph of neighbours (metric='precomputed')"
        )
    return np.asarray(pairwise_distances(rows, metric=metric), dtype=np.float64)


def self_similarities(table: Any) -> NDArray[np.float64]:
    """The diagonal of similarities; 1 where a graph does not hold it."""
    if table.shape[0] != table.shape[1]:
        rows, columns = table.shape
        raise ValueError(f"a table of similarities has as many columns as rows, but this one is {rows} x {columns}")
    own = np.asarray(table.diagonal(), dtype=np.float64)
    return np.where(own == 0.0, 1.0, own) if is_sparse(table) else own


def from_similarities(table: Any, rows: NDArray[np.float64], columns: NDArray[np.float64]) -> Any:
    """Distances: the square is s_ii + s_jj - 2 s_ij, as of points with these inner products."""
    if is_sparse(table):
        entries = table.tocoo()
        squared = rows[entries.row] + columns[entries.col] - 2.0 * entries.data
        _refuse_negative(squared, lambda at: (int(entries.row[at]), int(entries.col[at]), float(entries.data[at])))
        found = table.copy()
        found.data = np.sqrt(np.maximum(squared, 0.0)).astype(table.dtype)
        return found
    squared = rows[:, None] + columns[None, :] - 2.0 * np.asarray(table, dtype=np.float64)
    _refuse_negative(squared.ravel(), lambda at: (*divmod(at, len(columns)), float(table[divmod(at, len(columns))])))
    return np.sqrt(np.maximum(squared, 0.0))


def _refuse_negative(squared: NDArray[np.float64], cell: Callable[[int], tuple[int, int, float]]) -> None:
    scale = float(np.max(np.abs(squared), initial=0.0))
    bad = np.flatnonzero(squared < -1e-5 * scale)
    if len(bad):
        row, column, value = cell(int(bad[0]))
        raise ValueError(
            f"row {row}, column {column} of the similarities is {value}, more than either row is to itself"
        )


def squared_to(estimator: Any, rows: Any, exemplars: Any) -> NDArray[np.float64]:
    """The squared distances of rows, as the core takes them, to the picks."""
    metric = metric_of(estimator)
    if metric == "precomputed":
        distances = _dense(rows[:, estimator.sample_indices_])
    elif metric == "manhattan":
        distances = manhattan_distances(rows, exemplars)
    else:
        if metric == "cosine":
            rows, exemplars = normalize(rows), normalize(exemplars)
        return np.asarray(euclidean_distances(rows, exemplars, squared=True), dtype=np.float64)
    return np.asarray(distances, dtype=np.float64) ** 2


def whole(data: Input) -> Floats:
    """The rows of the table as one dense array."""
    table = data.table
    return np.column_stack(table) if isinstance(table, list) else _dense(table)


def _dense(values: Any) -> Any:
    return values.toarray() if is_sparse(values) else values
