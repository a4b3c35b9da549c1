"""Rows of anything: arrays, sparse matrices, data frames, lists, datasets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arss._places import rows_of, taken


def length(X: Any) -> int:
    """The number of rows of `X`."""
    rows = rows_of(X)
    if rows is not None:
        return rows
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def take(X: Any, indices: NDArray[np.int64]) -> Any:
    """The rows `indices` of `X`, in that order, as the kind of thing that `X` is."""
    elsewhere = taken(X, indices)
    if elsewhere is not None:
        return elsewhere
    library = type(X).__module__.split(".")[0]
    if library == "pandas":
        return X.iloc[indices]
    if library == "pyarrow":
        return X.take(indices)
    if hasattr(X, "tocsr"):
        return X.tocsr()[indices]
    if library == "polars" or isinstance(X, np.ndarray):
        return X[indices]
    if isinstance(X, Mapping) or not hasattr(X, "__getitem__"):
        return np.asarray(X)[indices]
    # One by one: whatever else there is may be on a disk.
    rows = [X[index] for index in indices.tolist()]
    if isinstance(X, tuple):
        return tuple(rows)
    return np.asarray(rows) if hasattr(X, "__array__") else rows
