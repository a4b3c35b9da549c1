"""Memory and time of a run, told before it starts."""

from typing import NamedTuple

import numpy as np

from arss import _core
from arss._threads import threads

#: Iterations a run of the method usually takes; the greedy methods take one a pick.
_USUAL_ITERATIONS = {"arss": 250, "rrss": 200}
#: Cells of the table that is solved to find out how fast this machine is.
_PROBE_CELLS = 400_000
_PROBE_SIDE = 256
_PROBE_ITERATIONS = 3
#: Bytes an item besides the table: weights, norms, residuals, scores.
_ITEM_BYTES = {
    "exemplars": 88,
    "arss": 56,
    "rrss": 72,
    "ted": 56,
    "kmeans": 64,
    "kmedoids": 96,
    "facility": 80,
    "rrqr": 48,
    "random": 48,
}
#: Landmarks of the outlier score, and rows that are covered and chosen from at the most.
_LANDMARKS = 768
_POOL = 8192
#: Rows scored at a time, and the most products of each that are held.
_SCORED_ROWS = 256
_SCORED_COLUMNS = 65_536
#: Sums of the threads, and the distances k-medoids keeps.
_SUMS_LIMIT = 64 << 20


class Plan(NamedTuple):
    """What a run will take."""

    method: str
    #: Bytes on top of the table itself.
    bytes: int
    #: Bytes of the table.
    table_bytes: int
    #: Rough wall-clock seconds on this machine.
    seconds: float
    #: Iterations (or picks) that the seconds are for.
    iterations: int

    def __str__(self) -> str:
        return (
            f"{self.method}: about {_size(self.bytes)} on top of the table's {_size(self.table_bytes)}, "
            f"roughly {self.seconds:.2g} s at {self.iterations} iterations"
        )


def plan(
    n: int,
    l: int,  # noqa: E741 - the paper's letter
    method: str = "exemplars",
    *,
    n_samples: int = 10,
    max_iter: int | None = None,
    dtype: str = "float64",
    n_jobs: int | None = None,
) -> Plan:
    """Memory and time that choosing from `n` rows of `l` columns will take.

    The bytes follow from what the method keeps. The seconds come from a small run on random
    numbers, made now, and the way the method's work grows: expect them within a factor of a few.

    Parameters
    ----------
    n, l : int
        Rows and columns.
    method : str, default="exemplars"
        The method: "exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr" or "random".
    n_samples : int, default=10
        Rows to choose.
    max_iter : int or None, default=None
        Iterations to reckon with; None takes what is usual.
    dtype : {"float64", "float32"}, default="float64"
        Type of the table.
    n_jobs : int or None, default=None
        Threads, as in the estimators.

    Examples
    --------
    >>> import arss
    >>> plan = arss.plan(1_000_000, 16, "ted")
    >>> plan.bytes < plan.table_bytes
    True
    """
    if method not in _ITEM_BYTES:
        raise ValueError(f"method={method!r}, but it must be one of {', '.join(map(repr, _ITEM_BYTES))}")
    if n < 1 or l < 1:
        raise ValueError(f"a table of {n} x {l} has nothing to choose from")
    k = min(n_samples, n)
    iterations = max_iter or _USUAL_ITERATIONS.get(method, k)
    size = np.dtype(dtype).itemsize
    seconds = _seconds(n, l, method, k, iterations, np.dtype(dtype).type, threads(n_jobs))
    return Plan(method, _bytes(n, l, method, size), n * l * size, seconds, iterations)


def _bytes(n: int, l: int, method: str, size: int) -> int:  # noqa: E741
    short = min(n, l)
    needed = _ITEM_BYTES[method] * n
    if method in ("arss", "rrss"):
        # One value a cell: P of ARSS, the dual of RRSS; and the products that the scores are summed from.
        needed += n * l * size + _SCORED_ROWS * min(n, _SCORED_COLUMNS) * size
    if method in ("arss", "rrss", "ted"):
        needed += min(64 * 8 * short * short, max(_SUMS_LIMIT, 64 * short * short)) + 6 * 8 * short * short
    if method == "kmedoids":
        needed += min(_SUMS_LIMIT, 8 * n * n)
    if method in ("exemplars", "facility"):
        needed += 3 * 8 * min(n, _POOL) * (l + 4) + 4 * 8 * min(n, _LANDMARKS) ** 2 + 8 * 2048 * min(n, _LANDMARKS)
    return needed


def _work(n: int, l: int, method: str, k: int, iterations: int) -> float:  # noqa: E741
    """Operations, up to a factor that the probe finds."""
    short, long = min(n, l), max(n, l)
    if method in ("arss", "rrss"):
        # The scores of the first rows cost as much as an iteration with as many columns.
        return iterations * (long * short**2 + 10.0 * short**3 + 30.0 * n * l) + 256.0 * n * l
    if method == "ted":
        return long * short**2 + 10.0 * short**3 + 2.0 * k * n * l
    if method in ("exemplars", "facility"):
        landmarks, pool = min(n, _LANDMARKS), min(n, _POOL)
        score = float(n) * landmarks * (l + landmarks) if method == "exemplars" else 0.0
        return score + float(pool) * pool * (l + 8) + float(n) * l * k + 10.0 * landmarks**3
    if method == "kmedoids":
        searched = float(n) if n <= 5000 else 5.0 * max(3000, 5 * k)
        return searched * min(n, max(3000, 5 * k)) * l + 5.0 * n * k * l
    return float(n) * l * (k + 4)


def _seconds(
    n: int,
    l: int,  # noqa: E741
    method: str,
    k: int,
    iterations: int,
    kind: type[np.generic],
    n_threads: int,
) -> float:
    short = min(n, l, _PROBE_SIDE)
    long = min(max(n, l), max(short, _PROBE_CELLS // short))
    rows, columns = (long, short) if n >= l else (short, long)
    table = np.random.default_rng(0).standard_normal((rows, columns)).astype(kind)
    settings = {"max_iter": _PROBE_ITERATIONS, "tol": 0.0} if method in _USUAL_ITERATIONS else {}
    small = min(k, rows)
    found = _core.select(table, small, method, settings, threads=n_threads)
    done = _PROBE_ITERATIONS if settings else small
    return sum(found["seconds"]) * _work(n, l, method, k, iterations) / _work(rows, columns, method, small, done)


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
