"""What `fit` learned of the columns is what new rows are read by; and rows about which nothing is known."""

from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import arss
import arss.plot
from arss import _input

PEOPLE = {"age": [20.0, 30, 40, 50, 61, 22], "city": ["Ulm", "Jena", "Ulm", "Jena", "Ulm", "Bonn"]}
FRAMES: list[Any] = [pd.DataFrame, pl.DataFrame, pa.table]


def nearest(values: Any, selector: Any) -> list[int]:
    """By hand: the exemplar nearest to each row."""
    squared = ((np.asarray(values, dtype=float)[:, None] - selector.exemplars_[None]) ** 2).sum(axis=2)
    found: list[int] = squared.argmin(axis=1).tolist()
    return found


# Categories and fill values


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", [arss.Exemplars, arss.FacilityLocation])
def test_new_rows_are_encoded_as_those_of_fit(frame: Any, kind: Any) -> None:
    people = frame(PEOPLE)
    selector = kind(3, encode="onehot").fit(people)
    assert selector.predict(people).tolist() == selector.labels_.tolist()
    # Bonn, Jena, Ulm are the columns, whichever of them the new rows have.
    some = frame({"age": [22.0, 61.0], "city": ["Bonn", "Ulm"]})
    assert selector.predict(some).tolist() == nearest([[22, 1, 0, 0], [61, 0, 0, 1]], selector)
    unknown = frame({"age": [41.0], "city": ["Kiel"]})
    assert selector.predict(unknown).tolist() == nearest([[41, 0, 0, 0]], selector)


def test_an_unknown_category_is_missing_as_a_position() -> None:
    people = pd.DataFrame(PEOPLE)
    new = pd.DataFrame({"age": [41.0, 61.0], "city": ["Kiel", "Ulm"]})
    with pytest.raises(ValueError, match="row 0, column 'city' is NaN"):
        arss.Exemplars(3, encode="ordinal").fit(people).predict(new)
    dropped = arss.Exemplars(3, encode="ordinal", missing="drop").fit(people)
    assert dropped.predict(new).tolist() == [-1, *nearest([[61, 2]], dropped)]
    assert dropped.predict(new[:1]).tolist() == [-1]
    filled = arss.Exemplars(3, encode="ordinal", missing="mean").fit(people)
    assert filled.predict(new).tolist() == nearest([[41, np.mean([2, 1, 2, 1, 2, 0])], [61, 2]], filled)


@pytest.mark.parametrize("missing", ["mean", "median"])
@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_new_rows_are_filled_by_the_values_of_fit(missing: Any, frame: Any) -> None:
    X = np.random.default_rng(0).normal(size=(80, 3)) * 9
    X[5, 1] = np.nan
    selector = arss.Exemplars(6, missing=missing).fit(frame(X))
    middle = getattr(np, f"nan{missing}")(X, axis=0)
    new = np.array([[np.nan, 30.0, 30.0], [1.0, np.nan, 50.0]])  # a hole where `fit` saw none, too
    expected = nearest(np.where(np.isnan(new), middle, new), selector)
    assert selector.predict(frame(new)).tolist() == expected
    assert selector.predict(frame(new[:1])).tolist() == expected[:1]


def test_new_rows_that_do_not_fit() -> None:
    selector = arss.Exemplars(3, encode="onehot").fit(pd.DataFrame(PEOPLE))
    with pytest.raises(ValueError, match="column 'age' does not hold numbers, but it did in fit"):
        selector.predict(pd.DataFrame({"age": ["old"], "city": ["Ulm"]}))
    with pytest.raises(ValueError, match="data frame with the columns of fit"):
        selector.predict(np.ones((2, 2)))
    numbers = arss.Exemplars(3).fit(np.random.default_rng(0).normal(size=(9, 2)))
    with pytest.raises(ValueError, match="do not hold numbers: city"), pytest.warns(UserWarning):
        numbers.predict(pd.DataFrame(PEOPLE))


def test_new_rows_after_a_file(tmp_path: Any) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.save(tmp_path / "table.npy", X)
    selector = arss.Exemplars(3).fit(tmp_path / "table.npy")
    assert np.array_equal(selector.predict(X), selector.labels_)
    pd.DataFrame({"x": X[:, 0], "c": ["a", "b"] * 25}).to_csv(tmp_path / "table.csv", index=False)
    with pytest.warns(UserWarning, match="categories: c"):
        selector = arss.Exemplars(3, encode="auto").fit(tmp_path / "table.csv")
    with pytest.raises(ValueError, match="fit a table in memory, or use `arss apply`"):
        selector.predict(X)


# Order


X_VALUES = np.array([0.0, 1, 2, 3, 5])
SIZES = ["small", "large", "medium", "small", "large"]
ORDER = ["small", "medium", "large", "huge"]
ORDERED: dict[str, Any] = {
    "pandas": lambda: pd.DataFrame({"x": X_VALUES, "size": pd.Categorical(SIZES, ORDER, ordered=True)}),
    "polars": lambda: pl.DataFrame({"x": X_VALUES, "size": pl.Series(SIZES, dtype=pl.Enum(ORDER))}),
    "pyarrow": lambda: pa.table(
        {
            "x": X_VALUES,
            "size": pa.DictionaryArray.from_arrays([0, 2, 1, 0, 2], ORDER, ordered=True),
        }
    ),
    "pyarrow in chunks": lambda: pa.concat_tables(
        [ORDERED["pyarrow"]().slice(0, 2), ORDERED["pyarrow"]().slice(2)],
    ),
}


@pytest.mark.parametrize("library", ORDERED)
def test_ordered_categories_keep_their_order(library: str) -> None:
    X = ORDERED[library]()
    for encode in ("ordinal", "auto"):
        table = _input.read(arss.TED(), X, encode=encode).table
        assert [column.tolist() for column in table] == [[0, 1, 2, 3, 5], [0, 2, 1, 0, 2]]
    onehot = _input.read(arss.TED(), X, encode="onehot").table
    assert [column.tolist() for column in onehot[1:]] == [[1, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 1]]


@pytest.mark.parametrize(
    "colour",
    [
        lambda values: pd.DataFrame({"c": pd.Categorical(values, ["red", "blue"])}),
        lambda values: pl.DataFrame({"c": pl.Series(values, dtype=pl.Categorical)}),
        lambda values: pa.table({"c": pa.array(values).dictionary_encode()}),
        lambda values: pd.DataFrame({"c": values}),
    ],
)
def test_other_categories_become_columns_of_0_and_1(colour: Any) -> None:
    table = _input.read(arss.TED(), colour(["red", "blue", "red", "red"]), encode="auto").table
    assert [column.tolist() for column in table] == [[0, 1, 0, 0], [1, 0, 1, 1]]


# Rows about which nothing is known


@pytest.mark.parametrize("missing", ["mean", "median", "drop"])
@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_a_row_without_any_value_is_no_exemplar(missing: Any, frame: Any) -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    X[[7, 30]] = np.nan
    X[8, 0] = np.nan
    axes = matplotlib.figure.Figure().subplots()
    for kind in (arss.Exemplars, arss.FacilityLocation, arss.KMedoidsSelector, arss.TED):
        left_out = [7, 30] if missing != "drop" else [7, 8, 30]
        selector = kind(60 - len(left_out), missing=missing).fit(frame(X))
        assert sorted(selector.sample_indices_) == sorted(set(range(60)) - set(left_out))
        assert np.flatnonzero(np.isnan(selector.outlier_scores_)).tolist() == left_out
        if hasattr(selector, "labels_"):
            assert np.flatnonzero(selector.labels_ < 0).tolist() == left_out
            assert selector.predict(frame(X)).tolist() == selector.labels_.tolist()
            assert selector.predict(frame(X[[7]])).tolist() == [-1]
        axes.clear()
        legend = arss.plot.picks(selector, frame(X), ax=axes).get_legend()
        assert legend is not None and legend.get_texts()[0].get_text() == "60 rows"
        assert np.isfinite(np.asarray(arss.plot.coverage(selector, frame(X), ax=axes).lines[0].get_ydata())).all()
    with pytest.raises(ValueError, match="include names row 7, but it was left out for its missing values"):
        arss.Exemplars(3, missing=missing, include=[7]).fit(frame(X))


LABELS: dict[str, Any] = {
    "array": lambda labels: np.array([np.nan if label is None else label for label in labels]),
    "objects": lambda labels: np.array([float("nan") if label is None else label for label in labels], dtype=object),
    "list": lambda labels: [float("nan") if i % 2 and label is None else label for i, label in enumerate(labels)],
    "pandas": lambda labels: pd.Series(labels, dtype="Int64"),
    "pandas floats": lambda labels: pd.Series(labels, dtype=float),
    "dates": lambda labels: pd.Series(pd.to_datetime(pd.Series(labels, dtype="Int64"), unit="D")),
    "polars": lambda labels: pl.Series(labels),
}


@pytest.mark.parametrize("kind", LABELS)
def test_missing_labels_are_one_group(kind: str) -> None:
    X = np.random.default_rng(2).normal(size=(90, 3))
    labels = [None if row % 3 == 0 else row % 3 for row in range(90)]
    for quotas in ({None: 1}, {float("nan"): 1}):
        picks = arss.Exemplars(9, quotas=quotas).fit(X, groups=LABELS[kind](labels)).sample_indices_
        assert (picks % 3 == 0).sum() == 1
    shares = arss.Exemplars(9).fit(X, groups=LABELS[kind](labels)).sample_indices_ % 3
    assert np.bincount(shares).tolist() == [3, 3, 3]
