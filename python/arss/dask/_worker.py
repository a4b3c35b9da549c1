"""What runs on the workers: functions that depend on nothing but their arguments."""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arss import _core, _frames
from arss._constraints import labels_of

Floats = NDArray[np.floating[Any]]


#: What a user sees if it happens so often that the engine gives up.
LOST = "the state of some rows went with the worker that held it: fit again"


class StateLostError(RuntimeError):
    """The state of some rows is not what it should be, most often gone with its worker; the engine makes it anew."""


class State:
    """What is kept of a partition between two passes, changed in place where it lies.

    Dask may copy it to another worker or make it anew, blank. `version` tells such a state from the one that is wanted.
    """

    def __init__(self) -> None:
        self.kept = _core.RowState()
        #: Steps that have changed it so far.
        self.version = 0
        #: The last pass that changed it and its sums: the client may ask for them twice.
        self.answer: tuple[str, bytes] = ("", b"")
        #: Held while a step changes all of these, and while they are copied.
        self._lock = threading.Lock()

    def __reduce__(self) -> Any:
        """A copy never has the content of one version and the number of another."""
        with self._lock:
            return _state, (self.kept.__reduce__(), self.version, self.answer)

    def has(self, order: "Order") -> bool:
        """Whether it can tell the sums of a pass."""
        return self.version == order.version or (order.changes and self.answer[0] == order.ticket)

    def step(self, step: "_core.Step", order: "Order", rows: "Rows") -> bytes:
        """The sums of a pass; what is asked for again is not done again."""
        with self._lock:
            if order.changes and self.answer[0] == order.ticket:
                return self.answer[1]
            if self.version != order.version:
                raise StateLostError(LOST)
            result = rows.apply(step, self)
            if order.changes:
                self.version += 1
                self.answer = (order.ticket, result)
            return result

    def catch_up(self, requests: list[bytes], version: int, rows: "Rows") -> None:
        """Do the requests that follow `version`, as far as they are not done; one that is further on stays as it is."""
        with self._lock:
            if self.version < version:
                raise StateLostError(LOST)
            for request in requests[self.version - version :]:
                rows.apply(_core.Step(request), self)
                self.version += 1


def _state(kept: tuple[Any, tuple[Any, ...]], version: int, answer: tuple[str, bytes]) -> State:
    """A copy of a state."""
    state = State()
    state.kept, state.version, state.answer = kept[0](*kept[1]), version, answer
    return state


class Order(NamedTuple):
    """What a pass wants of every partition."""

    request: bytes
    #: The version of the states before it.
    version: int
    #: Whether it changes them.
    changes: bool
    #: A name that no other pass has.
    ticket: str


class Place(NamedTuple):
    """Where a partition stands in the table: its number, and the position of its first row."""

    number: int
    first: int


#: Some neighbouring partitions: 2^level of them, of which so many stand before.
Node = tuple[int, int]


class Answer(NamedTuple):
    """What some partitions have to say."""

    #: By number, the address of the worker that holds the state.
    homes: dict[int, str]
    sums: dict[Node, bytes]


class Attributes(NamedTuple):
    """What is known of some rows besides their values."""

    weights: NDArray[np.float64] | None = None
    #: The group of each row, counted from 0.
    groups: NDArray[np.int64] | None = None


class Rows(NamedTuple):
    """The rows of a partition for a step."""

    first: int
    rows: Floats
    attributes: Attributes | None

    def apply(self, step: "_core.Step", state: State) -> bytes:
        """The sums of a step over the rows; their state is changed."""
        weights, groups = self.attributes or Attributes()
        return step.apply(
            _aligned(self.rows),
            self.first,
            state.kept,
            None if weights is None else _aligned(weights),
            None if groups is None else _aligned(groups),
        )


class Shape(NamedTuple):
    """What the client needs to know of a partition."""

    rows: int
    columns: int
    single: bool
    #: Names of the columns, if they have any.
    names: tuple[str, ...] | None


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


def blank(rows: Floats) -> State:
    """The state of rows that no step has seen; it is made where the rows are."""
    return State()


def walk(
    order: Order,
    places: list[Place],
    parts: int,
    rows: list[Floats],
    states: list[State],
    attributes: list[Attributes | None],
    home: str | None = None,
) -> Answer:
    """One step on some of the `parts` partitions of a table. The request is decoded once."""
    if not all(state.has(order) for state in states):
        raise StateLostError(LOST)
    step = _core.Step(order.request)
    sums = {
        (0, place.number): state.step(step, order, Rows(place.first, part, beside))
        for place, part, state, beside in zip(places, rows, states, attributes, strict=True)
    }
    return Answer(dict.fromkeys([place.number for place in places], home or _address()), joined(sums, parts))


def _aligned(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or a copy: what came over the network may stand at any address."""
    return np.require(array, requirements="A")


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def joined(sums: dict[Node, bytes], parts: int) -> dict[Node, bytes]:
    """Sums of neighbours as one, wherever both are there.

    The pairs are always the same, so that the total has the same bits whichever worker holds which partition.
    """
    found = dict(sums)
    level = 0
    while 1 << level < parts:
        for at in sorted(index for depth, index in sums if depth == level and not index % 2):
            here, beside = (level, at), (level, at + 1)
            # The last one may have no neighbour.
            if beside in found or (at + 1) << level >= parts:
                pair = [found.pop(node) for node in (here, beside) if node in found]
                found[level + 1, at // 2] = pair[0] if len(pair) == 1 else _core.merge(pair)
        level += 1
        sums = dict(found)
    return found


def together(answers: list[Answer], parts: int) -> Answer:
    """What several have to say, as one."""
    homes = {number: home for answer in answers for number, home in answer.homes.items()}
    return Answer(homes, joined({node: sums for answer in answers for node, sums in answer.sums.items()}, parts))


def replay(
    requests: list[bytes], version: int, place: Place, rows: Floats, state: State, attributes: Attributes | None
) -> str:
    """Brings a state from `version` on by several steps; returns the address of the worker that holds it.

    What a row becomes depends on the row and the requests alone. A state that is further on stays as it is.
    """
    state.catch_up(requests, version, Rows(place.first, rows, attributes))
    return _address()


def numbers(state: State, version: int) -> NDArray[np.float64]:
    """What is known of each row at the end."""
    if state.version != version:
        raise StateLostError("what was known of some rows went with the worker that held it: fit again")
    return state.kept.numbers()


def applied(estimator: Any, what: str, part: Any) -> NDArray[Any]:
    """What a fitted estimator says of the rows of a partition."""
    if len(part) == 0:
        empty = np.empty((0, len(estimator.sample_indices_)))
        return empty if what == "transform" else empty[:, 0]
    found: NDArray[Any] = getattr(estimator, what)(part)
    return found


def column(numbers: NDArray[np.float64], width: int, at: int, kind: str) -> NDArray[Any]:
    """One of the numbers of each row."""
    return numbers.reshape(-1, width)[:, at].astype(kind)
