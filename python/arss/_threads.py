"""How many threads `n_jobs` asks for."""

import os
from numbers import Integral

from joblib import cpu_count


def threads(n_jobs: int | None) -> int:
    """Threads for `n_jobs`: `None` and -1 take every core, -2 all but one.

    `OMP_NUM_THREADS`, which joblib sets in its workers, limits `None`: nested parallelism then
    does not start more threads than there are cores.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        cores = int(cpu_count())
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}, but it must be None or a whole number other than 0")
    return int(n_jobs) if n_jobs > 0 else max(1, int(cpu_count()) + 1 + int(n_jobs))
