"""For the impatient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arss.selectors import BY_NAME


def select(
    X: Any, k: int | float | str, *, method: str = "exemplars", return_indices: bool = False, **params: Any
) -> Any:
    """Choose `k` rows of `X`, best first, by `Exemplars` or another method.

    Parameters
    ----------
    X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
        The table; one sample per row.
    k : int, float or "auto"
        How many rows, which share of them, or as many as pay ("exemplars" only).
    method : str, default="exemplars"
        Name of the method as in the command line: "exemplars", "arss", "rrss", "ted", "kmeans",
        "kmedoids", "facility", "rrqr" or "random".
    return_indices : bool, default=False
        Return the pair (rows, indices) instead of the rows alone.
    **params
        Further arguments of the method's class.

    Returns
    -------
    The chosen rows, of the same kind as `X`.

    Examples
    --------
    >>> import numpy as np, arss
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> rows, indices = arss.select(X, 3, return_indices=True)
    >>> np.array_equal(rows, X[indices])
    True
    """
    if method not in BY_NAME:
        raise ValueError(f"method={method!r}, but it must be one of {', '.join(map(repr, BY_NAME))}")
    settings: dict[str, Any] = {"n_samples": k, **params}
    selector = BY_NAME[method](**settings).fit(X)
    rows = selector.select(X)
    indices: NDArray[np.int64] = selector.sample_indices_
    return (rows, indices) if return_indices else rows
