"""Missing values: found without large temporaries, filled only where asked."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arss._options import MISSING, Missing

Floats = NDArray[np.floating[Any]]
#: What the solver reads: a 2-D array or a list of 1-D columns.
Table = Floats | list[Floats]


def column_views(table: Table) -> Iterator[Floats]:
    """The columns, one after the other."""
    return iter(table) if isinstance(table, list) else iter(table.T)


def readable(values: Floats) -> Floats:
    """The same values in a layout the solver can walk over: aligned, any strides that do not go backwards."""
    size = values.itemsize
    odd = any(stride < 0 or stride % size for stride in values.strides)
    if odd or not values.flags.aligned or not values.dtype.isnative:
        return np.require(values, dtype=values.dtype.newbyteorder("="), requirements=("C", "A"))
    return values


def fill_values(table: Table, missing: Missing, names: list[str] | None) -> list[float] | None:
    """What stands in for missing values, column by column; `None` if nothing does."""
    if missing not in MISSING:
        raise ValueError(f"missing={missing!r}, but it must be one of {', '.join(map(repr, MISSING))}")
    if missing in ("error", "drop"):
        return None
    middle = np.nanmean if missing == "mean" else np.nanmedian
    found: list[float] = []
    for j, column in enumerate(column_views(table)):
        if np.isnan(column).all():
            raise ValueError(f"column {names[j] if names else j!r} has no value: missing={missing!r} cannot fill it")
        # Infinity is reported by the solver, with its place.
        with np.errstate(invalid="ignore"):
            found.append(float(middle(column)))
    return found


def fill(table: Table, missing: Missing, values: list[float] | None) -> tuple[Table, NDArray[np.int64] | None]:
    """Deal with NaN as `missing` says; returns the table and which rows were kept (`None`: all).

    A row without any value is left out, not filled: it would be the most typical of all.
    """
    # The solver looks at every value anyway and reports what is not finite.
    if missing == "error":
        return table, None
    holes = {j: hole for j, column in enumerate(column_views(table)) if (hole := np.isnan(column)).any()}
    if not holes:
        return table, None
    if missing == "drop":
        kept = np.flatnonzero(~np.logical_or.reduce(list(holes.values())))
        return [column[kept] for column in table] if isinstance(table, list) else table[kept], kept
    filled: Table = list(table) if isinstance(table, list) else table.copy()
    for j, hole in holes.items():
        assert values is not None
        column = filled[j].copy() if isinstance(filled, list) else filled[:, j]
        column[hole] = values[j]
        if isinstance(filled, list):
            filled[j] = column
    empty = _empty_rows(holes, table)
    if empty is None:
        return filled, None
    kept = np.flatnonzero(~empty)
    return [column[kept] for column in filled] if isinstance(filled, list) else filled[kept], kept


def _empty_rows(holes: dict[int, NDArray[np.bool_]], table: Table) -> NDArray[np.bool_] | None:
    """Rows without any value, if there are some."""
    if len(holes) < (len(table) if isinstance(table, list) else table.shape[1]):
        return None
    empty: NDArray[np.bool_] = np.logical_and.reduce(list(holes.values()))
    return empty if empty.any() else None
