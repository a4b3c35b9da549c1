"""Selectors that say what each pick stands for, of rows to come, too."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from arss import _core
from arss._base import RowSelector
from arss._input import Input, explain_not_finite, read
from arss._metrics import measured_new
from arss._missing import Floats, is_sparse
from arss._threads import threads


class Applied(NamedTuple):
    """What a fitted selector says of some rows."""

    data: Input
    labels: NDArray[np.int64]
    distances: NDArray[np.float64]
    #: `None` where the method tells no outliers.
    outlier_scores: NDArray[np.float64] | None


class PredictingSelector(RowSelector):
    """Methods whose picks stand for the rows nearest to them."""

    labels_: Any

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The exemplar nearest to each row of `X`, as a position in `sample_indices_`.

        Parameters
        ----------
        X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
            New rows with the columns of the table of `fit`. They are encoded, filled and scaled as that table was: a
            category that `fit` did not see is 0 in all of its 0/1 columns, and a missing value as a position. Missing
            values are refused, or filled by the means or medians of `fit`; rows that `missing="drop"` leaves out, and
            rows without any value, get -1.

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        applied = self._apply(X)
        return _spread(applied.labels, applied.data)

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Fit, and return `labels_`: the exemplar of each row of `X`, as a position in `sample_indices_`."""
        return self.fit(X, y).labels_  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any = None) -> float:
        """How well the exemplars stand for the rows of `X`; higher is better. What `GridSearchCV` asks for.

        Parameters
        ----------
        X : array, sparse matrix, data frame, list of rows
            Rows as for `predict`.
        y : ignored
            For compatibility with pipelines.

        Returns
        -------
        score : float
            Minus the mean distance to the nearest exemplar.
        """
        return float(-np.mean(self._apply(X).distances))

    def _apply(self, X: Any) -> Applied:
        """What the model of `fit` says of other rows."""
        check_is_fitted(self)
        if self._preparation is None:
            raise ValueError(
                f"{type(self).__name__} was fitted on a file or cluster with encoded columns, and how they were "
                "encoded is not kept: fit a table in memory, or use `arss apply`"
            )
        data = read(self, X, self.missing, self.encode, self._preparation)
        values = _array(data)
        if not np.isfinite(values.data if is_sparse(values) else values).all():
            raise ValueError(explain_not_finite(data.table, data.names, data.kept))
        if data.rows == 0:
            none = np.empty(0)
            return Applied(data, np.empty(0, dtype=np.int64), none, none)
        assert self._model is not None
        rows = measured_new(self, self._as_in_fit(values))
        return Applied(data, *_core.apply(self._model, rows, threads(self.n_jobs)))

    def _as_in_fit(self, values: Floats) -> Floats:
        """New rows on the scale of `fit`."""
        return values

    def _keep(self, found: "_core.Selection", data: Input) -> None:
        super()._keep(found, data)
        if "labels" not in found:
            assert self._model is not None
            labels = _core.apply(self._model, data.table, threads(self.n_jobs))[0]
            # A pick stands for itself, also where another one equals it.
            labels[found["indices"]] = np.arange(len(found["indices"]))
            self.labels_ = _spread(labels, data)


class AssigningSelector(PredictingSelector):
    """Methods that assign every row to a pick themselves."""

    def _keep(self, found: "_core.Selection", data: Input) -> None:
        super()._keep(found, data)
        self._keep_shares(found, data)
        rows = getattr(self, "_rows_of_fit", None)
        self.exemplars_ = _array(data, found["indices"]) if rows is None else rows[found["indices"]]

    def _keep_outside(self, found: "_core.Selection", data: Input) -> None:
        RowSelector._keep(self, found, data)
        self._keep_shares(found, data)
        picks = found["picks"]
        assert picks is not None
        self.exemplars_ = picks.reshape(len(found["indices"]), -1)

    def _keep_shares(self, found: "_core.Selection", data: Input) -> None:
        self.labels_ = _spread(found["labels"], data)
        self.shares_ = found["shares"]
        self.coverage_ = found["coverage"]


def _array(data: Input, rows: Any = slice(None)) -> Floats:
    """Rows of the table as one array."""
    table = data.table
    return np.column_stack([column[rows] for column in table]) if isinstance(table, list) else table[rows]


def _spread(labels: NDArray[np.int64], data: Input) -> NDArray[np.int64]:
    """One label for each row that was passed: -1 for those that were left out."""
    return spread(labels, data, -1)


def spread(values: NDArray[Any], data: Input, otherwise: Any) -> NDArray[Any]:
    """One value for each row that was passed, and `otherwise` for those that were left out."""
    if data.kept is None:
        return values
    full = np.full(data.n_rows, otherwise, dtype=values.dtype)
    full[data.kept] = values
    return full
