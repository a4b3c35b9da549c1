"""Selectors that say what each pick stands for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.validation import check_is_fitted

from arss import _core
from arss._base import RowSelector, metric_of
from arss._input import Input, explain_not_finite, read
from arss._missing import Floats


class AssigningSelector(RowSelector):
    """Methods that assign every row to a pick."""

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The exemplar nearest to each row of `X`, as a position in `sample_indices_`.

        Parameters
        ----------
        X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
            New rows with the columns of the table of `fit`. They are encoded and filled as that table was: a category
            that `fit` did not see is 0 in all of its 0/1 columns, and a missing value as a position. Missing values
            are refused, or filled by the means or medians of `fit`; rows that `missing="drop"` leaves out, and rows
            without any value, get -1.

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        check_is_fitted(self)
        if self._preparation is None:
            raise ValueError(
                "predict needs the chosen rows at hand: fit a table in memory, not a path, batches or Dask"
            )
        data = read(self, X, self.missing, self.encode, self._preparation)
        values = _array(data)
        if not np.isfinite(values).all():
            raise ValueError(explain_not_finite(data.table, data.names))
        if data.rows == 0:
            return np.full(data.n_rows, -1, dtype=np.int64)
        values = self._as_in_fit(values)
        return _spread(pairwise_distances_argmin(values, self.exemplars_, metric=metric_of(self)).astype(np.int64), data)

    def _as_in_fit(self, values: Floats) -> Floats:
        """New rows on the scale of `fit`."""
        return values

    def _keep(self, found: "_core.Selection", data: Input) -> None:
        super()._keep(found, data)
        self.labels_ = _spread(found["labels"], data)
        self.shares_ = found["shares"]
        self.coverage_ = found["coverage"]
        self.exemplars_ = _array(data, found["indices"])

    def _keep_outside(self, found: "_core.Selection", data: Input) -> None:
        RowSelector._keep(self, found, data)
        self.labels_ = _spread(found["labels"], data)
        self.shares_ = found["shares"]
        self.coverage_ = found["coverage"]


def _array(data: Input, rows: Any = slice(None)) -> Floats:
    """Rows of the table as one array."""
    table = data.table
    return np.column_stack([column[rows] for column in table]) if isinstance(table, list) else table[rows]


def _spread(labels: NDArray[np.int64], data: Input) -> NDArray[np.int64]:
    """One label for each row that was passed: -1 for those that were left out."""
    if data.kept is None:
        return labels
    full = np.full(data.n_rows, -1, dtype=np.int64)
    full[data.kept] = labels
    return full
