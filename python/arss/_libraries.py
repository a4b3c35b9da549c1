"""Data frames of pandas, polars and Arrow: one array a column, not copied where that can be had."""

import decimal
import numbers
import sys
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from arss._missing import Floats
from arss._vectors import Vectors, is_vector, of_arrow, of_objects, of_polars


class Frame(Protocol):
    """A data frame of some library."""

    source: Any

    def names(self) -> list[str]:
        """Name the columns."""

    def has_numbers(self, j: int) -> bool:
        """Whether column `j` holds numbers or truth values."""

    def numbers(self, j: int) -> Floats:
        """Column `j`, which holds numbers, as float32 or float64, missing values as NaN."""

    def objects(self, j: int) -> Sequence[object]:
        """Column `j` as Python objects, missing values as `None`."""

    def order(self, j: int) -> list[object] | None:
        """The categories of column `j` in their order, if it is a categorical that has one."""

    def is_category(self, j: int) -> bool:
        """Whether column `j` is of a type for categories."""

    def has_vectors(self, j: int) -> bool:
        """Whether column `j` holds lists or arrays."""

    def vectors(self, j: int) -> Vectors:
        """Column `j`, which holds lists or arrays, as vectors."""

    def whole(self) -> Floats | None:
        """All of it as one array, if that costs nothing."""


def frame_of(X: Any) -> Frame | None:
    """`X` as a frame, if it is one of a library."""
    library = type(X).__module__.split(".")[0]
    kind = type(X).__name__
    if library == "pandas" and kind == "DataFrame":
        return _Pandas(X)
    if library == "polars" and kind == "DataFrame":
        return _Polars(X)
    if library == "pyarrow" and kind in ("Table", "RecordBatch"):
        return _Arrow(X)
    if library not in ("numpy", "pandas", "polars", "pyarrow", "scipy") and hasattr(X, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError as error:
            raise TypeError(f"X of type {type(X)} offers Arrow data: pyarrow is needed to read it") from error
        return _Arrow(pyarrow.table(X))
    return None


class _Pandas:
    def __init__(self, source: Any) -> None:
        self.source = source

    def names(self) -> list[str]:
        return [str(name) for name in self.source.columns]

    def has_numbers(self, j: int) -> bool:
        kind = self.source.dtypes.iloc[j]
        types = sys.modules["pandas"].api.types
        if types.is_object_dtype(kind):
            return self._objects_are_numbers(j)
        is_number = types.is_numeric_dtype(kind) and not types.is_complex_dtype(kind)
        return bool(is_number or types.is_timedelta64_dtype(kind))

    def _objects_are_numbers(self, j: int) -> bool:
        """Whether a column of Python objects holds numbers alone, as databases and mixed rows give them."""
        values = [value for value in self.objects(j) if value is not None]
        return bool(values) and all(
            isinstance(value, numbers.Real | decimal.Decimal) and not isinstance(value, bool | np.bool_)
            for value in values
        )

    def numbers(self, j: int) -> Floats:
        column = self.source.iloc[:, j]
        kind = column.dtype
        if kind in (np.float32, np.float64):
            return np.asarray(column)
        if sys.modules["pandas"].api.types.is_object_dtype(kind):
            return np.array([np.nan if value is None else float(value) for value in self.objects(j)])  # type: ignore[arg-type]
        if sys.modules["pandas"].api.types.is_timedelta64_dtype(kind):
            return column.dt.total_seconds().to_numpy()  # type: ignore[no-any-return]
        single = str(kind) in ("Float32", "float[pyarrow]")
        return column.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)  # type: ignore[no-any-return]

    def objects(self, j: int) -> Sequence[object]:
        column = self.source.iloc[:, j]
        gone = column.isna().to_numpy()
        return [None if hole else value for value, hole in zip(column.tolist(), gone, strict=True)]

    def order(self, j: int) -> list[object] | None:
        kind = self.source.dtypes.iloc[j]
        return kind.categories.tolist() if getattr(kind, "ordered", None) is True else None

    def is_category(self, j: int) -> bool:
        return hasattr(self.source.dtypes.iloc[j], "categories")

    def has_vectors(self, j: int) -> bool:
        column = self.source.iloc[:, j]
        arrow = getattr(column.dtype, "pyarrow_dtype", None)
        if arrow is not None:
            return is_vector(arrow)
        if column.dtype != object:
            return False
        first = next((value for value, there in zip(column, column.notna(), strict=True) if there), None)
        return isinstance(first, list | tuple | np.ndarray)

    def vectors(self, j: int) -> Vectors:
        column = self.source.iloc[:, j]
        if column.dtype == object:
            return of_objects(self.objects(j), self.names()[j])
        import pyarrow

        return of_arrow(pyarrow.array(column.array))

    def whole(self) -> Floats | None:
        kinds = set(self.source.dtypes)
        return self.source.to_numpy() if kinds in ({np.dtype("f4")}, {np.dtype("f8")}) else None


class _Polars:
    def __init__(self, source: Any) -> None:
        self.source = source

    def names(self) -> list[str]:
        return list(self.source.columns)

    def has_numbers(self, j: int) -> bool:
        kind = self.source.to_series(j).dtype
        return bool(kind.is_numeric() or kind == sys.modules["polars"].Boolean)

    def numbers(self, j: int) -> Floats:
        polars = sys.modules["polars"]
        column = self.source.to_series(j)
        if column.dtype not in (polars.Float32, polars.Float64):
            column = column.cast(polars.Float64)
        return column.to_numpy()  # type: ignore[no-any-return]

    def objects(self, j: int) -> Sequence[object]:
        return self.source.to_series(j).to_list()  # type: ignore[no-any-return]

    def order(self, j: int) -> list[object] | None:
        kind = self.source.to_series(j).dtype
        return kind.categories.to_list() if kind == sys.modules["polars"].Enum else None

    def is_category(self, j: int) -> bool:
        polars = sys.modules["polars"]
        return self.source.to_series(j).dtype in (polars.Categorical, polars.Enum)

    def has_vectors(self, j: int) -> bool:
        polars = sys.modules["polars"]
        kind = self.source.to_series(j).dtype
        return bool(kind in (polars.List, polars.Array) and kind.inner.is_numeric())

    def vectors(self, j: int) -> Vectors:
        return of_polars(self.source.to_series(j))

    def whole(self) -> Floats | None:
        return None


class _Arrow:
    def __init__(self, source: Any) -> None:
        pyarrow = sys.modules["pyarrow"]
        self.source = pyarrow.Table.from_batches([source]) if isinstance(source, pyarrow.RecordBatch) else source

    def names(self) -> list[str]:
        return list(self.source.column_names)

    def has_numbers(self, j: int) -> bool:
        import pyarrow.types as types

        kind = self.source.column(j).type
        known = (types.is_floating, types.is_integer, types.is_boolean, types.is_decimal)
        return any(is_known(kind) for is_known in known)

    def numbers(self, j: int) -> Floats:
        import pyarrow.types as types

        column = self.source.column(j)
        kind = column.type
        if not (types.is_float32(kind) or types.is_float64(kind)):
            if types.is_boolean(kind):
                column = column.cast("int8")
            column = column.cast("float64")
        if column.num_chunks == 1 and column.null_count == 0:
            return column.chunk(0).to_numpy(zero_copy_only=True)  # type: ignore[no-any-return]
        return column.to_numpy()  # type: ignore[no-any-return]

    def objects(self, j: int) -> Sequence[object]:
        return self.source.column(j).to_pylist()  # type: ignore[no-any-return]

    def order(self, j: int) -> list[object] | None:
        column = self.source.column(j)
        if not getattr(column.type, "ordered", False):
            return None
        # Chunks may have different dictionaries; the longest list has all values once they are one.
        chunks = column.unify_dictionaries().chunks
        return max((chunk.dictionary.to_pylist() for chunk in chunks), key=len, default=[])

    def is_category(self, j: int) -> bool:
        import pyarrow.types as types

        return bool(types.is_dictionary(self.source.column(j).type))

    def has_vectors(self, j: int) -> bool:
        return is_vector(self.source.column(j).type)

    def vectors(self, j: int) -> Vectors:
        return of_arrow(self.source.column(j))

    def whole(self) -> Floats | None:
        return None
