"""The selector we recommend."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arss import _core, _scaling
from arss._assigning import AssigningSelector, _array, spread
from arss._constraints import PROPORTIONAL, Groups, positions
from arss._docs import shared_docs
from arss._input import Input, count
from arss._metrics import is_given, measured_new, squared_to
from arss._missing import Floats
from arss._options import Distance, Encode, Metric, Missing
from arss._progress import Callback
from arss._random import RandomState, seed
from arss._stream import RowsInFile
from arss._transforming import Transforming, transforms_unless_resampling
from arss._weighted import GroupedSelector

AUTO = "auto"


@transforms_unless_resampling
@shared_docs
class Exemplars(Transforming, GroupedSelector, AssigningSelector):
    """Rows that stand for the others, chosen among those that are not outliers: what we recommend.

    Rows that are alone and lonelier than those around them are set aside as outliers. The picks cover the rest
    without repeating each other: a greedy choice, improved by swaps and, in large tables, by passes over all rows.
    Time and memory are linear in the number of rows. Columns should be on one scale (`scale="robust"`).

    Parameters
    ----------
    n_samples : int, float or "auto", default=10
        How many rows to choose: a number (at most as many as there are), a share in (0, 1],
        rounded down but at least one row, or "auto": stops before the first pick that adds less
        than .5 % of the coverage so far, and at 1000.
    landmarks : int, default=768
        Rows that score the others.
    ridge : float, default=0.01
        Ridge of the score, larger than 0 and at most 1.
    gate : bool, default=True
        Set outliers aside, and let the other rows count as much as the rest explains of them. Without it every row
        can be chosen and counts alike; all are scored anyway.
    nested : bool, default=False
        Make the first K of a larger choice the choice of K: a greedy choice without swaps, a little less good.
    refine : int, default=4
        Rounds of refinement in tables that are too large to compare all rows with each other, which is from 8,192 rows
        on (5,792 of 128 columns or more): more are slower and better, 0 is the choice from a sample.
    scale : {"auto", "none", "robust", "standard", "unit"}, default="auto"
        How columns are scaled first. "auto" scales nothing, as scikit-learn users expect of an estimator: arrays,
        frames and files are taken as they come. "robust" is the default of the command line: robust deviations from
        the median, bent so that no cell counts for more than four of them. "standard" makes mean 0 and variance 1,
        "unit" makes the range 0 to 1. `predict` scales new rows by what `fit` measured.
    include : list of int, default=()
        Positions of rows that must be chosen. They come first, in this order, and pass the gate.
    exclude : list of int, default=()
        Positions of rows that must not be chosen; they are represented all the same.
    quotas : "proportional" or dict, default="proportional"
        How many picks per group of `fit(X, groups=...)` may have: as large a share of the picks as of
        the rows, or at most so many, group by group; groups that are not named have no limit.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the landmarks and samples; the same number gives the same rows, in the command line
        (`--seed`) too.
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(any_metric)s

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_chosen,)
        Positions of the chosen rows, in the order of what each adds to the coverage.
    scores_ : ndarray of shape (n_chosen,)
        What each pick adds to the coverage.
    outlier_scores_ : ndarray of shape (n,)
        How unusual each row is; **above 1 is beyond the gate**: an outlier.
    n_outliers_ : int
        How many rows were set aside; 0 without the gate.
    outlier_confidence_ : float or None
        How clearly they differ from the other rows, 0 to 1; below .5 look at them before you trust the choice. None if
        nothing was set aside. `notes_` says whether they look like scattered errors or like a group; `gate=False` keeps
        them.
    labels_ : ndarray of shape (n,)
        The exemplar nearest to each row, as a position in `sample_indices_`; -1 for rows that
        `missing` left out.
    shares_ : ndarray of shape (n_chosen,)
        The share of the rows within the gate (of their weight) that each exemplar stands for; they add up to 1.
    coverage_ : ndarray of shape (n_chosen,)
        Coverage by the first 1, 2, ... picks: the mean similarity, 0 to 1, of a row to the nearest of them, each
        row counting what it counted in the choice.
    exemplars_ : ndarray of shape (n_chosen, n_columns)
        The chosen rows as the method saw them (encoded, filled, scaled).
    location_, spread_ : ndarray of shape (n_columns,) or None
        The value of each column that becomes 0, and what counts for one near it; None if nothing was scaled.
    all_scores_ : ndarray of shape (n,)
        `scores_` of the picks, 0 for the other rows.
    %(n_iter)s
    %(objective)s
    %(gap)s
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> import numpy as np
    >>> from arss import Exemplars
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> X[7] = 40
    >>> selector = Exemplars(n_samples=5).fit(X)
    >>> bool(selector.outlier_scores_[7] > 1), 7 in selector.sample_indices_
    (True, False)
    >>> selector.labels_.shape, round(float(selector.shares_.sum()), 9)
    ((200,), 1.0)
    """

    _by_pairs = True
    _method = "exemplars"
    _sparse = "rows"
    _settings_names = ("landmarks", "ridge", "gate", "nested", "refine")

    n_outliers_: int
    outlier_confidence_: float | None
    location_: Any
    spread_: Any

    def __init__(
        self,
        n_samples: int | float | Literal["auto"] = 10,
        *,
        landmarks: int = 768,
        ridge: float = 0.01,
        gate: bool = True,
        nested: bool = False,
        refine: int = 4,
        scale: str = _scaling.AUTO,
        include: Any = (),
        exclude: Any = (),
        quotas: Literal["proportional"] | Mapping[Any, int] = PROPORTIONAL,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric | Distance = "euclidean",
    ) -> None:
        self.n_samples = n_samples
        self.landmarks = landmarks
        self.ridge = ridge
        self.gate = gate
        self.nested = nested
        self.refine = refine
        self.scale = scale
        self.include = include
        self.exclude = exclude
        self.quotas = quotas
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric

    def _settings(self) -> dict[str, object]:
        return super()._settings() | {"seed": seed(self.random_state)}

    def _count(self, data: Input) -> int | None:
        if isinstance(self.n_samples, str) and self.n_samples == AUTO:
            return None
        why = data.left_aside(self.missing)
        return count(self.n_samples, data.rows, "n_samples", or_else=" or 'auto'", why=why)

    def _row_settings(self, data: Input) -> dict[str, object]:
        settings: dict[str, object] = {
            name: positions(getattr(self, name), name, data) for name in ("include", "exclude")
        }
        if data.categories:
            # A row that shares its combination of categories with nobody is no outlier for that.
            numbers = [at for at, category in enumerate(data.categories) if category is None]
            settings["outlier_columns"] = np.array(numbers, dtype=np.int64)
        return settings

    def _takes_sparse(self) -> bool:
        return super()._takes_sparse() and _scaling.wanted(self.scale) is None

    def _sparse_bytes(self, rows: int, columns: int) -> int:
        return 16 * min(self.landmarks, rows) * columns

    def _scaled(self, data: Input) -> Input:
        how = _scaling.wanted(self.scale)
        if how is not None and is_given(self):
            raise ValueError(f"scale={self.scale!r} is about columns, but X holds a value for each pair of rows")
        columns = None
        if how is not None:
            data, columns = _scaling.scaled(data, how)
        self._keep_scale(columns)
        return data

    def _scale_file(self, source: RowsInFile, folder: Path) -> None:
        how = _scaling.wanted(self.scale)
        columns = None
        if how is not None:
            columns = source.file.scale(how, list(source.categories), folder)
            _scaling.warn_constant(columns)
        self._keep_scale(columns)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """How usual each row of `X` is: minus its outlier score, so that higher is more usual, as in scikit-learn.

        Below -1 a row would be set aside as an outlier. The rows of `fit` get minus their `outlier_scores_`.

        Parameters
        ----------
        X : array, sparse matrix, data frame, list of rows
            Rows as for `predict`.

        Returns
        -------
        scores : ndarray of shape (n,)
            NaN for rows that are left out because of missing values.
        """
        applied = self._apply(X)
        if applied.outlier_scores is None:
            self._known_width()
        assert applied.outlier_scores is not None
        return -spread(applied.outlier_scores, applied.data, np.nan)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """`score_samples` plus 1: negative for outliers."""
        return self.score_samples(X) + 1.0

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The similarity of each row of `X` to each exemplar, from 0 to 1: exp(-d^2 / w).

        It is not there in a pipeline of imbalanced-learn and after `fit_resample`: imbalanced-learn takes no step that
        does both.

        d is the distance (for `metric="cosine"`, between rows of length one), w the median of d^2 in `fit`.

        Parameters
        ----------
        X : array, sparse matrix, data frame, list of rows
            Rows as for `predict`.

        Returns
        -------
        similarities : ndarray of shape (n, n_chosen)
            NaN for rows that are left out because of missing values.
        """
        data = self._apply(X).data
        width = self._known_width()
        found: NDArray[np.float64] = np.empty((0, len(self.sample_indices_)))
        if data.rows:
            rows = measured_new(self, self._as_in_fit(_array(data)))
            found = np.exp(-squared_to(self, rows, self.exemplars_) / width)
        if data.kept is None:
            return found
        full = np.full((data.n_rows, found.shape[1]), np.nan)
        full[data.kept] = found
        return full

    def score(self, X: Any, y: Any = None) -> float:
        """The mean similarity of the rows of `X` to their nearest exemplar, from 0 to 1; for `GridSearchCV`."""
        return float(np.mean(self._similarities(X)))

    def _similarities(self, X: Any) -> NDArray[np.float64]:
        """The similarity of each row to its nearest exemplar."""
        squared = self._apply(X).distances ** 2
        return np.exp(-squared / self._known_width())

    def _known_width(self) -> float:
        if self._width is None:
            raise ValueError(
                "a graph of neighbours tells neither outliers nor similarities of new rows: pass distances"
            )
        return self._width

    def _keep_scale(self, columns: "list[_core.Measured] | None") -> None:
        self._columns = columns
        self.location_, self.spread_ = (None, None) if columns is None else _core.location_and_spread(columns)

    def _as_in_fit(self, values: Floats) -> Floats:
        return values if self._columns is None else _core.rescale(values, self._columns)

    def _keep(self, found: "_core.Selection", data: Input) -> None:
        super()._keep(found, data)
        self._keep_gate(found)

    def _keep_outside(self, found: "_core.Selection", data: Input) -> None:
        super()._keep_outside(found, data)
        self._keep_gate(found)

    def _keep_gate(self, found: "_core.Selection") -> None:
        self.n_outliers_, self.outlier_confidence_ = found["set_aside"] or (0, None)

    def _group(self, groups: Any, data: Input) -> Groups | None:
        if groups is None:
            if not isinstance(self.quotas, str):
                raise ValueError("quotas were given, but no groups: pass fit(X, groups=...), one label a row")
            return None
        return Groups(groups, self.quotas, data)
