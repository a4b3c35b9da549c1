"""Scaling of arss.dask on this machine, and the bytes an iteration moves against the model.

Ratios from one run: weak and strong scaling from one to two workers, and the overhead against the estimator in memory
with as many threads. `python run.py` writes results.jsonl beside it.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arss
import arss.dask
import dask
import dask.array as da
import model
import numpy as np
from distributed import Client, LocalCluster

HERE = Path(__file__).parent
Record = dict[str, Any]
ITERATIONS = 22


def table(rows: int, columns: int, partitions: int) -> tuple[np.ndarray, da.Array]:
    """The same numbers in memory and in partitions."""
    X = np.random.default_rng(0).normal(size=(rows, columns))
    return X, da.from_array(X, chunks=(-(-rows // partitions), columns))


def cluster(workers: int) -> Any:
    """Worker processes with one thread each."""
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50)


class Clock:
    """Seconds between iterations; the first five are left out, and the two around a cut of the lineage are kept."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, progress: arss.Progress) -> bool:
        """Note the time."""
        if progress.phase == "solve":
            self.times.append(time.perf_counter())
        return False

    def seconds(self) -> float:
        """Mean seconds of an iteration."""
        return float(np.mean(np.diff(self.times)[4:]))


def far(X: da.Array, method: type, **settings: Any) -> tuple[float, float]:
    """Seconds of an iteration, and bytes between workers in one."""
    with cluster(settings.pop("workers")) as nodes, Client(nodes) as client:
        held = X.persist()
        clock = Clock()
        sent: list[float] = []

        def watch(progress: arss.Progress) -> bool:
            if progress.phase == "solve" and progress.iteration in (5, 15):
                sent.append(sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values()))
            return clock(progress)

        method(5, max_iter=ITERATIONS, tol=0, callback=watch).fit(held, client=client)
    return clock.seconds(), (sent[1] - sent[0]) / 10


def near(X: np.ndarray, method: type, threads: int) -> float:
    """Seconds of an iteration in memory."""
    clock = Clock()
    method(5, max_iter=ITERATIONS, tol=0, callback=clock, n_jobs=threads).fit(X)
    return clock.seconds()


def records(rows: int, columns: int) -> Iterator[Record]:
    """Every measure."""
    for name, here, there in (("arss", arss.ARSS, arss.dask.ARSS), ("rrss", arss.RRSS, arss.dask.RRSS)):
        X, parts = table(rows, columns, 8)
        one, _ = far(parts, there, workers=1)
        two, sent = far(parts, there, workers=2)
        half = X[: rows // 2]
        weak, _ = far(da.from_array(half, chunks=(-(-rows // 8), columns)), there, workers=1)
        cost = getattr(model, name)(model.Setting(rows, columns, 8, 2))
        yield {
            "method": name,
            "rows": rows,
            "columns": columns,
            "partitions": 8,
            "one_worker_s": one,
            "two_workers_s": two,
            "strong_scaling": one / two,
            "weak_scaling": weak / two,
            "overhead_one": one / near(X, here, 1),
            "overhead_two": two / near(X, here, 2),
            "network_bytes": sent,
            "model_bytes": cost.network,
            "network_over_model": sent / cost.network,
        }


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=64)
    options = parser.parse_args()
    with dask.config.set({"distributed.admin.log-length": 0}):
        found = list(records(options.rows, options.columns))
    (HERE / "results.jsonl").write_text("".join(json.dumps(record) + "\n" for record in found))
    for record in found:
        print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
