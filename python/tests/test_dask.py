"""Tables on a real cluster of three worker processes: the same rows as in memory."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import arss

pytest.importorskip("distributed")
import dask.array as da
import pandas as pd
from dask import delayed
from distributed import Client, wait

import arss.dask

dd = pytest.importorskip("dask.dataframe")
# Dask has warnings of its own; that few iterations do not converge is no news here.
pytestmark = pytest.mark.filterwarnings("ignore")

Floats = NDArray[np.floating[Any]]


def clusters(rows: int, columns: int, seed: int = 0) -> Floats:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(7, columns))[generator.integers(7, size=rows)] * 3 + generator.normal(
        size=(rows, columns)
    )
    X[::97] *= 5
    return X


def spread(X: Floats) -> da.Array:
    """In partitions of unequal size, one of them empty."""
    cuts = [0, 11, 11, len(X) // 3, len(X) // 2, len(X)]
    return da.concatenate([da.from_array(X[a:b], chunks=-1) for a, b in pairwise(cuts)])


CASES: list[tuple[type, type, dict[str, Any]]] = [
    (arss.ARSS, arss.dask.ARSS, {"max_iter": 40}),
    (arss.ARSS, arss.dask.ARSS, {"p": 1.0, "gamma_ratio": 0.3, "max_iter": 25}),
    (arss.RRSS, arss.dask.RRSS, {"max_iter": 40}),
    (arss.TED, arss.dask.TED, {}),
    (arss.Exemplars, arss.dask.Exemplars, {"landmarks": 128}),
    (arss.Exemplars, arss.dask.Exemplars, {"landmarks": 128, "nested": True}),
    (arss.Exemplars, arss.dask.Exemplars, {"scale": "robust"}),
    (arss.Exemplars, arss.dask.Exemplars, {"scale": "standard"}),
    (arss.Exemplars, arss.dask.Exemplars, {"n_samples": "auto", "gate": False, "include": [5], "exclude": [0, 9]}),
]


@pytest.mark.parametrize(("here", "there", "settings"), CASES)
def test_same_rows_as_in_memory(client: Client, here: type, there: type, settings: dict[str, Any]) -> None:
    X = clusters(3000, 8)
    settings = {"n_samples": 12} | settings
    local = here(**settings).fit(X)
    far = there(**settings).fit(spread(X))
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
    np.testing.assert_allclose(far.scores_, local.scores_, rtol=1e-10, atol=1e-10 * local.scores_.max())
    assert far.n_iter_ == local.n_iter_
    assert isinstance(far.outlier_scores_, da.Array)
    strangest = local.outlier_scores_.max()
    np.testing.assert_allclose(far.outlier_scores_.compute(), local.outlier_scores_, rtol=1e-10, atol=1e-10 * strangest)
    if hasattr(local, "labels_"):
        np.testing.assert_array_equal(far.labels_.compute(), local.labels_)
        np.testing.assert_allclose(far.shares_, local.shares_, rtol=1e-10)
        assert (far.n_outliers_, far.outlier_confidence_) == (local.n_outliers_, local.outlier_confidence_)
        np.testing.assert_array_equal(far.location_, local.location_)
        np.testing.assert_array_equal(far.spread_, local.spread_)
    np.testing.assert_array_equal(far.select(spread(X)), local.select(X))


def test_weights_and_groups_on_the_workers(client: Client) -> None:
    X = clusters(3000, 8)
    weights = np.random.default_rng(2).random(len(X))
    weights[::5] = 0
    groups = np.array(["north", "south", "west"])[np.random.default_rng(3).integers(3, size=len(X))]
    table = spread(X)
    far_weights = da.concatenate(
        [da.from_array(weights[a:b], chunks=-1) for a, b in pairwise(np.cumsum([0, *table.chunks[0]]))]
    )
    cases: list[dict[str, Any]] = [
        {"landmarks": 64, "quotas": {"north": 2, "west": 0}, "include": [1]},
        {"landmarks": 64, "exclude": [3, 4]},
    ]
    for settings in cases:
        local = arss.Exemplars(10, **settings).fit(X, sample_weight=weights, groups=groups)
        for given in (weights, far_weights):
            far = arss.dask.Exemplars(10, **settings).fit(table, sample_weight=given, groups=groups)
            assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
            np.testing.assert_allclose(far.shares_, local.shares_, rtol=1e-10)
    local = arss.TED(10).fit(X, sample_weight=weights)
    assert (
        arss.dask.TED(10).fit(table, sample_weight=weights).sample_indices_.tolist() == local.sample_indices_.tolist()
    )

    missing = [None if group == "west" else group for group in groups]
    far = arss.dask.Exemplars(10, landmarks=64, quotas={None: 1}).fit(
        table, groups=pd.Series(missing, dtype=object).to_numpy()
    )
    assert (groups[far.sample_indices_] == "west").sum() == 1
    with pytest.raises(ValueError, match=r"sample_weight has shape \(5,\)"):
        arss.dask.TED(3).fit(table, sample_weight=np.ones(5))
    with pytest.raises(ValueError, match="row 2 is -1"):
        arss.dask.TED(3).fit(table, sample_weight=np.where(np.arange(len(X)) == 2, -1.0, 1.0))
    with pytest.raises(ValueError, match="no row is of it"):
        arss.dask.Exemplars(3, quotas={"east": 1}).fit(table, groups=groups)
    with pytest.raises(ValueError, match="rows of group 'west' must be included"):
        include = np.flatnonzero(groups == "west")[:2].tolist()
        arss.dask.Exemplars(3, quotas={"west": 1}, include=include).fit(table, groups=groups)


def test_scaling_names_bad_cells_and_leaves_constants(client: Client) -> None:
    X = clusters(300, 4)
    X[:, 2] = 5
    here, there = arss.Exemplars(4, scale="robust").fit(X), arss.dask.Exemplars(4, scale="robust").fit(spread(X))
    assert there.sample_indices_.tolist() == here.sample_indices_.tolist()
    assert there.spread_[2] == here.spread_[2] == 0
    X[120, 1] = np.nan
    with pytest.raises(ValueError, match=r"partition 2, row 20 \(row 120 of the table\), column 1 is NaN"):
        arss.dask.Exemplars(4, scale="robust").fit(spread(X))
    flat = arss.dask.Exemplars(2, scale="robust").fit(spread(np.full((300, 2), 1.5)))
    assert flat.location_ is None and len(flat.sample_indices_) == 2


def test_single_precision(client: Client) -> None:
    X = clusters(2000, 6).astype(np.float32)
    assert arss.dask.TED(8).fit(spread(X)).sample_indices_.tolist() == arss.TED(8).fit(X).sample_indices_.tolist()
    far = arss.dask.RRSS(8, max_iter=20).fit(spread(X))
    assert far.sample_indices_.tolist() == arss.RRSS(8, max_iter=20).fit(X).sample_indices_.tolist()


def test_frames(client: Client) -> None:
    X = clusters(900, 4)
    local = arss.TED(6).fit(X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    parts = dd.from_pandas(frame, npartitions=4)
    far = arss.dask.TED(6).fit(parts)
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
    assert far.feature_names_in_.tolist() == list("abcd")
    pd.testing.assert_frame_equal(far.select(parts), frame.iloc[local.sample_indices_])
    with pytest.raises(ValueError, match="X has 300 rows, but the selector was fitted on 900"):
        far.select(dd.from_pandas(frame[:300], npartitions=4))


def test_partitions_of_unknown_size_and_of_no_rows(client: Client) -> None:
    X = clusters(900, 4)
    X[:200, 0] = -100.0
    X[:200, 1:] = 0.0
    whole = da.from_array(X, chunks=(100, 2))
    unknown = whole[whole[:, 0] > -50.0]
    assert np.isnan(unknown.shape[0])
    local = arss.TED(6).fit(X[200:])
    far = arss.dask.TED(6).fit(unknown)
    assert far.n_rows_ == 700 and far.sample_indices_.tolist() == local.sample_indices_.tolist()
    np.testing.assert_array_equal(far.select(unknown), local.select(X[200:]))


def write(folder: Path, X: Floats, parts: int) -> list[Path]:
    paths = [folder / f"{number}.parquet" for number in range(parts)]
    for path, part in zip(paths, np.array_split(X, parts), strict=True):
        pd.DataFrame(part, columns=list("abcd")).to_parquet(path)
    return paths


def test_parquet_files_are_read_by_the_workers(client: Client, tmp_path: Path) -> None:
    X = clusters(900, 4)
    paths = write(tmp_path, X, 5)
    local = arss.ARSS(6, max_iter=8).fit(X)
    far = arss.dask.ARSS(6, max_iter=8).fit(paths)
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
    assert far.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(far.select(paths).to_pandas().to_numpy(), X[local.sample_indices_])
    names = [f"row {number}" for number in range(900)]
    assert far.select(names) == [names[row] for row in local.sample_indices_]


def test_bad_files_are_named(client: Client, tmp_path: Path) -> None:
    X = clusters(900, 4)
    X[500, 2] = np.nan
    paths = write(tmp_path, X, 3)
    place = r"partition 1 \(.*1\.parquet\), row 200 \(row 500 of the table\), column 'c' is NaN: remove or fill"
    with pytest.raises(ValueError, match=place):
        arss.dask.TED(6).fit(paths)

    whole = paths[1].read_bytes()
    for damaged in (b"no parquet at all", whole[: len(whole) // 2], whole[:4] + b"\xff" * 40 + whole[44:]):
        paths[1].write_bytes(damaged)
        with pytest.raises(ValueError, match=r"^partition 1 cannot be made: .*1\.parquet cannot be read as Parquet: "):
            arss.dask.TED(6).fit(paths)
    paths[1].unlink()
    with pytest.raises(ValueError, match=r"partition 1 cannot be made: .*1\.parquet cannot be read"):
        arss.dask.TED(6).fit(paths)

    pd.DataFrame(X[300:600], columns=list("abdc")).to_parquet(paths[1])
    with pytest.raises(ValueError, match=r"partition 1 has the columns \['a', 'b', 'd', 'c'\], but partition 0 has"):
        arss.dask.TED(6).fit(paths)


def test_bad_tables_are_named(client: Client) -> None:
    X = clusters(400, 4)
    X[250, 2] = np.nan
    parts = da.from_array(X, chunks=(100, 4))
    with pytest.raises(ValueError, match=r"partition 2, row 50 \(row 250 of the table\), column 2 is NaN"):
        arss.dask.ARSS(3).fit(parts)
    blocks = [da.from_delayed(delayed(np.ones)((9, width)), (9, 3), dtype=float) for width in (3, 4)]
    with pytest.raises(ValueError, match="partition 1 has 4 columns, but partition 0 has 3"):
        arss.dask.TED(3).fit(da.concatenate(blocks))
    with pytest.raises(ValueError, match="has no rows: all 1 partitions are empty"):
        arss.dask.TED(3).fit(da.zeros((0, 3)))
    with pytest.raises(TypeError, match="use the estimator of the same name in arss"):
        arss.dask.TED(3).fit(X)
    with pytest.raises(ValueError, match="kernel='rbf' needs the whole table"):
        arss.dask.TED(3, kernel="rbf").fit(parts)
    with pytest.raises(ValueError, match="no more rows than columns"):
        arss.dask.TED(2).fit(da.ones((3, 7)))
    with pytest.raises(ValueError, match=r"partition 0 holds .*, which are no numbers"):
        arss.dask.TED(2).fit(da.from_array(np.array([["a"], ["b"]]), chunks=-1))
    with pytest.raises(ValueError, match=r"partition 0 has 3 dimension"):
        arss.dask.TED(2).fit(da.from_delayed(delayed(np.ones)((4, 3, 2)), (4, 3), dtype=float))


def sent(client: Client) -> int:
    """Bytes that the workers sent to each other so far."""
    return int(sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values()))


def test_rows_on_the_workers_stay_where_they_are(client: Client) -> None:
    X = da.from_array(clusters(120_000, 16), chunks=(10_000, 16)).persist()
    wait(X)
    places = client.who_has(X)
    before = sent(client)
    arss.dask.ARSS(5, max_iter=5, tol=0).fit(X)
    arss.dask.TED(5).fit(X)
    # Each of 27 passes would send them; on a busy machine Dask moves a partition or two.
    assert sent(client) - before < X.nbytes / 2
    assert client.who_has(X) == places
