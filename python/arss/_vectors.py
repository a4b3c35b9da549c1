"""Columns of lists or arrays: each cell a vector of numbers, all of one length."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arss._missing import Floats


class Vectors(NamedTuple):
    """A column of vectors."""

    #: The numbers of all cells that are not missing, one behind the other.
    values: NDArray[Any]
    #: Numbers in each cell; 0 where it is missing.
    lengths: NDArray[np.int64]
    #: Which cells are missing; `None` if none is.
    gone: NDArray[np.bool_] | None

    def table(self, name: str, width: int | None) -> Floats:
        """One row a cell, NaN where it is missing; `width` is what `fit` found."""
        if len(self.lengths) == 0:
            return np.empty((0, width or 1))
        there = np.arange(len(self.lengths)) if self.gone is None else np.flatnonzero(~self.gone)
        if len(there) == 0 and width is None:
            raise ValueError(f"column {name!r} has no value: 0 feature(s), while a minimum of 1 is required")
        wanted = int(self.lengths[there[0]]) if width is None else width
        ragged = there[self.lengths[there] != wanted]
        if len(ragged):
            like = f"row {there[0]} has" if width is None else "those of fit have"
            raise ValueError(
                f"row {ragged[0]}, column {name!r} is a vector of {self.lengths[ragged[0]]} numbers, but {like} "
                f"{wanted}: make all of one length, or leave the row out"
            )
        if wanted == 0:
            raise ValueError(f"column {name!r} holds empty vectors: 0 feature(s), while a minimum of 1 is required")
        kind = self.values.dtype if self.values.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        rows = np.require(self.values, dtype=kind, requirements=("C", "A")).reshape(-1, wanted)
        if self.gone is None:
            return rows
        full = np.full((len(self.lengths), wanted), np.nan, dtype=kind)
        full[there] = rows
        return full


def of_objects(cells: Sequence[object], name: str) -> Vectors:
    """A column of Python lists, tuples or arrays; a missing cell is `None`."""
    found: list[NDArray[Any]] = []
    for row, cell in enumerate(cells):
        if cell is not None:
            found.append(_numbers(cell, row, name))
    gone = np.array([cell is None for cell in cells], dtype=bool)
    lengths = np.zeros(len(cells), dtype=np.int64)
    lengths[~gone] = [len(vector) for vector in found]
    single = all(vector.dtype == np.float32 for vector in found)
    values = np.concatenate(found, dtype=np.float32 if single else np.float64) if found else np.empty(0)
    return Vectors(values, lengths, gone if gone.any() else None)


def _numbers(cell: Any, row: int, name: str) -> NDArray[Any]:
    """The numbers of one cell; the error names it."""
    try:
        vector = np.asarray(cell)
        # `None` among numbers makes it an array of objects; words would be parsed, which nobody asked for.
        if vector.dtype == object and not any(isinstance(value, str) for value in vector.ravel()):
            vector = vector.astype(np.float64)
    except (ValueError, TypeError):
        vector = np.empty((0, 0))
    if vector.ndim != 1 or vector.dtype.kind not in "fiub":
        raise ValueError(f"row {row}, column {name!r} is {str(cell)[:40]!r}, which is no vector of numbers")
    return vector


def is_vector(kind: Any) -> bool:
    """Whether an Arrow type is a list of numbers."""
    import pyarrow.types as types

    kind = getattr(kind, "storage_type", kind)
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return False
    return bool(types.is_floating(kind.value_type) or types.is_integer(kind.value_type))


def of_arrow(column: Any) -> Vectors:
    """A column of Arrow lists; numbers of one piece without missing ones are not copied."""
    import pyarrow
    import pyarrow.compute

    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else pyarrow.concat_arrays(column.chunks or [])
    if isinstance(column, pyarrow.ExtensionArray):
        column = column.storage
    lengths = pyarrow.compute.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    gone = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    # Without the numbers that may lie behind a missing cell.
    values = column.flatten()
    return Vectors(values.to_numpy(zero_copy_only=False), lengths.astype(np.int64), gone)


def of_polars(column: Any) -> Vectors:
    """A column of polars lists or arrays."""
    import polars

    if column.dtype == polars.Array:
        column = column.arr.to_list()
    gone = column.is_null().to_numpy() if column.null_count() else None
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    there = column.filter(column.list.len() > 0)
    values = there.explode().to_numpy() if len(there) else np.empty(0)
    return Vectors(values, lengths, gone)
