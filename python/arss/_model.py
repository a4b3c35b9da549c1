"""Models in files: written by `arss select --model` or by a fitted selector, read by both. Nothing in them is run."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from arss import _core, _frames
from arss._missing import Floats, unmasked
from arss._stream import is_outside
from arss._threads import threads

#: The fields of a scale in a file, in the order in which the core takes them.
SCALE = ("unit", "centre", "width", "bent", "usable")


class Model:
    """What a fit learned, for rows to come: read from a file, or made of a fitted selector.

    The file says how the columns became numbers, so that data frames with the columns of the first table can be passed
    as they are. The command line reads and writes the same files, and applies them to tables in files: `arss select
    --model`, `arss apply`.

    Attributes
    ----------
    about : dict
        What the file says of the fit: method, table, picks, and how the columns became numbers.
    picks : list of int
        The rows of the first table that were chosen, best first.

    Examples
    --------
    >>> import numpy as np, tempfile, arss
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = folder + "/model.arss"
    ...     arss.Model.of(arss.Exemplars(5).fit(X)).save(path)
    ...     model = arss.Model.load(path)
    >>> model.predict(X[:2]).shape, bool(model.score_samples([[99.0, 0, 0]])[0] < -1)
    ((2,), True)
    """

    def __init__(self, about: dict[str, Any], model: bytes) -> None:
        self.about = about
        self._model = model

    def __repr__(self) -> str:
        return f"<Model: {self.about['method']}, {len(self.about['picks'])} picks of {self.about['table']}>"

    @property
    def picks(self) -> list[int]:
        """The rows of the first table that were chosen, best first."""
        return list(self.about["picks"])

    @classmethod
    def load(cls, path: str | Path) -> "Model":
        """Read a model file."""
        about, model = _core.read_model(Path(path))
        return cls(json.loads(about), model)

    def save(self, path: str | Path) -> None:
        """Write a model file, which `arss apply` reads, too. Its layout is in `docs/reference/file-formats.md`."""
        _core.write_model(Path(path), json.dumps(self.about), self._model)

    @classmethod
    def of(cls, selector: Any) -> "Model":
        """The model of a fitted selector."""
        check_is_fitted(selector)
        how = selector._preparation
        if callable(getattr(selector, "metric", None)) or getattr(selector, "metric", None) == "precomputed_similarity":
            raise ValueError("a model file knows distances: fit with metric='precomputed', or with a metric by name")
        if how is None or selector._model is None:
            raise ValueError("the selector does not keep how its columns were encoded: use `arss select --model`")
        columns = _columns(selector, how.layout)
        if how.used is not None:
            columns = [columns[j] for j in how.used]
        scales = getattr(selector, "_columns", None)
        for j, column in enumerate(columns):
            column["fill"] = None if how.fills is None else how.fills[j]
            column["scale"] = None if scales is None else dict(zip(SCALE, scales[j], strict=True))
        about = {
            "arss": _core.__version__,
            "method": selector._method_name(),
            "table": "a table in Python",
            "rows": int(selector.n_rows_),
            "picks": selector.sample_indices_.tolist(),
            "preparation": {
                "named": how.layout is not None or hasattr(selector, "feature_names_in_"),
                "columns": columns,
                "unit_rows": False,
            },
        }
        return cls(about, selector._model)

    def predict(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.int64]:
        """The exemplar nearest to each row of `X`, as a position in `picks`.

        Parameters
        ----------
        X : array, pandas or polars DataFrame, pyarrow Table, list of rows
            New rows, with the columns of the first table: by name, or as many as it had. Rows without any value get -1.
        n_jobs : int or None, default=None
            Threads, as for the estimators.
        """
        return self._apply(X, n_jobs)[0]

    def score_samples(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """How usual each row of `X` is: minus its outlier score, below -1 for outliers.

        Parameters
        ----------
        X : array, data frame, list of rows
            New rows.
        n_jobs : int or None, default=None
            Threads, as for the estimators.
        """
        scores = self._apply(X, n_jobs)[2]
        if scores is None:
            raise ValueError(f"a model of {self.about['method']} tells no outliers: only one of exemplars does")
        usual: NDArray[np.float64] = -scores
        return usual

    def _apply(self, X: Any, n_jobs: int | None) -> tuple[NDArray[np.int64], NDArray[np.float64], Any]:
        if is_outside(X):
            raise TypeError("X is a path: read it first, or use `arss apply MODEL TABLE`")
        values, there = self._values(X)
        if there.all():
            return _core.apply(self._model, values, threads(n_jobs))
        # Rows without any value are nobody's.
        labels, distances = np.full(len(there), -1, dtype=np.int64), np.full(len(there), np.nan)
        scores = np.full(len(there), np.nan) if self.about["method"] == "exemplars" else None
        if there.any():
            found = _core.apply(self._model, values[there], threads(n_jobs))
            labels[there], distances[there] = found[0], found[1]
            if scores is not None:
                scores[there] = found[2]
        return labels, distances, scores

    def _values(self, X: Any) -> tuple[Floats, NDArray[np.bool_]]:
        """The numbers of new rows, as the model knows them, and which rows hold any value."""
        preparation = self.about["preparation"]
        columns = preparation["columns"]
        frame = _frames.as_frame(X)
        if frame is None:
            values: Floats = np.array(X.toarray() if hasattr(X, "toarray") else unmasked(X), dtype=np.float64)
            if values.ndim != 2 or values.shape[1] != len(columns):
                raise ValueError(f"X must be a table of {len(columns)} columns")
            if any(column["encoding"] != "number" for column in columns if isinstance(column["encoding"], str)):
                raise ValueError("X must be a data frame with the columns of the first table: some are encoded")
        else:
            values = frame.by_name(columns)
        infinite = np.argwhere(np.isinf(values))
        if len(infinite):
            row, j = infinite[0]
            raise ValueError(f"row {row}, column {columns[j]['column']!r} is {values[row, j]}: it has to be removed")
        there: NDArray[np.bool_] = np.asarray(~np.isnan(values).all(axis=1))
        if all(column["fill"] is None for column in columns):
            there[:] = True
        for j, column in enumerate(columns):
            gone = np.isnan(values[:, j])
            if gone[there].any():
                if column["fill"] is None:
                    row, name = int(np.flatnonzero(gone & there)[0]), column["column"]
                    raise ValueError(f"row {row}, column {name!r} is missing, and the model fills nothing in")
                values[gone, j] = column["fill"]
        values[~there] = 0.0
        if any(column["scale"] is not None for column in columns):
            plain = {"unit": 1.0, "centre": 0.0, "width": 1.0, "bent": None, "usable": True}
            scales: list[Any] = [column["scale"] or plain for column in columns]
            measured: list[Any] = [tuple(scale[field] for field in SCALE) for scale in scales]
            values = _core.rescale(values, measured)
        if preparation["unit_rows"]:
            lengths = np.linalg.norm(values, axis=1, keepdims=True)
            zero = (lengths[:, 0] == 0) & there
            if zero.any():
                raise ValueError(f"row {int(np.flatnonzero(zero)[0])} holds only zeros and has no direction")
            values = values / np.where(lengths == 0, 1.0, lengths)
        return values, there


def _columns(selector: Any, layout: _frames.Layout | None) -> list[dict[str, Any]]:
    """How each column became numbers, as a file says it."""
    names = getattr(selector, "feature_names_in_", None)

    def name(j: int) -> str:
        return str(j) if names is None else str(names[j])

    if layout is None:
        return [{"column": name(j), "encoding": "number"} for j in range(selector.n_features_in_)]
    found: list[dict[str, Any]] = []
    for j, coding in layout.items():
        if coding.width is not None:
            found += [{"column": name(j), "encoding": {"element": i}} for i in range(coding.width)]
        elif coding.onehot:
            found += [{"column": name(j), "encoding": {"texts": [str(value)]}} for value in coding.values or []]
        elif coding.values is not None and coding.values != [False, True]:
            found.append({"column": name(j), "encoding": {"ranks": [str(value) for value in coding.values]}})
        else:
            found.append({"column": name(j), "encoding": "number"})
    return found
