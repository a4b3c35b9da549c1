"""What runs on the workers: functions that depend on nothing but their arguments."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arss import _core, _frames
from arss._constraints import labels_of

Floats = NDArray[np.floating[Any]]


class StateLostError(RuntimeError):
    """The state of some rows is gone with its worker; the engine makes it anew."""


class State(NamedTuple):
    """What is kept of some rows between two passes, and the sums of the last one."""

    values: Floats | None = None
    numbers: NDArray[np.float64] | None = None
    sums: bytes = b""


class Attributes(NamedTuple):
    """What is known of some rows besides their values."""

    weights: NDArray[np.float64] | None = None
    #: The group of each row, counted from 0.
    groups: NDArray[np.int64] | None = None


class Shape(NamedTuple):
    """What the client needs to know of a partition."""

    rows: int
    columns: int
    single: bool
    #: Names of the columns, if they have any.
    names: tuple[str, ...] | None


#: States whose lineage is being cut: they are taken out again within the same pass.
_KEPT: dict[str, State] = {}


def read_parquet(path: str) -> Any:
    """A Parquet file as an Arrow table; the error names the file."""
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(path)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from None


def prepare(part: Any, number: int) -> tuple[Floats, tuple[str, ...] | None]:
    """A partition as a 2-D array of floats, without a copy where it is one."""
    frame = _frames.as_frame(part)
    if frame is not None:
        try:
            table, names, _ = frame.table(frame.layout(None))
        except ValueError as error:
            raise ValueError(f"partition {number}: {error}") from None
        return np.column_stack(table) if isinstance(table, list) else np.asarray(table), tuple(names or ())
    array = np.asarray(part)
    if array.ndim != 2:
        raise ValueError(f"partition {number} has {array.ndim} dimension(s), but a table has rows and columns")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"partition {number} holds {array.dtype}, which are no numbers")
    kind = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    return np.require(array, dtype=kind, requirements=("C", "A")), None


def shape(prepared: tuple[Floats, tuple[str, ...] | None]) -> Shape:
    """What the client needs to know of a partition."""
    rows, names = prepared
    return Shape(rows.shape[0], rows.shape[1], rows.dtype == np.float32, names)


def rows_of(prepared: tuple[Floats, tuple[str, ...] | None], single: bool) -> Floats:
    """The rows of a partition, all of one type."""
    return prepared[0].astype(np.float32 if single else np.float64, copy=False)


def columns_of(rows: Floats, first: int, last: int) -> Floats:
    """Some columns, one after the other."""
    return np.ascontiguousarray(rows[:, first:last].T)


def rescaled(rows: Floats, columns: "list[_core.Measured]") -> Floats:
    """The rows scaled by what was measured of each column."""
    return _core.rescale(_aligned(rows), columns)


def attributes(weights: Any, labels: Any, codes: dict[object, int] | None, rows: Any, number: int) -> Attributes:
    """The weights and groups of a partition, one of each per row; `codes` has the number of each label."""
    found = Attributes()
    if weights is not None:
        values = np.require(weights, dtype=np.float64, requirements=("C", "A"))
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if len(bad):
            raise ValueError(f"sample_weight of partition {number}, row {bad[0]} is {values[bad[0]]}: weights are >= 0")
        found = found._replace(weights=values)
    if labels is not None and codes is not None:
        groups = np.array([codes[label] for label in labels_of(np.asarray(labels))], dtype=np.int64)
        found = found._replace(groups=groups)
    for name, given in (("sample_weight", found.weights), ("groups", found.groups)):
        if given is not None and given.shape != (len(rows),):
            raise ValueError(
                f"{name} of partition {number} has shape {given.shape}, but one value per row is needed: ({len(rows)},)"
            )
    return found


def distinct_labels(labels: Any) -> list[object]:
    """The different labels of a partition, in the order in which they come."""
    return list(dict.fromkeys(labels_of(np.asarray(labels))))


def message(content: Any) -> Any:
    """What all tasks of a pass share: a task of its own, so that it is sent once and can be made again."""
    return content


def step(request: bytes, rows: Floats, first: int, state: State | None, attributes: Attributes | None = None) -> State:
    """One step on some rows: their new state, and the sums. The request is decoded once."""
    state, attributes = state or State(), attributes or Attributes()
    values, numbers, sums = _core.step(
        request,
        _aligned(rows),
        first,
        None if state.values is None else _aligned(state.values),
        None if state.numbers is None else _aligned(state.numbers),
        None if attributes.weights is None else _aligned(attributes.weights),
        None if attributes.groups is None else _aligned(attributes.groups),
    )
    return State(
        state.values if values is None else values,
        state.numbers if numbers is None else numbers,
        sums,
    )


def _aligned(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or a copy: what came over the network may stand at any address."""
    return np.require(array, requirements="A")


def replay(
    requests: list[bytes], rows: Floats, first: int, state: State | None, attributes: Attributes | None = None
) -> State:
    """The state after several steps: what a row became depends on the row and the requests alone."""
    for request in requests:
        state = step(request, rows, first, state, attributes)
    return state or State()


def sums_of(state: State) -> bytes:
    """The sums of the last step."""
    return state.sums


def merge(*parts: bytes) -> bytes:
    """Sums of neighbouring partitions as one."""
    return _core.merge(list(parts))


def keep(state: State, key: str) -> str:
    """Lays a state aside under `key`; returns the address of this worker."""
    from distributed import get_worker

    _KEPT[key] = state
    return str(get_worker().address)


def take(key: str) -> State:
    """The state that was laid aside here: a task that depends on no other."""
    if key not in _KEPT:
        raise StateLostError(f"{key} went with the worker that held it: fit again")
    return _KEPT.pop(key)


def forget(run: str) -> None:
    """Drops what an interrupted run left aside."""
    for key in [key for key in _KEPT if run in key]:
        _KEPT.pop(key, None)


def applied(estimator: Any, what: str, part: Any) -> NDArray[Any]:
    """What a fitted estimator says of the rows of a partition."""
    if len(part) == 0:
        empty = np.empty((0, len(estimator.sample_indices_)))
        return empty if what == "transform" else empty[:, 0]
    found: NDArray[Any] = getattr(estimator, what)(part)
    return found


def column(state: State, width: int, at: int, kind: str) -> NDArray[Any]:
    """One of the numbers of each row."""
    assert state.numbers is not None
    return state.numbers.reshape(-1, width)[:, at].astype(kind)
