"""Time of `fit(path)` against `fit(table)`, one process, when the file fits the page cache.

Ratios from one run, the fastest of three of each, in turn. `python outside.py` writes outside.jsonl beside it.
"""

import argparse
import json
import shlex
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arss
import numpy as np

METHODS: dict[str, dict[str, Any]] = {
    "ARSS": {"n_samples": 50, "max_iter": 20, "tol": 0},
    "RRSS": {"n_samples": 50, "max_iter": 20, "tol": 0},
    "TED": {"n_samples": 50},
    "Exemplars": {"n_samples": 50},
}


def seconds(work: Callable[[], object]) -> float:
    """Of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def record(name: str, X: np.ndarray, path: Path, memory: int) -> dict[str, Any]:
    """Both times of a method, and whether it chose the same rows."""
    near, far = (getattr(arss, name)(**METHODS[name]) for _ in range(2))
    runs = [
        (seconds(lambda: near.fit(X)), seconds(lambda: far.fit(path, memory=memory, scratch=path.parent)))
        for _ in range(3)
    ]
    here, there = np.min(runs, axis=0).tolist()
    return {
        "method": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "file_over_memory": X.nbytes / memory,
        "in_memory_s": here,
        "file_s": there,
        "file_over_in_memory": there / here,
        "same_rows": near.sample_indices_.tolist() == far.sample_indices_.tolist(),
        "command": shlex.join(["python", *sys.argv]),
    }


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=64)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).normal(size=(options.rows, options.columns))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npy"
        np.save(path, X)
        found = [record(name, X, path, X.nbytes // 4) for name in METHODS]
    text = "".join(json.dumps(line) + "\n" for line in found)
    Path(__file__).with_name("outside.jsonl").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
