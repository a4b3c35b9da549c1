"""The estimators: those of `arss`, fitted on the workers."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import arss
from arss import _core, _scaling
from arss._base import IN_MEMORY, RowSelector, warn
from arss._constraints import PROPORTIONAL, positions, quota_numbers
from arss._exemplars import AUTO
from arss._input import Input, Preparation, count
from arss._metrics import metric_elsewhere
from arss._progress import Watch
from arss._transforming import transforms_unless_resampling
from arss.dask import _worker
from arss.dask._engine import Engine
from arss.dask._table import Table, each_part, is_collection, rows_at, scaled, spread, with_attributes


class DaskSelector(RowSelector):
    """Base of the selectors on Dask collections."""

    outlier_scores_: Any
    labels_: Any

    def fit(self, X: Any, y: Any = None, *, client: Any = None) -> Self:  # type: ignore[override]
        """Choose rows of `X`.

        Parameters
        ----------
        X : Dask array, Dask DataFrame, or list of paths of Parquet files
            The table; one sample per row. Files are read on the workers. Partitions of zero rows are left out.
        y : ignored
            For compatibility with pipelines.
        client : distributed.Client, optional
            The cluster; default the current one.

        Returns
        -------
        self
        """
        return self._fit_there(client, X, None, None)

    def _fit_there(self, client: Any, X: Any, sample_weight: Any, groups: Any) -> Self:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker, default_client
        from distributed.comm import CommClosedError

        client = client or default_client()
        for name, wanted in (IN_MEMORY | {"missing": "error", "encode": None}).items():
            if getattr(self, name, wanted) != wanted:
                raise ValueError(f"{name}={getattr(self, name)!r} needs the whole table in memory: use arss instead")
        try:
            self._fit(client, X, sample_weight, groups)
        except KilledWorker as error:
            raise RuntimeError(
                f"workers kept dying while they worked on {error.task}: most often a partition does not fit their "
                "memory; use smaller partitions, or give the workers more"
            ) from error
        except (CancelledError, CommClosedError) as error:
            # What the workers hold is gone, and with it everything that the fit could go on from.
            raise RuntimeError(
                "the cluster was restarted, or its scheduler is gone, while the table was fitted: fit again"
            ) from error
        return self

    def _fit(self, client: Any, X: Any, sample_weight: Any, groups: Any) -> None:
        table = self._scale_there(client, spread(client, X))
        labels: list[object] = []
        if sample_weight is not None or groups is not None:
            table, labels = with_attributes(client, table, sample_weight, groups)
        # Empty lists say that weights and groups lie with the rows.
        beside: dict[str, object] = {} if sample_weight is None else {"weights": np.empty(0)}
        if groups is not None:
            beside["groups"] = (np.empty(0, dtype=np.int64), self._quotas(labels, table.items))
        elif not isinstance(getattr(self, "quotas", ""), str):
            raise ValueError("quotas were given, but no groups: pass fit(X, groups=...), one label per row")
        engine = Engine(client, table)
        done = False
        try:
            found = self._drive(engine, table, beside, labels)
            self._keep_there(found, engine, table)
            done = True
        except Exception as error:
            number = table.unmade()
            if number is None:
                raise
            what = f"partition {number} was lost with its worker and cannot be made again: {error}"
            raise ValueError(what) from error
        finally:
            engine.close(error=not done)

    def select(self, X: Any) -> Any:
        """Rows of `X` at `sample_indices_`, best first: an array or a frame in memory.

        `X` may be a Dask array or DataFrame or a list of Parquet paths with as many rows as the table of `fit`, or
        whatever the estimators in `arss` take.
        """
        check_is_fitted(self)
        if not is_collection(X) or (not hasattr(X, "to_delayed") and len(X) == self.n_rows_):
            return super().select(X)
        return rows_at(X, self.sample_indices_, self.n_rows_)

    def _scale_there(self, client: Any, table: Table) -> Table:
        """The table on the scale that the method works on: as it comes, unless a subclass scales."""
        return table

    def _quotas(self, labels: list[object], rows: int) -> Any:
        """One number per group, or None for proportional ones."""
        return quota_numbers(getattr(self, "quotas", PROPORTIONAL), {label: n for n, label in enumerate(labels)}, rows)

    def _drive(
        self, engine: Engine, table: Table, beside: dict[str, object], labels: list[object]
    ) -> "_core.Selection":
        data = Input(np.empty((0, table.features)), table.items, None, table.names)
        settings = self._settings() | self._row_settings(data) | beside
        with Watch(type(self).__name__, self.verbose, self.callback) as watch:
            try:
                found = _core.drive(
                    (self._method_name(), settings),
                    self._number(table.items),
                    (table.items, table.features, table.single),
                    engine.walk,
                    watch.observer(),
                    metric_elsewhere(self),
                )
            except _core.OverQuota as error:
                number, included, quota = error.args
                raise ValueError(
                    f"{included} rows of group {labels[number]!r} must be included, but its quota is {quota}"
                ) from None
            except _core.NotFinite as error:
                raise ValueError(table.not_finite(*error.args)) from None
        warn(self, found, settings)
        return found

    def _number(self, items: int) -> int | None:
        return count(self.n_samples, items, "n_samples")

    def _keep_there(self, found: "_core.Selection", engine: Engine, table: Table) -> None:
        """Store the result; what there is one of a row stays on the workers."""
        how = Preparation(None, None)
        empty = Input(np.empty((0, table.features)), table.items, None, table.names, how=how)
        self._keep_outside(found, empty)
        width, outlier, label = _core.columns(self._method_name(), self._settings())
        numbers = engine.numbers()
        self.outlier_scores_ = self._finish_outliers(self._column(numbers, table, width, outlier, "f8"))
        if label is not None:
            self.labels_ = self._column(numbers, table, width, label, "i8")
        self.all_scores_ = None
        self.n_features_in_ = table.features
        if table.names:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        self.n_passes_ = engine.passes

    def _finish_outliers(self, values: Any) -> Any:
        return values

    def _column(self, numbers: list[Any], table: Table, width: int, at: int, kind: str) -> Any:
        """One number per row as a Dask array."""
        import dask.array as da
        from dask import delayed

        def block(numbers: Any, rows: int) -> Any:
            return da.from_delayed(delayed(_worker.column)(numbers, width, at, kind), (rows,), dtype=kind)

        return da.concatenate([block(n, p.length) for n, p in zip(numbers, table.parts, strict=True)])


class ARSS(DaskSelector, arss.ARSS):
    """`arss.ARSS` on a Dask cluster: same settings, same rows.

    `kernel`, `diverse`, `all_scores`, `missing` and `encode` need the whole table; threads are those of the workers,
    `n_jobs` is not used. `outlier_scores_` is a Dask array.
    """


class RRSS(DaskSelector, arss.RRSS):
    """`arss.RRSS` on a Dask cluster: same settings, same rows.

    `kernel`, `diverse`, `all_scores`, `missing` and `encode` need the whole table; threads are those of the workers,
    `n_jobs` is not used. `outlier_scores_` is a Dask array.
    """


class TED(DaskSelector, arss.TED):
    """`arss.TED` on a Dask cluster: same settings, same rows.

    `kernel`, `missing` and `encode` need the whole table; threads are those of the workers, `n_jobs` is not used.
    `outlier_scores_` is a Dask array.
    """

    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None
    ) -> Self:
        """Choose rows of `X`.

        Parameters
        ----------
        X : Dask array, Dask DataFrame, or list of paths of Parquet files
            The table; one sample per row. Files are read on the workers. Partitions of zero rows are left out.
        y : ignored
            For compatibility with pipelines.
        sample_weight : array of shape (n,), or Dask array or Series with the partitions of `X`, optional
            How much it matters that each row is represented.
        client : distributed.Client, optional
            The cluster; default the current one.

        Returns
        -------
        self
        """
        return self._fit_there(client, X, sample_weight, None)

    def _finish_outliers(self, values: Any) -> Any:
        return values.clip(0, None) ** 0.5


@transforms_unless_resampling
class Exemplars(DaskSelector, arss.Exemplars):
    """`arss.Exemplars` on a Dask cluster: same settings, same rows.

    `missing` and `encode` need the whole table; threads are those of the workers, `n_jobs` is not used.
    `outlier_scores_` and `labels_` are Dask arrays. With `scale` the client sees every column once, some at a time:
    it needs memory for one whole column. `predict`, `score_samples`, `decision_function` and `transform` of a Dask
    collection are Dask arrays that are computed where its partitions are; of a table in memory they are arrays.
    """

    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, *, client: Any = None
    ) -> Self:
        """Choose rows of `X`.

        Parameters
        ----------
        X : Dask array, Dask DataFrame, or list of paths of Parquet files
            The table; one sample per row. Files are read on the workers. Partitions of zero rows are left out.
        y : ignored
            For compatibility with pipelines.
        sample_weight : array of shape (n,), or Dask array or Series with the partitions of `X`, optional
            How much it matters that each row is represented.
        groups : array of shape (n,), or Dask array or Series with the partitions of `X`, optional
            The group of each row, any label; `quotas` says how many picks a group may have. Rows without a label
            are one group.
        client : distributed.Client, optional
            The cluster; default the current one.

        Returns
        -------
        self
        """
        return self._fit_there(client, X, sample_weight, groups)

    def predict(self, X: Any) -> Any:
        """The exemplar nearest to each row of `X`, as a position in `sample_indices_`; lazy for a Dask collection."""
        return self._of_parts(X, "predict", "i8") if is_collection(X) else super().predict(X)

    def score_samples(self, X: Any) -> Any:
        """Minus the outlier score of each row of `X`; lazy for a Dask collection."""
        return self._of_parts(X, "score_samples", "f8") if is_collection(X) else super().score_samples(X)

    def transform(self, X: Any) -> Any:
        """The similarity of each row of `X` to each exemplar, from 0 to 1; lazy for a Dask collection."""
        return self._of_parts(X, "transform", "f8") if is_collection(X) else super().transform(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean similarity of the rows of `X` to their nearest exemplar, from 0 to 1; computed at once."""
        if not is_collection(X):
            return super().score(X, y)
        return float(self._of_parts(X, "_similarities", "f8").mean().compute())

    def _of_parts(self, X: Any, what: str, kind: str) -> Any:
        """What the estimator in memory says of each partition, as a Dask array."""
        check_is_fitted(self)
        width = len(self.sample_indices_) if what == "transform" else None
        return each_part(X, partial(_worker.applied, self._here(), what), kind, width)

    def _here(self) -> arss.Exemplars:
        """What was learned, without the table: small enough to be sent."""
        here = arss.Exemplars(**(self.get_params(deep=False) | {"callback": None, "verbose": 0, "n_jobs": 1}))
        left = {"labels_", "outlier_scores_"} | self.get_params(deep=False).keys()
        here.__dict__.update({name: value for name, value in vars(self).items() if name not in left})
        return here

    def _scale_there(self, client: Any, table: Table) -> Table:
        how = _scaling.wanted(self.scale)
        columns = None
        if how is not None:
            table, columns = scaled(client, table, how)
            _scaling.warn_constant(columns)
        self._keep_scale(columns)
        return table

    def _number(self, items: int) -> int | None:
        if isinstance(self.n_samples, str) and self.n_samples == AUTO:
            return None
        return count(self.n_samples, items, "n_samples", or_else=" or 'auto'")

    def _row_settings(self, data: Input) -> dict[str, object]:
        return {name: positions(getattr(self, name), name, data) for name in ("include", "exclude")}
