"""What somebody who tried the package for the first time stumbled over."""

import decimal
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from imblearn.pipeline import make_pipeline as sampling_pipeline
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

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


def test_a_step_of_scikit_learn_and_of_imbalanced_learn() -> None:
    table = frame()[["plain", "price", "object"]].astype(float)
    labels = (table["plain"] > 0).astype(int)
    columns = ColumnTransformer([("near", arss.Exemplars(4), ["plain", "price"])], remainder="passthrough")
    found = columns.set_output(transform="pandas").fit_transform(table)
    assert list(found.columns) == [*(f"near__exemplars{at}" for at in range(4)), "remainder__object"]
    model = make_pipeline(columns, StandardScaler(), LogisticRegression()).fit(table, labels)
    assert model.score(table, labels) > 0.5
    united = make_union(arss.Exemplars(3), StandardScaler()).fit(table)
    assert united.transform(table).shape == (60, 6)
    # There it chooses rows: in `fit`, and nothing in `predict`.
    for step in (arss.Exemplars(20), clone(arss.Exemplars(20))):
        sampling = sampling_pipeline(StandardScaler(), step, LogisticRegression()).fit(table, labels)
        assert len(sampling[1].sample_indices_) == 20 and sampling.predict(table).shape == (60,)
        assert sampling[-1].n_features_in_ == 3
        assert sampling.fit(table, labels).score(table, labels) > 0.5


@pytest.mark.filterwarnings("ignore:.*(dates|left out|as missing|missing values|filled in)")
def test_texts_of_a_frame_are_those_of_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    amounts = rng.normal(0, 3000, 80)
    written = pd.DataFrame(
        {
            "price": [f"(${-a:,.2f})" if a < 0 else f"${a:,.2f}" for a in amounts],
            "share": [f"{s:.1f} %" for s in rng.uniform(0, 100, 80)],
            "comma": [f"{c:.3f}".replace(".", ",") for c in rng.normal(size=80)],
            "day": pd.date_range("2020-01-05", periods=80).strftime("%d/%m/%Y").to_numpy()[rng.permutation(80)],
            "paid": rng.choice(["true", "false"], 80),
            "count": [*rng.integers(0, 99, 78).astype(str), "n/a", "-"],
            "nearly": [*rng.normal(size=79).astype(str), "closed"],
            "plain": rng.normal(size=80),
        }
    )
    path = tmp_path / "t.csv"
    written.to_csv(path, index=False)
    settings: dict[str, Any] = {"encode": "auto", "missing": "auto", "scale": "robust"}
    with pytest.warns(UserWarning, match="texts of 'nearly' that are no numbers are missing values, such as 'closed'"):
        in_memory = arss.Exemplars(6, **settings).fit(written)
    from_file = arss.Exemplars(6, **settings).fit(path)
    assert in_memory.exemplars_.shape == from_file.exemplars_.shape == (6, 8)
    assert in_memory.sample_indices_.tolist() == from_file.sample_indices_.tolist()
    np.testing.assert_allclose(in_memory.outlier_scores_, from_file.outlier_scores_, rtol=1e-9)
    for other in (pl.from_pandas(written), pa.Table.from_pandas(written)):
        assert arss.Exemplars(6, **settings).fit(other).sample_indices_.tolist() == in_memory.sample_indices_.tolist()
    # New rows are read as those of `fit`, however few they are.
    assert (in_memory.predict(written) == in_memory.labels_).all()
    assert [int(in_memory.predict(written[at : at + 1])[0]) for at in range(80)] == in_memory.labels_.tolist()
    # Digits that name something are no numbers, whatever their type.
    zips = pd.DataFrame({"zip": rng.choice([501, 10115, 20095], 80), "iso_num": rng.permutation(80), "x": amounts})
    zips.to_csv(path, index=False)
    coded = arss.Exemplars(4, encode="auto", scale="robust").fit(zips)
    assert coded.exemplars_.shape[1] == 3 + 1
    assert coded.sample_indices_.tolist() == arss.Exemplars(4, **settings).fit(path).sample_indices_.tolist()
    with pytest.raises(ValueError, match=r"'price' does not hold numbers, but it did in fit: row 0 is 'dear'"):
        in_memory.predict(written.assign(price="dear"))
    numbers = arss.Exemplars(5, encode="auto", scale="robust").fit(pd.DataFrame({"x": [1, "2", "$3", 7.5, "1,000"]}))
    assert numbers.exemplars_.shape == (5, 1)


@pytest.mark.filterwarnings("ignore:.*categories")
def test_ordered_categories_of_a_file_are_positions(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sizes = pd.Categorical(rng.choice(["L", "S", "M"], 70), ["S", "M", "never", "L"], ordered=True)
    table = pd.DataFrame({"size": sizes, "x": rng.normal(size=70)})
    wanted = arss.Exemplars(5, encode="auto", scale="robust").fit(table)
    for name in ("t.parquet", "t.feather"):
        path = tmp_path / name
        table.to_parquet(path) if name == "t.parquet" else table.to_feather(path)
        found = arss.Exemplars(5, encode="auto", scale="robust").fit(path)
        assert found.sample_indices_.tolist() == wanted.sample_indices_.tolist()
        np.testing.assert_allclose(found.exemplars_, wanted.exemplars_)
    assert roles(tmp_path / "t.parquet", "-o", str(tmp_path / "o.parquet"))["size"] == "category"
    # The order that is not kept is not claimed.
    assert not pd.read_parquet(tmp_path / "o.parquet")["size"].cat.ordered


def test_masked_cells_are_missing() -> None:
    rows = np.random.default_rng(6).normal(size=(30, 3))
    hole = np.zeros(rows.shape, dtype=bool)
    hole[4, 1], hole[9] = True, True
    masked = np.ma.masked_array(np.where(hole, 1e6, rows), hole)
    empty = np.where(hole, np.nan, rows)
    with pytest.raises(ValueError, match="row 4, column 1 is NaN"):
        arss.Exemplars(3).fit(masked)
    found, wanted = (arss.Exemplars(3, missing="median").fit(given) for given in (masked, empty))
    assert found.sample_indices_.tolist() == wanted.sample_indices_.tolist() and found.labels_[9] == -1
    assert (found.predict(masked) == wanted.labels_).all()
    assert (arss.Model.of(found).predict(masked) == wanted.labels_).all()
    whole = np.ma.masked_array(np.arange(12).reshape(6, 2), mask=np.eye(6, 2, dtype=bool))
    assert arss.TED(2, missing="mean").fit(whole).sample_indices_.shape == (2,)


def test_too_few_rows_say_why(tmp_path: Path) -> None:
    rows = np.array([[1.0, 2, 3], [np.nan, np.nan, 1], [4, 5, 6], [np.nan, 2, np.nan]])
    with pytest.raises(
        ValueError, match=r"X has 2 sample\(s\) that can be chosen; of its 4 rows 2 were left out, mostly"
    ):
        arss.Exemplars(3, missing="auto").fit(rows)
    with pytest.raises(ValueError, match=r"with missing values: missing='auto' fills"):
        arss.TED(3, missing="drop").fit(rows)
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": np.arange(9.0) ** 2, "paid": [True, False, True] * 3}).to_csv(path, index=False)
    with pytest.warns(UserWarning, match=r"left out: paid \(true and false, not numbers\)"):
        arss.Exemplars(2).fit(path)
    assert arss.Exemplars(2).fit(np.zeros((5, 2))).sample_indices_.shape == (2,)
