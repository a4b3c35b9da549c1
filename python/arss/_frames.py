"""Data frames of pandas, polars and Arrow: one array a column, not copied where that can be had."""

import datetime
import decimal
import numbers
import sys
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from arss import _core
from arss._missing import Floats, Table, readable
from arss._options import ENCODINGS, Encode
from arss._places import opened
from arss._vectors import Vectors, is_vector, of_arrow, of_objects, of_polars
from arss._written import date_in_text, number_in_text, numbers_in_texts, seconds

#: Most distinct values of a column that `encode="onehot"` takes, and of a categorical that "auto" takes.
MOST_CATEGORIES = 256
FEW = 64


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


class Coding(NamedTuple):
    """How a column of a frame becomes columns of the table."""

    #: Its values in the order of their codes; `None` for numbers and vectors, which are taken as they are.
    values: list[object] | None = None
    #: One column of 0 and 1 a value, or one of positions.
    onehot: bool = False
    #: Numbers a cell, if it holds vectors.
    width: int | None = None
    #: Dates and times become seconds.
    is_date: bool = False
    #: Numbers or dates are written as text.
    is_text: bool = False


#: How each column that is used becomes columns of the table, by its position in the frame; kept for new rows.
Layout = dict[int, Coding]


class Reader:
    """A frame that can be read as a table."""

    def __init__(self, frame: Frame) -> None:
        self.source = frame.source
        self._frame = frame

    def refuse_equal_names(self) -> None:
        """Raise if two columns have one name: nobody could tell which is meant."""
        names = self._frame.names()
        seen: set[str] = set()
        twice = next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]
        if twice is not None:
            raise ValueError(f"more than one column of X is called {twice!r}: rename them")

    def layout(self, encode: Encode | None, encodes: bool = True) -> Layout:
        """How each column is to be used; without `encodes` nothing but numbers can be."""
        if encode is not None and encode not in ENCODINGS:
            raise ValueError(f"encode={encode!r}, but it must be None or one of {', '.join(map(repr, ENCODINGS))}")
        names = self._frame.names()
        vectors = [j for j in range(len(names)) if self._frame.has_vectors(j)]
        if vectors:
            return self._vector_layout(vectors, names)
        if encode == "auto":
            return self._by_roles(names)
        others = [j for j in range(len(names)) if not self._frame.has_numbers(j)]
        if others and encode is None:
            advice = "Leave them out" + (", or pass encode='auto', 'onehot', 'ordinal' or 'drop'" if encodes else "")
            raise ValueError(
                f"{len(others)} column(s) of X do not hold numbers: {_some([names[j] for j in others])}. {advice}"
            )
        found: Layout = {j: Coding() for j in range(len(names))}
        for j in others:
            del found[j]
            if encode is not None and encode != "drop":
                found[j] = self._coding(j, names[j], encode)
        return dict(sorted(found.items()))

    def table(self, layout: Layout) -> tuple[Table, list[str], list[int | None]]:
        """The columns that `layout` names, all of one float type, their names, and what each is a category of."""
        names = self._frame.names()
        columns: list[Floats] = []
        called: list[str] = []
        categories: list[int | None] = []
        for j, coding in layout.items():
            if coding.width is not None:
                called = [f"{names[j]}[{i}]" for i in range(coding.width)]
                return self._vectors(j, coding.width), called, [None] * coding.width
            made = self._columns(j, coding, names[j])
            columns += made
            called += [names[j]] * len(made)
            categories += [j if coding.onehot else None] * len(made)
        if not columns:
            raise ValueError("X has 0 feature(s) that hold numbers, while a minimum of 1 is required")
        return self._joined(columns), called, categories

    def by_name(self, columns: Sequence[Mapping[str, Any]]) -> Floats:
        """The columns that a model asks for, as it encodes them; missing values are NaN."""
        places = {name: j for j, name in enumerate(self._frame.names())}
        asked: dict[str, list[Any]] = {}
        for column in columns:
            asked.setdefault(column["column"], []).append(column["encoding"])
        gone = [name for name in asked if name not in places]
        if gone:
            raise ValueError(f"X lacks columns that the model needs: {_some(gone)}")
        found: list[Floats] = []
        for name, encodings in asked.items():
            found += self._as_model(places[name], name, encodings)
        return np.column_stack(found)

    def _as_model(self, j: int, name: str, encodings: list[Any]) -> list[Floats]:
        """One column of the frame as the columns of a model."""
        if isinstance(encodings[0], dict) and "element" in encodings[0]:
            vectors = np.asarray(self._vectors(j, None), dtype=np.float64)
            if vectors.shape[1] <= max(encoding["element"] for encoding in encodings):
                raise ValueError(f"column {name!r} holds vectors of {vectors.shape[1]} numbers: the model needs more")
            return [vectors[:, encoding["element"]] for encoding in encodings]
        if encodings == ["number"]:
            if self._frame.has_numbers(j):
                return [np.array(self._frame.numbers(j), dtype=np.float64)]
            values = self._frame.objects(j)
            if all(value is None or isinstance(value, bool | np.bool_) for value in values):
                return [np.array([np.nan if value is None else float(bool(value)) for value in values])]
            if all(value is None or number_in_text(value) is not None for value in values):
                return [numbers_in_texts(values, name)]
            return [seconds(values, name, "holds neither numbers nor dates, as the model needs")]
        texts = [None if value is None else str(value) for value in self._frame.objects(j)]
        if "ranks" in encodings[0]:
            ranks = {text: float(rank) for rank, text in enumerate(encodings[0]["ranks"])}
            return [np.array([np.nan if text is None else ranks.get(text, np.nan) for text in texts])]
        known = {text for encoding in encodings for text in encoding["texts"]}

        def column(own: list[str]) -> Floats:
            # Several texts are the rare ones, and stand for those that nobody has seen.
            is_rare = len(own) > 1
            cells = [np.nan if t is None else float(t in own or (is_rare and t not in known)) for t in texts]
            return np.array(cells)

        return [column(encoding["texts"]) for encoding in encodings]

    def _by_roles(self, names: list[str]) -> Layout:
        """What a careful analyst would choose by, by the rules of the command line; says what is left out."""
        found: Layout = {}
        left: list[str] = []
        for j, name in enumerate(names):
            coding, role = self._by_role(j, name)
            if coding is not None:
                found[j] = coding
            else:
                left.append(f"{name} ({role})")
        if not found:
            raise ValueError(f"there is no column to choose by: {_some(left)}; choose columns, or pass encode='onehot'")
        if left:
            warnings.warn(f"left out: {_some(left)}", UserWarning, stacklevel=8)
        return found

    def _by_role(self, j: int, name: str) -> tuple[Coding | None, str]:
        """How a column is used, if it is, and what it is."""
        if self._frame.has_numbers(j):
            role, used, _ = _core.role_of_numbers(name, np.asarray(self._frame.numbers(j), dtype=np.float64))
            return Coding() if used else None, role
        values = [value for value in self._frame.objects(j) if value is not None]
        if not values:
            return None, "empty"
        if all(isinstance(value, bool | np.bool_) for value in values):
            return Coding([False, True]), "flag"
        if all(isinstance(value, datetime.date) for value in values):
            return Coding(is_date=True), "date"
        order = self._frame.order(j)
        if order is not None:
            return (Coding(order), "category") if len(set(values)) > 1 else (None, "constant")
        if not self._frame.is_category(j) and not _core.is_code_name(name):
            if all(number_in_text(value) is not None for value in values):
                found = np.asarray(numbers_in_texts(self._frame.objects(j), name), dtype=np.float64)
                role, used, _ = _core.role_of_numbers(name, found)
                return Coding(is_text=True) if used else None, role
            if all(date_in_text(value) is not None for value in values):
                return Coding(is_date=True, is_text=True), "date"
        if not all(isinstance(value, Hashable) for value in values):
            return None, "nested"
        distinct = sorted(set(values), key=str)
        role, used, _ = _core.role_of_texts(name, [str(value) for value in values])
        # Whoever made it a category knows better than what it looks like.
        declared = self._frame.is_category(j) and 1 < len(distinct) <= FEW
        return Coding(distinct, onehot=True) if used or declared else None, role

    def _vector_layout(self, vectors: list[int], names: list[str]) -> Layout:
        """One column of vectors is used by itself, as from a file."""
        if len(vectors) > 1:
            raise ValueError(
                f"{len(vectors)} columns of X hold vectors: {_some([names[j] for j in vectors])}. Only one can be "
                "used: leave the others out"
            )
        (column,) = vectors
        others = [name for j, name in enumerate(names) if j != column]
        if others:
            warnings.warn(
                f"the choice is by the vectors of column {names[column]!r} alone; left out: {_some(others)}",
                UserWarning,
                stacklevel=8,
            )
        return {column: Coding(width=self._vectors(column, None).shape[1])}

    def _coding(self, j: int, name: str, encode: Encode) -> Coding:
        order = self._frame.order(j)
        values = [value for value in self._frame.objects(j) if value is not None]
        odd = next((value for value in values if not isinstance(value, Hashable)), None)
        if odd is not None:
            raise ValueError(f"column {name!r} holds {type(odd).__name__}, which encode={encode!r} cannot encode")
        seen = set(values)
        if encode == "ordinal":
            return Coding(sorted(seen, key=str) if order is None else order)
        values = sorted(seen, key=str) if order is None else [value for value in order if value in seen]
        if len(values) > MOST_CATEGORIES:
            raise ValueError(
                f"column {name!r} has {len(values)} distinct values: encode={encode!r} takes at most "
                f"{MOST_CATEGORIES}; leave the column out, or use encode='ordinal' or 'drop'"
            )
        return Coding(values, onehot=True)

    def _columns(self, j: int, coding: Coding, name: str) -> list[Floats]:
        if coding.values is not None:
            return _encoded(self._frame.objects(j), coding)
        if coding.is_date:
            return [seconds(self._frame.objects(j), name)]
        if self._frame.has_numbers(j):
            return [self._frame.numbers(j)]
        values = self._frame.objects(j)
        # A few new rows may lack all of it.
        if coding.is_text or all(value is None for value in values):
            return [numbers_in_texts(values, name)]
        raise ValueError(f"column {name!r} does not hold numbers, but it did in fit")

    def _vectors(self, j: int, width: int | None) -> Floats:
        name = self._frame.names()[j]
        if not self._frame.has_vectors(j):
            raise ValueError(f"column {name!r} does not hold vectors, but it did in fit")
        return self._frame.vectors(j).table(name, width)

    def _joined(self, columns: list[Floats]) -> Table:
        kind = np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64
        if not all(column.flags.c_contiguous for column in columns):
            # pandas keeps a row-major array as it came: its columns are strided, the whole is not.
            whole = self._frame.whole()
            if whole is not None and whole.shape[1] == len(columns) and np.shares_memory(whole[:, 0], columns[0]):
                return readable(whole)
        return [np.require(column, dtype=kind, requirements=("C", "A")) for column in columns]


def _some(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _encoded(values: Sequence[object], coding: Coding) -> list[Floats]:
    """Codes of the values. Missing ones are NaN; unknown ones are 0 in every 0/1 column, or NaN as positions."""
    assert coding.values is not None
    places: dict[object, float] = {value: float(place) for place, value in enumerate(coding.values)}
    unknown = -1.0 if coding.onehot else np.nan
    codes = np.array([np.nan if value is None else places.get(value, unknown) for value in values], dtype=np.float64)
    if not coding.onehot:
        return [codes]
    gone = np.isnan(codes)
    return [np.where(gone, np.nan, codes == place) for place in range(len(coding.values))]


def as_frame(X: Any) -> Reader | None:
    """A reader for `X` if it is a data frame, here or in another library."""
    X = opened(X)
    library = type(X).__module__.split(".")[0]
    kind = type(X).__name__
    if library == "pandas" and kind == "DataFrame":
        return Reader(_Pandas(X))
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
