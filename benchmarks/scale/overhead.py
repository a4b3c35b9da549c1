"""Where the seconds of a pass on a cluster go: kernel, waiting, worker, the way there and back, client.

`python overhead.py` adds lines to overhead.jsonl beside it; `python overhead.py --draw` draws overhead.svg from them.
All processes are on one machine, so that their clocks are one. Of each pass the worker that ends last counts:

    client calls -- way there --> worker has it -- start --> step begins -- kernel, rest --> step ends -- way back -->

The same steps run in plain processes that talk through pipes, too: what these lose against threads no engine can win.
"""

import argparse
import json
import multiprocessing
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import arss
import arss.dask
import dask
import dask.array as da
import numpy as np
from arss import _core
from arss.dask import _engine, _line, _seat, _worker
from distributed import Client, LocalCluster, get_worker, wait

HERE = Path(__file__).parent
PARTITIONS = 8
Record = dict[str, Any]
#: Estimator, settings, and the iterations (or picks) that are timed.
METHODS: dict[str, tuple[str, dict[str, Any], tuple[int, int]]] = {
    "arss": ("ARSS", {"n_samples": 5, "max_iter": 18, "tol": 0}, (6, 16)),
    "rrss": ("RRSS", {"n_samples": 5, "max_iter": 18, "tol": 0}, (6, 16)),
    "ted": ("TED", {"n_samples": 42}, (10, 40)),
}
#: The parts of a unit in the order of time, as the figure names them.
PARTS = {
    "kernel": "kernel, mean of the workers",
    "imbalance": "kernel of the slowest beyond it",
    "rest": "request and sums on the worker",
    "start": "start on the worker",
    "there": "way there",
    "back": "way back",
    "merge": "sums put together on the client",
    "algebra": "L x L algebra on the client",
}


class Stamps:
    """What a process notes of its steps: when it heard of one, began and ended it, and how long the kernel took."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, float, float, float, float, float]] = []
        self.heard: dict[str, float] = {}
        self.kernel = self.cpu = 0.0

    def apply(self, rows: Any, step: Any, state: Any) -> bytes:
        """`Rows.apply` with a clock."""
        wall, cpu = time.time(), time.thread_time()
        result: bytes = apply(rows, step, state)
        self.kernel += time.time() - wall
        self.cpu += time.thread_time() - cpu
        return result

    def walk(self, order: Any, *given: Any, **more: Any) -> Any:
        """`_worker.walk` with a clock; one thread a process."""
        begin, self.kernel, self.cpu = time.time(), 0.0, 0.0
        answer = walk(order, *given, **more)
        heard = self.heard.get(order.ticket) or self.heard.get(str(task_key()), begin)
        self.notes.append((order.ticket, heard, begin, time.time(), self.kernel, self.cpu))
        return answer


stamps = Stamps()
apply, walk, answer = _worker.Rows.apply, _worker.walk, _seat._answer


def task_key() -> Any:
    """What the task of this thread is called."""
    try:
        return get_worker().get_current_task()
    except (ValueError, AttributeError, KeyError):
        return ""


def watch(dask_worker: Any) -> None:
    """From now on a worker notes its steps, by tasks and by the direct line."""
    mark_kernel()
    compute = dask_worker.stream_handlers["compute-task"]

    def heard(*given: Any, **message: Any) -> Any:
        stamps.heard[str(message["key"])] = time.time()
        return compute(*given, **message)

    async def asked(worker: Any, line: str, seats: int, order: Any) -> Any:
        if order is not None:
            stamps.heard[order[3]] = time.time()
        return await answer(worker, line, seats, order)

    dask_worker.stream_handlers["compute-task"] = heard
    _seat._answer = asked


def mark_kernel() -> None:
    """From now on this process notes its steps."""
    _worker.Rows.apply = lambda rows, step, state: stamps.apply(rows, step, state)
    _worker.walk = _seat.walk = stamps.walk


def taken() -> list[Any]:
    """The notes of a process, which forgets them."""
    found, stamps.notes = stamps.notes, []
    stamps.heard.clear()
    return found


class Passes:
    """What the client notes of its passes: ticket, call, return, and seconds in which it put sums together."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, float, float, float]] = []
        self.merge = 0.0
        self.ticket = ""
        self.marks: list[int] = []

    @contextmanager
    def of_engine(self) -> Iterator[None]:
        """Notes what the engine of arss.dask does."""
        walk, found, together = _engine.Engine.walk, _engine.Engine._answer, _worker.together

        def merged(*given: Any) -> Any:
            begin = time.time()
            total = together(*given)
            self.merge += time.time() - begin
            return total

        def named(engine: Any, name: str, order: Any) -> Any:
            self.ticket = order.ticket
            return found(engine, name, order)

        def whole(engine: Any, request: bytes) -> bytes:
            return self.of(lambda: walk(engine, request))

        with (
            mock.patch.object(_engine.Engine, "walk", whole),
            mock.patch.object(_engine.Engine, "_answer", named),
            mock.patch.object(_worker, "together", merged),
        ):
            yield

    def of(self, work: Callable[[], bytes]) -> bytes:
        """One pass."""
        begin, self.merge = time.time(), 0.0
        found = work()
        self.notes.append((self.ticket, begin, time.time(), self.merge))
        return found

    def parts(self, workers: list[list[Any]], units: int) -> Record:
        """Seconds of the parts of a unit, from the passes between the marks."""
        first, last = self.marks
        total = dict.fromkeys(PARTS, 0.0) | {"kernel_cpu": 0.0}
        by_ticket: dict[str, list[Any]] = {}
        for note in (note for notes in workers for note in notes):
            by_ticket.setdefault(note[0], []).append(note)
        for at in range(first, last):
            ticket, begin, end, merge = self.notes[at]
            seen = by_ticket[ticket]
            _, heard, start, stop, kernel, _ = max(seen, key=lambda note: note[3])
            mean = sum(note[4] for note in seen) / len(seen)
            found = {
                "there": heard - begin,
                "start": start - heard,
                "kernel": mean,
                "imbalance": kernel - mean,
                "rest": stop - start - kernel,
                "back": end - stop - merge,
                "merge": merge,
                "algebra": self.notes[at + 1][1] - end,
                "kernel_cpu": sum(note[5] for note in seen) / len(seen),
            }
            total = {part: total[part] + seconds for part, seconds in found.items()}
        return {"seconds": (self.notes[last][1] - self.notes[first][1]) / units} | {
            part: seconds / units for part, seconds in total.items()
        }

    def note(self, marks: tuple[int, int]) -> Callable[[arss.Progress], bool]:
        """A callback that tells the passes of the iterations between two."""

        def callback(progress: arss.Progress) -> bool:
            if progress.phase == "solve" and progress.iteration in marks:
                self.marks.append(len(self.notes))
            return False

        return callback


def by_dask(client: Any, name: str, held: Any, line: bool) -> Record:
    """The parts of a unit by workers that hold the rows, with the direct line or by tasks alone."""
    kind, settings, marks = METHODS[name]
    passes = Passes()
    with passes.of_engine():
        estimator = getattr(arss.dask, kind)(**settings, callback=passes.note(marks))
        if line:
            estimator.fit(held)
        else:
            with mock.patch.object(_line.Line, "ready", False):
                estimator.fit(held)
    return passes.parts(list(client.run(taken).values()), marks[1] - marks[0])


def serve(pipe: Any, parts: list[tuple[int, int, Any]], count: int) -> None:
    """A process that does what a worker does, without Dask."""
    mark_kernel()
    places = [_worker.Place(number, first) for number, first, _ in parts]
    rows = [rows for *_, rows in parts]
    states: list[Any] = []
    while (order := pipe.recv()) is not None:
        if order == "start":
            states = [_worker.State() for _ in rows]
        elif order == "notes":
            pipe.send(taken())
        else:
            pipe.send(_worker.walk(order, places, count, rows, states, [None] * len(rows), home="here").sums)


class Processes:
    """Plain processes with the rows, and pipes to them."""

    def __init__(self, X: Any, count: int) -> None:
        parts = np.array_split(X, PARTITIONS)
        firsts = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        whole = [(number, firsts[number], part) for number, part in enumerate(parts)]
        share = PARTITIONS // count
        context = multiprocessing.get_context("spawn")
        self.pipes: list[Any] = []
        self.members: list[Any] = []
        for at in range(count):
            here, there = context.Pipe()
            member = context.Process(target=serve, args=(there, whole[at * share : (at + 1) * share], PARTITIONS))
            member.start()
            self.pipes.append(here)
            self.members.append(member)

    def ask(self, what: Any) -> list[Any]:
        """The answers of all."""
        for pipe in self.pipes:
            pipe.send(what)
        return [pipe.recv() for pipe in self.pipes]

    def parts(self, name: str, shape: tuple[int, int]) -> Record:
        """The parts of a unit."""
        kind, settings, marks = METHODS[name]
        passes = Passes()
        for pipe in self.pipes:
            pipe.send("start")
        estimator, note = getattr(arss, kind)(**settings), passes.note(marks)
        version = 0

        def run(request: bytes) -> bytes:
            nonlocal version
            _, changes = _core.about(request)
            passes.ticket = str(len(passes.notes))
            answers = self.ask(_worker.Order(request, version, changes, passes.ticket))
            version += changes
            begin = time.time()
            total = _worker.joined({node: sums for answer in answers for node, sums in answer.items()}, PARTITIONS)
            passes.merge += time.time() - begin
            return total[max(total)]

        def observer(phase: str, iteration: int, *rest: Any) -> bool:
            return note(arss.Progress(phase, iteration, *rest))

        how = (estimator._method_name(), estimator._settings())
        _core.drive(
            how, settings["n_samples"], (*shape, False), lambda r: passes.of(lambda: run(r)), observer, "euclidean"
        )
        return passes.parts(self.ask("notes"), marks[1] - marks[0])

    def close(self) -> None:
        """End them."""
        for pipe, member in zip(self.pipes, self.members, strict=True):
            pipe.send(None)
            member.join(30)


def by_threads(name: str, X: Any, threads: int) -> Record:
    """Seconds of a unit in memory."""
    kind, settings, marks = METHODS[name]
    times: list[float] = []

    def callback(progress: arss.Progress) -> bool:
        if progress.phase == "solve" and progress.iteration in marks:
            times.append(time.time())
        return False

    getattr(arss, kind)(**settings, n_jobs=threads, callback=callback).fit(X)
    return {"seconds": (times[1] - times[0]) / (marks[1] - marks[0])}


def idle(client: Any, seconds: float = 3.0) -> Record:
    """Cores that client and scheduler, and the workers, use while nothing is to do."""
    here, there = time.process_time(), sum(client.run(time.process_time).values())
    time.sleep(seconds)
    here, there = time.process_time() - here, sum(client.run(time.process_time).values()) - there
    return {"client_cores": here / seconds, "worker_cores": there / seconds}


def measure(names: list[str], rows: int, columns: int) -> Iterator[Record]:
    """Every engine with one and two workers, one after the other."""
    X = np.random.default_rng(0).normal(size=(rows, columns))
    for count in (1, 2):
        for name in names:
            yield {"method": name, "engine": "threads", "workers": count} | by_threads(name, X, count)
        plain = Processes(X, count)
        for name in names:
            yield {"method": name, "engine": "processes", "workers": count} | plain.parts(name, (rows, columns))
        plain.close()
        with (
            LocalCluster(
                n_workers=count, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs=50
            ) as nodes,
            Client(nodes) as client,
        ):
            yield {"method": "nothing", "engine": "dask, idle", "workers": count} | idle(client)
            client.run(watch)
            # Neighbours on one worker.
            blocks = np.array_split(X, PARTITIONS)
            home = sorted(client.nthreads())
            futures = [client.scatter(X, workers=[home[at * count // PARTITIONS]]) for at, X in enumerate(blocks)]
            wait(futures)
            held = da.concatenate([da.from_delayed(f, b.shape, float) for f, b in zip(futures, blocks, strict=True)])
            for name in names:
                for line in (False, True):
                    engine = "dask, direct line" if line else "dask, tasks"
                    yield {"method": name, "engine": engine, "workers": count} | by_dask(client, name, held, line)


def draw() -> None:
    """The newest line of each method, engine and number of workers as bars."""
    sys.path.insert(0, str(HERE.parent))
    import palette

    palette.settings(8)
    lines = [json.loads(line) for line in (HERE / "overhead.jsonl").read_text().splitlines()]
    newest = {(line["method"], line["workers"], line["engine"]): line for line in lines}
    colours = dict(zip(PARTS, palette.COLOURS, strict=True))
    names = [name for name in METHODS if any(key[0] == name for key in newest)]
    figure, axes = palette.plt.subplots(1, len(names), figsize=(9, 3.6), layout="constrained")
    for axis, name in zip(axes, names, strict=True):
        found = [(key, line) for key, line in newest.items() if key[0] == name]
        found.sort(key=lambda item: (item[0][1], list(ENGINES).index(item[0][2])))
        for at, (_, line) in enumerate(found):
            bottom = 0.0
            for part in PARTS if "kernel" in line else ():
                high = 1e3 * max(line[part], 0.0)
                axis.bar(at, high, bottom=bottom, color=colours[part], width=0.75)
                bottom += high
            if "kernel" not in line:
                axis.bar(at, 1e3 * line["seconds"], color="none", edgecolor="black", width=0.75)
        axis.set_xticks(range(len(found)), [f"{ENGINES[key[2]]} {key[1]}" for key, _ in found], rotation=90)
        axis.set_title(name.upper() + (", a pick" if name == "ted" else ", an iteration"))
    axes[0].set_ylabel("milliseconds")
    handles = [palette.plt.Rectangle((0, 0), 1, 1, color=colours[part]) for part in PARTS]
    figure.legend(handles, PARTS.values(), loc="outside lower center", ncols=4, frameon=False)
    palette.save(figure, HERE / "overhead.svg")


#: Engines and what the figure calls them.
ENGINES = {"threads": "threads", "processes": "processes", "dask, tasks": "tasks", "dask, direct line": "line"}


def main() -> None:
    """Measure and write, or draw."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--only", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--draw", action="store_true", help="draw overhead.svg from overhead.jsonl")
    options = parser.parse_args()
    if options.draw:
        return draw()
    warnings.simplefilter("ignore")
    size = {"rows": options.rows, "columns": options.columns, "command": shlex.join(["python", *sys.argv])}
    with dask.config.set({"distributed.admin.log-length": 0}), (HERE / "overhead.jsonl").open("a") as file:
        for line in measure(options.only, options.rows, options.columns):
            print(json.dumps(line | size), file=file, flush=True)


if __name__ == "__main__":
    # By its own name, so that workers share what it notes: what stands in `__main__` is sent to them as a copy.
    import overhead

    overhead.main()
