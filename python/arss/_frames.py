"""Data frames of pandas, polars and Arrow: one array a column, not copied where that can be had."""

import sys
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from arss._missing import Floats, Table

ENCODINGS = ("onehot", "ordinal", "drop")
#: Most distinct values of a column that `encode="onehot"` takes.
MOST_CATEGORIES = 256


class Frame(Protocol):
    """A data frame of some library."""

    source: Any

    def names(self) -> list[str]:
        """Name the columns."""

    def numbers(self, j: int) -> Floats | None:
        """Column `j` as float32 or float64, missing values as NaN; `None` if it does not hold numbers."""

    def objects(self, j: int) -> Sequence[object]:
        """Column `j` as Python objects, missing values as `None`."""

    def whole(self) -> Floats | None:
        """All of it as one array, if that costs nothing."""


class Reader:
    """A frame that can be read as a table."""

    def __init__(self, frame: Frame) -> None:
        self.source = frame.source
        self._frame = frame

    def table(self, encode: str | None) -> tuple[Table, list[str]]:
        """The columns, all of one float type, and their names."""
        if encode is not None and encode not in ENCODINGS:
            raise ValueError(f"encode={encode!r}, but it must be None or one of {', '.join(map(repr, ENCODINGS))}")
        columns: list[Floats] = []
        names: list[str] = []
        texts: list[str] = []
        for j, name in enumerate(self._frame.names()):
            numbers = self._frame.numbers(j)
            if numbers is not None:
                columns.append(numbers)
                names.append(name)
            elif encode is None:
                texts.append(name)
            elif encode != "drop":
                encoded = (
                    _onehot(self._frame.objects(j), name) if encode == "onehot" else _ordinal(self._frame.objects(j))
                )
                columns += encoded
                names += [name] * len(encoded)
        if texts:
            raise ValueError(
                f"{len(texts)} column(s) of X do not hold numbers: {', '.join(texts[:5])}"
                f"{', ...' if len(texts) > 5 else ''}. Leave them out, or pass encode='onehot', 'ordinal' or 'drop'"
            )
        if not columns:
            raise ValueError("X has 0 feature(s) that hold numbers, while a minimum of 1 is required")
        return self._joined(columns), names

    def _joined(self, columns: list[Floats]) -> Table:
        kind = np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64
        if not all(column.flags.c_contiguous for column in columns):
            # pandas keeps a row-major array as it came: its columns are strided, the whole is not.
            whole = self._frame.whole()
            if whole is not None and whole.shape[1] == len(columns) and np.shares_memory(whole[:, 0], columns[0]):
                return whole
        return [np.ascontiguousarray(column, dtype=kind) for column in columns]


def as_frame(X: Any) -> Reader | None:
    """A reader for `X` if it is a data frame."""
    library = type(X).__module__.split(".")[0]
    kind = type(X).__name__
    if library == "pandas" and kind == "DataFrame":
        return Reader(_Pandas(X))
    if library == "polars" and kind == "LazyFrame":
        raise TypeError("X is a polars LazyFrame: pass X.collect()")
    if library == "polars" and kind == "DataFrame":
        return Reader(_Polars(X))
    if library == "pyarrow" and kind in ("Table", "RecordBatch"):
        return Reader(_Arrow(X))
    if library not in ("numpy", "pandas", "polars", "pyarrow", "scipy") and hasattr(X, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError as error:
            raise TypeError(f"X of type {type(X)} offers Arrow data: pyarrow is needed to read it") from error
        return Reader(_Arrow(pyarrow.table(X)))
    return None


class _Pandas:
    def __init__(self, source: Any) -> None:
        self.source = source

    def names(self) -> list[str]:
        return [str(name) for name in self.source.columns]

    def numbers(self, j: int) -> Floats | None:
        column = self.source.iloc[:, j]
        kind = column.dtype
        types = sys.modules["pandas"].api.types
        if not types.is_numeric_dtype(kind) or types.is_complex_dtype(kind):
            return None
        if kind in (np.float32, np.float64):
            return np.asarray(column)
        single = str(kind) in ("Float32", "float[pyarrow]")
        return column.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)  # type: ignore[no-any-return]

    def objects(self, j: int) -> Sequence[object]:
        column = self.source.iloc[:, j]
        gone = column.isna().to_numpy()
        return [None if hole else value for value, hole in zip(column.tolist(), gone, strict=True)]

    def whole(self) -> Floats | None:
        kinds = set(self.source.dtypes)
        return self.source.to_numpy() if kinds in ({np.dtype("f4")}, {np.dtype("f8")}) else None


class _Polars:
    def __init__(self, source: Any) -> None:
        self.source = source

    def names(self) -> list[str]:
        return list(self.source.columns)

    def numbers(self, j: int) -> Floats | None:
        polars = sys.modules["polars"]
        column = self.source.to_series(j)
        if column.dtype not in (polars.Float32, polars.Float64):
            if not column.dtype.is_numeric() and column.dtype != polars.Boolean:
                return None
            column = column.cast(polars.Float64)
        return column.to_numpy()  # type: ignore[no-any-return]

    def objects(self, j: int) -> Sequence[object]:
        return self.source.to_series(j).to_list()  # type: ignore[no-any-return]

    def whole(self) -> Floats | None:
        return None


class _Arrow:
    def __init__(self, source: Any) -> None:
        pyarrow = sys.modules["pyarrow"]
        self.source = pyarrow.Table.from_batches([source]) if isinstance(source, pyarrow.RecordBatch) else source

    def names(self) -> list[str]:
        return list(self.source.column_names)

    def numbers(self, j: int) -> Floats | None:
        import pyarrow.types as types

        column = self.source.column(j)
        kind = column.type
        if not (types.is_float32(kind) or types.is_float64(kind)):
            if not (
                types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)
            ):
                return None
            if types.is_boolean(kind):
                column = column.cast("int8")
            column = column.cast("float64")
        if column.num_chunks == 1 and column.null_count == 0:
            return column.chunk(0).to_numpy(zero_copy_only=True)  # type: ignore[no-any-return]
        return column.to_numpy()  # type: ignore[no-any-return]

    def objects(self, j: int) -> Sequence[object]:
        return self.source.column(j).to_pylist()  # type: ignore[no-any-return]

    def whole(self) -> Floats | None:
        return None


def _ordinal(values: Sequence[object]) -> list[Floats]:
    """The position of each value among the distinct ones in order; NaN where it is missing."""
    places = {value: place for place, value in enumerate(_distinct(values))}
    return [np.array([np.nan if value is None else places[value] for value in values], dtype=np.float64)]


def _onehot(values: Sequence[object], name: str) -> list[Floats]:
    """One column of 0 and 1 for each distinct value; NaN where it is missing."""
    distinct = _distinct(values)
    if len(distinct) > MOST_CATEGORIES:
        raise ValueError(
            f"column {name!r} has {len(distinct)} distinct values: encode='onehot' takes at most {MOST_CATEGORIES}; "
            "leave the column out, or use encode='ordinal' or 'drop'"
        )
    places = _ordinal(values)[0]
    gone = np.isnan(places)
    return [np.where(gone, np.nan, places == place) for place in range(len(distinct))]


def _distinct(values: Sequence[object]) -> list[object]:
    return sorted({value for value in values if value is not None}, key=str)
