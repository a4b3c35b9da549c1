"""What comes out: rows of what was passed, resampling, feature selection, the plain function."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn
from imblearn.pipeline import make_pipeline as sampling_pipeline
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import arss


def test_rows_of_whatever_was_passed(table: NDArray[np.float64]) -> None:
    selector = arss.ARSS(n_samples=4).fit(table)
    best = selector.sample_indices_
    assert np.array_equal(selector.select(table), table[best])
    assert selector.select(table.tolist()) == table[best].tolist()
    assert selector.select([f"row {i}" for i in range(300)]) == [f"row {i}" for i in best]

    frame = pd.DataFrame({"x": table[:, 0].astype("f4"), "name": [f"r{i}" for i in range(300)]}, index=range(500, 800))
    chosen = selector.select(frame)
    assert chosen.index.tolist() == (best + 500).tolist()
    assert chosen.dtypes.equals(frame.dtypes)
    assert selector.select(frame["name"]).tolist() == [f"r{i}" for i in best]

    polars = selector.select(pl.from_pandas(frame))
    assert isinstance(polars, pl.DataFrame) and polars["name"].to_list() == chosen["name"].tolist()
    arrow = selector.select(pa.Table.from_pandas(frame, preserve_index=False))
    assert isinstance(arrow, pa.Table) and arrow["name"].to_pylist() == chosen["name"].tolist()
    sparse = selector.select(scipy.sparse.csc_matrix(table))
    assert np.array_equal(sparse.toarray(), table[best])


def test_select_refuses_other_tables(table: NDArray[np.float64]) -> None:
    with pytest.raises(NotFittedError):
        arss.TED().select(table)
    with pytest.raises(ValueError, match=r"299 rows.*fitted on 300"):
        arss.TED().fit(table).select(table[:-1])


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, lambda X: X.tolist()])
def test_fit_resample(frame: Any, table: NDArray[np.float64]) -> None:
    labels = np.array(["odd", "even"])[np.arange(300) % 2]
    selector = arss.TED(n_samples=0.1)
    X, y = selector.fit_resample(frame(table), labels)
    assert len(X) == len(y) == 30
    assert np.array_equal(np.asarray(X), table[selector.sample_indices_])
    assert np.array_equal(y, labels[selector.sample_indices_])


def test_in_a_pipeline_of_imbalanced_learn(table: NDArray[np.float64]) -> None:
    labels = (table[:, 0] > 2).astype(int)
    model = sampling_pipeline(StandardScaler(), arss.KMedoidsSelector(40, random_state=0), LogisticRegression())
    assert model.fit(table, labels).score(table, labels) > 0.7
    assert model.predict(table).shape == (300,)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_weights_and_groups_through_a_pipeline_of_imbalanced_learn(table: NDArray[np.float64]) -> None:
    labels = (table[:, 0] > 2).astype(int)
    weights = np.where(np.arange(300) < 100, 1.0, 0.0)
    groups = np.arange(300) % 3
    for selector, passed in (
        (arss.TED(9).set_fit_resample_request(sample_weight=True), {"sample_weight": weights}),
        (
            arss.Exemplars(9, quotas={0: 0}).set_fit_resample_request(sample_weight=True, groups=True),
            {"sample_weight": weights, "groups": groups},
        ),
    ):
        model = sampling_pipeline(selector, LogisticRegression().set_fit_request(sample_weight=False))
        model.fit(table, labels, **passed)
        expected = clone(selector).fit(table, **passed).sample_indices_.tolist()
        assert model[0].sample_indices_.tolist() == expected != type(selector)(9).fit(table).sample_indices_.tolist()
    plain = sampling_pipeline(arss.TED(9), LogisticRegression().set_fit_request(sample_weight=False))
    with pytest.raises(UnsetMetadataPassedError, match=r"TED\.fit"):
        plain.fit(table, labels, sample_weight=weights)
    kept = arss.TED(9).set_fit_request(sample_weight=False).set_fit_resample_request(sample_weight=True)
    assert kept.get_metadata_routing().fit.requests["sample_weight"] is False
    with pytest.raises(TypeError, match="groups"):
        arss.TED(9).set_fit_resample_request(groups=True)
    renamed = arss.TED(9).set_fit_resample_request(sample_weight="importance")
    model = sampling_pipeline(renamed, LogisticRegression()).fit(table, labels, importance=weights)
    assert model[0].sample_indices_.tolist() == arss.TED(9).fit(table, sample_weight=weights).sample_indices_.tolist()


def test_the_order_of_imports_does_not_matter_to_routing() -> None:
    code = """
    import arss, sklearn
    sklearn.set_config(enable_metadata_routing=True)
    arss.TED().set_fit_resample_request(sample_weight=True)
    print(arss.Exemplars().set_fit_resample_request(groups=True).get_metadata_routing().fit_resample.requests["groups"])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], text=True, capture_output=True, timeout=60)
    assert done.stdout == "True\n", done.stderr


class Dataset:
    """Indexed by position, as PyTorch's are; counts what is read."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.read: list[int] = []

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> dict[str, Any]:
        assert type(index) is int
        if not 0 <= index < self.rows:
            raise IndexError(index)
        self.read.append(index)
        return {"image": f"{index}.png", "label": index % 2}


def test_of_a_dataset_only_the_picks_are_read(table: NDArray[np.float64]) -> None:
    dataset = Dataset(300)
    best = arss.Exemplars(7).fit(table).sample_indices_.tolist()
    rows, indices = arss.select(dataset, 7, features=table, return_indices=True)
    assert indices.tolist() == dataset.read == best
    assert rows == [{"image": f"{index}.png", "label": index % 2} for index in best]
    assert len(arss.TED(4).fit(table).select(dataset)) == 4 and len(dataset.read) == 11
    frame = pd.DataFrame({"v": list(table), "name": [f"r{i}" for i in range(300)]})
    assert arss.select(frame, 7, features=table).index.tolist() == best
    with pytest.raises(ValueError, match=r"X has 299 rows, but Exemplars was fitted on 300"):
        arss.select(Dataset(299), 7, features=table)

    class OnDisk(Dataset):
        """Like an array of HDF5 or Zarr: it can be read as a whole, which may be too much."""

        shape = (300, 6)

        def __getitem__(self, index: int) -> Any:
            self.read.append(index)
            return table[index]

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise AssertionError("all of it was read")

    stored = OnDisk(300)
    assert np.array_equal(arss.Exemplars(7).fit(table).select(stored), table[best]) and stored.read == best

    class Loaded(Dataset):
        """Like those of Hugging Face: its own `select` makes a dataset of some rows and reads none."""

        __module__ = "datasets.arrow_dataset"

        def select(self, indices: list[int]) -> tuple[str, list[int]]:
            return "part", indices

    loaded = Loaded(300)
    assert arss.select(loaded, 7, features=table) == ("part", best) and loaded.read == []


def test_the_plain_function(table: NDArray[np.float64]) -> None:
    rows, indices = arss.select(pd.DataFrame(table), 7, return_indices=True)
    assert rows.index.tolist() == indices.tolist() == arss.Exemplars(7).fit(table).sample_indices_.tolist()
    assert not {5, 50, 250} & set(indices.tolist())
    rows, indices = arss.select(pd.DataFrame(table), 7, method="arss", return_indices=True, p=1.0)
    assert np.array_equal(arss.select(table, 7, method="arss", p=1.0), table[indices])
    assert len(arss.select(table, 0.02)) == 6
    assert 1 <= len(arss.select(table, "auto")) < 300
    with pytest.raises(ValueError, match=r"method='best'.*'exemplars', 'arss'"):
        arss.select(table, 7, method="best")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        arss.select(table, 7, misspelt=1)


@pytest.mark.parametrize("method", ["arss", "rrss", "ted", "rrqr"])
def test_feature_selection(method: Any, table: NDArray[np.float64]) -> None:
    X = pd.DataFrame(table, columns=list("abcdef"))
    selector = arss.FeatureSelector(method, n_features_to_select=2).set_output(transform="pandas")
    chosen = selector.fit_transform(X)
    assert chosen.columns.tolist() == selector.get_feature_names_out().tolist() == sorted(chosen.columns)
    assert selector.get_support().sum() == 2
    assert selector.scores_.shape == selector.residuals_.shape == (6,)
    assert set(selector.get_support(indices=True)) == set(selector.feature_indices_)
    back = selector.inverse_transform(chosen.to_numpy())
    assert back.shape == table.shape
    # The same answer as choosing rows of the transposed table.
    kind = {"arss": arss.ARSS, "rrss": arss.RRSS, "ted": arss.TED, "rrqr": arss.RRQR}[method]
    rows = kind(n_samples=2).fit(table.T)
    assert rows.sample_indices_.tolist() == selector.feature_indices_.tolist()
    assert rows.scores_.tolist() == selector.scores_[selector.feature_indices_].tolist()


def test_features_of_frames(table: NDArray[np.float64]) -> None:
    X = {name: column for name, column in zip("abcdef", table.T, strict=True)}
    expected = arss.FeatureSelector().fit(table).feature_indices_.tolist()
    for frame in (pd.DataFrame(X), pl.DataFrame(X), pa.table(X)):
        assert arss.FeatureSelector().fit(frame).feature_indices_.tolist() == expected


def test_features_in_a_pipeline(table: NDArray[np.float64]) -> None:
    labels = (table[:, 0] > 2).astype(int)
    model = make_pipeline(
        StandardScaler(), arss.FeatureSelector("rrqr", n_features_to_select=0.5), LogisticRegression()
    )
    assert model.fit(table, labels)[:-1].transform(table).shape == (300, 3)
