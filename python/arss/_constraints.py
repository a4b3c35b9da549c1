"""Which rows must or must not be chosen, and how many of each group: from Python's words to the core's."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arss._input import Input
from arss._rows import length

PROPORTIONAL: Literal["proportional"] = "proportional"


def positions(rows: Any, name: str, data: Input) -> NDArray[np.int64]:
    """Row positions of `X`, checked, as positions in the table; rows that `missing="drop"` left out are gone."""
    found = np.atleast_1d(np.asarray(rows if hasattr(rows, "__array__") else list(rows)))
    if found.size == 0:
        return np.empty(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must be a list of row positions, whole numbers from 0, but it holds {found.ravel()[0]!r}"
        )
    outside = found[(found < 0) | (found >= data.n_rows)]
    if len(outside):
        raise ValueError(f"{name} names row {outside[0]}, but rows are counted from 0 and X has {data.n_rows}")
    found = found.astype(np.int64)
    if data.kept is None:
        return found
    at = np.searchsorted(data.kept, found)
    there = (at < len(data.kept)) & (data.kept[np.minimum(at, len(data.kept) - 1)] == found)
    if name == "include" and not there.all():
        raise ValueError(f"include names row {found[~there][0]}, but it was left out for its missing values")
    table: NDArray[np.int64] = at[there]
    return table


class Groups:
    """The group of each row as a number, and the quotas."""

    def __init__(self, groups: Any, quotas: Any, data: Input) -> None:
        if length(groups) != data.n_rows:
            raise ValueError(f"groups has {length(groups)} labels, but X has {data.n_rows} rows: one a row is needed")
        labels = labels_of(groups)
        if labels and isinstance(labels[0], list):
            raise ValueError("groups must be one label a row, but it is a table")
        if data.kept is not None:
            labels = [labels[row] for row in data.kept]
        numbers: dict[object, int] = {}
        self.of = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
        self.labels = list(numbers)
        self.quotas = quota_numbers(quotas, numbers, len(labels))


def labels_of(groups: Any) -> list[Any]:
    """The label of each row; missing ones, of which a table may have several kinds, are all `None`: one group."""
    return [plain_label(label) for label in (groups.tolist() if isinstance(groups, np.ndarray) else list(groups))]


def plain_label(label: Any) -> Any:
    """The label itself, or `None` if it is NaN, NaT or pandas' NA."""
    if type(label).__name__ == "NAType":
        return None
    # Only what is missing differs from itself; arrays and the like are none of our labels.
    return None if isinstance(label, float | np.generic | datetime) and label != label else label


def quota_numbers(quotas: Any, numbers: dict[object, int], rows: int) -> NDArray[np.int64] | None:
    """One number per group, or `None` for proportional ones; groups that are not named have no limit."""
    if isinstance(quotas, str) and quotas == PROPORTIONAL:
        return None
    if not isinstance(quotas, Mapping):
        raise TypeError(f"quotas={quotas!r}, but it must be 'proportional' or a dict from group to number")
    found = np.full(len(numbers), rows, dtype=np.int64)
    for given, quota in quotas.items():
        label = plain_label(given)
        if label not in numbers:
            raise ValueError(f"quotas names group {label!r}, but no row is of it")
        if isinstance(quota, bool) or not isinstance(quota, int | np.integer) or quota < 0:
            raise ValueError(f"the quota of group {label!r} is {quota!r}, but it must be a whole number, at least 0")
        found[numbers[label]] = quota
    return found
