"""`encode="auto"` does in memory and from a file what the command line does."""

import datetime
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss
from arss import _core, _input

pd = pytest.importorskip("pandas")


@pytest.fixture
def frame() -> Any:
    rng = np.random.default_rng(5)
    rows = 120
    return pd.DataFrame(
        {
            "customer_id": rng.permutation(rows) + 1000,
            "counter": np.arange(rows),
            "name": [f"person {row}" for row in range(rows)],
            "constant": "x",
            "colour": rng.choice(["red", "green", "blue"], rows),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], rows), ["S", "M", "L"], ordered=True),
            "paid": rng.random(rows) < 0.4,
            "day": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 300, rows), "D"),
            "weight": rng.normal(70, 9, rows),
        }
    )


def test_auto_leaves_out_what_counts_or_names_the_rows(frame: Any) -> None:
    with pytest.warns(
        UserWarning, match="left out: customer_id .identifier., counter .counter., name .identifier., co"
    ):
        data = _input.read(arss.Exemplars(), frame, encode="auto")
    assert data.names == ["colour"] * 3 + ["size", "paid", "day", "weight"]
    assert list(data.categories) == [4, 4, 4, None, None, None, None]
    seconds = data.table[5]
    assert seconds[0] == frame["day"][0].replace(tzinfo=datetime.UTC).timestamp()
    assert set(np.unique(data.table[3])) == {0.0, 1.0, 2.0}


def test_nothing_to_choose_by_is_an_error(frame: Any) -> None:
    with pytest.raises(ValueError, match="no column to choose by: customer_id"):
        arss.Exemplars(encode="auto").fit(frame[["customer_id", "name"]])


def test_a_frame_and_its_file_give_the_picks_of_the_command_line(frame: Any, tmp_path: Path, capfd: Any) -> None:
    frame = frame.drop(columns="size")
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    assert _core.main(["arss", "select", str(path), "-k", "9", "--json", "--threads", "1"]) == 0
    told = json.loads(capfd.readouterr().out)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings: dict[str, Any] = {"scale": "robust", "encode": "auto", "missing": "auto"}
        in_memory = arss.Exemplars(9, **settings).fit(frame)
        from_file = arss.Exemplars(9, **settings).fit(path)
    assert list(from_file.sample_indices_) == told["indices"]
    assert list(in_memory.sample_indices_) == told["indices"]
    np.testing.assert_allclose(in_memory.outlier_scores_, from_file.outlier_scores_, rtol=1e-9)


def test_new_rows_are_seen_as_in_fit(frame: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = arss.Exemplars(6, scale="robust", encode="auto").fit(frame)
    assert np.array_equal(selector.predict(frame), selector.labels_)
    other = frame.assign(day="soon")
    with pytest.raises(ValueError, match="column 'day' does not hold dates, but it did in fit: row 0 is 'soon'"):
        selector.predict(other)


def test_a_combination_of_its_own_is_no_outlier() -> None:
    rng = np.random.default_rng(0)
    rows = 600
    frame = pd.DataFrame(
        {
            "team": rng.choice([f"t{i}" for i in range(30)], rows),
            "position": rng.choice([f"p{i}" for i in range(13)], rows),
            "salary": np.r_[rng.normal(50, 5, rows - 1), 5000.0],
        }
    )
    selector = arss.Exemplars(10, scale="robust", encode="auto").fit(frame)
    assert selector.outlier_scores_[rows - 1] > 1
    assert selector.n_outliers_ <= 0.02 * rows
    assert rows - 1 not in selector.sample_indices_


def test_missing_auto_leaves_out_what_is_mostly_missing() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(60, 4))
    table[:40, 2] = np.nan
    table[5, [0, 1]] = np.nan
    table[9, 3] = np.nan
    with pytest.warns(UserWarning, match="left out, mostly missing: 2"):
        selector = arss.Exemplars(4, missing="auto").fit(table)
    assert selector.labels_[5] == -1 and np.isnan(selector.outlier_scores_[5])
    assert selector.exemplars_.shape == (4, 3)
    assert np.array_equal(selector.predict(table), selector.labels_)
    colours = pd.DataFrame({"x": rng.normal(size=9), "c": ["a", "b", None, "b", "b", "a", None, "a", "b"]})
    data = _input.read(arss.TED(), colours, "auto", "onehot")
    assert [column[2] for column in data.table[1:]] == [0.0, 1.0]


def test_files_take_the_options_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,4\n2,\n3,1\n,7\n9,9\n")
    with pytest.raises(ValueError, match="missing"):
        arss.Exemplars(2).fit(path)
    with pytest.warns(UserWarning, match="dropped, with missing values: 2 of 5 rows; without x 1 more row remains"):
        dropped = arss.Exemplars(2, missing="drop").fit(path)
    assert dropped.n_rows_ == 5 and dropped.labels_[[1, 3]].tolist() == [-1, -1]
    assert set(dropped.sample_indices_) <= {0, 2, 4}
    np.save(tmp_path / "t.npy", np.eye(3))
    with pytest.raises(ValueError, match="encode='auto' is for tables in memory and for files of columns"):
        arss.Exemplars(1, encode="auto").fit(tmp_path / "t.npy")
