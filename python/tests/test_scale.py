"""Columns on one scale: as the command line does it, and kept for new rows."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import arss

SCALES = ["robust", "standard", "unit"]


def uneven(rows: int = 600) -> NDArray[np.float64]:
    """Three groups that differ in a column of small numbers, beside columns of large ones with wild cells."""
    generator = np.random.default_rng(11)
    X = generator.normal(size=(rows, 5)) * [0.01, 1e3, 1.0, 50.0, 1.0]
    X[:, 0] += np.arange(rows) % 3
    X[:, 4] = generator.integers(2, size=rows)
    X[::150, 3] = -9999
    return X


def command_line(*words: str, folder: Path) -> Any:
    """The JSON of a command, run by the program or by the package."""
    program = os.environ.get("ARSS_BINARY") or shutil.which("arss")
    start = [program] if program else [sys.executable, "-m", "arss"]
    done = subprocess.run([*start, *words], cwd=folder, check=True, capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("scale", SCALES)
def test_the_same_rows_as_the_command_line(scale: str, kind: str, tmp_path: Path) -> None:
    X = uneven().astype(kind)
    np.save(tmp_path / "table.npy", X)
    found = command_line("select", "table.npy", "-k", "9", "--scale", scale, "--json", "--no-config", folder=tmp_path)
    selector = arss.Exemplars(9, scale=scale).fit(X)
    assert selector.sample_indices_.tolist() == found["indices"]
    assert selector.scores_.tolist() == found["scores"]
    assert selector.n_outliers_ == found["outliers"]
    assert selector.outlier_confidence_ == found["outlier_confidence"]


@pytest.mark.parametrize("scale", SCALES)
def test_a_file_gives_what_the_table_gives(scale: str, tmp_path: Path) -> None:
    X = uneven(5000)
    np.save(tmp_path / "table.npy", X)
    pd.DataFrame(X, columns=list("abcde")).to_parquet(tmp_path / "table.parquet")
    before = (tmp_path / "table.npy").read_bytes()
    here = arss.Exemplars(12, scale=scale).fit(X)
    for source in (tmp_path / "table.npy", tmp_path / "table.parquet", lambda: np.array_split(X, 7)):
        there = arss.Exemplars(12, scale=scale).fit(source, memory="100K", scratch=tmp_path)
        for name in ("sample_indices_", "outlier_scores_", "labels_", "location_", "spread_"):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name), err_msg=name)
    assert (tmp_path / "table.npy").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.npy", "table.parquet"]


def test_auto_means_as_they_come() -> None:
    X = uneven()
    plain, none = arss.Exemplars(9).fit(X), arss.Exemplars(9, scale="none").fit(X)
    np.testing.assert_array_equal(plain.sample_indices_, none.sample_indices_)
    np.testing.assert_array_equal(plain.exemplars_, X[plain.sample_indices_])
    assert plain.location_ is None and plain.spread_ is None


@pytest.mark.parametrize("scale", SCALES)
def test_new_rows_are_scaled_as_those_of_fit(scale: str) -> None:
    X = uneven()
    for table in (X, np.asfortranarray(X), pd.DataFrame(X, columns=list("abcde"))):
        selector = arss.Exemplars(6, scale=scale).fit(table)
        np.testing.assert_array_equal(selector.predict(table), selector.labels_)
        # One row alone has no spread: only that of fit can scale it.
        again = pickle.loads(pickle.dumps(selector))
        single = [int(again.predict(table[at : at + 1])[0]) for at in range(20)]
        assert single == selector.labels_[:20].tolist()
    assert not np.shares_memory(selector.exemplars_, X) and X[150, 3] == -9999


def test_what_was_measured() -> None:
    X = uneven()
    standard = arss.Exemplars(3, scale="standard").fit(X)
    np.testing.assert_allclose(standard.location_, X.mean(axis=0))
    np.testing.assert_allclose(standard.spread_, X.std(axis=0))
    unit = arss.Exemplars(3, scale="unit").fit(X)
    np.testing.assert_allclose(unit.location_, X.min(axis=0))
    np.testing.assert_allclose(unit.spread_, np.ptp(X, axis=0))
    robust = arss.Exemplars(3, scale="robust").fit(X)
    np.testing.assert_array_equal(robust.location_, np.median(X, axis=0))
    # A few wild cells leave the spread of the others alone.
    assert 25 < robust.spread_[3] < 100 < standard.spread_[3]


def test_nothing_to_scale_by_and_bad_values(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="every column is constant: all rows are alike"):
        equal = arss.Exemplars(2, scale="robust").fit(np.full((30, 2), 1.5))
    assert equal.location_ is None and equal.predict([[1.5, 1.5]]).tolist() == [0]
    X = uneven()
    with pytest.raises(ValueError, match=r"scale='sigma', but it must be one of 'auto', 'none', 'robust'"):
        arss.Exemplars(2, scale="sigma").fit(X)
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="row 7, column 2 is NaN"):
        arss.Exemplars(2, scale="robust").fit(X)
    filled = arss.Exemplars(2, scale="robust", missing="drop").fit(X)
    assert filled.predict(X)[7] == -1
    np.save(tmp_path / "table.npy", X)
    with pytest.raises(ValueError, match="row 7, column 2"):
        arss.Exemplars(2, scale="robust").fit(tmp_path / "table.npy")
