"""Passes over the partitions: steps as tasks, sums in a tree, states that outlive their workers."""

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from arss import _core
from arss.dask import _worker
from arss.dask._table import Table

#: State-changing passes after which the lineage is cut: ten iterations of two passes.
CUT_EVERY = 20
#: Sums that one task merges.
FAN_IN = 8
#: Requests that are replayed by one task.
BATCH = 20
#: Times that lost states are made anew within one pass.
ATTEMPTS = 20


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

    def batches(self) -> Iterator[list[bytes]]:
        """The requests from the first on, some at a time."""
        self._file.seek(0)
        for start in range(0, len(self._sizes), BATCH):
            yield [self._file.read(size) for size in self._sizes[start : start + BATCH]]

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


class Engine:
    """Walks over a table on the workers of `client`.

    The state of a partition is a future that depends on the one before. Every ten iterations this lineage is cut:
    the state is laid aside on its worker and taken up by a task that depends on nothing. If that worker dies
    later, the state is gone, and is made anew on another one from the rows and the requests so far.
    """

    def __init__(self, client: Any, table: Table) -> None:
        self.client = client
        self.table = table
        self.run = uuid.uuid4().hex
        self.states: list[Any] = [None] * len(table.parts)
        self.passes = 0
        self._log = Log()
        self._since_cut = 0
        self._busy: list[Any] = []

    def walk(self, request: bytes) -> bytes:
        """One pass: the sums over all rows."""
        name, changes = _core.about(request)
        for attempt in range(ATTEMPTS):
            states = self._submit(request, name)
            root = self._tree(states)
            try:
                sums: bytes = root.result()
                break
            except _worker.StateLostError:
                if attempt + 1 == ATTEMPTS:
                    raise
                self._busy.clear()
                self._restore()
        self.passes += 1
        if changes:
            self.states = states
            self._log.append(request)
            self._since_cut += 1
            if self._since_cut >= CUT_EVERY:
                self._cut()
        self._busy.clear()
        return sums

    def close(self, error: bool) -> None:
        """End the run; after an error nothing is left on the workers."""
        self._log.close()
        if error:
            parts = [part.rows for part in self.table.parts]
            self.client.cancel(
                [future for future in [*self._busy, *self.states, *parts] if future is not None], force=True
            )
            self._busy.clear()
            self.states = []
            # Where the scheduler is gone, there is nobody to tell, and its workers forget everything.
            if self.client.status == "running":
                with suppress(OSError):
                    self.client.run(_worker.forget, self.run, on_error="ignore")

    def _submit(self, request: bytes, name: str) -> list[Any]:
        """The step on every partition; its tasks are called like it, which is what a dashboard groups them by."""
        message = self.client.submit(_worker.message, request, key=self._key("request"))
        parts = self.table.parts
        states = self.client.map(
            _worker.step,
            [message] * len(parts),
            [part.rows for part in parts],
            [part.first for part in parts],
            self.states,
            [part.attributes for part in parts],
            key=f"arss-{name}-{self.run}",
            pure=False,
        )
        self._busy += [message, *states]
        return list(states)

    def _tree(self, states: list[Any]) -> Any:
        """The sums of all partitions, neighbours first."""
        level = list(self.client.map(_worker.sums_of, states, key=f"arss-sums-{self.run}", pure=False))
        self._busy += level
        while len(level) > 1:
            groups = [level[at : at + FAN_IN] for at in range(0, len(level), FAN_IN)]
            level = [
                group[0] if len(group) == 1 else self.client.submit(_worker.merge, *group, key=self._key("merge"))
                for group in groups
            ]
            self._busy += level
        return level[0]

    def _cut(self) -> None:
        """Cut the lineage of the states; where that fails they stay as they are, and the next pass tries again."""
        from distributed import wait

        keys = [self._key("state") for _ in self.states]
        kept = self.client.map(_worker.keep, self.states, keys, key=f"arss-keep-{self.run}", pure=False)
        self._busy += kept
        try:
            addresses = self.client.gather(kept)
        except _worker.StateLostError:
            self._restore()
            return
        taken = [
            self.client.submit(_worker.take, key, key=key, workers=[address], allow_other_workers=True)
            for key, address in zip(keys, addresses, strict=True)
        ]
        self._busy += taken
        wait(taken)
        self.states = [before if new.status == "error" else new for before, new in zip(self.states, taken, strict=True)]
        self._since_cut = 0

    def _restore(self) -> None:
        """Make the states anew that went with their workers."""
        from distributed import wait

        wait([state for state in self.states if state is not None])
        lost = [n for n, state in enumerate(self.states) if state is not None and state.status != "finished"]
        for number in lost:
            self.states[number] = None
        for batch in self._log.batches():
            message = self.client.submit(_worker.message, batch, key=self._key("log"))
            for number in lost:
                part = self.table.parts[number]
                self.states[number] = self.client.submit(
                    _worker.replay,
                    message,
                    part.rows,
                    part.first,
                    self.states[number],
                    part.attributes,
                    key=self._key("replay"),
                )

    def _key(self, what: str) -> str:
        return f"arss-{what}-{self.run}-{uuid.uuid4().hex}"
