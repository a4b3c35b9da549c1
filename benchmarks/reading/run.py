"""Reading a table of 1,000,000 x 20: the arss binary against pandas' C reader and pyarrow to NumPy.

The binary is timed as a whole process (start, reading, a random choice of one row, its line on stdout); its rivals are
timed inside a running interpreter, reading only. Best of several rounds, all of them taken in turn.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
COLUMNS = 20


def tables(folder: Path, rows: int) -> dict[str, Path]:
    """The same numbers as csv and as Parquet."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(rows, COLUMNS)))
    frame.columns = [f"x{column}" for column in range(COLUMNS)]
    files = {"csv": folder / "table.csv", "parquet": folder / "table.parquet"}
    frame.to_csv(files["csv"], index=False)
    frame.to_parquet(files["parquet"])
    return files


def numpy_of(table: pa.Table) -> np.ndarray:
    """The columns as one matrix."""
    return np.column_stack([table.column(name).to_numpy() for name in table.column_names])


def seconds(run) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Time everything in turn and keep the best of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--arss", default="target/release/arss")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = tables(Path(folder), options.rows)

        def arss(path: Path):
            line = [options.arss, "select", str(path), "-k", "1", "--method", "random", "--scale", "none", "-q"]
            return lambda: subprocess.run(line, check=True, stdout=subprocess.DEVNULL)

        runs = {
            ("csv", "arss"): arss(files["csv"]),
            ("csv", "pandas, C reader, to NumPy"): lambda: pd.read_csv(files["csv"], engine="c").to_numpy(),
            ("parquet", "arss"): arss(files["parquet"]),
            ("parquet", "pyarrow to NumPy"): lambda: numpy_of(pq.read_table(files["parquet"])),
        }
        times: dict[tuple[str, str], list[float]] = {key: [] for key in runs}
        for _ in range(options.rounds):
            for key, run in runs.items():
                times[key].append(seconds(run))
        sizes = {name: path.stat().st_size for name, path in files.items()}
    with (HERE / "results.jsonl").open("w") as out:
        for (kind, reader), taken in times.items():
            mine = min(times[kind, "arss"])
            record = {
                "format": kind,
                "reader": reader,
                "rows": options.rows,
                "bytes": sizes[kind],
                "seconds": [round(value, 4) for value in taken],
                "best": round(min(taken), 4),
                "ratio_to_arss": round(min(taken) / mine, 3),
                "pandas": pd.__version__,
                "pyarrow": pa.__version__,
                "machine": platform.machine(),
            }
            print(json.dumps(record))
            print(json.dumps(record), file=out)


if __name__ == "__main__":
    main()
