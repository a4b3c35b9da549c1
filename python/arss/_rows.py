"""Rows of anything: arrays, sparse matrices, data frames, lists, datasets."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arss._places import rows_of, taken


def refuse_path(X: Any) -> None:
    """Raise if `X` is the path of a file: its rows are not at hand."""
    if isinstance(X, str | PathLike):
        raise TypeError(
            "X is a path, whose rows are not at hand: fit(path) and sample_indices_ tell which to read, and "
            "`arss select FILE -k K -o OUT` writes them"
        )


def length(X: Any) -> int:
    """The number of rows of `X`."""
    refuse_path(X)
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
        return X.iloc[indices] if hasattr(X, "iloc") else X.take(indices)
    if library == "pyarrow":
        return X.take(indices)
    if hasattr(X, "tocsr"):
        return X.tocsr()[indices]
    if library == "polars" or isinstance(X, np.ndarray):
        return X[indices]
    if isinstance(X, Mapping):
        raise TypeError("X is a mapping, which has no rows: make a data frame of it first")
    if not hasattr(X, "__getitem__"):
        return np.asarray(X)[indices]
    # One by one: whatever else there is may be on a disk.
    rows = [X[index] for index in indices.tolist()]
    if isinstance(X, tuple):
        return tuple(rows)
    return np.asarray(rows) if hasattr(X, "__array__") else rows
