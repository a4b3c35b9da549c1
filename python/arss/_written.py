"""Numbers, dates and flags that are written as text, read by the code that reads files; dates as seconds."""

import datetime
import decimal
import numbers
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arss import _core
from arss._missing import Floats


class Written(NamedTuple):
    """How the texts of a column are written."""

    #: What they are: "number", "date" or "flag".
    role: str
    #: 1.234,5 instead of 1,234.5.
    decimal_comma: bool
    #: 13/02/2020 instead of 02/13/2020.
    day_first: bool
    #: The first of the few that are something else, which are missing values.
    other: str | None = None


def _texts(values: Sequence[object]) -> list[str] | None:
    """The values as a file would have them, missing ones as nothing; none if they are no texts."""
    given = [value for value in values if value is not None]
    plain = (str, numbers.Real, decimal.Decimal)
    if not any(isinstance(value, str) for value in given):
        return None
    if not all(isinstance(value, plain) and not isinstance(value, bool | np.bool_) for value in given):
        return None
    return ["" if value is None else str(value) for value in values]


def written_as(values: Sequence[object], name: str) -> Written | None:
    """How the values of a column are written, if they are texts that a file would not leave at that."""
    texts = _texts(values)
    found = None if texts is None else _core.written_as(name, texts)
    if texts is None or found is None:
        return None
    others = _core.written_numbers(texts, found)[1]
    return Written(*found, other=None if others is None else texts[others[1]])


def numbers_in_texts(values: Sequence[object], name: str, how: Written) -> Floats:
    """Numbers that are written as text; missing ones are NaN."""
    texts = _texts(values)
    if texts is None:
        texts = ["" if value is None else str(value) for value in values]
    found, others = _core.written_numbers(texts, (how.role, how.decimal_comma, how.day_first))
    if others is not None and how.other is None:
        raise ValueError(
            f"column {name!r} does not hold {how.role}s, but it did in fit: row {others[1]} is {values[others[1]]!r}"
        )
    return found


def seconds(values: Sequence[object], name: str, otherwise: str = "does not hold dates, but it did in fit") -> Floats:
    """Dates and times as seconds since 1970, those without a zone as if they were UTC; missing ones are NaN."""
    found = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None:
            continue
        if not isinstance(value, datetime.date):
            raise ValueError(f"column {name!r} {otherwise}: row {row} is {value!r}")
        time = value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
        found[row] = (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).timestamp()
    return found
