"""The report page of a selector: in a notebook, in a browser, in a file."""

import json
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from arss import _core, _frames, _scaling
from arss._input import Input, read
from arss._missing import column_views, is_sparse, unmasked
from arss._model import _columns
from arss._rows import length, take
from arss._stream import is_outside
from arss._threads import threads

#: Height of the page inside a notebook.
HEIGHT = "46rem"


class Report:
    """A page about what a selector chose: one HTML file that needs no network.

    The last value of a notebook cell is shown inline.

    Attributes
    ----------
    html : str
        The whole page.

    Examples
    --------
    >>> import numpy as np, tempfile, arss
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> report = arss.Exemplars(5).fit(X).report(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.save(folder + "/page.html").stat().st_size > 50_000
    True
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | Path) -> Path:
        """Write the page; the file appears when it is complete."""
        target = Path(path)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=target.parent, prefix=".arss-", suffix=".html", delete=False
        ) as file:
            file.write(self.html)
        Path(file.name).replace(target)
        return target

    def show(self) -> None:
        """Show the page: inline in a notebook, otherwise in a browser, from a temporary file that stays."""
        if _in_notebook():
            from IPython.display import display

            display(self)
            return
        folder = Path(tempfile.mkdtemp(prefix="arss-"))
        webbrowser.open(self.save(folder / "report.html").as_uri())

    def _repr_html_(self) -> str:
        # A frame of its own: neither the notebook's style nor its scripts touch the page, nor the page's the notebook.
        page = escape(self.html, quote=True)
        style = f"width:100%;height:{HEIGHT};border:1px solid #8888;border-radius:6px"
        return f'<iframe title="arss report" style="{style}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<arss report, {len(self.html) / 1e3:.0f} kB: .show() or .save(path)>"


def report(selector: Any, X: Any, sample_weight: Any, groups: Any) -> Report:
    """The page of a fitted row selector and the table it was fitted on."""
    check_is_fitted(selector)
    if type(selector).__module__.startswith("arss.dask"):
        raise TypeError(
            "the page is made where the table is in memory: fit an estimator of arss on a sample, or on X.compute()"
        )
    _refuse(X)
    if length(X) != selector.n_rows_:
        raise ValueError(f"X has {length(X)} rows, but {type(selector).__name__} was fitted on {selector.n_rows_}")
    twin = clone(selector).set_params(verbose=0, callback=None)
    holes = _holes(twin, X)
    data = twin._scaled(read(twin, X, twin.missing, twin.encode))
    settings, _ = twin._all_settings(data, sample_weight, groups)
    about = _about(twin, X, data)
    about["filled"] = holes if data.kept is None else 0
    picks, html = _core.page(
        data.table,
        twin._count(data),
        twin._method_name(),
        settings,
        json.dumps(about),
        _cells(X),
        threads=threads(twin.n_jobs),
        metric=getattr(twin, "metric", "euclidean"),
    )
    _same(selector, picks, selector.sample_indices_)
    return Report(html)


def report_features(selector: Any, X: Any, k: int, settings: dict[str, object]) -> Report:
    """The page of a fitted feature selector."""
    check_is_fitted(selector)
    _refuse(X)
    twin = clone(selector)
    data = read(twin, X)
    picks, html = _core.page(
        data.table,
        k,
        selector._method_name(),
        settings,
        json.dumps(_about(twin, X, data)),
        _cells(X),
        features=True,
        threads=threads(selector.n_jobs),
    )
    _same(selector, picks, selector.feature_indices_)
    return Report(html)


def _refuse(X: Any) -> None:
    if is_outside(X):
        raise TypeError("X is a path or a function: `arss select FILE --report page.html` makes the page of a file")
    if is_sparse(X):
        raise TypeError(
            "a page shows cells, of which a sparse table has too many: pass X.toarray() if the memory is there"
        )


def _same(selector: Any, found: Sequence[int], known: Any) -> None:
    if list(found) != np.asarray(known).tolist():
        name = type(selector).__name__
        raise ValueError(
            f"X gives other picks than fit did: pass the table that {name} was fitted on, with the same sample_weight "
            "and groups, and fix random_state"
        )


def _about(selector: Any, X: Any, data: Input) -> dict[str, Any]:
    """What the page says of the table."""
    headings = _headings(selector, X)
    features = _features(selector, data)
    used = {at for at, _, _ in features}
    scale = _scaling.wanted(getattr(selector, "scale", "none")) or "none"
    return {
        "input": "a table in Python",
        "command": f"{selector!r}.fit(X).report(X)",
        "headings": headings,
        "rows": data.n_rows,
        "kept": None if data.kept is None else data.kept.tolist(),
        "filled": 0,
        "scale": scale,
        "missing": getattr(selector, "missing", "error"),
        "features": features,
        "columns": [_role(name, at in used) for at, name in enumerate(headings)],
    }


def _features(selector: Any, data: Input) -> list[tuple[int, str, Any]]:
    """Each column to choose by: the column it comes from, its name, and how it was encoded."""
    width = len(data.table) if isinstance(data.table, list) else data.table.shape[1]
    if getattr(selector, "svd", None) is not None:
        return [(0, f"direction {i}", {"element": i}) for i in range(width)]
    how = data.how
    layout = None if how is None else how.layout
    columns = _columns(selector, layout)
    places: list[int] = list(range(len(columns)))
    if layout is not None:
        counts = [coding.width or (len(coding.values or []) if coding.onehot else 1) for coding in layout.values()]
        places = [j for j, count in zip(layout, counts, strict=True) for _ in range(count)]
    found = [(j, _name(column), column["encoding"]) for j, column in zip(places, columns, strict=True)]
    return found if how is None or how.used is None else [found[j] for j in how.used]


def _name(column: dict[str, Any]) -> str:
    encoding = column["encoding"]
    if isinstance(encoding, dict) and "texts" in encoding:
        return f"{column['column']}={encoding['texts'][0]}"
    if isinstance(encoding, dict) and "element" in encoding:
        return f"{column['column']}[{encoding['element']}]"
    return str(column["column"])


def _role(name: str, used: bool) -> tuple[str, str, bool, str]:
    return name, "number" if used else "text", used, "" if used else "not chosen by"


def _headings(selector: Any, X: Any) -> list[str]:
    frame = _frames.as_frame(X)
    if frame is not None:
        return frame._frame.names()
    names = getattr(selector, "feature_names_in_", None)
    return [str(j) for j in range(selector.n_features_in_)] if names is None else [str(name) for name in names]


def _holes(selector: Any, X: Any) -> int:
    """Missing numbers that will be filled in."""
    if selector.missing in ("error", "drop"):
        return 0
    frame = _frames.as_frame(X)
    if frame is None:
        values = np.asarray(unmasked(X))
        return int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    table = frame.table(frame.layout(selector.encode))[0]
    return int(sum(np.isnan(column).sum() for column in column_views(table)))


def _cells(X: Any) -> Callable[[list[int]], list[list[str]]]:
    """The cells of rows, as text for people."""

    def cells(rows: list[int]) -> list[list[str]]:
        some = take(X, np.asarray(rows, dtype=np.int64))
        frame = _frames.as_frame(some)
        if frame is None:
            columns: Any = np.asarray(unmasked(some), dtype=object).T
        else:
            columns = [frame._frame.objects(j) for j in range(len(frame._frame.names()))]
        return [[_text(value) for value in row] for row in zip(*columns, strict=True)]

    return cells


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.12g}"
    return str(value)


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})
