"""Missing values: found without large temporaries, filled only where asked."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arss._options import MISSING, Missing

Floats = NDArray[np.floating[Any]]
#: What the solver reads: a 2-D array or a list of 1-D columns.
Table = Floats | list[Floats]


def is_sparse(table: Any) -> bool:
    """Whether a table is a sparse matrix of scipy."""
    return hasattr(table, "indptr")


def unmasked(X: Any) -> Any:
    """The values of a masked array, NaN where it is masked."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    kind = X.dtype if X.dtype.kind == "f" else np.dtype(np.float64)
    return np.ma.filled(X.astype(kind), np.nan)


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


def mostly_there(table: Table, missing: Missing, names: list[str] | None) -> list[int] | None:
    """The columns of which no more than half is missing, where `missing` leaves others out; `None` if all are."""
    if missing != "auto":
        return None
    columns = list(column_views(table))
    used = [j for j, column in enumerate(columns) if 2 * np.count_nonzero(np.isnan(column)) <= len(column)]
    if len(used) == len(columns):
        return None
    left = [str(names[j] if names else j) for j in range(len(columns)) if j not in set(used)]
    some = ", ".join(dict.fromkeys(left[:5])) + (", ..." if len(left) > 5 else "")
    if not used:
        raise ValueError(f"every column of X is mostly missing: {some}")
    warnings.warn(f"left out, mostly missing: {some}", UserWarning, stacklevel=5)
    return used


def fill_values(
    table: Table, missing: Missing, names: list[str] | None, categories: Sequence[int | None]
) -> list[float] | None:
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
        # Infinity is reported by the solver, with its place; it does not stand in for what is missing.
        usable = column[~np.isinf(column)] if np.isinf(column).any() else column
        found.append(float(middle(usable)) if not np.isnan(usable).all() else 0.0)
    for own in _categories(categories).values():
        # How often each text occurs: the first of the commonest stands in.
        shares = [float(np.nanmean(column)) for j, column in enumerate(column_views(table)) if j in own]
        for j in own:
            found[j] = float(own[int(np.argmax(shares))] == j)
    return found


def _categories(categories: Sequence[int | None]) -> dict[int, list[int]]:
    """The columns of each category."""
    found: dict[int, list[int]] = {}
    for j, category in enumerate(categories):
        if category is not None:
            found.setdefault(category, []).append(j)
    return found


def fill(
    table: Table, missing: Missing, values: list[float] | None, categories: Sequence[int | None] = ()
) -> tuple[Table, NDArray[np.int64] | None]:
    """Deal with NaN as `missing` says; returns the table and which rows were kept (`None`: all).

    A row without any value is left out, not filled: it would be the most typical of all. So is, for "auto", a row of
    which more than half is missing; a category is one value.
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
    empty = _mostly_empty_rows(holes, table, categories) if missing == "auto" else _empty_rows(holes, table)
    if empty is None:
        return filled, None
    kept = np.flatnonzero(~empty)
    return [column[kept] for column in filled] if isinstance(filled, list) else filled[kept], kept


def _mostly_empty_rows(
    holes: dict[int, NDArray[np.bool_]], table: Table, categories: Sequence[int | None]
) -> NDArray[np.bool_] | None:
    """Rows of which more than half is missing, if there are some."""
    columns = len(table) if isinstance(table, list) else table.shape[1]
    of = categories or [None] * columns
    leads = [j for j in range(columns) if j == 0 or of[j] is None or of[j] != of[j - 1]]
    counts = np.sum([holes[j] for j in leads if j in holes], axis=0)
    # Exactly half is too much, too, unless there are only two or three.
    empty: NDArray[np.bool_] = np.asarray(2 * counts > len(leads) - (len(leads) >= 4))
    return empty if empty.any() else None


def _empty_rows(holes: dict[int, NDArray[np.bool_]], table: Table) -> NDArray[np.bool_] | None:
    """Rows without any value, if there are some."""
    if len(holes) < (len(table) if isinstance(table, list) else table.shape[1]):
        return None
    empty: NDArray[np.bool_] = np.logical_and.reduce(list(holes.values()))
    return empty if empty.any() else None
