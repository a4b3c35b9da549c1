"""Missing values: found without large temporaries, filled only where asked."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
#: What the solver reads: a 2-D array or a list of 1-D columns.
Table = Floats | list[Floats]

CHOICES = ("error", "mean", "median", "drop")


def column_views(table: Table) -> Iterator[Floats]:
    """The columns, one after the other."""
    return iter(table) if isinstance(table, list) else iter(table.T)


def fill(table: Table, missing: str, names: list[str] | None) -> tuple[Table, NDArray[np.int64] | None]:
    """Deal with NaN as `missing` says; returns the table and which rows were kept (`None`: all)."""
    if missing not in CHOICES:
        raise ValueError(f"missing={missing!r}, but it must be one of {', '.join(map(repr, CHOICES))}")
    # The solver looks at every value anyway and reports what is not finite.
    if missing == "error":
        return table, None
    holes = {j: hole for j, column in enumerate(column_views(table)) if (hole := np.isnan(column)).any()}
    if not holes:
        return table, None
    if missing == "drop":
        kept = np.flatnonzero(~np.logical_or.reduce(list(holes.values())))
        if len(kept) == 0:
            raise ValueError("every row of X has a missing value: missing='drop' leaves 0 sample(s)")
        return [column[kept] for column in table] if isinstance(table, list) else table[kept], kept
    filled: Table = list(table) if isinstance(table, list) else table.copy()
    middle = np.nanmean if missing == "mean" else np.nanmedian
    for j, hole in holes.items():
        if hole.all():
            raise ValueError(f"column {names[j] if names else j!r} has no value: missing={missing!r} cannot fill it")
        column = filled[j].copy() if isinstance(filled, list) else filled[:, j]
        column[hole] = middle(column)
        if isinstance(filled, list):
            filled[j] = column
    return filled, None
