"""From whatever the user passes to the table the solver reads, without copies where possible."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from arss import _frames
from arss._missing import (
    Floats,
    Table,
    column_views,
    fill,
    fill_values,
    is_sparse,
    mostly_there,
    readable,
    unmasked,
)
from arss._options import Encode, Missing
from arss._places import opened
from arss._random import seed

__all__ = ["Floats", "Input", "Preparation", "Table", "count", "read"]

#: Largest dense table that a sparse one is turned into without being asked.
SPARSE_LIMIT = 1 << 30


class Preparation(NamedTuple):
    """What `fit` learned about the columns: new rows are encoded and filled by it."""

    #: How the columns of a data frame were encoded.
    layout: _frames.Layout | None
    #: What stands in for missing values, column by column.
    fills: list[float] | None
    #: The columns that are used, if some were left out because they are mostly missing.
    used: list[int] | None = None


class Input(NamedTuple):
    """A table that can be solved, and how it relates to what was passed."""

    #: A 2-D array or a list of 1-D columns.
    table: Table
    #: Rows that were passed.
    n_rows: int
    #: Which of them are in the table; `None` if all are.
    kept: NDArray[np.int64] | None
    #: Names of the table's columns, if they have any.
    names: list[str] | None
    #: What each column is a category of; empty if none is.
    categories: Sequence[int | None] = ()
    #: How it was made; `None` if it is not at hand.
    how: Preparation | None = None

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.n_rows if self.kept is None else len(self.kept)

    def left_aside(self, missing: str) -> str:
        """What is said of the rows that are not in the table."""
        if self.rows == self.n_rows:
            return ""
        aside = f" that can be chosen; of its {self.n_rows} rows {self.n_rows - self.rows} were left out, "
        if missing == "auto":
            return aside + "mostly missing: missing='median' fills them in"
        if missing == "drop":
            return aside + "with missing values: missing='auto' fills most of them in"
        return aside + "without any value"


def read(
    estimator: Any, X: Any, missing: Missing = "error", encode: Encode | None = None, how: Preparation | None = None
) -> Input:
    """Check `X` and return it as a table.

    Its features are remembered in `estimator`, or compared if these are new rows: then `how` is what `fit` learned.
    """
    raw = unfilled(estimator, X, encode, how)
    n_rows = len(raw.table[0]) if isinstance(raw.table, list) else raw.table.shape[0]
    if n_rows == 0:
        raise ValueError("X has 0 sample(s), while a minimum of 1 is required")
    used = mostly_there(raw.table, missing, raw.names) if how is None else None
    if used is not None:
        raw = raw.only(used)
    fills = fill_values(raw.table, missing, raw.names, raw.categories) if how is None else how.fills
    table, kept = fill(raw.table, missing, fills, raw.categories)
    if how is None and kept is not None and len(kept) == 0:
        what = "every row of X has a missing value" if missing == "drop" else "most of every row of X is missing"
        raise ValueError(f"{what}: missing={missing!r} leaves 0 sample(s)")
    if how is None:
        how = Preparation(raw.layout, fills, used)
    return Input(table, n_rows, kept, raw.names, raw.categories, how)


class Unfilled(NamedTuple):
    """A table with its holes."""

    table: Table
    #: Names of its columns, if they have any.
    names: list[str] | None = None
    #: What each column is a category of; empty if none is.
    categories: Sequence[int | None] = ()
    #: How a data frame was encoded.
    layout: _frames.Layout | None = None

    def only(self, used: list[int] | None) -> "Unfilled":
        """These columns of it."""
        if used is None:
            return self
        table = [self.table[j] for j in used] if isinstance(self.table, list) else self.table[:, used]
        names = None if self.names is None else [self.names[j] for j in used]
        return self._replace(table=table, names=names, categories=[self.categories[j] for j in used if self.categories])


def unfilled(estimator: Any, X: Any, encode: Encode | None, how: Preparation | None) -> Unfilled:
    """The table with its holes, encoded as in `fit` if `how` says so."""
    return _read(estimator, X, encode, how).only(how and how.used)


def _read(estimator: Any, X: Any, encode: Encode | None, how: Preparation | None) -> Unfilled:
    X = unmasked(X)
    frame = _frames.as_frame(X)
    if frame is not None:
        if getattr(estimator, "svd", None) is not None:
            raise ValueError(f"svd={estimator.svd!r} is for arrays and sparse matrices: pass X.to_numpy()")
        frame.refuse_equal_names()
        validate_data(estimator, frame.source, skip_check_array=True, reset=how is None)
        # Rows of an array were fitted: these must be numbers, too.
        encodes = hasattr(estimator, "encode")
        learned = None if how is None else how.layout or frame.layout(None, encodes)
        layout = learned or frame.layout(encode, encodes)
        table, names, categories = frame.table(layout)
        known = categories if any(category is not None for category in categories) else []
        return Unfilled(table, names, known, layout)
    if how is not None and any(coding != _frames.Coding() for coding in (how.layout or {}).values()):
        raise ValueError("X must be a data frame with the columns of fit: some of them are encoded")
    values = validate_data(
        estimator,
        opened(X),
        accept_sparse=("csr", "csc"),
        # Numbers of 16 bits are widened block by block, while they are worked on.
        dtype=[np.float64, np.float32, np.float16],
        ensure_all_finite=False,
        reset=how is None,
    )
    if getattr(estimator, "svd", None) is not None:
        return Unfilled(_projected(estimator, values))
    if not hasattr(values, "toarray"):
        return Unfilled(readable(values))
    return Unfilled(_sparse_rows(estimator, values) if _stays_sparse(estimator, values) else _dense(estimator, values))


def _stays_sparse(estimator: Any, values: Any) -> bool:
    """Whether the method works on what is not zero, and that pays."""
    rows, columns = values.shape
    takes = getattr(estimator, "_takes_sparse", None)
    if takes is None or not takes() or values.dtype.itemsize < 4:
        return False
    if getattr(estimator, "metric", None) in ("precomputed", "precomputed_similarity"):
        # What a graph of neighbours does not hold is far away, not at 0.
        return True
    needed = estimator._sparse_bytes(rows, columns)
    large = rows * columns * values.dtype.itemsize > SPARSE_LIMIT
    if needed > SPARSE_LIMIT and large:
        raise ValueError(
            f"{type(estimator).__name__} on a sparse table of {rows} x {columns} would take "
            f"{needed / 2**30:.1f} GiB: reduce its columns first ({_reduced_by(estimator)})"
        )
    return bool(needed <= SPARSE_LIMIT and (large or (columns >= 512 and values.nnz * 16 <= rows * columns)))


def _sparse_rows(estimator: Any, values: Any) -> Any:
    """Compressed rows with ascending columns, which the solver reads where they are."""
    rows = values.tocsr()
    if not rows.has_canonical_format:
        if getattr(estimator, "metric", None) in ("precomputed", "precomputed_similarity"):
            _refuse_twice(rows)
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _refuse_twice(rows: Any) -> None:
    """A pair has one distance: two would be added."""
    entries = rows.tocoo()
    places, counts = np.unique(np.stack([entries.row, entries.col]), axis=1, return_counts=True)
    if (counts > 1).any():
        row, column = places[:, np.flatnonzero(counts > 1)[0]]
        raise ValueError(f"the graph holds row {row}, column {column} twice")


def _projected(estimator: Any, values: Any) -> Floats:
    """The rows in `svd` dimensions; how much of their variation that leaves is kept as `explained_variance_ratio_`."""
    from sklearn.decomposition import TruncatedSVD

    if not isinstance(estimator.svd, int | np.integer) or not 1 <= estimator.svd < values.shape[1]:
        raise ValueError(f"svd={estimator.svd!r}, but it must be a number from 1 to {values.shape[1] - 1}")
    steps = TruncatedSVD(int(estimator.svd), random_state=seed(estimator.random_state) % 2**32)
    projected = steps.fit_transform(values.astype(np.float64) if values.dtype.itemsize < 4 else values)
    estimator.explained_variance_ratio_ = float(steps.explained_variance_ratio_.sum())
    return np.ascontiguousarray(projected)


def _reduced_by(estimator: Any) -> str:
    """How a sparse table gets fewer columns."""
    return "pass svd=256" if hasattr(estimator, "svd") else "sklearn.decomposition.TruncatedSVD keeps it sparse"


def _dense(estimator: Any, values: Any) -> Floats:
    """A sparse table made dense: such methods read every cell, zeros too."""
    rows, columns = values.shape
    needed = rows * columns * values.dtype.itemsize
    if needed > SPARSE_LIMIT:
        raise ValueError(
            f"the sparse table of {rows} x {columns} would take {needed / 2**30:.1f} GiB when dense, which is "
            f"what {type(estimator).__name__} works on: reduce its columns first ({_reduced_by(estimator)}), or pass "
            "X.toarray() if the memory is there"
        )
    return values.toarray()  # type: ignore[no-any-return]


def count(wanted: Any, available: int, name: str, what: str = "sample", or_else: str = "", why: str = "") -> int:
    """The number that `wanted`, a number or a share, means.

    `or_else` says what else is allowed, `why` why no more are available.
    """
    if isinstance(wanted, bool | np.bool_) or not isinstance(wanted, int | float | np.integer | np.floating):
        raise TypeError(f"{name}={wanted!r}, but it must be a whole number or a share between 0 and 1{or_else}")
    if isinstance(wanted, int | np.integer):
        if not 1 <= wanted <= available:
            there = f"X has {available} {what}(s){why}"
            raise ValueError(f"{name}={wanted}, but it must lie between 1 and the number of {what}s: {there}")
        return int(wanted)
    if not 0.0 < wanted <= 1.0:
        raise ValueError(f"{name}={wanted}, but as a share it must be larger than 0 and at most 1")
    # A product this little below a whole number is that number.
    return max(1, min(available, int(wanted * available + 1e-9)))


def explain_not_finite(
    table: Table, names: list[str] | None, kept: NDArray[np.int64] | None = None, fills: bool = True
) -> str:
    """Which cells are not finite: the first of them by name. `kept` are the rows of X that the table has."""
    found: list[tuple[int, int, float]] = []
    total = 0
    if is_sparse(table):
        entries = table.tocoo()  # type: ignore[union-attr]
        bad = np.flatnonzero(~np.isfinite(entries.data))
        total = len(bad)
        found = [(int(entries.row[at]), int(entries.col[at]), float(entries.data[at])) for at in bad[:5]]
    for j, column in enumerate(() if is_sparse(table) else column_views(table)):
        rows = np.flatnonzero(~np.isfinite(column))
        total += len(rows)
        found += [(int(row), j, float(column[row])) for row in rows[:5]]

    def cell(row: int, j: int, value: float) -> str:
        place = row if kept is None else int(kept[row])
        return f"row {place}, column {names[j] if names else j!r} is {'NaN' if value != value else value}"

    # The columns of a category lack the same value.
    cells = list(dict.fromkeys(cell(*one) for one in sorted(found)))[:5]
    more = f" and {total - len(cells)} more" if total > len(cells) else ""
    hint = "missing='mean', 'median', 'auto' or 'drop' deals with NaN; infinity has to be removed"
    hint = hint if fills else "fill or remove them first"
    return f"X contains NaN or infinity: {'; '.join(cells)}{more}. {hint}"
