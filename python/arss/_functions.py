"""For the impatient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arss.selectors import ARSS


def select(X: Any, k: int | float, *, return_indices: bool = False, **params: Any) -> Any:
    """Choose `k` rows of `X` by `ARSS`, best first.

    Parameters
    ----------
    X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
        The table; one sample a row.
    k : int or float
        How many rows, or which share of them.
    return_indices : bool, default=False
        Return the pair (rows, indices) instead of the rows alone.
    **params
        Further arguments of `ARSS`.

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
    selector = ARSS(n_samples=k, **params).fit(X)
    rows = selector.select(X)
    indices: NDArray[np.int64] = selector.sample_indices_
    return (rows, indices) if return_indices else rows
