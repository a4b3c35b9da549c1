"""Data frames as tables: which columns are used, and how; new rows are taken as those of `fit`."""

import datetime
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from arss import _core
from arss._libraries import Frame, frame_of
from arss._missing import Floats, Table, readable
from arss._options import ENCODINGS, Encode
from arss._places import opened
from arss._written import Written, numbers_in_texts, seconds, written_as

#: Most distinct values of a column that `encode="onehot"` takes, and of a categorical that "auto" takes.
MOST_CATEGORIES = 256
FEW = 64


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
    #: How numbers, dates or flags are written, if they are texts.
    written: Written | None = None


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
            how = written_as(values, name)
            if how is not None:
                return [numbers_in_texts(values, name, how)]
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
        # Digits that name something are no numbers: zip, phone.
        if self._frame.has_numbers(j) and not _core.is_code_name(name):
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
        how = None if self._frame.is_category(j) else written_as(self._frame.objects(j), name)
        if how is not None:
            return self._by_written(j, name, how)
        if not all(isinstance(value, Hashable) for value in values):
            return None, "nested"
        distinct = sorted(set(values), key=str)
        role, used, _ = _core.role_of_texts(name, [str(value) for value in values])
        # Whoever made it a category knows better than what it looks like.
        declared = self._frame.is_category(j) and 1 < len(distinct) <= FEW
        return Coding(distinct, onehot=True) if used or declared else None, role

    def _by_written(self, j: int, name: str, how: Written) -> tuple[Coding | None, str]:
        """How a column of numbers, dates or flags that are written as text is used, if it is, and what it is."""
        if how.other is not None:
            what = f"texts of {name!r} that are no {how.role}s are missing values, such as {how.other!r}"
            warnings.warn(what, UserWarning, stacklevel=9)
        found = np.asarray(numbers_in_texts(self._frame.objects(j), name, how), dtype=np.float64)
        role, used, _ = _core.role_of_numbers(name, found)
        if how.role != "number":
            role, used = (role, False) if role == "constant" else (how.role, True)
        return Coding(written=how) if used else None, role

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
        if coding.written is not None:
            return [_written(values, name, coding.written)]
        # A few new rows may lack all of it.
        if all(value is None for value in values):
            return [np.full(len(values), np.nan)]
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


def _written(values: Sequence[object], name: str, how: Written) -> Floats:
    """What was written as text in `fit`, and may come as dates or truth values now."""
    given = [value for value in values if value is not None]
    if how.role == "date" and given and all(isinstance(value, datetime.date) for value in given):
        return seconds(values, name)
    return numbers_in_texts(values, name, how)


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
    frame = frame_of(opened(X))
    return None if frame is None else Reader(frame)
