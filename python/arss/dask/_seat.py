"""What a worker keeps at hand for the client's direct line: the partitions of each of its threads, during a fit.

A seat is a task that leaves its thread to others and stays until the client lets go of it. So the scheduler knows that
the worker is in use, does not close it when a cluster shrinks, and ends the seat if the client dies.
"""

import asyncio
import threading
from typing import Any, NamedTuple

from arss.dask._worker import Answer, Attributes, Floats, Order, Place, State, together, walk

#: Seconds between two looks whether a seat is still wanted.
LOOK = 0.5


class Held(NamedTuple):
    """The partitions of a thread."""

    #: What Dask calls the states: as long as it knows them here, they are the ones that count.
    keys: list[str]
    places: list[Place]
    parts: int
    rows: list[Floats]
    states: list[State]
    attributes: list[Attributes | None]
    #: Set when the client says that the fit is over.
    over: threading.Event

    def walk(self, order: Order, home: str) -> Answer:
        """One step on these partitions."""
        return walk(order, *self[1:-1], home=home)


#: By the worker (several may be threads of one process) and the name of the line.
_seats: dict[tuple[str, str], list[Held]] = {}
_lock = threading.Lock()


def stay(
    line: str,
    key: str,
    keys: list[str],
    places: list[Place],
    parts: int,
    rows: list[Floats],
    states: list[State],
    attributes: list[Attributes | None],
) -> None:
    """The task called `key` of a seat."""
    from distributed import get_worker, secede

    worker = get_worker()
    at = (str(worker.address), line)
    over = threading.Event()
    with _lock:
        _seats.setdefault(at, []).append(Held(keys, places, parts, rows, states, attributes, over))
    try:
        secede()
        while not over.wait(LOOK) and _wanted(worker, key):
            pass
    finally:
        with _lock:
            _seats.pop(at, None)


def _wanted(worker: Any, key: str) -> bool:
    """Whether the client still holds the task, and the worker works."""
    task = worker.state.tasks.get(key)
    held = task is not None and task.state in ("executing", "long-running")
    return held and worker.status.name not in ("closing", "closed", "failed")


def listen(dask_worker: Any) -> None:
    """From now on the worker answers the client's direct line."""

    async def arss_walk(line: str, seats: int, order: Any) -> dict[str, Any]:
        return {"sums": await _answer(dask_worker, line, seats, order)}

    async def arss_leave(line: str) -> None:
        for seat in _seats.get((str(dask_worker.address), line), []):
            seat.over.set()

    dask_worker.handlers |= {"arss_walk": arss_walk, "arss_leave": arss_leave}


async def _answer(worker: Any, line: str, seats: int, order: Any) -> list[tuple[int, int, bytes]] | None:
    """The sums over all partitions of the worker, or nothing if it cannot tell; without an order, whether it can."""
    held = _seats.get((str(worker.address), line), [])
    # A worker that is about to leave, or is short of memory, hands its states on as they are.
    if worker.status.name != "running" or len(held) != seats:
        return None
    if not all(key in worker.data for seat in held for key in seat.keys):
        return None
    if order is None:
        return []
    # The threads of the worker, so that no more steps run at a time than it has cores.
    loop, pool, wanted = asyncio.get_running_loop(), worker.executors["default"], Order(*order)
    steps = [loop.run_in_executor(pool, seat.walk, wanted, str(worker.address)) for seat in held]
    found = await asyncio.gather(*steps, return_exceptions=True)
    answers = [answer for answer in found if isinstance(answer, Answer)]
    if len(answers) < len(held):
        # Tasks will find out what is wrong.
        return None
    total = answers[0]
    if len(answers) > 1:
        total = await loop.run_in_executor(pool, together, answers, held[0].parts)
    return [(*node, sums) for node, sums in total.sums.items()]
