"""Tables that live in other libraries: Hugging Face datasets, DuckDB, polars LazyFrames, Lance, torch.

None of them is imported here: what a table is, is told by the module of its class.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def opened(X: Any) -> Any:
    """`X` as a data frame or an array in this process, not copied where its library allows that; or as it is."""
    place = _place_of(X)
    return X if place is None else place(X)


def rows_of(X: Any) -> int | None:
    """The number of rows, where `len` and `shape` do not tell; `None` elsewhere."""
    library, kind = _library(X), type(X).__name__
    if library == "datasets" and kind == "DatasetDict":
        return sum(len(split) for split in X.values())
    if library == "polars" and kind == "LazyFrame":
        return int(X.select(sys.modules["polars"].len()).collect().item())
    if library in ("lance", "lancedb") and hasattr(X, "count_rows"):
        return int(X.count_rows())
    return None


def taken(X: Any, indices: NDArray[np.int64]) -> Any:
    """The rows `indices` in that order, as the kind of thing that `X` is; `None` if it lives in no such place."""
    library, kind = _library(X), type(X).__name__
    picks = indices.tolist()
    if library == "datasets" and kind == "DatasetDict":
        return _of_splits(X, indices)
    if library == "datasets" and hasattr(X, "select"):
        return X.select(picks)
    if library == "polars" and kind == "LazyFrame":
        return X.collect()[picks].lazy()
    if library in ("duckdb", "_duckdb"):
        return sys.modules["duckdb"].from_arrow(opened(X).take(indices))
    if library in ("lance", "lancedb") and hasattr(X, "count_rows"):
        return opened(X).take(indices)
    if library == "torch" and kind == "Tensor":
        return X[picks]
    if _is_torch_dataset(X):
        return sys.modules["torch"].utils.data.Subset(X, picks)
    return None


def _library(X: Any) -> str:
    return type(X).__module__.split(".")[0]


def _place_of(X: Any) -> Callable[[Any], Any] | None:
    library, kind = _library(X), type(X).__name__
    # A module of one's own may be called datasets, too.
    if library == "datasets" and hasattr(X, "with_format"):
        return _dataset
    if library == "polars" and kind == "LazyFrame":
        return lambda frame: frame.collect()
    if library in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        return _relation
    if library in ("lance", "lancedb") and hasattr(X, "count_rows"):
        return _lance
    if library == "torch" and kind == "Tensor":
        return _tensor
    return _torch_rows if _is_torch_dataset(X) else None


def _dataset(X: Any) -> Any:
    """A Hugging Face dataset as an Arrow table; of several splits, one behind the other."""
    import pyarrow

    if type(X).__name__ == "DatasetDict":
        if not X:
            raise ValueError("X is a DatasetDict without splits: 0 sample(s), while a minimum of 1 is required")
        columns = next(iter(X.values())).column_names
        return pyarrow.concat_tables(_dataset(split).select(columns) for split in X.values())
    if not hasattr(X, "select"):
        raise TypeError(f"X is a {type(X).__name__}, whose rows have no positions: make it a Dataset first")
    # Rows that were chosen or shuffled before lie elsewhere in the table beneath.
    plain = getattr(X, "_indices", None) is None and hasattr(getattr(X, "data", None), "table")
    return X.data.table if plain else X.with_format("arrow")[:]


def _of_splits(X: Any, indices: NDArray[np.int64]) -> Any:
    """Each split with its own picks, best first."""
    found, first = {}, 0
    for name, split in X.items():
        own = indices[(indices >= first) & (indices < first + len(split))] - first
        found[name] = split.select(own.tolist())
        first += len(split)
    return type(X)(found)


def _relation(X: Any) -> Any:
    """The rows of a DuckDB relation in the order in which it gives them."""
    for name in ("to_arrow_table", "fetch_arrow_table"):
        if hasattr(X, name):
            return getattr(X, name)()
    return X.arrow()


def _lance(X: Any) -> Any:
    return X.to_arrow() if hasattr(X, "to_arrow") else X.to_table()


def _tensor(X: Any) -> NDArray[Any]:
    """The numbers of a tensor where they are; those of another device or without a type in NumPy are copied."""
    values = X.detach().cpu()
    if str(values.dtype) == "torch.bfloat16":
        values = values.float()
    return np.asarray(values)


def _is_torch_dataset(X: Any) -> bool:
    is_dataset = any(kind.__module__.startswith("torch.utils.data") for kind in type(X).__mro__)
    return is_dataset and hasattr(X, "__getitem__") and hasattr(X, "__len__")


def _torch_rows(X: Any) -> NDArray[Any]:
    """The first part of every item, which is what a network would get, as a row of numbers."""
    if hasattr(X, "tensors"):
        rows = _tensor(X.tensors[0])
    else:
        items = (X[at] for at in range(len(X)))
        first = (item[0] if isinstance(item, tuple | list) else item for item in items)
        rows = np.stack([_tensor(part) if hasattr(part, "detach") else np.asarray(part) for part in first])
    return rows.reshape(len(rows), -1)
