"""For the impatient."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arss._options import Method
from arss._rows import refuse_path
from arss.selectors import BY_NAME


def select(
    X: Any,
    k: int | float | Literal["auto"],
    *,
    features: Any = None,
    method: Method = "exemplars",
    return_indices: bool = False,
    **params: Any,
) -> Any:
    """Choose `k` rows of `X`, best first, by `Exemplars` or another method.

    Parameters
    ----------
    X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
        The table; one sample per row. With `features`, anything that has rows: also a dataset that is indexed by
        position, of which only the rows that were chosen are read.
    k : int, float or "auto"
        How many rows, which share of them, or as many as pay ("exemplars" only).
    features : table like `X`, optional
        The table to choose by, one row for each of `X`: embeddings of images, for instance. Default `X` itself.
    method : str, default="exemplars"
        Name of the method as in the command line: "exemplars", "arss", "rrss", "ted", "kmeans",
        "kmedoids", "facility", "rrqr" or "random".
    return_indices : bool, default=False
        Return the pair (rows, indices) instead of the rows alone.
    **params
        Further arguments of the method's class.

    Returns
    -------
    The chosen rows, of the same kind as `X`; of a dataset a list, or what its `select` makes (Hugging Face).

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
    refuse_path(X)
    settings: dict[str, Any] = {"n_samples": k, **params}
    selector = BY_NAME[method](**settings).fit(X if features is None else features)
    rows = selector.select(X)
    indices: NDArray[np.int64] = selector.sample_indices_
    return (rows, indices) if return_indices else rows
