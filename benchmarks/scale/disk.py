"""Times `arss select` from scratch files against the same run in memory, and takes its greatest resident memory.

Each pair is run one after the other, the better of two counts; records go to disk.jsonl, one a line. With --large one
table of so many gigabytes is made (in parts, compressed) and run once from scratch files only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
METHODS = {
    "exemplars": [],
    "ted": [],
    "rrss": ["--iterations", "20"],
    "arss": ["--iterations", "20"],
}


def rows(count: int, columns: int, seed: int) -> np.ndarray:
    """Rows around thirty centres, every fiftieth far out; in steps of 1/16, so that a file of them is small."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(30, columns)) * 3
    table = centres[random.integers(30, size=count)] + random.normal(size=(count, columns))
    table[::50] *= 8
    return np.round(table * 16) / 16


def run(command: list[str]) -> tuple[float, int, str]:
    """Seconds, the greatest resident memory in bytes and the last line of a run."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        # What wait4 tells begins with the memory of this process, which is larger.
        peak = 0
        while process.poll() is None:
            peak = max(peak, high_water(process.pid))
            time.sleep(0.002)
        seconds = time.perf_counter() - begin
        said.seek(0)
        lines = said.read().strip().splitlines()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: {lines[-1]}")
    return seconds, peak, lines[-1]


def high_water(process: int) -> int:
    """The greatest resident memory of a process so far, as the kernel counts it."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return max((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), default=0)


def record(**found: object) -> None:
    """Appends what was found, with the machine."""
    found["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
    with (HERE / "disk.jsonl").open("a") as file:
        file.write(json.dumps(found) + "\n")
    print(json.dumps(found), flush=True)


def compare(arss: str, folder: Path, methods: list[str]) -> None:
    """Each method in memory and from scratch files, on files about three times as large as --memory."""
    for name, count, columns, memory in (("t", 640_000, 64, "90M"), ("n", 2_000_000, 20, "110M")):
        path = folder / f"{name}.npy"
        np.save(path, rows(count, columns, 1))
        for method in methods:
            flags = [str(path), "-k", "50", "--method", method, *METHODS[method], "--force"]
            line = [arss, "select", *flags, "--indices", str(folder / "a.txt")]
            disk = [arss, "select", *flags, "--indices", str(folder / "b.txt"), "--memory", memory]
            disk += ["--scratch", str(folder)]
            here = min((run(line) for _ in range(2)), key=lambda found: found[0])
            there = min((run(disk) for _ in range(2)), key=lambda found: found[0])
            same = (folder / "a.txt").read_bytes() == (folder / "b.txt").read_bytes()
            record(
                method=method,
                rows=count,
                columns=columns,
                file=path.stat().st_size,
                memory=memory,
                seconds_memory=round(here[0], 3),
                seconds_disk=round(there[0], 3),
                ratio=round(there[0] / here[0], 3),
                peak_memory=here[1],
                peak_disk=there[1],
                same_picks=same,
            )
        path.unlink()


def large(arss: str, folder: Path, gigabytes: float, memory: str) -> None:
    """One table that is much larger than the memory, in Parquet, by exemplars."""
    columns, part = 64, 1 << 18
    parts = round(gigabytes * 2**30 / (part * columns * 8))
    path = folder / "large.parquet"
    names = [f"c{column}" for column in range(columns)]
    with pq.ParquetWriter(path, pa.schema([(name, pa.float64()) for name in names]), compression="zstd") as writer:
        for seed in range(parts):
            table = rows(part, columns, seed)
            writer.write_table(pa.table(dict(zip(names, table.T, strict=True))), row_group_size=1 << 16)
            print(f"part {seed + 1} of {parts}", file=sys.stderr, flush=True)
    command = [arss, "select", str(path), "-k", "500", "--memory", memory, "--scratch", str(folder)]
    seconds, peak, said = run([*command, "-o", str(folder / "chosen.parquet"), "--force"])
    values = parts * part * columns * 8
    size = path.stat().st_size
    record(
        method="exemplars",
        rows=parts * part,
        columns=columns,
        values=values,
        file=size,
        memory=memory,
        seconds_disk=round(seconds, 1),
        peak_disk=peak,
        said=said,
    )
    path.unlink()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arss", default=str(HERE.parents[1] / "target/release/arss"), help="the program")
    parser.add_argument("--large", type=float, help="gigabytes of the large table")
    parser.add_argument("--memory", default="2G", help="what the large run may use")
    parser.add_argument("--scratch", help="folder for everything that is large")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.scratch) as name:
        if chosen.large:
            large(chosen.arss, Path(name), chosen.large, chosen.memory)
        else:
            compare(chosen.arss, Path(name), chosen.methods)


if __name__ == "__main__":
    main()
