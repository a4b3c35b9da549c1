"""A worker is killed in every phase of a fit, the scheduler goes, a partition cannot be read again.

Either the same rows are chosen as in memory, or there is one clear error; and nothing is left on the cluster.
"""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss

pytest.importorskip("distributed")
import dask.array as da
import pandas as pd
from conftest import cluster
from distributed import Client

import arss.dask
from arss import _core
from arss.dask import _engine, _line, _table

pytestmark = pytest.mark.filterwarnings("ignore")

CASES: list[tuple[str, dict[str, Any]]] = [
    ("ARSS", {"max_iter": 13, "tol": 0}),
    ("RRSS", {"max_iter": 13, "tol": 0}),
    ("TED", {}),
    ("Exemplars", {"landmarks": 64, "scale": "robust"}),
]


class Clusters:
    """Gives a cluster with two workers or more: if killed ones do not come back, the next cluster is a new one."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._client: Any = None

    def healthy(self) -> Any:
        try:
            if self._client is not None:
                self._client.wait_for_workers(2, timeout=20)
                return self._client
        except TimeoutError:
            self.close()
        self._client = self._stack.enter_context(cluster())
        # Each death makes the tasks of that worker suspects; here they die for other reasons.
        self._client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 100))
        return self._client

    def close(self) -> None:
        self._client = None
        self._stack.close()


@pytest.fixture(scope="module")
def clusters() -> Iterator[Clusters]:
    """Clusters for these tests: their workers die."""
    clusters = Clusters()
    yield clusters
    clusters.close()


def table() -> Any:
    X = np.random.default_rng(1).normal(size=(900, 5)) + np.arange(900)[:, None] % 3
    X[::97] *= 5
    return X


def kill_one(client: Client) -> None:
    """Kill a worker process and do not wait for the next."""
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def tasks(client: Client) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def left(client: Client, before: int) -> int:
    """Tasks that stay on the cluster, after at most a minute in which they may go."""
    for _ in range(600):
        if tasks(client) <= before:
            break
        time.sleep(0.1)
    return max(tasks(client) - before, 0)


@contextmanager
def killing_at(monkeypatch: Any, client: Client, kind: str, seen: list[str]) -> Iterator[list[str]]:
    """Kills a worker as soon as a kind of step is under way; `seen` are the kinds of this run."""
    submit, ask, answer = _engine.Engine._submit, _line.Line.ask, _engine.Engine._answer
    killed: list[str] = []

    def named(engine: _engine.Engine, name: str, *given: Any) -> Any:
        seen.append(name)
        return answer(engine, name, *given)

    def kill() -> None:
        if seen[-1] == kind and not killed:
            killed.append(kind)
            kill_one(client)

    def watched(engine: _engine.Engine, *given: Any) -> Any:
        found = submit(engine, *given)
        kill()
        return found

    def asked(line: _line.Line, order: Any) -> Any:
        kill()
        return ask(line, order)

    with monkeypatch.context() as patch:
        patch.setattr(_engine.Engine, "_answer", named)
        patch.setattr(_engine.Engine, "_submit", watched)
        patch.setattr(_line.Line, "ask", asked)
        yield killed


@pytest.mark.parametrize("way", ["tasks_only", "line_at_once"])
def test_a_kill_in_each_kind_of_pass(clusters: Clusters, monkeypatch: Any, request: Any, way: str) -> None:
    """Each kind once, in the first method that has it: every kill costs seconds until the next worker is there."""
    request.getfixturevalue(way)
    X = table()
    tried: set[str] = set()
    for name, settings in CASES:
        far_X = da.from_array(X, chunks=(300, 5))
        wanted = getattr(arss, name)(6, **settings).fit(X).sample_indices_.tolist()
        kinds: list[str] = []
        with killing_at(monkeypatch, clusters.healthy(), "", kinds):
            assert getattr(arss.dask, name)(6, **settings).fit(far_X).sample_indices_.tolist() == wanted
        assert len(set(kinds)) >= 5, kinds
        for kind in dict.fromkeys(kinds):
            if kind in tried:
                continue
            tried.add(kind)
            with killing_at(monkeypatch, clusters.healthy(), kind, []) as killed:
                found = getattr(arss.dask, name)(6, **settings).fit(far_X)
            assert killed == [kind]
            assert found.sample_indices_.tolist() == wanted, (name, kind)
            # What is one per row is fetched after the fit.
            assert found.outlier_scores_.compute().shape == (900,)
    assert len(tried) > 20, tried


PLACES = [
    ("spread", _table, "_table"),
    ("scale", _core, "scale"),
    ("look around", _engine.Engine, "_look_around"),
    ("total", _engine.Engine, "_total"),
    ("numbers", _engine.Engine, "numbers"),
]


@pytest.mark.parametrize(("place", "owner", "function"), PLACES, ids=[place for place, *_ in PLACES])
def test_a_kill_between_the_passes(clusters: Clusters, monkeypatch: Any, place: str, owner: Any, function: str) -> None:
    """Between the load of the partitions and their use, while columns are measured, before and after the passes."""
    X, doomed = table(), clusters.healthy()
    loading = place in ("spread", "scale")
    name, settings = ("Exemplars", {"scale": "robust"}) if loading else ("RRSS", {"max_iter": 13, "tol": 0})
    wanted = getattr(arss, name)(6, **settings).fit(X).sample_indices_.tolist()
    whole = getattr(owner, function)
    killed: list[str] = []

    def watched(*given: Any) -> Any:
        if not killed:
            killed.append(place)
            kill_one(doomed)
        return whole(*given)

    with monkeypatch.context() as patch:
        patch.setattr(owner, function, watched)
        found = getattr(arss.dask, name)(6, **settings).fit(da.from_array(X, chunks=(300, 5)))
    assert killed and found.sample_indices_.tolist() == wanted
    assert found.outlier_scores_.compute().shape == (900,)


@pytest.mark.usefixtures("tasks_only")
def test_a_partition_that_cannot_be_read_again(clusters: Clusters, monkeypatch: Any, tmp_path: Path) -> None:
    X, doomed = table(), clusters.healthy()
    paths = [tmp_path / f"{number}.parquet" for number in range(3)]
    for path, part in zip(paths, np.array_split(X, 3), strict=True):
        pd.DataFrame(part, columns=list("abcde")).to_parquet(path)
    gc.collect()
    before = tasks(doomed)
    submit = _engine.Engine._submit
    gone: list[str] = []

    def watched(engine: _engine.Engine, name: str, *given: Any) -> list[Any]:
        if name == "ted-take" and not gone:
            gone.append(name)
            for path in paths:
                path.unlink()
            for pid in doomed.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
        return submit(engine, name, *given)

    monkeypatch.setattr(_engine.Engine, "_submit", watched)
    what = r"partition \d was lost with its worker and cannot be made again: .*\.parquet cannot be read as Parquet"
    with pytest.raises(ValueError, match=what) as caught:
        arss.dask.TED(6).fit(paths)
    assert gone and "\n" not in str(caught.value).strip()
    assert left(doomed, before) == 0


def test_a_cluster_that_is_restarted(clusters: Clusters) -> None:
    gc.collect()
    doomed = clusters.healthy()
    before = tasks(doomed)

    def restart(progress: arss.Progress) -> bool:
        if progress.phase == "solve" and progress.iteration == 3:
            doomed.restart(timeout="120s", wait_for_workers=False)
        return False

    with pytest.raises(RuntimeError, match=r"the cluster was restarted, or its scheduler is gone, .*: fit again"):
        arss.dask.RRSS(6, tol=0, callback=restart).fit(da.from_array(table(), chunks=(300, 5)))
    for _ in range(600):
        if tasks(doomed) <= before:
            break
        time.sleep(0.1)
    assert tasks(doomed) <= before
    # Workers that were killed often do not always come back after a restart.
    clusters.healthy()
    X = table()
    found = arss.dask.TED(6).fit(da.from_array(X, chunks=(300, 5)))
    assert found.sample_indices_.tolist() == arss.TED(6).fit(X).sample_indices_.tolist()


def test_a_scheduler_that_is_killed(tmp_path: Path) -> None:
    """Scheduler and worker are processes of their own: the fit ends with one error, and does not wait for ever."""
    place = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--port", "0"]
    words += ["--host", "127.0.0.1", "--scheduler-file", str(place)]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    scheduler = subprocess.Popen(words, **quiet)
    worker: Any = None
    try:
        for _ in range(600):
            if place.exists():
                break
            time.sleep(0.1)
        words = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-dashboard", "--no-nanny"]
        worker = subprocess.Popen([*words, "--scheduler-file", str(place), "--nthreads", "1"], **quiet)

        def end(progress: arss.Progress) -> bool:
            if progress.phase == "solve" and progress.iteration == 3:
                scheduler.kill()
            return False

        with (
            Client(scheduler_file=str(place), timeout="20s") as client,
            pytest.raises(RuntimeError, match="its scheduler is gone"),
        ):
            client.wait_for_workers(1, timeout=120)
            X = da.from_array(table(), chunks=(300, 5))
            arss.dask.RRSS(6, tol=0, callback=end).fit(X, client=client)
    finally:
        for process in (scheduler, worker):
            if process is not None:
                process.kill()
                process.wait(60)
