"""What a pass costs when there is nothing to do: seconds of Dask a round and a task, with 200 rows a partition.

`python rounds.py` writes rounds.jsonl beside it. The model in model.py takes its `round` and `task` from here.
"""

import json
import time
import warnings
from pathlib import Path

import arss
import arss.dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

PARTITIONS = (1, 4, 8, 16, 32)


def seconds(partitions: int) -> float:
    """Median of a pick of TED, which is one pass."""
    X = da.random.default_rng(0).normal(size=(partitions * 200, 64), chunks=(200, 64)).persist()
    wait(X)
    times: list[float] = []

    def note(_: arss.Progress) -> bool:
        times.append(time.perf_counter())
        return False

    arss.dask.TED(62, callback=note).fit(X)
    return float(np.median(np.diff(times)))


def main() -> None:
    """Measure and write."""
    warnings.simplefilter("ignore")
    lines = []
    for workers in (1, 2):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None) as nodes,
            Client(nodes),
        ):
            found = [seconds(partitions) for partitions in PARTITIONS]
        # One task a worker, whatever the partitions.
        part, start = np.polyfit(np.array(PARTITIONS), found, 1).tolist()
        lines.append(
            {
                "workers": workers,
                "partitions": PARTITIONS,
                "pass_s": found,
                "round_s": start,
                "partition_s": part,
                "command": "python rounds.py",
            }
        )
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path(__file__).with_name("rounds.jsonl").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
