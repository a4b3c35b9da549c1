"""Selectors whose rows may have weights, or weights and groups."""

from collections.abc import Mapping
from typing import Any, Self

from sklearn.utils._metadata_requests import RequestMethod

from arss._base import RowSelector
from arss._stream import Outside


class WeightedSelector(RowSelector):
    """Methods whose rows may count differently."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
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
            files), or a function that returns an iterator of batches: such a table may be larger than memory.
        y : ignored
            For compatibility with pipelines.
        sample_weight : array of shape (n,), optional
            How much it matters that each row is represented.
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
        return self._fit_table(X, (sample_weight, None), Outside(memory, scratch, reading))

    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any]:
        """Choose rows and return them with their labels, as imbalanced-learn's samplers do."""
        self.fit(X, y, sample_weight=sample_weight)
        self._resampled = True
        return self.select(X), self.select(y)

    def set_fit_resample_request(self, **requests: bool | str | None) -> Self:
        """Say whether a pipeline of imbalanced-learn passes `sample_weight` on.

        `fit_resample` calls `fit`: what is said here holds for `fit` as well, unless `set_fit_request` said something.
        """
        _request(self, ["sample_weight"], requests)
        return self


class GroupedSelector(WeightedSelector):
    """Methods whose rows may count differently and belong to groups."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
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
            files), or a function that returns an iterator of batches: such a table may be larger than memory.
        y : ignored
            For compatibility with pipelines.
        sample_weight : array of shape (n,), optional
            How much it matters that each row is represented.
        groups : array of shape (n,), optional
            The group of each row, any label; `quotas` says how many picks a group may have. Rows without a label
            (None, NaN) are one group, which `quotas` calls None.
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
        return self._fit_table(X, (sample_weight, groups), Outside(memory, scratch, reading))

    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> tuple[Any, Any]:
        """Choose rows and return them with their labels, as imbalanced-learn's samplers do."""
        self.fit(X, y, sample_weight=sample_weight, groups=groups)
        self._resampled = True
        return self.select(X), self.select(y)

    def set_fit_resample_request(self, **requests: bool | str | None) -> Self:
        """Say whether a pipeline of imbalanced-learn passes `sample_weight` and `groups` on.

        `fit_resample` calls `fit`: what is said here holds for `fit` as well, unless `set_fit_request` said something.
        """
        _request(self, ["groups", "sample_weight"], requests)
        return self


def _request(selector: Any, keys: list[str], requests: dict[str, bool | str | None]) -> None:
    # imbalanced-learn teaches scikit-learn the method when it is imported; scikit-learn gives estimators that were
    # defined before no `set_fit_resample_request`.
    import imblearn  # noqa: F401

    RequestMethod("fit_resample", keys).__get__(selector, type(selector))(**requests)
    # Such a pipeline asks about `fit`, too, though it does not call it.
    said = selector.get_metadata_routing().fit.requests
    selector.set_fit_request(**{key: value for key, value in requests.items() if said[key] is None})
