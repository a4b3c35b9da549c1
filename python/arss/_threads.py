"""How many threads `n_jobs` asks for."""

from numbers import Integral

from joblib import effective_n_jobs


def threads(n_jobs: int | None) -> int:
    """Threads for `n_jobs` as scikit-learn means it.

    `None` is 1, or what a `joblib.parallel_config` around the call says; -1 takes every core, -2 all but one. Within
    the workers of joblib these are fewer, so that nested parallelism does not start more threads than there are cores.
    """
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise ValueError(f"n_jobs is {n_jobs!r}, but it must be None or a whole number other than 0")
    return max(1, int(effective_n_jobs(n_jobs)))
