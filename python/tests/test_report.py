"""`selector.report(X)`: the page of the command line, in Python and in notebooks."""

import html
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import arss


def _data(report: arss.Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report.html.split('id="data">', 1)[1].split("</script>", 1)[0])
    return found


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(150, 3)), columns=["height", "width", "depth"])
    frame["kind"] = np.where(frame.height > 0, "oak", "ash")
    frame["remark"] = [f"remark <b>{row}</b>" for row in range(150)]
    frame.loc[[3, 40], "width"] = np.nan
    return frame


@pytest.fixture(scope="module")
def table() -> Any:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(200, 4)) + 5 * (np.arange(200) % 2)[:, None]
    values[7] = 60
    return values


def test_an_array(table: Any, tmp_path: Path) -> None:
    selector = arss.Exemplars(6).fit(table)
    report = selector.report(table)
    data = _data(report)
    cards = data["cards"]["cards"]
    assert [card["item"] for card in cards] == selector.sample_indices_.tolist()
    assert [card["share"] for card in cards] == pytest.approx(selector.shares_)
    assert data["command"] == "Exemplars(n_samples=6).fit(X).report(X)"
    row = data["rows"]["items"].index(7)
    assert [float(cell) for cell in data["rows"]["cells"][row]] == [60, 60, 60, 60]
    assert data["strangest"]["rows"][0]["item"] == 7
    assert len(data["how_many"]["ahead"]) == 10
    target = report.save(tmp_path / "page.html")
    assert target.read_text(encoding="utf-8") == report.html and sorted(tmp_path.iterdir()) == [target]
    assert ".save(path)" in repr(report)


def test_a_frame_with_categories_and_holes() -> None:
    frame = _frame()
    selector = arss.Exemplars(5, encode="auto", missing="auto", scale="robust")
    with pytest.warns(UserWarning, match="left out: remark"):
        report = selector.fit(frame).report(frame)
    data = _data(report)
    assert data["headings"] == list(frame.columns) and data["used"] == [0, 1, 2, 3]
    told = dict(data["reading"])
    assert told["Encoded"].startswith("1 column as categories (kind)")
    assert told["Missing cells"].startswith("2 missing cells filled in")
    assert told["Scaled"].startswith("Robust")
    first = data["cards"]["cards"][0]
    cells = data["rows"]["cells"][first["at"]]
    assert cells[4] == frame.remark[first["item"]] and cells[3] == frame.kind[first["item"]]
    assert "<b>" not in report.html


def test_rows_that_were_dropped_keep_their_numbers() -> None:
    frame = _frame()[["height", "width", "depth"]]
    selector = arss.Exemplars(4, missing="drop").fit(frame)
    data = _data(selector.report(frame))
    assert [card["item"] for card in data["cards"]["cards"]] == selector.sample_indices_.tolist()
    assert dict(data["reading"])["Missing cells"] == "2 rows left out because a cell is missing."


def test_columns(table: Any) -> None:
    frame = pd.DataFrame(table, columns=list("abcd"))
    selector = arss.FeatureSelector(n_features_to_select=2).fit(frame)
    data = _data(selector.report(frame))
    assert data["explained"]["chosen"] == ["abcd"[j] for j in selector.feature_indices_]
    assert {other["name"] for other in data["explained"]["others"]} | set(data["explained"]["chosen"]) == set("abcd")


def test_a_notebook_shows_it_in_a_frame(table: Any) -> None:
    selector = arss.Exemplars(3).fit(table)
    shown = selector.report(table)._repr_html_()
    inside = shown.split('srcdoc="', 1)[1].rsplit('"', 1)[0]
    assert html.unescape(inside) == selector.report(table).html
    assert '"' not in inside and "<" not in inside
    # The summary of the estimator keeps scikit-learn's diagram.
    summary = selector._repr_html_()
    assert "<details><summary>scikit-learn's diagram</summary>" in summary and "sk-container" in summary


def test_what_cannot_be_shown_is_refused(table: Any) -> None:
    selector = arss.Exemplars(3).fit(table)
    with pytest.raises(ValueError, match="X has 199 rows"):
        selector.report(table[1:])
    with pytest.raises(ValueError, match="other picks than fit did"):
        selector.report(table[::-1] * [1, 2, 3, 4])
    with pytest.raises(TypeError, match="--report"):
        selector.report("table.csv")
    with pytest.raises(TypeError, match="toarray"):
        selector.report(scipy.sparse.csr_array(table))
    with pytest.raises(Exception, match="not fitted"):
        arss.Exemplars(3).report(table)


def test_weights_and_groups_are_those_of_fit(table: Any) -> None:
    weights = np.arange(200.0)
    selector = arss.Exemplars(4).fit(table, sample_weight=weights)
    data = _data(selector.report(table, sample_weight=weights))
    assert [card["item"] for card in data["cards"]["cards"]] == selector.sample_indices_.tolist()
