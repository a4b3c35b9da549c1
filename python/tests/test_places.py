"""Tables where they live: Hugging Face datasets, DuckDB, polars LazyFrames; torch and Lance through stand-ins."""

import sys
import types
from typing import Any

import numpy as np
import pytest

import arss

polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture
def embeddings() -> Any:
    rng = np.random.default_rng(5)
    return (rng.normal(size=(90, 6)) + 8 * np.eye(6)[np.arange(90) % 3]).astype(np.float32)


@pytest.fixture
def expected(embeddings: Any) -> Any:
    return arss.select(embeddings, 4, return_indices=True)[1]


def test_a_hugging_face_dataset_is_chosen_from_and_returned(embeddings: Any, expected: Any) -> None:
    datasets = pytest.importorskip("datasets")
    texts = [f"text {row}" for row in range(90)]
    whole = datasets.Dataset.from_dict({"text": texts, "embedding": embeddings.tolist()})
    whole = whole.cast_column("embedding", datasets.Sequence(datasets.Value("float32")))
    with pytest.warns(UserWarning, match="alone; left out: text"):
        chosen = arss.select(whole, 4)
    assert type(chosen) is datasets.Dataset
    assert chosen["text"] == [f"text {row}" for row in expected]

    # The same by embeddings that lie beside it, and after a shuffle, whose rows have other positions.
    assert arss.select(whole, 4, features=embeddings)["text"] == chosen["text"]
    shuffled = whole.shuffle(seed=1)
    order = np.array([int(text.split()[1]) for text in shuffled["text"]])
    with pytest.warns(UserWarning):
        found = arss.select(shuffled, 4)
    picks = arss.select(embeddings[order], 4, return_indices=True)[1]
    assert found["text"] == [f"text {order[row]}" for row in picks]

    # Splits are one table, and each keeps its own picks.
    splits = datasets.DatasetDict({"train": whole.select(range(60)), "test": whole.select(range(60, 90))})
    with pytest.warns(UserWarning):
        found = arss.select(splits, 4)
    assert type(found) is datasets.DatasetDict
    assert found["train"]["text"] == [f"text {row}" for row in expected if row < 60]
    assert found["test"]["text"] == [f"text {row}" for row in expected if row >= 60]

    with pytest.raises(TypeError, match="rows have no positions"):
        arss.select(whole.to_iterable_dataset(), 4)


def test_a_duckdb_relation_is_chosen_from_and_returned(embeddings: Any, expected: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pyarrow.table({f"c{j}": embeddings[:, j] for j in range(6)})
    relation = duckdb.from_arrow(table)
    chosen = arss.select(relation, 4)
    assert type(chosen) is type(relation)
    np.testing.assert_array_equal(np.array(chosen.fetchall(), dtype=np.float32), embeddings[expected])
    selector = arss.Exemplars(n_samples=4).fit(relation.filter("c0 > 4"))
    kept = embeddings[embeddings[:, 0] > 4]
    assert selector.sample_indices_.tolist() == arss.select(kept, 4, return_indices=True)[1].tolist()
    assert list(selector.feature_names_in_) == [f"c{j}" for j in range(6)]
    assert selector.predict(relation).shape == (90,)


def test_a_lazy_frame_is_chosen_from_and_returned(embeddings: Any, expected: Any) -> None:
    frame = polars.DataFrame({f"c{j}": embeddings[:, j] for j in range(6)}).lazy()
    chosen = arss.select(frame, 4)
    assert isinstance(chosen, polars.LazyFrame)
    np.testing.assert_array_equal(chosen.collect().to_numpy(), embeddings[expected])
    with pytest.raises(ValueError, match="fitted on 90"):
        arss.Exemplars(n_samples=4).fit(frame).select(frame.head(30))


def test_a_lance_table_by_its_interface(embeddings: Any, expected: Any) -> None:
    class LanceTable:
        """What lancedb.table.LanceTable offers; the library itself is too large for a test."""

        __module__ = "lancedb.table"

        def to_arrow(self) -> Any:
            vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(embeddings.ravel()), 6)
            return pyarrow.table({"vector": vectors})

        def count_rows(self) -> int:
            return 90

    chosen = arss.select(LanceTable(), 4)
    assert isinstance(chosen, pyarrow.Table)
    np.testing.assert_array_equal(np.array(chosen["vector"].to_pylist(), dtype=np.float32), embeddings[expected])


class Tensor:
    """What of torch.Tensor is used; the library itself is too large for a test."""

    __module__ = "torch"

    def __init__(self, values: Any, dtype: str | None = None) -> None:
        self.values = np.asarray(values)
        self.dtype = dtype or f"torch.{self.values.dtype}"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> "Tensor":
        return Tensor(self.values[at], self.dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values if dtype is None else self.values.astype(dtype)

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return self

    def float(self) -> "Tensor":
        return Tensor(self.values.astype(np.float32))


def test_tensors_and_torch_datasets_by_their_interface(
    embeddings: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = arss.select(Tensor(embeddings), 4)
    assert isinstance(chosen, Tensor)
    np.testing.assert_array_equal(chosen.values, embeddings[expected])
    selector = arss.Exemplars(n_samples=4).fit(Tensor(embeddings, "torch.bfloat16"))
    assert selector.sample_indices_.tolist() == expected.tolist()

    data = types.ModuleType("torch.utils.data")
    base = type("Dataset", (), {"__module__": "torch.utils.data.dataset"})

    class Subset(base):  # type: ignore[valid-type, misc]
        def __init__(self, dataset: Any, indices: list[int]) -> None:
            self.dataset, self.indices = dataset, indices

    data.Subset = Subset  # type: ignore[attr-defined]
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch.utils")
    torch.utils, utils.data = utils, data  # type: ignore[attr-defined]
    for name, module in (("torch", torch), ("torch.utils", utils), ("torch.utils.data", data)):
        monkeypatch.setitem(sys.modules, name, module)

    class Pairs(base):  # type: ignore[valid-type, misc]
        """Items of a tensor and a label, read one by one."""

        def __init__(self) -> None:
            self.read: list[int] = []

        def __len__(self) -> int:
            return 90

        def __getitem__(self, at: int) -> Any:
            self.read.append(at)
            return Tensor(embeddings[at].reshape(2, 3)), at % 3

    pairs = Pairs()
    chosen = arss.select(pairs, 4)
    assert isinstance(chosen, Subset) and chosen.dataset is pairs and chosen.indices == expected.tolist()
    # With embeddings beside it, no item is read.
    pairs.read.clear()
    assert arss.select(pairs, 4, features=embeddings).indices == expected.tolist()
    assert pairs.read == []


def test_a_module_of_ones_own_may_be_called_datasets(embeddings: Any, expected: Any) -> None:
    class Pictures:
        """Indexed by position, and nothing else."""

        __module__ = "datasets.pictures"

        def __len__(self) -> int:
            return 90

        def __getitem__(self, at: int) -> str:
            return f"picture {at}"

    chosen = arss.select(Pictures(), 4, features=embeddings)
    assert chosen == [f"picture {row}" for row in expected]
