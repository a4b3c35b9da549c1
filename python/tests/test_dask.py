"""Tables on a real cluster of three worker processes: the same rows as in memory, whatever happens to the workers."""

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import arss

pytest.importorskip("distributed")
import dask
import dask.array as da
import pandas as pd
from dask import delayed
from distributed import Client, LocalCluster

import arss.dask
from arss.dask import _engine

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]

Floats = NDArray[np.floating[Any]]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        dask.config.set({"distributed.admin.log-length": 0, "distributed.comm.timeouts.connect": "30s"}),
        LocalCluster(
            n_workers=3, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None, silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


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
    np.testing.assert_allclose(far.outlier_scores_.compute(), local.outlier_scores_, rtol=1e-6, atol=1e-6)
    if hasattr(local, "labels_"):
        np.testing.assert_array_equal(far.labels_.compute(), local.labels_)
        np.testing.assert_allclose(far.shares_, local.shares_, rtol=1e-10)
    np.testing.assert_array_equal(far.select(spread(X)), local.select(X))


def test_single_precision(client: Client) -> None:
    X = clusters(2000, 6).astype(np.float32)
    assert arss.dask.TED(8).fit(spread(X)).sample_indices_.tolist() == arss.TED(8).fit(X).sample_indices_.tolist()
    far = arss.dask.RRSS(8, max_iter=20).fit(spread(X))
    assert far.sample_indices_.tolist() == arss.RRSS(8, max_iter=20).fit(X).sample_indices_.tolist()


def test_frames_files_and_unknown_sizes(client: Client, tmp_path: Path) -> None:
    dd = pytest.importorskip("dask.dataframe")
    X = clusters(900, 4)
    local = arss.TED(6).fit(X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    far = arss.dask.TED(6).fit(dd.from_pandas(frame, npartitions=4))
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
    assert far.feature_names_in_.tolist() == list("abcd")
    pd.testing.assert_frame_equal(far.select(dd.from_pandas(frame, npartitions=4)), frame.iloc[local.sample_indices_])

    unknown = spread(X)
    unknown = unknown[unknown[:, 0] > -np.inf]
    assert np.isnan(unknown.shape[0])
    assert arss.dask.TED(6).fit(unknown).sample_indices_.tolist() == local.sample_indices_.tolist()

    paths = [tmp_path / f"{number}.parquet" for number in range(3)]
    for path, part in zip(paths, np.array_split(X, 3), strict=True):
        pd.DataFrame(part, columns=list("abcd")).to_parquet(path)
    assert arss.dask.TED(6).fit(paths).sample_indices_.tolist() == local.sample_indices_.tolist()
    paths[1].write_bytes(b"no parquet at all")
    with pytest.raises(ValueError, match=r"1\.parquet .* cannot be read as Parquet"):
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


def kill_a_worker(client: Client) -> None:
    pids = client.run(os.getpid, workers=[next(iter(client.scheduler_info()["workers"]))])
    os.kill(next(iter(pids.values())), signal.SIGKILL)


def at_iterations(*when: int, do: Callable[[], object]) -> Callable[[arss.Progress], bool]:
    def callback(progress: arss.Progress) -> bool:
        if progress.phase == "solve" and progress.iteration in when:
            do()
        return False

    return callback


@pytest.mark.parametrize("when", [(5,), (12, 22)])
def test_killed_workers_change_nothing(client: Client, when: tuple[int, ...]) -> None:
    X = clusters(2000, 6, seed=1)
    local = arss.ARSS(10, max_iter=30, tol=0).fit(X)
    killer = at_iterations(*when, do=lambda: kill_a_worker(client))
    far = arss.dask.ARSS(10, max_iter=30, tol=0, callback=killer).fit(da.from_array(X, chunks=(500, 6)))
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
    np.testing.assert_allclose(far.scores_, local.scores_, rtol=1e-10)
    np.testing.assert_allclose(far.outlier_scores_.compute(), local.outlier_scores_, rtol=1e-8, atol=1e-10)


def task_count(client: Client) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_tasks_do_not_pile_up(client: Client) -> None:
    X = da.from_array(clusters(600, 4), chunks=(200, 4))
    gc.collect()
    before = task_count(client)  # of results that are still alive
    counts: list[int] = []
    count = at_iterations(*range(200), do=lambda: counts.append(task_count(client) - before))
    arss.dask.ARSS(5, max_iter=200, tol=0, callback=count).fit(X)
    assert len(counts) == 199
    # Two tasks a partition and pass, some merges, and what the table itself is made of.
    assert max(counts) <= (2 * 3 + 2) * (_engine.CUT_EVERY + 2) + 8 * 3
    assert max(counts[150:]) <= max(counts[:50])


def test_an_interrupted_client_leaves_no_tasks(client: Client) -> None:
    X = da.from_array(clusters(600, 4), chunks=(100, 4))

    def interrupt() -> None:
        raise KeyboardInterrupt

    gc.collect()
    before = task_count(client)
    with pytest.raises(KeyboardInterrupt):
        arss.dask.RRSS(5, callback=at_iterations(13, do=interrupt), tol=0).fit(X)
    for _ in range(100):
        if task_count(client) <= before:
            break
        time.sleep(0.1)
    assert task_count(client) <= before
    stopped = arss.dask.RRSS(5, callback=lambda progress: progress.iteration >= 3, tol=0).fit(X)
    assert stopped.status_ == "stopped" and len(stopped.sample_indices_) == 5


def test_the_client_stays_small(client: Client) -> None:
    psutil = pytest.importorskip("psutil")
    rows, columns = 2_000_000, 16
    X = da.random.default_rng(0).normal(size=(rows, columns), chunks=(100_000, columns))
    for warm in (arss.dask.ARSS(5, max_iter=3, tol=0), arss.dask.Exemplars(5, landmarks=32)):
        warm.fit(X[:20_000])
    sizes = []

    def measure(_: arss.Progress) -> bool:
        sizes.append(psutil.Process().memory_info().rss)
        return False

    before = psutil.Process().memory_info().rss
    arss.dask.ARSS(5, max_iter=3, tol=0, callback=measure).fit(X)
    arss.dask.Exemplars(5, landmarks=32, callback=measure).fit(X)
    assert max(sizes) - before < rows * columns * 8 / 10


def test_a_partition_that_kills_its_workers_is_reported(client: Client) -> None:
    def burst() -> Floats:
        os.kill(os.getpid(), signal.SIGKILL)  # what the system does to a process out of memory
        return np.ones((5, 3))

    bad = da.from_delayed(delayed(burst)(), (5, 3), dtype=float)
    with pytest.raises(RuntimeError, match=r"workers kept dying .* smaller partitions"):
        arss.dask.TED(2).fit(da.concatenate([da.ones((5, 3)), bad]))
