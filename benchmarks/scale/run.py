"""Scaling of arss.dask on this machine, and the bytes it moves against the model.

Weak and strong scaling from one to two workers, and the overhead against the estimator in memory with as many threads.
`python run.py` adds lines to results.jsonl beside it; the ratios are those of the fastest of each over all lines of a
method and size, because seconds on a shared machine differ by more than what is measured.
"""

import argparse
import json
import shlex
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arss
import arss.dask
import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import model

HERE = Path(__file__).parent
Record = dict[str, Any]
PARTITIONS = 8
#: What is measured of each method: an iteration, the middle ten; a pick; everything.
METHODS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "arss": ("iteration", "ARSS", {"n_samples": 5, "max_iter": 22, "tol": 0}),
    "rrss": ("iteration", "RRSS", {"n_samples": 5, "max_iter": 22, "tol": 0}),
    "ted": ("pick", "TED", {"n_samples": 42}),
    "exemplars": ("all", "Exemplars", {"n_samples": 50}),
}


class Clock:
    """Seconds and bytes between the iterations (or picks) `first` and `last`, or of everything."""

    def __init__(self, unit: str, sent: Callable[[], float]) -> None:
        self.first, self.last = {"iteration": (6, 16), "pick": (10, 40), "all": (0, 0)}[unit]
        self.sent = sent
        self.marks: list[tuple[float, float, float]] = []

    def __call__(self, progress: arss.Progress) -> bool:
        """Called once an iteration."""
        if progress.phase == "solve" and progress.iteration in (self.first, self.last) and self.last:
            self.mark()
        return False

    def mark(self) -> None:
        """Note the time and the bytes; looking at the bytes takes no measured time."""
        before = time.perf_counter()
        sent = self.sent()
        self.marks.append((before, sent, time.perf_counter()))

    def found(self) -> tuple[float, float]:
        """Seconds and bytes of one iteration."""
        (_, first, start), (end, last, _) = self.marks
        steps = max(self.last - self.first, 1)
        return (end - start) / steps, (last - first) / steps


def timed(unit: str, estimator: Any, X: Any, sent: Callable[[], float] = lambda: 0.0) -> tuple[float, float]:
    """Seconds and bytes of a unit of a fit."""
    clock = Clock(unit, sent)
    if unit == "all":
        clock.mark()
        estimator.fit(X)
        clock.mark()
    else:
        estimator.set_params(callback=clock).fit(X)
    return clock.found()


def far(name: str, X: da.Array, workers: int) -> tuple[float, float]:
    """Seconds, and bytes between workers, with worker processes of one thread each that hold the rows already."""
    unit, kind, settings = METHODS[name]
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs=50
        ) as nodes,
        Client(nodes) as client,
    ):
        held = X.persist()
        wait(held)

        def sent() -> float:
            return float(sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values()))

        # The first run of a worker imports the package.
        getattr(arss.dask, kind)(2).set_params(**{k: 2 for k in settings if k == "max_iter"}).fit(held[:1000])
        return timed(unit, getattr(arss.dask, kind)(**settings), held, sent)


def near(name: str, X: np.ndarray, threads: int) -> float:
    """Seconds in memory."""
    unit, kind, settings = METHODS[name]
    return timed(unit, getattr(arss, kind)(**settings, n_jobs=threads), X)[0]


def record(name: str, rows: int, columns: int) -> Record:
    """Every measure of a method."""
    parts = da.random.default_rng(0).normal(size=(rows, columns), chunks=(rows // PARTITIONS, columns))
    one, _ = far(name, parts, 1)
    two, sent = far(name, parts, 2)
    half, _ = far(name, parts[: rows // 2], 1)
    X = parts.compute(scheduler="threads")
    local = [near(name, X, threads) for threads in (1, 2)]
    setting = model.Setting(rows, columns, PARTITIONS, 2)
    cost = model.exemplars(setting, k=50) if name == "exemplars" else getattr(model, name)(setting)
    return {
        "method": name,
        "unit": METHODS[name][0],
        "rows": rows,
        "columns": columns,
        "partitions": PARTITIONS,
        "one_worker_s": one,
        "two_workers_s": two,
        "half_the_rows_one_worker_s": half,
        "one_thread_s": local[0],
        "two_threads_s": local[1],
        "network_bytes": sent,
        "model_bytes": cost.network,
        "command": shlex.join(["python", *sys.argv]),
    }


def ratios(lines: list[Record]) -> dict[str, float]:
    """What README.md says of a method, from all its lines."""
    one, two, half, thread, threads = (
        min(line[f"{what}_s"] for line in lines)
        for what in ("one_worker", "two_workers", "half_the_rows_one_worker", "one_thread", "two_threads")
    )
    bytes_ = [line["network_bytes"] / line["model_bytes"] for line in lines]
    return {
        "runs": len(lines),
        "strong_scaling": one / two,
        "weak_scaling": half / two,
        "local_strong_scaling": thread / threads,
        "overhead_one": one / thread,
        "overhead_two": two / threads,
        "network_over_model_least": min(bytes_),
        "network_over_model_most": max(bytes_),
    }


def main() -> None:
    """Measure and write; fails if the bytes are more than those of the model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--only", nargs="+", choices=METHODS, default=list(METHODS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    path = HERE / "results.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    wrong = []
    with dask.config.set({"distributed.admin.log-length": 0}):
        for name in options.only:
            lines.append(record(name, options.rows, options.columns))
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            wanted = (name, options.rows, options.columns)
            found = ratios([line for line in lines if (line["method"], line["rows"], line["columns"]) == wanted])
            print(json.dumps(lines[-1] | found, indent=1), flush=True)
            # As the model says where neighbours are on one worker; at most a leaf a partition where they are not, and
            # some bytes of the protocol. Exemplars has one heavy pass, in which Dask may move a partition.
            allowed = 0.6 * PARTITIONS * lines[-1]["model_bytes"] + 16384
            if name != "exemplars" and lines[-1]["network_bytes"] > allowed:
                wrong.append(name)
    if wrong:
        raise SystemExit(f"the bytes of {', '.join(wrong)} are more than the model allows")


if __name__ == "__main__":
    main()
