"""The cases in Python, in memory and from files, or on a Dask cluster: `homes.py local|dask TABLES PATTERN`."""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fnmatch import fnmatch
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import arss
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
from scipy import sparse

import tables
from cases import METHODS, TABLES, K, homes

#: What every home tells, by the names of the command line's JSON.
ANSWER = {
    **{"indices": "sample_indices_", "scores": "scores_", "iterations": "n_iter_", "objective": "objective_"},
    **{"gap": "gap_", "shares": "shares_", "coverage": "coverage_", "outlier_scores": "outlier_scores_"},
    "labels": "labels_",
}
Cases = Iterator[tuple[str, Callable[[], dict[str, Any]]]]


def plain(value: Any) -> Any:
    """Arrays as lists, with their type; fractions keep all their bits."""
    if hasattr(value, "compute"):
        value = value.compute()
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    return [str(value.dtype), value.tolist()] if isinstance(value, np.ndarray) else value


def told(selector: Any) -> dict[str, Any]:
    """The answer as the command line tells it, and everything that was fitted but seconds and prose."""
    every = {name: plain(value) for name, value in sorted(vars(selector).items()) if name.endswith("_")}
    answer = {name: every[key] for name, key in ANSWER.items() if key in every}
    if "shares_" not in every:
        # Labels that the command line does not tell.
        answer.pop("labels", None)
    answer = {name: value[1] if isinstance(value, list) else value for name, value in answer.items()}
    answer["objective"] = None if np.isnan(answer["objective"]) else answer["objective"]
    return {"answer": answer, "attributes": {name: every[name] for name in every if name not in ("seconds_", "notes_")}}


def fit(name: str, X: Any, settings: dict[str, Any] | None = None, module: Any = arss, **how: Any) -> Any:
    _, estimator, usual = METHODS[name]
    return getattr(module, estimator)(**({"n_samples": K} | usual | (settings or {}))).fit(X, **how)


def choose(*arguments: Any, **how: Any) -> dict[str, Any]:
    return told(fit(*arguments, **how))


def features(name: str, X: Any) -> dict[str, Any]:
    """Columns; the command line tells the scores of the chosen ones."""
    found = arss.FeatureSelector(name, n_features_to_select=4).fit(X)
    every = {"every": plain(found.scores_), "kept": plain(found.transform(X))}
    found.sample_indices_, found.outlier_scores_ = found.feature_indices_, found.residuals_
    found.scores_ = found.scores_[found.feature_indices_]
    return told(found) | every


def local(folder: Path) -> Cases:
    """Cases of one process."""
    arrays = {table: np.load(folder / f"{table}.npy") for table in TABLES}
    for name in METHODS:
        for table, X in arrays.items():
            sources = {"python": X, "path": folder / f"{table}.npy", "batches": partial(np.array_split, X, 9)}
            for home in (home for home in homes(name, table) if home in sources):
                how = {} if home == "python" else {"memory": "100K", "scratch": folder}
                yield f"select/{name}/{table}/{home}", partial(choose, name, sources[home], **how)
    for name in ("ted", "rrss", "arss", "rrqr"):
        for table in ("tall", "wide"):
            yield f"features/{name}/{table}/python", partial(features, name, arrays[table])
    X = arrays["tall"]
    names = [f"x{at}" for at in range(X.shape[1])]
    inputs = {
        **{"pandas": pd.DataFrame(X, columns=names), "polars": polars.DataFrame(X, schema=names), "list": X.tolist()},
        **{"arrow": pa.table(dict(zip(names, X.T, strict=True))), "sparse": sparse.csr_matrix(X)},
        **{"in-columns": np.asfortranarray(X), "parquet-path": folder / "tall.parquet"},
    }
    for name in ("exemplars", "ted"):
        yield f"select/{name}/tall/one-job", partial(choose, name, X, {"n_jobs": 1})
        for kind, table in inputs.items():
            yield f"select/{name}/tall/{kind}", partial(choose, name, table)
    yield from only_python(X)


def only_python(X: Any) -> Cases:
    """What only Python has, or says in its own words."""
    whole, holes = (pd.DataFrame(tables.plants(gaps)).drop(columns=["id", "day", "remark"]) for gaps in (False, True))
    groups = [tables.KINDS[row % 7 % 3] for row in range(len(X))]
    quotas = {"quotas": {"red": 1, "blue": 2}}
    yield "python/groups/proportional", partial(choose, "exemplars", X, groups=groups)
    yield "python/groups/quotas", partial(choose, "exemplars", X, quotas, groups=groups)
    for name in ("exemplars", "ted"):
        yield f"python/weights/{name}", partial(choose, name, X, sample_weight=1.0 + np.arange(len(X)) % 4)
    for missing in ("mean", "median", "drop"):
        for name in ("exemplars", "arss-p1"):
            how = {"missing": missing, "encode": "drop"}
            yield f"python/missing-{missing}/{name}", partial(choose, name, holes, how)
    for encode in ("onehot", "ordinal", "drop"):
        yield f"python/encode-{encode}/ted", partial(choose, "ted", whole, {"encode": encode})
    for name in ("arss", "rrss"):
        yield f"python/all-scores/{name}", partial(choose, name, X, {"all_scores": True})
        stop = {"callback": lambda progress: progress.iteration >= 5}
        yield f"python/stopped/{name}", partial(choose, name, X, stop)
    for name in ("exemplars", "facility"):
        yield f"python/predict/{name}", lambda name=name: {"labels": plain(fit(name, X).predict(X[::3]))}
    yield "python/share/ted", partial(choose, "ted", X, {"n_samples": 0.03})
    yield "python/function/exemplars", lambda: {"rows": plain(arss.select(X, 20))}
    for name in ("exemplars", "arss", "ted"):
        yield f"python/plan/{name}", lambda name=name: {"bytes": list(arss.plan(900, 20, name)[:3])}


def on_dask(folder: Path) -> Cases:
    """Cases of a cluster: partitions of unequal size, one of them empty; files that the workers read."""
    import arss.dask
    import dask.array as da

    for name in METHODS:
        for table in (table for table in TABLES if "dask" in homes(name, table)):
            X = np.load(folder / f"{table}.npy")
            cuts = pairwise([0, 11, 11, len(X) // 3, len(X) // 2, len(X)])
            parts = da.concatenate([da.from_array(X[a:b], chunks=-1) for a, b in cuts])
            yield f"select/{name}/{table}/dask", partial(choose, name, parts, module=arss.dask)
    yield "select/ted/tall/dask-files", partial(choose, "ted", [folder / "tall.parquet"], module=arss.dask)


def main() -> None:
    kind, folder, pattern = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    runs = {name: run for name, run in (local if kind == "local" else on_dask)(folder) if fnmatch(name, pattern)}
    warnings.simplefilter("ignore")
    found = {}
    with ExitStack() as stack:
        if kind == "dask" and runs:
            from distributed import Client, LocalCluster

            nodes = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
            stack.enter_context(Client(stack.enter_context(nodes)))
        for name, run in runs.items():
            try:
                found[name] = run()
            except Exception as error:
                found[name] = {"error": f"{type(error).__name__}: {error}"}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
