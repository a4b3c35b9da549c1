"""Numbers and dates that are written as text, and dates as seconds."""

import datetime
import re
from collections.abc import Sequence

import numpy as np

from arss._missing import Floats


def number_in_text(value: object) -> float | None:
    """The number that a text is; none if it is none, or has leading zeros, which a number would lose."""
    if not isinstance(value, str) or "_" in value or re.match(r"\s*0\d", value):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def numbers_in_texts(values: Sequence[object], name: str) -> Floats:
    """Numbers that are written as text; missing ones are NaN."""
    found = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None:
            continue
        number = number_in_text(value)
        if number is None:
            raise ValueError(f"column {name!r} does not hold numbers, but it did in fit: row {row} is {value!r}")
        found[row] = number
    return found


def date_in_text(value: object) -> datetime.date | None:
    """The date or time that a text is, as ISO 8601 has it; none if it is none."""
    # Eight digits are a number.
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d", value):
        return None
    try:
        return datetime.datetime.fromisoformat(value)
    except ValueError:
        return None


def seconds(values: Sequence[object], name: str, otherwise: str = "does not hold dates, but it did in fit") -> Floats:
    """Dates and times as seconds since 1970, those without a zone as if they were UTC; missing ones are NaN."""
    found = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None:
            continue
        date = value if isinstance(value, datetime.date) else date_in_text(value)
        if date is None:
            raise ValueError(f"column {name!r} {otherwise}: row {row} is {value!r}")
        time = date if isinstance(date, datetime.datetime) else datetime.datetime(date.year, date.month, date.day)
        found[row] = (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).timestamp()
    return found
