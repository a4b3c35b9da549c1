"""From a Dask collection, or a list of Parquet files, to partitions on the workers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arss.dask import _worker


class Part(NamedTuple):
    """Some rows on a worker."""

    #: A future of a 2-D array.
    rows: Any
    #: Position of its first row in the table.
    first: int
    length: int
    #: Its number among the partitions that were passed.
    number: int


class Table(NamedTuple):
    """A table on the workers."""

    parts: list[Part]
    items: int
    features: int
    single: bool
    names: list[str] | None

    def place(self, row: int) -> str:
        """Where a row is, in words."""
        part = next(part for part in reversed(self.parts) if part.first <= row)
        return f"partition {part.number}, row {row - part.first} (row {row} of the table)"


def spread(client: Any, X: Any) -> Table:
    """The partitions of `X` as arrays on the workers; what is on them already is not moved."""
    raw = _partitions(client, X)
    numbers = list(range(len(raw)))
    prepared = client.map(_worker.prepare, raw, numbers, pure=False)
    shapes: list[_worker.Shape] = client.gather(client.map(_worker.shape, prepared, pure=False))
    if not any(shape.rows for shape in shapes):
        raise ValueError(f"X has no rows: all {len(shapes)} partitions are empty")
    filled = [number for number in numbers if shapes[number].rows]
    like = shapes[filled[0]]
    for number in filled:
        _compare(number, shapes[number], filled[0], like)
    single = all(shapes[number].single for number in filled)
    rows = client.map(_worker.rows_of, [prepared[number] for number in filled], single=single, pure=False)
    counts = [shapes[number].rows for number in filled]
    firsts = np.cumsum([0, *counts]).tolist()
    parts = [Part(*part) for part in zip(rows, firsts, counts, filled, strict=False)]
    return Table(parts, firsts[-1], like.columns, single, list(like.names) if like.names else None)


def _compare(number: int, shape: _worker.Shape, first: int, like: _worker.Shape) -> None:
    if shape.columns != like.columns:
        raise ValueError(f"partition {number} has {shape.columns} columns, but partition {first} has {like.columns}")
    if shape.names != like.names:
        raise ValueError(
            f"partition {number} has the columns {list(shape.names or ())}, but partition {first} has "
            f"{list(like.names or ())}: give all partitions the same columns in the same order"
        )


def _partitions(client: Any, X: Any) -> list[Any]:
    """One future a partition."""
    if _is_paths(X):
        paths = [str(path) for path in X]
        return list(client.map(_worker.read_parquet, paths, pure=False))
    if not hasattr(X, "to_delayed"):
        raise TypeError(
            f"X is a {type(X).__name__}, but arss.dask takes a Dask array or DataFrame, or a list of Parquet paths; "
            "for a table in memory use the estimator of the same name in arss"
        )
    if hasattr(X, "rechunk"):
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimension(s), but a table has rows and columns")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        delayed = list(X.to_delayed(optimize_graph=False).ravel())
    else:
        delayed = list(X.to_delayed(optimize_graph=False))
    return list(client.compute(delayed, optimize_graph=False))


def _is_paths(X: Any) -> bool:
    return isinstance(X, Sequence) and not isinstance(X, str) and bool(X) and all(isinstance(p, str | Path) for p in X)
