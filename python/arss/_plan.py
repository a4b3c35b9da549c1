"""Memory and time of a run, told before it starts."""

from typing import NamedTuple

import numpy as np

from arss import _core
from arss._options import Element, Method
from arss._threads import threads

#: The methods, as the command line calls them.
METHODS: tuple[str, ...] = tuple(_core.METHODS)


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
    method: Method = "exemplars",
    *,
    n_samples: int = 10,
    max_iter: int | None = None,
    dtype: Element = "float64",
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
    if method not in METHODS:
        raise ValueError(f"method={method!r}, but it must be one of {', '.join(map(repr, METHODS))}")
    if n < 1 or l < 1:
        raise ValueError(f"a table of {n} x {l} has nothing to choose from")
    size = np.dtype(dtype).itemsize
    needed, seconds, iterations = _core.plan(method, {}, (n, l, min(n_samples, n)), size, threads(n_jobs), max_iter)
    return Plan(method, needed, n * l * size, seconds, iterations)


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
