"""Columns of lists and arrays as features."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import arss
from arss import _input

X = np.random.default_rng(5).normal(size=(120, 4))


def fixed(values: NDArray[Any]) -> Any:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def tensor(values: NDArray[Any]) -> Any:
    return pa.FixedShapeTensorArray.from_numpy_ndarray(values)


VECTORS: dict[str, Any] = {
    "pandas lists": lambda V: pd.DataFrame({"v": V.tolist()}),
    "pandas arrays": lambda V: pd.DataFrame({"v": list(V)}),
    "pandas tuples": lambda V: pd.DataFrame({"v": [tuple(row) for row in V.tolist()]}, index=range(50, 50 + len(V))),
    "pandas arrow": lambda V: pd.DataFrame({"v": pd.Series(V.tolist(), dtype=pd.ArrowDtype(pa.list_(pa.float64())))}),
    "polars lists": lambda V: pl.DataFrame({"v": V.tolist()}),
    "polars arrays": lambda V: pl.DataFrame({"v": pl.Series(V.tolist(), dtype=pl.Array(pl.Float64, V.shape[1]))}),
    "polars in chunks": lambda V: pl.concat(
        [pl.DataFrame({"v": V[:50].tolist()}), pl.DataFrame({"v": V[50:].tolist()})], rechunk=False
    ),
    "pyarrow lists": lambda V: pa.table({"v": V.tolist()}),
    "pyarrow large lists": lambda V: pa.table({"v": pa.array(V.tolist(), pa.large_list(pa.float64()))}),
    "pyarrow fixed": lambda V: pa.table({"v": fixed(V)}),
    "pyarrow sliced": lambda V: pa.table({"v": fixed(np.vstack([V[:3], V]))}).slice(3),
    "pyarrow in chunks": lambda V: pa.concat_tables([pa.table({"v": fixed(V[:50])}), pa.table({"v": fixed(V[50:])})]),
    "pyarrow tensors": lambda V: pa.table({"v": tensor(V)}),
}


@pytest.mark.parametrize("layout", VECTORS)
def test_vectors_are_features(layout: str) -> None:
    selector = arss.Exemplars(7).fit(VECTORS[layout](X))
    expected = arss.Exemplars(7).fit(X)
    assert selector.sample_indices_.tolist() == expected.sample_indices_.tolist()
    assert selector.outlier_scores_.tolist() == expected.outlier_scores_.tolist()
    assert selector.predict(VECTORS[layout](X[:60])).tolist() == expected.predict(X[:60]).tolist()
    assert len(selector.select(VECTORS[layout](X))) == 7


@pytest.mark.parametrize("kind", ["f2", "f4", "i4"])
@pytest.mark.parametrize(
    "frame", [lambda V: pd.DataFrame({"v": list(V)}), lambda V: pa.table({"v": fixed(V)})], ids=["pandas", "pyarrow"]
)
def test_types_of_vectors(kind: str, frame: Any) -> None:
    V = np.round(X * 9).astype(kind)
    table: Any = _input.read(arss.TED(), frame(V)).table
    assert table.dtype == (np.float32 if kind == "f4" else np.float64) and np.array_equal(table, V)


def test_vectors_in_one_piece_are_not_copied() -> None:
    for values in (X, X.astype(np.float32)):
        table: Any = _input.read(arss.TED(), pa.table({"v": fixed(values)})).table
        assert np.shares_memory(table, values)


RAGGED: list[Any] = [
    lambda rows: pd.DataFrame({"v": rows}),
    lambda rows: pl.DataFrame({"v": rows}),
    lambda rows: pa.table({"v": rows}),
]


@pytest.mark.parametrize("frame", RAGGED)
def test_ragged_and_missing_vectors_are_named(frame: Any) -> None:
    ragged = r"row 2, column 'v' is a vector of 1 numbers, but row 0 has 2"
    with pytest.raises(ValueError, match=ragged):
        arss.TED(1).fit(frame([[1.0, 2.0], [2.0, 3.0], [4.0]]))
    with pytest.raises(ValueError, match=r"row 1, column 'v\[0\]' is NaN"):
        arss.TED(1).fit(frame([[1.0, 2.0], None, [4.0, 1.0]]))
    with pytest.raises(ValueError, match=r"row 1, column 'v\[1\]' is NaN"):
        arss.TED(1).fit(frame([[1.0, 2.0], [2.0, None], [4.0, 1.0]]))
    found = arss.TED(2, missing="mean").fit(frame([None, [1.0, 2.0], [2.0, None], [4.0, 1.0]]))
    assert np.isnan(found.outlier_scores_).tolist() == [True, False, False, False]
    selector = arss.Exemplars(1).fit(frame([[1.0, 2.0], [2.0, 3.0]]))
    with pytest.raises(ValueError, match="row 0, column 'v' is a vector of 3 numbers, but those of fit have 2"):
        selector.predict(frame([[1.0, 2.0, 3.0]]))


def test_what_is_no_vector() -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        arss.TED(1).fit(pa.table({"v": pa.array([], pa.list_(pa.float32()))}))
    for empty in (
        pd.DataFrame({"v": [[], []]}),
        pl.DataFrame({"v": pl.Series([[], []], dtype=pl.List(pl.Float64))}),
        pa.table({"v": pa.array([[], []], pa.list_(pa.float32()))}),
    ):
        with pytest.raises(ValueError, match=r"empty vectors: 0 feature\(s\)"):
            arss.TED(1).fit(empty)
    for nothing in (
        pl.DataFrame({"v": pl.Series([None, None], dtype=pl.List(pl.Float64))}),
        pa.table({"v": pa.array([None, None], pa.list_(pa.float32()))}),
    ):
        with pytest.raises(ValueError, match=r"column 'v' has no value: 0 feature\(s\)"):
            arss.TED(1, missing="mean").fit(nothing)
    for cell in (["a", "b"], [[1.0], [2.0]], "text", {"a": 1}):
        with pytest.raises(ValueError, match=r"row 1, column 'v' is .* no vector of numbers"):
            arss.TED(1).fit(pd.DataFrame({"v": [[1.0, 2.0], cell]}))
    with pytest.raises(ValueError, match="do not hold numbers: v"):
        arss.TED(1).fit(pl.DataFrame({"v": [["a"], ["b"]]}))
    with pytest.raises(ValueError, match="column 'v' holds list, which encode='onehot' cannot encode"):
        arss.TED(1, encode="onehot").fit(pl.DataFrame({"v": [["a"], ["b"]]}))


def test_other_columns_are_left_out_and_named() -> None:
    frame = pd.DataFrame({"id": np.arange(120), "v": list(X), "label": ["a"] * 120})
    with pytest.warns(UserWarning, match="by the vectors of column 'v' alone; left out: id, label") as told:
        selector = arss.Exemplars(7).fit(frame)
    assert told[0].filename == __file__, "the warning points at who called"
    assert selector.sample_indices_.tolist() == arss.Exemplars(7).fit(X).sample_indices_.tolist()
    assert selector.feature_names_in_.tolist() == ["id", "v", "label"]
    assert selector.predict(frame).tolist() == selector.labels_.tolist()
    with pytest.raises(ValueError, match=r"2 columns of X hold vectors: v, w\. Only one can be used"):
        arss.TED(1).fit(pd.DataFrame({"v": list(X), "w": list(X)}))
    with pytest.raises(ValueError, match="pass them as an array"):
        arss.FeatureSelector().fit(pd.DataFrame({"v": list(X)}))


# Columns at odd addresses


def at_odd_address(values: NDArray[Any]) -> NDArray[Any]:
    data = np.frombuffer(b"x" + values.tobytes(), dtype=np.uint8)[1:].view(values.dtype).reshape(values.shape)
    assert not data.flags.aligned
    return data


def packed(values: NDArray[np.float64]) -> Any:
    """The columns of records of 33 bytes."""
    records = np.zeros(len(values), dtype=[("tag", "u1"), ("values", "f8", (values.shape[1],))])
    records["values"] = values
    return {name: records["values"][:, j] for j, name in enumerate("abcd")}


ODD: dict[str, Any] = {
    "array": lambda V: at_odd_address(V),
    "columns": lambda V: pd.DataFrame({f"c{j}": at_odd_address(V[:, j].copy()) for j in range(4)}, copy=False),
    "frame": lambda V: pd.DataFrame(at_odd_address(V), copy=False),
    "backwards": lambda V: pd.DataFrame(V[::-1].copy()[::-1], copy=False),
    "strided": lambda V: pd.DataFrame(np.repeat(V, 2, axis=0)[::2], copy=False),
    "packed": lambda V: pd.DataFrame(packed(V), copy=False),
    "swapped": lambda V: pd.DataFrame(V.astype(">f8"), copy=False),
    "swapped columns": lambda V: pd.DataFrame({f"c{j}": V[:, j].astype(">f8") for j in range(4)}, copy=False),
    "arrow": lambda V: pa.table(
        [
            pa.Array.from_buffers(pa.float64(), len(V), [None, pa.py_buffer(at_odd_address(V[:, j].copy()))])
            for j in range(4)
        ],
        names=list("abcd"),
    ),
    "polars": lambda V: pl.DataFrame({f"c{j}": V[::-1, j][::-1] for j in range(4)}),
}


@pytest.mark.parametrize("layout", ODD)
def test_odd_columns(layout: str) -> None:
    selector = arss.Exemplars(7).fit(ODD[layout](X))
    expected = arss.Exemplars(7).fit(X)
    assert selector.sample_indices_.tolist() == expected.sample_indices_.tolist()
    assert selector.outlier_scores_.tolist() == expected.outlier_scores_.tolist()
    assert selector.predict(ODD[layout](X)).tolist() == expected.labels_.tolist()


def test_odd_weights_and_batches() -> None:
    weights = np.arange(1.0, 121.0)
    expected = arss.TED(7).fit(X, sample_weight=weights).sample_indices_.tolist()
    for odd in (at_odd_address(weights), weights.astype(">f8"), weights[::-1].copy()[::-1], weights.tolist()):
        assert arss.TED(7).fit(X, sample_weight=odd).sample_indices_.tolist() == expected
    picks = arss.TED(7).fit(X).sample_indices_.tolist()
    for layout in ("array", "columns", "swapped", "arrow"):
        assert arss.TED(7).fit(lambda layout=layout: iter([ODD[layout](X)])).sample_indices_.tolist() == picks
