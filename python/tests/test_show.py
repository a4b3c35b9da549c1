"""What is shown: pictures, the notebook summary, the documentation's examples."""

import doctest
import importlib
import pkgutil
import shutil
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import arss
import arss.plot

matplotlib.use("Agg")

MODULES = [module.name for module in pkgutil.iter_modules(arss.__path__) if module.name not in ("__main__", "_core")]


@pytest.fixture(autouse=True)
def closed_figures() -> Any:
    yield
    matplotlib.pyplot.close("all")


def test_pictures(table: NDArray[np.float64]) -> None:
    selector = arss.ARSS(p=1.0).fit(table)
    axes = arss.plot.picks(selector, table, n_outliers=3)
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["300 rows", "3 strangest", "10 chosen"]
    nearest = np.asarray(arss.plot.coverage(selector, table).lines[0].get_ydata())
    assert len(nearest) == 10 and (np.diff(nearest) <= 0).all()
    assert len(arss.plot.convergence(selector).lines) == 2
    assert len(arss.plot.scores(selector).lines) == 2
    own = matplotlib.pyplot.subplots()[1]
    assert arss.plot.scores(arss.TED().fit(table), ax=own) is own
    assert arss.plot.scores(arss.FeatureSelector().fit(table)) is not own


def test_pictures_of_columns(table: NDArray[np.float64]) -> None:
    tables: list[Any] = [table, pd.DataFrame(table, columns=list("abcdef")), table[:2], table[:1], table[:4, :3]]
    for X in tables:
        selector = arss.FeatureSelector("rrqr", n_features_to_select=2).fit(X)
        axes = arss.plot.picks(selector, X, n_outliers=1)
        legend = axes.get_legend()
        assert legend is not None
        said = [text.get_text() for text in legend.get_texts()]
        assert said == [f"{np.asarray(X).shape[1]} columns", "1 strangest", "2 chosen"]
        everything: Any = axes.collections[0].get_offsets()
        chosen: Any = axes.collections[2].get_offsets()
        assert np.isfinite(everything).all()
        assert np.array_equal(chosen, everything[selector.feature_indices_])
        nearest = np.asarray(arss.plot.coverage(selector, X).lines[0].get_ydata())
        assert len(nearest) == 2 and np.isfinite(nearest).all()
    # The view keeps distances as well as any: that of few points in many dimensions is exact.
    flat: Any = arss.plot.picks(arss.FeatureSelector().fit(table[:, :3]), table[:, :3], n_outliers=0).collections[0]
    points = np.asarray(flat.get_offsets())
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(np.linalg.norm(table[:, 0] - table[:, 1]))


def test_pictures_of_other_tables(table: NDArray[np.float64]) -> None:
    for columns in (1, 2):
        X = pd.DataFrame(table[:, :columns])
        arss.plot.picks(arss.KMeansSelector(random_state=0).fit(X), X)
    table[3, 3] = np.nan
    selector = arss.TED(missing="drop").fit(table)
    arss.plot.picks(selector, table)
    arss.plot.coverage(selector, table)
    arss.plot.convergence(arss.KMeansSelector(random_state=0, missing="mean").fit(table))
    with pytest.raises(ValueError, match="does not iterate"):
        arss.plot.convergence(selector)


def test_summary(table: NDArray[np.float64]) -> None:
    assert "not fitted" in arss.ARSS()._repr_html_()
    text = arss.ARSS(n_samples=5).fit(table)._repr_html_()
    assert "5 of 300 rows" in text and "converged" in text
    assert "3 of 6 columns" in arss.FeatureSelector().fit(table)._repr_html_()
    assert set(arss.TED()._repr_mimebundle_()) == {"text/plain", "text/html"}


@pytest.mark.parametrize("name", ["", *MODULES])
def test_docstrings(name: str) -> None:
    module = importlib.import_module(f"arss.{name}" if name else "arss")
    assert doctest.testmod(module).failed == 0


ROOT = Path(__file__).parents[2]
PAGES = [page for page in sorted(ROOT.glob("docs/**/*.md")) if "```python\n" in page.read_text()]


@pytest.mark.skipif(not PAGES, reason="only in the repository")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_pages_of_the_book_run(page: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """The `python` blocks of a page run one after the other, in a folder that holds forest.csv."""
    shutil.copy(next(ROOT.glob("crates/*/data/forest.csv")), tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in page.read_text().split("```python\n")[1:]:
        exec(compile(block.split("```")[0], str(page), "exec"), names)


def test_public_names() -> None:
    assert all(hasattr(arss, name) for name in arss.__all__)
    assert set(arss.__all__) <= set(dir(arss))
    with pytest.raises(AttributeError, match="Exemplar"):
        _ = arss.Exemplar
