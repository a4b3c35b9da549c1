"""A direct line from the client to the workers: a pass without tasks.

A round of tasks takes twenty milliseconds or more, whatever it does: client, scheduler and worker each collect messages
for 2 to 10 ms before they send them, and the answers are asked for once more. A pass needs none of that, because it is
clear beforehand who holds what. So the client asks the workers themselves and has the sums in the reply.

Whatever goes wrong (a worker that is dead, leaves, or cannot be reached from the client), tasks do the pass, as if
there were no line.
"""

import asyncio
import uuid
from collections import Counter
from contextlib import suppress
from typing import Any

from arss.dask import _seat
from arss.dask._worker import Answer, Order

#: Seconds in which a worker must answer a knock. Nobody waits for that.
LIMIT = 10.0
#: Knocks at a worker, and the longest pause between two of them in seconds.
KNOCKS, PAUSE = 60, 1.0
#: Seconds after which the scheduler is asked whether workers that say nothing are still there.
PATIENCE = 10.0


class Line:
    """The seats of a table, and which of their workers answer."""

    def __init__(self, client: Any) -> None:
        self.client = client
        #: By number, the worker of each partition.
        self.homes: dict[int, str] = {}
        self._name = ""
        self._seats: list[Any] = []
        self._count: Counter[str] = Counter()
        self._open: set[str] = set()

    @property
    def workers(self) -> int:
        """How many workers have seats."""
        return len(self._count)

    @property
    def ready(self) -> bool:
        """Whether all workers answer."""
        return bool(self._count) and self._open >= self._count.keys()

    def lay(self, bundles: list[tuple[str, list[int], tuple[Any, ...]]]) -> None:
        """Take seats: each has a worker, partitions, and what `_seat.stay` wants to know of them. Waits for nothing."""
        self.close()
        self._name = uuid.uuid4().hex
        self._count = Counter(home for home, *_ in bundles)
        for home, numbers, given in bundles:
            self.homes |= dict.fromkeys(numbers, home)
            key = f"arss-seat-{self._name}-{numbers[0]}"
            self._seats.append(self.client.submit(_seat.stay, self._name, key, *given, key=key, workers=[home]))
        for home in self._count:
            self.client.loop.add_callback(self._knock, self._name, home)

    def close(self) -> None:
        """Leave the seats. They notice that nobody wants them, but sooner if they are told."""
        for home in self._open:
            self.client.loop.add_callback(self._leave, self._name, home)
        for seat in self._seats:
            seat.release()
        self._seats, self._name, self.homes = [], "", {}
        self._count.clear()
        self._open.clear()

    def ask(self, order: Order) -> list[Answer]:
        """What those workers have to say to an order that answer."""
        found: list[Answer] = self.client.sync(self._ask, order)
        return found

    async def _ask(self, order: Order) -> list[Answer]:
        name, calls = self._name, {asyncio.ensure_future(self._call(home, order)): home for home in self._count}
        left = set(calls)
        while left:
            _, left = await asyncio.wait(left, timeout=PATIENCE)
            known = await self.client.nthreads() if left else {}
            for call in left:
                if calls[call] not in known:
                    call.cancel()
        answers = []
        for call, home in calls.items():
            sums = None if call.cancelled() or call.exception() else call.result()
            if sums is not None:
                numbers = [number for number, at in self.homes.items() if at == home]
                answers.append(Answer(dict.fromkeys(numbers, home), {(depth, at): part for depth, at, part in sums}))
            elif name == self._name:
                self._open.discard(home)
                self.client.loop.add_callback(self._knock, name, home)
        return answers

    async def _call(self, home: str, order: Order | None) -> Any:
        """The sums of a worker, or None."""
        given = None if order is None else tuple(order)
        reply = await self.client.rpc(home).arss_walk(line=self._name, seats=self._count[home], order=given)
        return None if reply is None else reply["sums"]

    async def _leave(self, name: str, home: str) -> None:
        with suppress(Exception):
            await asyncio.wait_for(self.client.rpc(home).arss_leave(line=name), LIMIT)

    async def _knock(self, name: str, home: str) -> None:
        """Until the worker answers. Where the client does not get through, tasks do the passes."""
        pause = 0.01
        # Whatever the reason, such as a site that forbids `run`.
        with suppress(Exception):
            await asyncio.wait_for(self.client.run(_seat.listen, workers=[home]), LIMIT)
            for _ in range(KNOCKS):
                answer = await asyncio.wait_for(self._call(home, None), LIMIT)
                if name != self._name:
                    return
                if answer is not None:
                    self._open.add(home)
                    return
                await asyncio.sleep(pause)
                pause = min(1.5 * pause, PAUSE)
