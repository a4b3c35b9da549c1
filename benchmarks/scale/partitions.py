"""The scheduler's load at up to 10,000 partitions: a real scheduler, workers whose tasks sleep.

`python partitions.py` writes partitions.jsonl beside it. The scheduler is a process of its own; two processes with 100
threads each stand for 200 cores. A pass over P partitions, each of which takes `SLEEP` seconds, is asked for in two
ways: one task for each partition, as Dask's collections do, and one task for each core that steps over its partitions,
as `arss.dask` does. Answers are put together by eights. The scheduler's processor seconds are read from /proc.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from distributed import Client

WORKERS, THREADS = 2, 100
SLEEP = 0.02
PARTITIONS = (200, 1_000, 10_000)
PASSES = 5
FAN_IN = 8
#: A process has so long to come up.
LIMIT = 60


def sleep(partitions: int, seconds: float) -> int:
    """Steps over some partitions."""
    time.sleep(partitions * seconds)
    return partitions


def total(answers: list[int]) -> int:
    """Puts answers together."""
    return sum(answers)


def walk(client: Client, tasks: list[int], name: str) -> int:
    """One pass: a task for each entry, which is its number of partitions; the sum of the answers."""
    found = client.map(sleep, tasks, [SLEEP] * len(tasks), key=f"{name}-step", pure=False)
    level = 0
    while len(found) > FAN_IN:
        groups = [found[at : at + FAN_IN] for at in range(0, len(found), FAN_IN)]
        found = client.map(total, groups, key=f"{name}-total-{level}", pure=False)
        level += 1
    return sum(client.gather(found))


def processor_seconds(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(client: Client, scheduler: int, partitions: int, per_core: bool) -> dict[str, Any]:
    """Passes of one kind: seconds beyond the sleep, and the scheduler's share."""
    cores = WORKERS * THREADS
    tasks = [len(range(core, partitions, cores)) for core in range(cores)] if per_core else [1] * partitions
    walk(client, tasks, "warm")
    before, started = processor_seconds(scheduler), time.perf_counter()
    for number in range(PASSES):
        assert walk(client, tasks, f"pass-{number}-{per_core}-{partitions}") == partitions
    wall = (time.perf_counter() - started) / PASSES
    ideal = -(-partitions // cores) * SLEEP
    return {
        "partitions": partitions,
        "tasks": len(tasks),
        "per": "core" if per_core else "partition",
        "pass_s": round(wall, 3),
        "ideal_s": round(ideal, 3),
        "scheduler_cpu_s": round((processor_seconds(scheduler) - before) / PASSES, 3),
    }


def main() -> None:
    """Measures and writes."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = folder / "scheduler.json"

        def start(module: str, *words: str) -> subprocess.Popen[bytes]:
            log = stack.enter_context((folder / f"{module}.log").open("ab"))
            command = [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", str(place), *words]
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
            stack.callback(process.wait, LIMIT)
            stack.callback(process.terminate)
            return process

        scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        deadline = time.monotonic() + LIMIT
        while not place.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        for _ in range(WORKERS):
            start("dask_worker", "--nthreads", str(THREADS), "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        client = stack.enter_context(Client(scheduler_file=str(place), timeout=LIMIT))
        client.wait_for_workers(WORKERS, timeout=LIMIT)
        lines = []
        for partitions in PARTITIONS:
            for per_core in (True, False):
                lines.append(measure(client, scheduler.pid, partitions, per_core))
                print(json.dumps(lines[-1]), flush=True)
    Path(__file__).with_suffix(".jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
