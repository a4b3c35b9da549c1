"""What every row selector shares: reading the table, running the core, keeping the result."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from sklearn.utils.validation import check_is_fitted

from arss import _core, _html
from arss._constraints import Groups
from arss._input import Input, Preparation, count, explain_not_finite, read
from arss._metrics import is_given, measured, metric_elsewhere, metric_of
from arss._options import Encode, Missing
from arss._progress import Watch
from arss._report import Report, report
from arss._rows import length, take
from arss._stream import Outside, RowsInFile, is_outside, open_rows, read_memory, scratch_folder
from arss._threads import threads


def solve(estimator: Any, data: Input, k: int | None, settings: dict[str, object], **how: Any) -> "_core.Selection":
    """Run the core (`k=None`: as many rows as pay), showing progress as the estimator wants it.

    Warns as scikit-learn does.
    """
    method, name = estimator._method_name(), type(estimator).__name__
    with Watch(name, estimator.verbose, estimator.callback) as watch:
        try:
            found = _core.select(
                data.table,
                k,
                method,
                settings,
                threads=threads(estimator.n_jobs),
                progress=watch.observer(),
                metric=metric_of(estimator),
                **how,
            )
        except _core.NotFinite:
            raise ValueError(
                explain_not_finite(data.table, data.names, data.kept, hasattr(estimator, "missing"))
            ) from None
    warn(estimator, found, settings)
    return found


def warn(estimator: Any, found: "_core.Selection", settings: dict[str, object]) -> None:
    """Say as scikit-learn does what the caller should know."""
    name = type(estimator).__name__
    if found["status"] == "iteration_limit" and settings.get("tol") != 0 and "preset" not in settings:
        warnings.warn(
            f"{name} did not converge in max_iter={found['iterations']} iterations: the picks are those so far; "
            "raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=4,
        )
    for kind, note in found["notes"]:
        if kind not in ("sampled", "gated"):
            category = DataDimensionalityWarning if kind == "saturated" else UserWarning
            warnings.warn(note, category, stacklevel=4)


@contextmanager
def over_quota(group: Groups | None) -> Iterator[None]:
    """Name the group whose quota has no room for the rows that must be included."""
    try:
        yield
    except _core.OverQuota as error:
        number, included, quota = error.args
        label = group.labels[number] if group is not None else number
        raise ValueError(f"{included} rows of group {label!r} must be included, but its quota is {quota}") from None


#: Settings that only tables in memory have, and what they must be elsewhere.
IN_MEMORY = {"kernel": None, "diverse": False, "all_scores": False, "svd": None}


class RowSelector(BaseEstimator):
    """Base of the row selectors: a subclass names its method and settings."""

    _method: ClassVar[str]
    #: Constructor arguments that are settings of the core.
    _settings_names: ClassVar[tuple[str, ...]] = ()
    #: Whether scoring every row costs next to nothing.
    _cheap_scores: ClassVar[bool] = True

    #: Whether the method looks at pairs of rows alone, and takes any distance.
    _by_pairs: ClassVar[bool] = False

    #: How a method takes sparse tables: "rows", "rotated" (as many dimensions as rows), or not at all.
    _sparse: ClassVar[str | None] = None

    n_samples: Any
    n_jobs: int | None
    verbose: int
    missing: Missing
    encode: Encode | None
    callback: Any

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        memory: int | str = "1G",
        scratch: Any = None,
        reading: Mapping[str, Any] | None = None,
    ) -> Self:
        """Choose rows of `X`.

        Parameters
        ----------
        X : array, sparse matrix, pandas or polars DataFrame, pyarrow Table, list of rows
            The table; one sample per row. A data frame with one column of lists or arrays is chosen from by these
            vectors alone. Or the path of a file in any format that the command line reads (also a pattern of several
            files), or a function that returns an iterator of batches: such a table may be larger than memory (`ARSS`,
            `RRSS`, `TED`, `FacilityLocation` and `Exemplars`).
        y : ignored
            For compatibility with pipelines.
        memory : int or str, default="1G"
            For a path or batches: bytes that rows may take at a time, as a number or as "500M" or "2G".
        scratch : path, optional
            For a path or batches: where scratch files are made; default the system's. They have no name
            and are gone when the process is.
        reading : dict, optional
            For a path: how the file is read, by the names of the command line: "sheet", "encoding", "comment",
            "delimiter", "decimal", "header", "array", "format"; "columns" and "exclude" with lists of names, "as" with
            a dictionary from names to roles.

        Returns
        -------
        self
        """
        return self._fit_table(X, (None, None), Outside(memory, scratch, reading))

    def _fit_table(self, X: Any, attributes: tuple[Any, Any], outside: Outside) -> Self:
        """Choose rows of `X`, which may have weights and groups."""
        if is_outside(X):
            return self._fit_outside(X, attributes, outside)
        if outside.reading is not None:
            raise ValueError("reading is for the path of a file, but X is a table")
        data = measured(self, self._scaled(read(self, X, self.missing, self.encode)))
        settings, group = self._all_settings(data, *attributes)
        with over_quota(group):
            found = solve(self, data, self._count(data), settings, all_scores=self._wants_all_scores())
        self._keep(found, data)
        return self

    def _takes_sparse(self) -> bool:
        """Whether sparse tables need not be made dense."""
        metric = getattr(self, "metric", "euclidean")
        # Medoids by sums of differences need dense rows, and so do functions.
        dense = callable(metric) or (self._sparse == "rotated" and metric == "manhattan")
        return (
            self._sparse is not None and not dense and self.missing == "error" and getattr(self, "kernel", None) is None
        )

    def _sparse_bytes(self, rows: int, columns: int) -> int:
        """About how much memory a sparse table takes besides its own."""
        return 24 * min(rows, columns) ** 2 if self._sparse == "rotated" else 0

    def _all_settings(self, data: Input, sample_weight: Any, groups: Any) -> tuple[dict[str, object], Groups | None]:
        """The settings for the core with what they say of the rows, and the groups."""
        weights = _weights(sample_weight, data)
        group = self._group(groups, data)
        settings = self._settings() | self._row_settings(data)
        if weights is not None:
            settings["weights"] = weights
        if group is not None:
            settings["groups"] = (group.of, group.quotas)
        return settings, group

    def _fit_outside(self, X: Any, attributes: tuple[Any, Any], outside: Outside) -> Self:
        """Choose rows of a table that is read when it is needed; its rows may have weights and groups."""
        for name, wanted in IN_MEMORY.items():
            if getattr(self, name, wanted) != wanted:
                raise ValueError(f"{name}={getattr(self, name)!r} needs the whole table in memory")
        memory, folder = read_memory(outside.memory), scratch_folder(outside.scratch)
        source = open_rows(X, folder, memory, (self.encode, self.missing), outside.reading)
        # New rows must be numbers, as those of the file are; what a file's texts were encoded by is not kept.
        how = None if source.categories else Preparation(None, None)
        data = Input(np.empty((0, source.columns)), source.rows, source.kept, source.names, source.categories, how)
        settings, group = self._all_settings(data, *attributes)
        self._scale_file(source, folder)
        with Watch(type(self).__name__, self.verbose, self.callback) as watch, over_quota(group):
            found = _core.stream(
                source.file,
                self._count(data),
                self._method_name(),
                settings,
                memory=memory,
                scratch=folder,
                threads=threads(self.n_jobs),
                progress=watch.observer(),
                metric=metric_elsewhere(self),
            )
        warn(self, found, settings)
        self.n_features_in_ = source.columns
        if source.names:
            self.feature_names_in_ = np.array(source.names, dtype=object)
        self._keep_outside(found, data)
        return self

    def _scaled(self, data: Input) -> Input:
        """The table on the scale that the method works on: as it comes, unless a subclass scales."""
        return data

    def _scale_file(self, source: RowsInFile, folder: Path) -> None:
        """Bring rows in a file to the scale that the method works on."""

    def _keep_outside(self, found: "_core.Selection", data: Input) -> None:
        """Store the result of a table that is not at hand."""
        self._keep(found, data)

    def select(self, X: Any) -> Any:
        """Rows of `X` at `sample_indices_`, best first, as the kind of thing that `X` is.

        `X` may be the table of `fit` or anything that has one row for each of its rows: labels,
        a wider table, a list of file names, a dataset that is indexed by position (only these rows are read).
        """
        check_is_fitted(self)
        if length(X) != self.n_rows_:
            raise ValueError(f"X has {length(X)} rows, but {type(self).__name__} was fitted on {self.n_rows_}")
        return take(X, self.sample_indices_)

    def report(self, X: Any, *, sample_weight: Any = None, groups: Any = None) -> Report:
        """The page that explains the choice: the same as `arss select --report` writes.

        It repeats the fit, which gives the same picks, to tell what each pick adds and what the next ones would.

        Parameters
        ----------
        X : array, pandas or polars DataFrame, pyarrow Table, list of rows
            The table of `fit`.
        sample_weight, groups : optional
            As in `fit`.

        Returns
        -------
        report : Report
            Shown inline in a notebook; `show()` and `save(path)`.
        """
        return report(self, X, sample_weight, groups)

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Choose rows and return them with their labels, as imbalanced-learn's samplers do."""
        self.fit(X, y)
        self._resampled = True
        return self.select(X), self.select(y)

    def _method_name(self) -> str:
        return self._method

    def _settings(self) -> dict[str, object]:
        """The settings for the core; `None` leaves one at its default."""
        given = {name: getattr(self, name) for name in self._settings_names}
        return {name: value for name, value in given.items() if value is not None}

    def _count(self, data: Input) -> int | None:
        """How many rows to choose."""
        return count(self.n_samples, data.rows, "n_samples", why=data.left_aside(self.missing))

    def _row_settings(self, data: Input) -> dict[str, object]:
        """Settings that name rows of the table."""
        return {}

    def _group(self, groups: Any, data: Input) -> Groups | None:
        """The groups of the rows, if the method has quotas."""
        return None

    def _wants_all_scores(self) -> bool:
        return self._cheap_scores or bool(getattr(self, "all_scores", False))

    def _keep(self, found: "_core.Selection", data: Input) -> None:
        """Store the result under scikit-learn's names; rows left out have NaN."""
        kept = data.kept

        def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
            if kept is None:
                return values
            full = np.full(data.n_rows, np.nan)
            full[kept] = values
            return full

        indices = found["indices"]
        every = found["all_scores"]
        self.sample_indices_ = indices if kept is None else kept[indices]
        self.scores_ = found["scores"]
        self.all_scores_ = None if every is None else spread(every)
        self.outlier_scores_ = spread(found["residuals"])
        self.n_iter_ = found["iterations"]
        self.objective_ = found["objective"]
        self.gap_ = found["gap"]
        self.gamma_ = found["gamma"]
        self.status_ = found["status"]
        self.history_ = found["history"]
        self.seconds_ = dict(zip(("prepare", "solve", "score"), found["seconds"], strict=True))
        self.notes_ = [note for _, note in found["notes"]]
        self.n_rows_ = data.n_rows
        self._preparation = data.how
        self._model = found["model"]
        self._width = found["width"]
        self._resampled = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.pairwise = is_given(self)
        return tags

    def _repr_html_(self) -> str:
        return _html.summary(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _weights(sample_weight: Any, data: Input) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.require(sample_weight, dtype=np.float64, requirements=("C", "A"))
    if weights.shape != (data.n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}, but one weight a row is needed: ({data.n_rows},)")
    return weights if data.kept is None else weights[data.kept]
