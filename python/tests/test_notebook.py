"""A notebook is run by Jupyter's own machinery, turned into a page by nbconvert and opened in a real browser."""

import importlib.util
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss

nbformat = pytest.importorskip("nbformat")
nbconvert = pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")

pytestmark = pytest.mark.filterwarnings("ignore")

DRIVER = Path(__file__).parents[2] / "tests" / "browser" / "driver.py"
MADE = """
import arss, numpy as np
rng = np.random.default_rng(1)
X = rng.normal(size=(200, 4)) + 5 * (np.arange(200) % 2)[:, None]
X[7] = 60
"""


class Frames(HTMLParser):
    """The documents inside of the frames of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.found.append(dict(attrs)["srcdoc"] or "")


def _page() -> str:
    """The notebook after its run, as a page."""
    cells = [MADE, "selector = arss.Exemplars(3).fit(X)\nselector", "selector.report(X)", "selector.report(X).show()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbconvert.preprocessors.ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook)
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    return str(page)


@pytest.fixture(scope="module")
def page() -> str:
    return _page()


def test_nbconvert_keeps_the_page(page: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4)) + 5 * (np.arange(200) % 2)[:, None]
    X[7] = 60
    frames = Frames()
    frames.feed(page)
    wanted = arss.Exemplars(3).fit(X).report(X).html
    assert frames.found == [wanted, wanted]
    assert "scikit-learn's diagram" in page


@pytest.mark.skipif(
    not (shutil.which("chromium") and shutil.which("chromedriver") and DRIVER.exists()),
    reason="there is no chromium with chromedriver here",
)
def test_the_page_draws_itself_in_a_notebook(page: str, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("driver", DRIVER)
    assert spec is not None and spec.loader is not None
    driver: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    path = tmp_path / "notebook.html"
    path.write_text(page, encoding="utf-8")
    with driver.Browser(tmp_path / "profile") as browser:
        browser.open(path)
        inside = "[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)"
        browser.wait(f"{inside}.length === 2 && {inside}.every((page) => page.documentElement.dataset.drawn)")
        cards = browser.script(f"return {inside}.map((page) => page.querySelectorAll('.card').length)")
        assert cards == [3, 3]
        # Nothing was refused inside of the frames; what the notebook's own page asks for from elsewhere is not ours.
        said = [entry["message"] for entry in browser.log("browser")]
        assert not [message for message in said if "Content Security Policy" in message]
