"""Time of the Python package on top of the Rust core, as shares from one run.

Run: make bench-python (needs the package installed in the interpreter given as PYTHON).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import arss
import numpy as np
from arss import _core


def overhead(rows: int = 20_000, columns: int = 16) -> float:
    """Least share of `arss.select` that is not the core's own, over ten runs."""
    table = np.random.default_rng(0).normal(size=(rows, columns))
    inner, inside = _core.select, 0.0

    def timed(*arguments, **how):
        nonlocal inside
        start = time.perf_counter()
        found = inner(*arguments, **how)
        inside = time.perf_counter() - start
        return found

    _core.select = timed
    shares = []
    for _ in range(10):
        start = time.perf_counter()
        arss.select(table, 16)
        shares.append((time.perf_counter() - start) / inside - 1.0)
    _core.select = inner
    return min(shares)


def import_seconds() -> float:
    """What `import arss` takes when numpy is there already, the best of five."""
    code = "import time, numpy; start = time.perf_counter(); import arss; print(time.perf_counter() - start)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


if __name__ == "__main__":
    result = {
        "overhead of arss.select over the core, 20,000 x 16": round(overhead(), 4),
        "seconds of import beyond numpy's own": round(import_seconds(), 4),
        "numpy": np.__version__,
        "arss": arss.__version__,
    }
    print(json.dumps(result, indent=1))
    (Path(__file__).parent / "results.json").write_text(json.dumps(result, indent=1) + "\n")
