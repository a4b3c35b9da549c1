"""From a Dask collection, or a list of Parquet files, to partitions on the workers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arss import _core
from arss._rows import length, take
from arss.dask import _worker

#: Bytes of the columns that the client looks at together where it has to see them whole.
TOGETHER = 64 << 20


class Part(NamedTuple):
    """Some rows on a worker."""

    #: A future of a 2-D array.
    rows: Any
    #: Position of its first row in the table.
    first: int
    length: int
    #: Its number among the partitions that were passed.
    number: int
    #: A future of its weights and groups, if it has any.
    attributes: Any = None


class Table(NamedTuple):
    """A table on the workers."""

    parts: list[Part]
    items: int
    features: int
    single: bool
    names: list[str] | None
    #: The files that the partitions were read from.
    files: list[str] | None

    def place(self, row: int) -> str:
        """Where a row is, in words."""
        part = next(part for part in reversed(self.parts) if part.first <= row)
        file = f" ({self.files[part.number]})" if self.files else ""
        return f"partition {part.number}{file}, row {row - part.first} (row {row} of the table)"

    def unmade(self) -> int | None:
        """The number of a partition that could not be made again, if there is one."""
        return next((part.number for part in self.parts if part.rows.status == "error"), None)

    def not_finite(self, row: int, column: int, value: float) -> str:
        """What is wrong with a cell that holds no finite number."""
        name = repr(self.names[column]) if self.names else column
        what = "NaN" if value != value else value
        return f"{self.place(row)}, column {name} is {what}: remove or fill missing values first"


def spread(client: Any, X: Any) -> Table:
    """The partitions of `X` as arrays on the workers; what is on them already is not moved."""
    raw = list(client.compute(_partitions(X), optimize_graph=False))
    prepared = client.map(_worker.prepare, raw, list(range(len(raw))), key="arss-prepare", pure=False)
    known = client.map(_worker.shape, prepared, key="arss-shape", pure=False)
    try:
        return _table(client, prepared, client.gather(known), [str(path) for path in X] if is_paths(X) else None)
    except BaseException as error:
        named = _blame(raw, error)
        # A traceback may keep the futures alive, but what they stand for ends now. Those of `raw` may be the caller's.
        client.cancel([*known, *prepared], force=True)
        for future in raw:
            future.release()
        if named is None:
            raise
        raise named from error


def scaled(client: Any, table: Table, how: str) -> tuple[Table, "list[_core.Measured] | None"]:
    """The table with its columns scaled, and what was measured of them; no measures if all are constant.

    A median needs a whole column: as many as fit into some memory come here at a time, their values one after the other
    as in a table in memory, so that the measures have the same bits.
    """
    rows = [part.rows for part in table.parts]
    columns: list[_core.Measured] = []
    together = max(1, TOGETHER // (8 * table.items))
    for first in range(0, table.features, together):
        last = min(first + together, table.features)
        pieces = client.gather(
            client.map(_worker.columns_of, rows, first=first, last=last, key="arss-columns", pure=False)
        )
        for column in np.concatenate(pieces, axis=1):
            bad = np.flatnonzero(~np.isfinite(column))
            if len(bad):
                raise ValueError(table.not_finite(int(bad[0]), len(columns), float(column[bad[0]])))
            # A constant column becomes 0, whatever else is noted of it.
            columns += _core.scale([column], how, [])[1] or [(1.0, float(column[0]), 0.0, None, False)]
    if not any(usable for *_, usable in columns):
        return table, None
    done = client.map(_worker.rescaled, rows, columns=columns, key="arss-scale", pure=False)
    parts = [part._replace(rows=future) for part, future in zip(table.parts, done, strict=True)]
    return table._replace(parts=parts), columns


def with_attributes(client: Any, table: Table, sample_weight: Any, groups: Any) -> tuple[Table, list[object]]:
    """The table with a weight and a group per row, and the labels of the groups."""
    weights = _per_part(client, table, sample_weight, "sample_weight")
    labels = _per_part(client, table, groups, "groups")
    codes: dict[object, int] | None = None
    if labels is not None:
        found = client.gather(client.map(_worker.distinct_labels, labels, key="arss-labels", pure=False))
        codes = {label: number for number, label in enumerate(dict.fromkeys(label for part in found for label in part))}
    none = [None] * len(table.parts)
    made = client.map(
        _worker.attributes,
        weights or none,
        labels or none,
        [codes] * len(table.parts),
        [part.rows for part in table.parts],
        [part.number for part in table.parts],
        key="arss-attributes",
        pure=False,
    )
    from distributed import wait

    wait(made)
    failed = next((future for future in made if future.status == "error"), None)
    if failed is not None:
        raise failed.exception()
    parts = [part._replace(attributes=future) for part, future in zip(table.parts, made, strict=True)]
    return table._replace(parts=parts), list(codes or ())


def _per_part(client: Any, table: Table, values: Any, name: str) -> list[Any] | None:
    """One value per row, cut as the table is: a Dask collection with the same partitions, or anything in memory."""
    if values is None:
        return None
    if hasattr(values, "to_delayed"):
        delayed = np.ravel(np.asarray(values.to_delayed(optimize_graph=False), dtype=object)).tolist()
        if len(delayed) <= max(part.number for part in table.parts):
            raise ValueError(f"{name} has {len(delayed)} partitions, but X has more: give both the same partitions")
        return list(client.compute([delayed[part.number] for part in table.parts], optimize_graph=False))
    array = np.asarray(values)
    if array.shape != (table.items,):
        raise ValueError(f"{name} has shape {array.shape}, but one value per row is needed: ({table.items},)")
    # As tasks, not scattered: what a dead worker held can then be made again.
    pieces = [array[part.first : part.first + part.length] for part in table.parts]
    return list(client.map(_worker.message, pieces, key="arss-attributes-given", pure=False))


def rows_at(X: Any, rows: NDArray[np.int64], expected: int) -> Any:
    """Rows of a table in partitions, in the order asked for; one that has not the `expected` number is refused."""
    import dask

    parts = _partitions(X, dimensions=(1, 2))
    counts = dask.compute(*[dask.delayed(length)(part) for part in parts])
    if sum(counts) != expected:
        raise ValueError(f"X has {sum(counts)} rows, but the selector was fitted on {expected}")
    firsts = np.cumsum([0, *counts])
    owner = np.searchsorted(firsts, rows, side="right") - 1
    wanted = [(number, np.flatnonzero(owner == number)) for number in np.unique(owner)]
    found = dask.compute(*[dask.delayed(take)(parts[number], rows[at] - firsts[number]) for number, at in wanted])
    return take(_joined(found), np.argsort(np.concatenate([at for _, at in wanted])))


def each_part(X: Any, function: Any, kind: str, width: int | None) -> Any:
    """What `function` makes of each partition of `X`, as a Dask array: a number per row, or `width` of them."""
    import dask
    import dask.array as da

    parts = _partitions(X)
    chunks = getattr(X, "chunks", None)
    lengths = chunks[0] if chunks is not None else [np.nan] * len(parts)

    def block(part: Any, rows: Any) -> Any:
        shape = (rows,) if width is None else (rows, width)
        return da.from_delayed(dask.delayed(function)(part), shape, dtype=kind)

    blocks = [block(part, rows) for part, rows in zip(parts, lengths, strict=True)]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def is_collection(X: Any) -> bool:
    """Whether `X` is a Dask collection, or a list of paths."""
    return hasattr(X, "to_delayed") or is_paths(X)


def is_paths(X: Any) -> bool:
    """Whether `X` is a list of paths."""
    return isinstance(X, Sequence) and not isinstance(X, str) and bool(X) and all(isinstance(p, str | Path) for p in X)


def _table(client: Any, prepared: list[Any], shapes: list[_worker.Shape], files: list[str] | None) -> Table:
    """The table of all partitions that have rows."""
    if not any(shape.rows for shape in shapes):
        raise ValueError(f"X has no rows: all {len(shapes)} partitions are empty")
    filled = [number for number, shape in enumerate(shapes) if shape.rows]
    like = shapes[filled[0]]
    for number in filled:
        _compare(number, shapes[number], filled[0], like)
    single = all(shapes[number].single for number in filled)
    rows = client.map(
        _worker.rows_of, [prepared[number] for number in filled], single=single, key="arss-rows", pure=False
    )
    counts = [shapes[number].rows for number in filled]
    firsts = np.cumsum([0, *counts]).tolist()
    parts = [Part(*part) for part in zip(rows, firsts, counts, filled, strict=False)]
    return Table(parts, firsts[-1], like.columns, single, list(like.names) if like.names else None, files)


def _compare(number: int, shape: _worker.Shape, first: int, like: _worker.Shape) -> None:
    if shape.columns != like.columns:
        raise ValueError(f"partition {number} has {shape.columns} columns, but partition {first} has {like.columns}")
    if shape.names != like.names:
        raise ValueError(
            f"partition {number} has the columns {list(shape.names or ())}, but partition {first} has "
            f"{list(like.names or ())}: give all partitions the same columns in the same order"
        )


def _blame(raw: list[Any], error: BaseException) -> Exception | None:
    """An error that names the partition that could not be made, if that is what went wrong."""
    from distributed import KilledWorker

    number = next((number for number, future in enumerate(raw) if future.status == "error"), None)
    if number is None:
        return None
    if isinstance(error, KilledWorker):
        return RuntimeError(
            f"partition {number} killed {error.allowed_failures + 1} workers in turn: most often it does not fit their "
            "memory; use smaller partitions, or give the workers more"
        )
    return ValueError(f"partition {number} cannot be made: {raw[number].exception()}")


def _partitions(X: Any, dimensions: tuple[int, ...] = (2,)) -> list[Any]:
    """The partitions of `X`, delayed; labels of rows have one dimension."""
    import dask

    if is_paths(X):
        return [dask.delayed(_worker.read_parquet)(str(path)) for path in X]
    if not hasattr(X, "to_delayed"):
        raise TypeError(
            f"X is a {type(X).__name__}, but arss.dask takes a Dask array or DataFrame, or a list of Parquet paths; "
            "for a table in memory use the estimator of the same name in arss"
        )
    if hasattr(X, "rechunk"):
        if X.ndim not in dimensions:
            raise ValueError(f"X has {X.ndim} dimension(s), but a table has rows and columns")
        X = X.rechunk({1: -1}) if X.ndim == 2 and X.numblocks[1] > 1 else X
        return list(X.to_delayed(optimize_graph=False).ravel())
    return list(X.to_delayed(optimize_graph=False))


def _joined(parts: Sequence[Any]) -> Any:
    """Some rows of several partitions as one table."""
    library = type(parts[0]).__module__.split(".")[0]
    if library == "pandas":
        import pandas

        return pandas.concat(parts)
    if library == "pyarrow":
        import pyarrow

        return pyarrow.concat_tables(parts)
    return np.concatenate(parts)
