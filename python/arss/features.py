"""Choosing columns instead of rows."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from arss import _html
from arss._base import solve
from arss._docs import shared_docs
from arss._input import count, read
from arss._options import FEATURE_METHODS, FeatureMethod, Preset
from arss._progress import Callback
from arss._report import Report, report_features


@shared_docs
class FeatureSelector(SelectorMixin, BaseEstimator):
    """Choose the columns that stand for all others, without labels.

    The same models as the row selectors, with rows and columns exchanged (nothing is copied).
    Columns are compared as they come: scale them first (`StandardScaler`) if their units differ.

    Parameters
    ----------
    method : {"ted", "rrqr", "rrss", "arss"}, default="ted"
        How to choose. TED explains the other columns best; ARSS, the paper's way by transposing,
        takes columns that are unlike all others, and left more of them unexplained than random
        choice on five tables (`benchmarks/features/run.py`).
    n_features_to_select : int, float or None, default=None
        How many columns, or which share of them; None takes half.
    preset : {None, "paper"}, default=None
        As in `ARSS`; settings that are given change it.
    p, gamma, gamma_ratio, alpha, max_iter, tol : float or None, default=None
        Settings of the method, as in its row selector; None leaves its default, and one that the
        method does not have is an error.
    %(n_jobs)s
    %(verbose)s
    callback : callable or None, default=None
        Called with a `Progress` once an iteration; something true stops the run.

    Attributes
    ----------
    feature_indices_ : ndarray of shape (n_chosen,)
        The chosen columns, best first; `transform` keeps the order of the table.
    scores_ : ndarray of shape (n_features_in_,)
        The score of every column.
    residuals_ : ndarray of shape (n_features_in_,)
        What the method leaves of each column.
    %(n_iter)s
    objective_, gap_, status_, history_, seconds_, notes_
        As in the row selectors.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from arss import FeatureSelector
    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> X[:, 3] = X[:, 0] * 1e-3
    >>> selector = FeatureSelector("ted", n_features_to_select=5).fit(X)
    >>> selector.get_support().tolist()
    [True, True, True, False, True, True]
    >>> selector.transform(X).shape
    (50, 5)
    """

    def __init__(
        self,
        method: FeatureMethod = "ted",
        *,
        n_features_to_select: int | float | None = None,
        preset: Preset | None = None,
        p: float | None = None,
        gamma: float | None = None,
        gamma_ratio: float | None = None,
        alpha: float | None = None,
        max_iter: int | None = None,
        tol: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.method = method
        self.n_features_to_select = n_features_to_select
        self.preset = preset
        self.p = p
        self.gamma = gamma
        self.gamma_ratio = gamma_ratio
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose columns of `X`; `y` is ignored.

        Parameters
        ----------
        X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
            The table; one feature a column.
        y : ignored
            For compatibility with pipelines.

        Returns
        -------
        self
        """
        settings = self._settings()
        data = read(self, X)
        if data.names is not None and len(data.names) != self.n_features_in_:
            raise ValueError("X has a column of vectors: to choose among their numbers, pass them as an array")
        k = self._count()
        found = solve(self, data, k, settings, features=True, all_scores=True)
        self.feature_indices_ = found["indices"]
        self.scores_ = found["all_scores"]
        self.residuals_ = found["residuals"]
        self.n_iter_ = found["iterations"]
        self.objective_ = found["objective"]
        self.gap_ = found["gap"]
        self.status_ = found["status"]
        self.history_ = found["history"]
        self.seconds_ = dict(zip(("prepare", "solve", "score"), found["seconds"], strict=True))
        self.notes_ = [note for _, note in found["notes"]]
        return self

    def report(self, X: Any) -> Report:
        """The page that explains the choice of columns; `X` is the table of `fit`. See `Exemplars.report`."""
        return report_features(self, X, self._count(), self._settings())

    def _settings(self) -> dict[str, object]:
        """The settings for the core, checked."""
        if self.method not in FEATURE_METHODS:
            raise ValueError(f"method={self.method!r}, but it must be one of {', '.join(map(repr, FEATURE_METHODS))}")
        if self.gamma is not None and self.gamma_ratio is not None:
            raise ValueError("gamma and gamma_ratio were both given: they are two ways to say the same")
        names = ("preset", "p", "gamma", "gamma_ratio", "alpha", "max_iter", "tol")
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def _count(self) -> int:
        """How many columns to choose."""
        wanted, columns = self.n_features_to_select, self.n_features_in_
        return max(1, columns // 2) if wanted is None else count(wanted, columns, "n_features_to_select", "feature")

    def _method_name(self) -> str:
        return self.method

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.feature_indices_] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _repr_html_(self) -> str:
        return _html.summary(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
