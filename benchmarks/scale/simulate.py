"""Simulation of a pass with stragglers: how long until the root of the reduction tree is known.

Each partition takes a lognormal time around 1; some workers are slow by a factor. Partitions go to the worker that is
free first, as a scheduler with work stealing has it. A merge starts when its last part is there.
"""

import heapq
import json
from pathlib import Path
from typing import Any

import numpy as np

FAN_IN = 8


def leaves(partitions: int, slow: np.ndarray, spread: float, generator: np.random.Generator) -> np.ndarray:
    """When the sums of each partition are there; `slow` has one factor a worker."""
    free = [(0.0, worker) for worker in range(len(slow))]
    done = np.empty(partitions)
    for partition in range(partitions):
        start, worker = heapq.heappop(free)
        done[partition] = start + slow[worker] * generator.lognormal(-spread * spread / 2, spread)
        heapq.heappush(free, (done[partition], worker))
    return done


def root(done: np.ndarray, merge: float) -> float:
    """When the root is there; a merge of eight takes `merge`."""
    while len(done) > 1:
        done = np.array([done[at : at + FAN_IN].max() + merge for at in range(0, len(done), FAN_IN)])
    return float(done[0])


def pass_time(workers: int, per_worker: int, straggler: float, share: float, merge: float) -> dict[str, Any]:
    """Mean and worst of 200 passes, as multiples of the time without any spread, stragglers or merges."""
    generator = np.random.default_rng(0)
    times = []
    for _ in range(200):
        slow = np.where(generator.random(workers) < share, straggler, 1.0)
        times.append(root(leaves(workers * per_worker, slow, 0.1, generator), merge) / per_worker)
    return {
        "workers": workers,
        "partitions_a_worker": per_worker,
        "straggler_factor": straggler,
        "straggler_share": share,
        "mean": float(np.mean(times)),
        "p95": float(np.quantile(times, 0.95)),
    }


def main() -> None:
    """Write the table."""
    cases = [
        (workers, per_worker, straggler, share)
        for workers in (10, 100)
        for per_worker in (1, 4, 16)
        for straggler, share in ((1.0, 0.0), (3.0, 0.02), (3.0, 0.1))
    ]
    records = [pass_time(*case, merge=0.01) for case in cases]
    path = Path(__file__).with_name("simulation.jsonl")
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    for record in records:
        print(record)


if __name__ == "__main__":
    main()
