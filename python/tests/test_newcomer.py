"""What somebody who tried the package for the first time stumbled over."""

import decimal
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arss


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-05", periods=60).strftime("%Y-%m-%d").to_numpy()[rng.permutation(60)]
    return pd.DataFrame(
        {
            "as_text": rng.normal(size=60).astype(str),
            "plain": rng.normal(size=60),
            "day": days,
            "took": pd.to_timedelta(rng.integers(0, 9999, 60), unit="s"),
            "price": [decimal.Decimal(str(round(value, 2))) for value in rng.normal(size=60)],
            "object": pd.Series([1, 2.5] * 30, dtype=object),
            "zip": [f"0123{row % 3}" for row in range(60)],
        }
    )


def test_numbers_and_dates_are_found_whatever_holds_them(tmp_path: Path) -> None:
    table = frame()
    numeric = pd.DataFrame(
        {
            "as_text": table["as_text"].astype(float),
            "plain": table["plain"],
            "day": pd.to_datetime(table["day"]),
            "took": table["took"].dt.total_seconds(),
            "price": table["price"].astype(float),
            "object": table["object"].astype(float),
            "zip": table["zip"],
        }
    )
    found = arss.Exemplars(6, encode="auto", scale="robust").fit(table)
    same = arss.Exemplars(6, encode="auto", scale="robust").fit(numeric)
    assert found.sample_indices_.tolist() == same.sample_indices_.tolist()
    assert found.exemplars_.shape[1] == 6 + 3
    assert (found.predict(table) == found.labels_).all()
    # A column that was written as text may come as numbers.
    assert (found.predict(table.assign(as_text=numeric["as_text"])) == found.labels_).all()
    arss.Model.of(found).save(tmp_path / "m.arss")
    assert (arss.Model.load(tmp_path / "m.arss").predict(table) == found.labels_).all()
    with pytest.raises(ValueError, match=r"'as_text' does not hold numbers.*row 0 is 'x'"):
        found.predict(table.assign(as_text="x"))
    numbers = table[["plain", "price", "object"]]
    plain = numeric[["plain", "price", "object"]]
    assert (arss.Exemplars(3).fit(numbers).sample_indices_ == arss.Exemplars(3).fit(plain).sample_indices_).all()


def roles(path: Path, *flags: str) -> dict[str, str]:
    """What the command line takes each column for."""
    command = [sys.executable, "-m", "arss", "select", str(path), "-k", "2", "--json", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return {info["name"]: info["role"] for info in json.loads(ran.stdout)["column_roles"]}


def test_texts_of_typed_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    path = tmp_path / "t.parquet"
    # More rows than are looked at for how numbers are written.
    commas = [f"{value:.2f}".replace(".", ",") for value in rng.normal(size=3000)]
    lists = [str(row) for row in rng.normal(size=(3000, 2)).round(4).tolist()]
    pd.DataFrame({"comma": commas, "list": lists, "x": rng.normal(size=3000)}).to_parquet(path)
    assert roles(path) == {"comma": "number", "list": "identifier", "x": "number"}
    # Dates are no numbers because somebody says so.
    (tmp_path / "t.csv").write_text("x,y\n1,1\n2,5\n3,2\n2020-01-01,4\n5,9\n")
    with pytest.raises(AssertionError, match=r"column x holds text .*2020-01-01"):
        roles(tmp_path / "t.csv", "--as", "x=number")


def test_a_path_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    frame()[["plain"]].to_csv(path, index=False)
    for given in (path, str(path)):
        with pytest.raises(TypeError, match=r"X is a path.*arss select FILE"):
            arss.select(given, 2)
        with pytest.raises(TypeError, match="X is a path"):
            arss.Exemplars(2).fit(given).select(given)


def test_missing_texts_are_no_words() -> None:
    texts: list[Any] = ["good tea", "very good tea", "cold coffee", "bad cold coffee", None, None, float("nan")]
    for given in (texts, pd.Series(texts[:6], dtype="string")):
        assert set(arss.texts(given, 2).chosen) <= set(texts[:4])


def test_a_model_judges_bad_rows_as_its_selector() -> None:
    rows = np.random.default_rng(1).normal(size=(40, 2))
    rows[5], rows[7, 0] = np.nan, np.nan
    selector = arss.Exemplars(4, missing="mean").fit(rows)
    model = arss.Model.of(selector)
    assert model.predict(rows)[5] == -1 and np.isnan(model.score_samples(rows)[5])
    assert (model.predict(rows) == selector.predict(rows)).all()
    assert np.allclose(model.score_samples(rows), selector.score_samples(rows), equal_nan=True)
    assert model.predict([[np.nan, np.nan]]).tolist() == [-1]
    assert np.isnan(model.score_samples([[np.nan, np.nan]])).all()
    with pytest.raises(ValueError, match="row 0, column '0' is missing"):
        arss.Model.of(arss.Exemplars(4).fit(rows[10:])).predict([[np.nan, np.nan]])
    with pytest.raises(ValueError, match=r"row 1, column '0' is inf"):
        model.predict([[0.0, 0.0], [np.inf, 0.0]])


@pytest.mark.parametrize("missing", ["drop", "auto", "mean", "median"])
def test_infinity_is_named_where_it_stands(missing: Any) -> None:
    rows = np.random.default_rng(2).normal(size=(20, 2))
    rows[8, 0], rows[3, 0], rows[5] = np.inf, np.nan, np.nan
    with pytest.raises(ValueError, match=r"infinity: row 8, column 0 is inf\. "):
        arss.Exemplars(3, missing=missing).fit(rows)


def test_advice_can_be_followed() -> None:
    with pytest.raises(ValueError, match="more than one column of X is called 'a': rename them"):
        arss.Exemplars(3).fit(pd.DataFrame(np.eye(9, 2), columns=["a", "a"]))
    selector = arss.FeatureSelector(n_features_to_select=1)
    with pytest.raises(ValueError, match=r"do not hold numbers: .*\. Leave them out$"):
        selector.fit(frame())
    with pytest.raises(ValueError, match="fill or remove them first"):
        selector.fit(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 1.0]]))
    index = pd.Index(list("abcdefghij"))
    chosen = arss.Exemplars(2).fit(np.arange(10.0)[:, None] ** 2)
    assert chosen.select(index).tolist() == [index[at] for at in chosen.sample_indices_]
    with pytest.raises(TypeError, match="X is a mapping"):
        chosen.select({at: at for at in range(10)})
