"""The steps of `arss.dask` by Ray's actors, to see what a pass costs there; a prototype that no user sees.

`python ray_steps.py` measures a pass with nothing to do and an iteration of ARSS and RRSS and a pick of TED on the same
table with two workers of one thread each, by Dask and by Ray in turn, and writes ray.jsonl beside it. Needs `ray`.
"""

import json
import time
import uuid
import warnings
from pathlib import Path
from typing import Any

import arss
import arss.dask
import dask
import dask.array as da
import numpy as np
import ray
from arss import _core
from arss.dask import _worker
from distributed import Client, LocalCluster, wait

PARTITIONS, WORKERS, REPEATS = 8, 2, 3
#: Method, estimator, settings, and the iterations that are timed.
CASES: list[tuple[str, str, dict[str, Any], tuple[int, int]]] = [
    ("arss", "ARSS", {"max_iter": 22, "tol": 0.0}, (6, 16)),
    ("rrss", "RRSS", {"max_iter": 22, "tol": 0.0}, (6, 16)),
    ("ted", "TED", {}, (10, 40)),
]


@ray.remote(num_cpus=1)
class Holder:
    """Some partitions and their states in a process of its own."""

    def __init__(self, parts: list[tuple[int, int, Any]]) -> None:
        self.parts = parts
        self.states = [_worker.State() for _ in parts]

    def reset(self) -> None:
        """Forget the states."""
        self.states = [_worker.State() for _ in self.parts]

    def walk(self, order: _worker.Order) -> dict[tuple[int, int], bytes]:
        """What arss.dask runs on a worker, without the address."""
        step = _core.Step(order.request)
        sums = {}
        for (number, first, rows), state in zip(self.parts, self.states, strict=True):
            sums[0, number] = step.apply(rows, first, state.kept)
        return _worker.joined(sums, PARTITIONS)


class RayEngine:
    """Passes over the actors."""

    def __init__(self, holders: list[Any]) -> None:
        self.holders = holders

    def walk(self, request: bytes) -> bytes:
        """One pass: the sums over all rows."""
        order = ray.put(_worker.Order(request, 0, True, uuid.uuid4().hex))
        found = ray.get([holder.walk.remote(order) for holder in self.holders])
        total = _worker.joined({node: sums for part in found for node, sums in part.items()}, PARTITIONS)
        return total[max(total)]


def seconds(case: tuple[str, str, dict[str, Any], tuple[int, int]], drive: Any) -> float:
    """Of an iteration: `drive` is called with an estimator that has a callback."""
    _, kind, settings, (first, last) = case
    marks: list[float] = []

    def note(progress: arss.Progress) -> bool:
        if progress.phase == "solve" and progress.iteration in (first, last):
            marks.append(time.perf_counter())
        return False

    picks = 42 if kind == "TED" else 5
    drive(kind, {"n_samples": picks, **settings}, note)
    return (marks[1] - marks[0]) / (last - first)


def by_ray(holders: list[Any], rows: int, columns: int) -> Any:
    """A fit over the actors."""

    def drive(kind: str, settings: dict[str, Any], note: Any) -> list[int]:
        ray.get([holder.reset.remote() for holder in holders])
        estimator = getattr(arss, kind)(**settings)

        def observer(phase: str, iteration: int, *rest: Any) -> bool:
            return note(arss.Progress(phase, iteration, *rest))

        found = _core.drive(
            (estimator._method_name(), estimator._settings()),
            settings["n_samples"],
            (rows, columns, False),
            RayEngine(holders).walk,
            observer,
            "euclidean",
        )
        return list(found["indices"])

    return drive


def by_dask(X: Any) -> Any:
    """The same by arss.dask."""
    return lambda kind, settings, note: getattr(arss.dask, kind)(**settings, callback=note).fit(X)


def main() -> None:
    """Measure and write."""
    warnings.simplefilter("ignore")
    lines = []
    for rows in (1_600, 400_000):
        columns = 64
        X = np.random.default_rng(0).normal(size=(rows, columns))
        parts = np.array_split(X, PARTITIONS)
        firsts = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        whole = [(n, firsts[n], part) for n, part in enumerate(parts)]
        share = PARTITIONS // WORKERS
        ray.init(num_cpus=WORKERS, include_dashboard=False, logging_level="ERROR")
        holders = [Holder.remote(whole[at * share : (at + 1) * share]) for at in range(WORKERS)]
        found: dict[str, dict[str, list[float]]] = {case[0]: {"ray": [], "dask": []} for case in CASES}
        for case in CASES:
            found[case[0]]["ray"] = [seconds(case, by_ray(holders, rows, columns)) for _ in range(REPEATS)]
        ray.shutdown()
        with (
            dask.config.set({"distributed.admin.log-length": 0}),
            LocalCluster(
                n_workers=WORKERS, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs=50
            ) as nodes,
            Client(nodes),
        ):
            held = da.from_array(X, chunks=(rows // PARTITIONS, columns)).persist()
            wait(held)
            for case in CASES:
                found[case[0]]["dask"] = [seconds(case, by_dask(held)) for _ in range(REPEATS)]
        for name, taken in found.items():
            best = {engine: min(times) for engine, times in taken.items()}
            lines.append({"method": name, "rows": rows, "columns": columns, **best, "command": "python ray_steps.py"})
            print(json.dumps(lines[-1]), flush=True)
    Path(__file__).with_name("ray.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
