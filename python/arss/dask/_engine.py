"""Passes over the partitions: one for each thread of a worker, sums in a tree, states that outlive their workers."""

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from arss import _core
from arss.dask import _worker
from arss.dask._line import Line
from arss.dask._table import Table

#: Answers that one task, or the client, puts together.
FAN_IN = 8
#: Requests that are replayed by one task.
BATCH = 20
#: Times that lost states are made anew within one pass.
ATTEMPTS = 20
#: Bytes of a request that is sent with every task; a larger one is a task of its own, which workers pass on.
INLINE = 1 << 16
#: Bytes that the client itself sends to all workers, or gets from them; more than that goes through a tree of tasks.
BY_HAND = 1 << 24


class Log:
    """The requests that changed the state, in a file: from these and the rows any state can be made again."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="arss-")  # noqa: SIM115 closed with the engine
        self._sizes: list[int] = []

    def __len__(self) -> int:
        return len(self._sizes)

    def append(self, request: bytes) -> None:
        """Add a request."""
        self._file.seek(sum(self._sizes))
        self._file.write(request)
        self._sizes.append(len(request))

    def batches(self) -> Iterator[tuple[int, list[bytes]]]:
        """The requests from the first on, some at a time, and how many were before them."""
        self._file.seek(0)
        for start in range(0, len(self._sizes), BATCH):
            yield start, [self._file.read(size) for size in self._sizes[start : start + BATCH]]

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


class Engine:
    """Walks over a table on the workers of `client`.

    The state of a partition is a future beside that of its rows. Its content is changed in place by the worker that
    holds it, and has a version. The first pass is one task for each thread of a worker, which steps over all partitions
    that are its own. After that the client asks the workers directly, as long as all of them answer. If a worker dies,
    Dask makes the rows and a blank state on another one; its version tells, and the state is made anew from the rows
    and the requests so far. So no state is ever copied for safety, and no chain of tasks grows.
    """

    def __init__(self, client: Any, table: Table) -> None:
        self.client = client
        self.table = table
        self.run = uuid.uuid4().hex
        self.passes = 0
        rows = [part.rows for part in table.parts]
        self.states: list[Any] = client.map(_worker.blank, rows, key=f"arss-state-{self.run}", pure=False)
        #: The worker that holds each state, as far as it is known.
        self._homes: dict[int, str] = {}
        self._threads: dict[str, int] = {}
        self._log = Log()
        self._line = Line(client)
        #: By kind of step, the bytes of its sums.
        self._sizes: dict[str, int] = {}
        self._busy: list[Any] = []

    def walk(self, request: bytes) -> bytes:
        """One pass: the sums over all rows."""
        name, changes = _core.about(request)
        order = _worker.Order(request, len(self._log), changes, uuid.uuid4().hex)
        if not self._threads:
            self._look_around()
        total = self._answer(name, order)
        self._homes |= total.homes
        self.passes += 1
        if changes:
            self._log.append(request)
        self._busy.clear()
        if self._homes != self._line.homes:
            self._take_seats()
        found = total.sums[max(total.sums)]
        self._sizes[name] = len(found)
        return found

    def _answer(self, name: str, order: _worker.Order) -> _worker.Answer:
        """What all partitions have to say to an order; states that are lost are made anew on the way."""
        answers = self._line.ask(order) if self._by_hand(name, order) else []
        here = {number for answer in answers for number in answer.homes}
        left = [number for number in range(len(self.states)) if number not in here]
        if not left:
            return _worker.together(answers, len(self.states))
        answered: list[Any] = []
        for attempt in range(ATTEMPTS):
            if attempt > 0:
                self._restore(left)
            found = self._submit(name, order, self._bundles(left))
            try:
                left = self._unanswered(found)
                answered += [future for numbers, future in found if not set(numbers) & set(left)]
                if not left:
                    return self._total(answered, answers)
            except _worker.StateLostError:
                # A worker died after it had answered: what others changed for this pass already is not changed again.
                left, answered, answers = list(range(len(self.states))), [], []
        raise _worker.StateLostError(f"workers were lost {ATTEMPTS} times within one pass: fit again")

    def numbers(self) -> list[Any]:
        """Futures of what is known of each row; the states themselves may go then."""
        from distributed import wait

        for _ in range(ATTEMPTS):
            found = [
                self.client.submit(
                    _worker.numbers,
                    state,
                    len(self._log),
                    key=self._key("numbers"),
                    **self._at(self._homes.get(number)),
                )
                for number, state in enumerate(self.states)
            ]
            wait(found)
            lost = [number for number, future in enumerate(found) if future.status != "finished"]
            if not lost:
                return found
            self._raise_others([found[number] for number in lost])
            self._restore(lost)
        raise _worker.StateLostError("workers kept dying: fit again")

    def close(self, error: bool) -> None:
        """End the run; after an error nothing is left on the workers."""
        self._log.close()
        self._line.close()
        if error:
            parts = [part.rows for part in self.table.parts]
            # A scheduler that is gone has nothing left, and the error that says so must not be hidden.
            with suppress(Exception):
                self.client.cancel([*self._busy, *self.states, *parts], force=True)
        self._busy.clear()
        self.states = []

    def _look_around(self) -> None:
        """Where the states are, and how many threads each worker has."""
        from distributed import wait

        wait(self.states)
        # A partition that cannot be made has no home; its first step says so.
        with suppress(KeyError):
            homes = self.client.who_has(self.states)
            self._homes = {n: homes[state.key][0] for n, state in enumerate(self.states) if homes.get(state.key)}
        self._threads = dict(self.client.nthreads())

    def _by_hand(self, name: str, order: _worker.Order) -> bool:
        """Whether the client does a pass without tasks."""
        size = max(len(order.request), self._sizes.get(name, BY_HAND))
        return self._line.ready and (self._line.workers <= FAN_IN or size * self._line.workers <= BY_HAND)

    def _take_seats(self) -> None:
        """From now on the client asks the workers that hold the states."""
        self._threads = dict(self.client.nthreads())
        bundles = self._bundles(list(range(len(self.states))))
        keys = [state.key for state in self.states]
        seats = [(home, some, ([keys[n] for n in some], *self._given(some))) for home, some in bundles if home]
        if len(seats) == len(bundles):
            self._line.lay(seats)

    def _given(self, numbers: list[int]) -> tuple[Any, ...]:
        """What a step has to know of some partitions."""
        parts = [self.table.parts[number] for number in numbers]
        return (
            [_worker.Place(number, part.first) for number, part in zip(numbers, parts, strict=True)],
            len(self.states),
            [part.rows for part in parts],
            [self.states[number] for number in numbers],
            [part.attributes for part in parts],
        )

    def _bundles(self, numbers: list[int]) -> list[tuple[str | None, list[int]]]:
        """The partitions, neighbours together, by the worker that holds them: one list for each of its threads."""
        by_home: dict[str | None, list[int]] = {}
        for number in numbers:
            home = self._homes.get(number)
            by_home.setdefault(home if home in self._threads else None, []).append(number)
        bundles: list[tuple[str | None, list[int]]] = []
        for home, held in by_home.items():
            # Where nobody knows who holds them, Dask finds a worker for each.
            threads = len(held) if home is None else self._threads[home]
            bundles += [(home, some) for some in self._shares(held, threads)]
        return sorted(bundles, key=lambda bundle: bundle[1])

    def _shares(self, numbers: list[int], count: int) -> Iterator[list[int]]:
        """The partitions in at most `count` lists of about as many rows."""
        total = sum(self.table.parts[number].length for number in numbers)
        share: list[int] = []
        rows = given = 0
        for number in numbers:
            share.append(number)
            rows += self.table.parts[number].length
            if rows * count >= (given + 1) * total:
                yield share
                share, given = [], rows * count // total
        if share:
            yield share

    def _submit(
        self, name: str, order: _worker.Order, bundles: list[tuple[str | None, list[int]]]
    ) -> list[tuple[list[int], Any]]:
        """The step on some partitions; its tasks are called like it, which is what a dashboard groups them by."""
        message: Any = order
        if len(order.request) > INLINE and len(bundles) > 1:
            message = self.client.submit(_worker.message, order, key=self._key("request"))
            self._busy.append(message)
        found = []
        for home, numbers in bundles:
            given = self._given(numbers)
            future = self.client.submit(_worker.walk, message, *given, key=self._key(name), **self._at(home))
            found.append((numbers, future))
        self._busy += [future for _, future in found]
        return found

    def _unanswered(self, found: list[tuple[list[int], Any]]) -> list[int]:
        """The partitions whose states were lost, once all tasks have ended."""
        from distributed import wait

        wait([future for _, future in found])
        failed = [(numbers, future) for numbers, future in found if future.status != "finished"]
        self._raise_others([future for _, future in failed])
        return [number for numbers, _ in failed for number in numbers]

    def _raise_others(self, failed: list[Any]) -> None:
        """Raise what is no lost state."""
        for future in failed:
            error = future.exception()
            # None if its worker died just now and another one has done the task since.
            if error is not None and not isinstance(error, _worker.StateLostError):
                raise error

    def _total(self, answers: list[Any], here: list[_worker.Answer]) -> _worker.Answer:
        """All answers as one: those of tasks, and those that are here already."""
        parts = len(self.states)
        while len(answers) > FAN_IN:
            groups = [answers[at : at + FAN_IN] for at in range(0, len(answers), FAN_IN)]
            answers = [self.client.submit(_worker.together, group, parts, key=self._key("sums")) for group in groups]
            self._busy += answers
        return _worker.together([*here, *self.client.gather(answers)], parts)

    def _restore(self, numbers: list[int]) -> None:
        """Make the states anew that went with their workers; those that are as they should be stay."""
        for number in numbers:
            self._homes.pop(number, None)
        for version, requests in self._log.batches():
            message = self.client.submit(_worker.message, requests, key=self._key("log"))
            replayed = []
            for number in numbers:
                part = self.table.parts[number]
                replayed.append(
                    self.client.submit(
                        _worker.replay,
                        message,
                        version,
                        _worker.Place(number, part.first),
                        part.rows,
                        self.states[number],
                        part.attributes,
                        key=self._key("replay"),
                        **self._at(self._homes.get(number)),
                    )
                )
            self._busy += [message, *replayed]
            try:
                self._homes |= zip(numbers, self.client.gather(replayed), strict=True)
            except _worker.StateLostError:
                # Another worker died: the next attempt begins anew.
                break
        self._threads = dict(self.client.nthreads())

    def _at(self, home: str | None) -> dict[str, Any]:
        """A task is best run where the state is; elsewhere it finds out that the state is not there."""
        return {} if home is None else {"workers": [home], "allow_other_workers": True}

    def _key(self, what: str) -> str:
        return f"arss-{what}-{self.run}-{uuid.uuid4().hex}"
