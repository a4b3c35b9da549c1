"""What can be passed as X: layouts, types, data frames, holes."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from numpy.typing import NDArray

import arss
from arss import _frames, _input
from arss.selectors import ARSS, TED


def read(X: Any, **how: Any) -> Any:
    return _input.read(TED(), X, **how)


def picks(X: Any, **params: Any) -> tuple[list[int], list[float]]:
    selector = ARSS(n_samples=5, **params).fit(X)
    return selector.sample_indices_.tolist(), selector.scores_.tolist()


def strided(X: NDArray[np.float64]) -> NDArray[np.float64]:
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def unaligned(X: NDArray[np.float64]) -> Any:
    kind = np.dtype([("tag", "u1"), ("values", "f8", (X.shape[1],))])
    packed = np.zeros(len(X), dtype=kind)
    packed["values"] = X
    return packed["values"]


LAYOUTS: dict[str, Any] = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": unaligned,
    "swapped bytes": lambda X: X.astype(">f8"),
    "transposed": lambda X: X.T.copy().T,
    "list": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
    "readonly": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "csr": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_array,
    "coo": scipy.sparse.coo_array,
    "pandas": lambda X: pd.DataFrame(X),
    "pandas by column": lambda X: pd.DataFrame({f"c{j}": column for j, column in enumerate(X.T)}),
    "pandas nullable": lambda X: pd.DataFrame(X).astype("Float64"),
    "pandas arrow": lambda X: pd.DataFrame(X).astype("float64[pyarrow]"),
    "polars": lambda X: pl.DataFrame(X),
    "polars in chunks": lambda X: pl.concat([pl.DataFrame(X[:100]), pl.DataFrame(X[100:])], rechunk=False),
    "pyarrow": lambda X: pa.table({f"c{j}": column for j, column in enumerate(X.T)}),
    "pyarrow batch": lambda X: pa.RecordBatch.from_arrays([pa.array(column) for column in X.T], names=list("abcdef")),
    "pyarrow in chunks": lambda X: pa.concat_tables(
        [pa.table({f"c{j}": part for j, part in enumerate(half.T)}) for half in (X[:100], X[100:])]
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_does_not_change_a_bit(layout: str, table: NDArray[np.float64]) -> None:
    X = LAYOUTS[layout](table)
    assert picks(X) == picks(table)


@pytest.mark.parametrize("kind", ["f4", "f2", "i1", "u2", "i8", "?"])
@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_types(kind: str, frame: Any, table: NDArray[np.float64]) -> None:
    if kind == "f2" and frame is pl.DataFrame:
        pytest.skip("polars versions differ in half precision")
    X = (table > 1.0 if kind == "?" else np.round(table)).astype(kind)
    # Arrays of 16 bits are chosen from as those of 32.
    widened = np.float32 if kind == "f2" and frame is np.asarray else float
    expected = X if kind == "f4" else X.astype(widened)
    assert picks(frame(X)) == picks(expected)


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame, np.asfortranarray])
def test_single_precision_stays(frame: Any, table: NDArray[np.float64]) -> None:
    found = read(frame(table.astype(np.float32))).table
    assert {column.dtype for column in (found if isinstance(found, list) else [found])} == {np.dtype("f4")}


def arrow(X: NDArray[np.float64]) -> Any:
    return pa.table([pa.array(column) for column in X.T], names=list("abcdef"))


NO_COPY: dict[str, Any] = {
    "c": lambda X: (X, X),
    "fortran": lambda X: (F := np.asfortranarray(X), F),
    "strided": lambda X: (S := strided(X), S),
    "pandas": lambda X: (pd.DataFrame(X, copy=False), X),
    "pandas by column": lambda X: (D := pd.DataFrame(np.asfortranarray(X), copy=False), D.to_numpy()),
    "pyarrow": lambda X: (arrow(F := np.asfortranarray(X)), F),
    "polars": lambda X: (P := pl.DataFrame(np.asfortranarray(X)), P.to_series(0).to_numpy()),
}


@pytest.mark.parametrize("layout", NO_COPY)
def test_nothing_is_copied(layout: str, table: NDArray[np.float64]) -> None:
    X, memory = NO_COPY[layout](table)
    found = read(X).table
    first = found[0] if isinstance(found, list) else found
    assert np.shares_memory(first, memory)


def test_mixed_columns_become_double() -> None:
    X = pd.DataFrame({"a": np.arange(5, dtype="f4"), "b": np.arange(5), "c": [True, False, True, True, False]})
    found = read(X).table
    assert [column.dtype for column in found] == [np.dtype("f8")] * 3
    assert found[2].tolist() == [1, 0, 1, 1, 0]


def test_any_arrow_producer(table: NDArray[np.float64]) -> None:
    class Stream:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return self.inner.__arrow_c_stream__(requested_schema)

    X = pa.table({f"c{j}": column for j, column in enumerate(table.T)})
    assert _frames.as_frame(Stream(X)) is not None
    assert picks(Stream(X)) == picks(table)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_feature_names(frame: Any, table: NDArray[np.float64]) -> None:
    X = frame({name: column for name, column in zip("uvwxyz", table.T, strict=True)})
    assert TED().fit(X).feature_names_in_.tolist() == list("uvwxyz")


# Holes


HOLES = np.array([[1.0, 2.0], [np.nan, 3.0], [5.0, 1.0], [6.0, np.nan], [3.0, 4.0]])
FRAMES: list[Any] = [
    np.asarray,
    lambda X: pd.DataFrame(X, columns=["a", "b"]),
    lambda X: pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}, nan_to_null=True),
    lambda X: pa.table({"a": pa.array(X[:, 0], from_pandas=True), "b": pa.array(X[:, 1], from_pandas=True)}),
    scipy.sparse.csr_array,
]


@pytest.mark.parametrize("frame", FRAMES)
def test_missing_values(frame: Any) -> None:
    X = frame(HOLES)
    with pytest.raises(ValueError, match=r"row 1, column .* is NaN; row 3, column .* is NaN.*missing='mean'"):
        TED(n_samples=2).fit(X)
    middles: list[tuple[Any, tuple[float, float]]] = [("mean", (3.75, 2.5)), ("median", (4.0, 2.5))]
    for missing, middle in middles:
        full = HOLES.copy()
        full[1, 0], full[3, 1] = middle
        found = TED(n_samples=2, missing=missing).fit(X)
        assert found.sample_indices_.tolist() == TED(n_samples=2).fit(full).sample_indices_.tolist()
    dropped = TED(n_samples=2, missing="drop").fit(X)
    assert set(dropped.sample_indices_.tolist()) <= {0, 2, 4}
    assert np.isnan(dropped.outlier_scores_).tolist() == [False, True, False, True, False]
    assert dropped.n_rows_ == 5
    weighted = TED(n_samples=1, missing="drop").fit(X, sample_weight=[1, 1, 1, 1, 1])
    assert weighted.sample_indices_[0] in (0, 2, 4)


def test_the_data_is_not_changed() -> None:
    X = HOLES.copy()
    TED(n_samples=2, missing="mean").fit(X)
    assert np.array_equal(X, HOLES, equal_nan=True)


def test_holes_that_cannot_be_filled() -> None:
    X = HOLES.copy()
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has no value"):
        TED(missing="mean").fit(X)
    with pytest.raises(ValueError, match="every row"):
        TED(missing="drop").fit(X)
    X[:, 1] = np.inf
    with pytest.raises(ValueError, match="row 0, column 1 is inf"):
        TED(n_samples=1, missing="mean").fit(X)


def test_many_holes_are_counted(table: NDArray[np.float64]) -> None:
    table[100:, 2] = np.nan
    with pytest.raises(ValueError, match=r"row 100, column 2 .* row 104, column 2 is NaN and 195 more"):
        ARSS().fit(table)


# Text


MIXED: list[Any] = [
    lambda: pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": pd.Categorical(["red", "blue", "red", None])}),
    lambda: pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": ["red", "blue", "red", None]}),
    lambda: pl.DataFrame({"size": [1.0, 2, 3, 4], "colour": ["red", "blue", "red", None]}),
    lambda: pa.table({"size": [1.0, 2, 3, 4], "colour": ["red", "blue", "red", None]}),
]


@pytest.mark.parametrize("make", MIXED)
def test_text(make: Any) -> None:
    X = make()
    with pytest.raises(ValueError, match=r"do not hold numbers: colour.*encode="):
        TED(n_samples=1).fit(X)
    ordinal = read(X, encode="ordinal", missing="drop")
    assert [column.tolist() for column in ordinal.table] == [[1, 2, 3], [1, 0, 1]]
    onehot = read(X, encode="onehot", missing="drop")
    assert [column.tolist() for column in onehot.table] == [[1, 2, 3], [0, 1, 0], [1, 0, 1]]
    assert [column.tolist() for column in read(X, encode="drop").table] == [[1, 2, 3, 4]]
    with pytest.raises(ValueError, match="row 3, column 'colour' is NaN"):
        TED(n_samples=1, encode="ordinal").fit(X)
    assert len(TED(n_samples=2, encode="onehot", missing="drop").fit(X).select(X)) == 2


def test_text_that_cannot_be_encoded() -> None:
    X = pd.DataFrame({"name": [f"person {i}" for i in range(400)]})
    with pytest.raises(ValueError, match="400 distinct"):
        TED(encode="onehot").fit(X)
    with pytest.raises(ValueError, match="encode='magic'"):
        TED(encode="magic").fit(X)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        TED(encode="drop").fit(X)
    with pytest.raises(ValueError, match="do not hold numbers: when"):
        TED(n_samples=1).fit(pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}))


@pytest.mark.parametrize(
    "X",
    [
        np.empty((0, 3)),
        np.empty((3, 0)),
        pd.DataFrame({"a": []}, dtype=float),
        pl.DataFrame({"a": []}, schema={"a": pl.Float64}),
        [[1.0, 2.0], [3.0]],
        [1.0, 2.0],
        np.zeros((2, 2, 2)) + 1,
        np.ones((3, 3), dtype=complex),
        pd.Series([1.0, 2.0]),
        pl.Series([1.0, 2.0]),
        "text",
        None,
    ],
    ids=str,
)
def test_what_is_no_table(X: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        TED(n_samples=1).fit(X)


def test_sparse_beyond_the_limit_names_the_alternative() -> None:
    X = scipy.sparse.eye(200_000, 10_000, format="csr")
    with pytest.raises(ValueError, match=r"14.9 GiB.*TruncatedSVD"):
        arss.RRQR().fit(X)
    with pytest.raises(ValueError, match=r"TED.*2.2 GiB.*svd=256"):
        arss.TED().fit(X)


def test_extreme_values(table: NDArray[np.float64]) -> None:
    assert picks(table * 1e200)[0] == picks(table)[0]
    assert picks(table * 1e-200)[0] == picks(table)[0]
