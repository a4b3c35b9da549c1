"""ARSS, preset paper, ranking included, on 10^8 rows of 16 columns from Parquet: large.py ARSS FOLDER [--rows N].

Makes the table in FOLDER unless it is there: eight groups of different size, single precision. One line to large.jsonl:
seconds, bytes that the process read and wrote (its input and its scratch files), peak resident memory, and what the
program itself told.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GROUP = 1_000_000
COLUMNS = 16


def make(path: Path, rows: int) -> None:
    """Writes the table, a row group at a time."""
    centres = np.random.default_rng(0).normal(scale=3, size=(8, COLUMNS)).astype(np.float32)
    schema = pa.schema([(f"f{at}", pa.float32()) for at in range(COLUMNS)])
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, schema, compression="none", use_dictionary=False) as writer:
        for first in range(0, rows, GROUP):
            rng = np.random.default_rng(first + 1)
            count = min(GROUP, rows - first)
            own = centres[np.minimum(rng.geometric(0.4, count) - 1, 7)]
            X = own + rng.standard_normal((count, COLUMNS), dtype=np.float32)
            writer.write_table(pa.table(list(X.T), schema=schema))
    part.replace(path)


def main() -> None:
    """Makes the table, runs the program, keeps a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arss")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--make", action="store_true", help="make the table and stop")
    args = parser.parse_args()
    path = args.folder / f"rows-{args.rows}.parquet"
    if not path.exists():
        make(path, args.rows)
    if args.make:
        return
    flags = ["-k", "100", "--method", "arss", "--preset", "paper", "--iterations", "20", "--json", "-q"]
    command = [args.arss, "select", str(path), *flags, "--memory", args.memory, "--scratch", str(args.folder)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    # What a process read and wrote is told only while it runs.
    counters: dict[str, int] = {}
    while process.poll() is None:
        try:
            lines = Path(f"/proc/{process.pid}/io").read_text().splitlines()
            counters = {key: int(value) for key, value in (line.split(":") for line in lines)} or counters
        except (OSError, ValueError):
            pass
        time.sleep(0.5)
    seconds = time.perf_counter() - started
    assert process.stdout is not None
    told = json.loads(process.stdout.read())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = {
        "rows": args.rows,
        "columns": COLUMNS,
        "file_gb": round(path.stat().st_size / 1e9, 1),
        "memory": args.memory,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "read_gb": round(counters.get("rchar", 0) / 1e9, 1),
        "written_gb": round(counters.get("wchar", 0) / 1e9, 1),
        "from_disk_gb": round(counters.get("read_bytes", 0) / 1e9, 1),
        "peak_mb": round(used.ru_maxrss / 1024),
        "told": {key: told[key] for key in ("iterations", "rows_scored", "seconds", "notes")},
        "cores": os.cpu_count(),
    }
    print(json.dumps(line))
    with Path(__file__).with_name("large.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
