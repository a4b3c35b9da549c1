"""The direct line from the client to the workers: the same bits as by tasks, and tasks wherever it does not hold."""

import asyncio
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

import arss

pytest.importorskip("distributed")
import dask.array as da
from distributed import Client, LocalCluster

import arss.dask
from arss.dask import _engine, _line, _seat, _worker

pytestmark = pytest.mark.filterwarnings("ignore")


def table() -> Any:
    X = np.random.default_rng(1).normal(size=(900, 5)) + np.arange(900)[:, None] % 3
    X[::97] *= 5
    return X


def seats(client: Client) -> int:
    """Seats on the workers, after at most a minute in which they may end."""
    left = 0
    for _ in range(600):
        left = int(sum(client.run(lambda: len(_seat._seats)).values()))
        if not left:
            break
        time.sleep(0.1)
    return left


@pytest.fixture
def by_tasks(monkeypatch: Any) -> list[str]:
    """The kinds of the passes that tasks did."""
    kinds: list[str] = []
    submit = _engine.Engine._submit

    def watched(engine: _engine.Engine, name: str, *given: Any) -> Any:
        kinds.append(name)
        return submit(engine, name, *given)

    monkeypatch.setattr(_engine.Engine, "_submit", watched)
    return kinds


def at(iteration: int, do: Any) -> Any:
    """A callback that does something once."""

    def callback(progress: arss.Progress) -> bool:
        if progress.phase == "solve" and progress.iteration == iteration:
            do()
        return False

    return callback


CASES: list[tuple[str, dict[str, Any]]] = [
    ("ARSS", {"max_iter": 9, "tol": 0}),
    ("RRSS", {"max_iter": 9, "tol": 0}),
    ("TED", {}),
    ("Exemplars", {"landmarks": 64}),
]


@pytest.mark.usefixtures("line_at_once")
@pytest.mark.parametrize(("name", "settings"), CASES)
def test_same_bits_as_by_tasks(
    client: Client, monkeypatch: Any, by_tasks: list[str], name: str, settings: dict[str, Any]
) -> None:
    X = da.from_array(table(), chunks=((1, 299, 150, 450), 5))
    direct = getattr(arss.dask, name)(6, **settings).fit(X)
    assert by_tasks == ["check-finite"], "tasks do the first pass and no other"
    assert seats(client) == 0
    monkeypatch.setattr(_line.Line, "lay", lambda line, bundles: None)
    tasks = getattr(arss.dask, name)(6, **settings).fit(X)
    assert len(by_tasks) == 1 + tasks.n_passes_ == 1 + direct.n_passes_
    assert direct.sample_indices_.tolist() == tasks.sample_indices_.tolist()
    assert direct.scores_.tobytes() == tasks.scores_.tobytes()
    assert direct.outlier_scores_.compute().tobytes() == tasks.outlier_scores_.compute().tobytes()


@pytest.mark.usefixtures("line_at_once")
def test_workers_with_several_threads(by_tasks: list[str]) -> None:
    """Two workers in one process, each with a seat for each of its threads."""
    X = table()
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None, silence_logs=50
        ) as nodes,
        Client(nodes) as client,
    ):
        far = arss.dask.RRSS(6, max_iter=9, tol=0).fit(da.from_array(X, chunks=(100, 5)), client=client)
    assert by_tasks == ["check-finite"]
    assert far.sample_indices_.tolist() == arss.RRSS(6, max_iter=9, tol=0).fit(X).sample_indices_.tolist()


@pytest.mark.usefixtures("line_at_once")
def test_a_cluster_does_not_shrink_under_a_fit(client: Client) -> None:
    """What adaptive clusters ask the scheduler before they close workers: between two passes, too, none is idle."""
    found: list[Any] = []

    def ask() -> None:
        found.append(client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.workers_to_close()))

    arss.dask.TED(9, callback=at(4, ask)).fit(da.from_array(table(), chunks=(100, 5)))
    assert found == [[]]


async def broken(line: _line.Line, home: str, order: Any) -> Any:
    raise OSError("no route to the worker")


@pytest.mark.parametrize("when", ["from the start", "later"])
def test_a_client_that_cannot_reach_the_workers(
    client: Client, monkeypatch: Any, request: Any, by_tasks: list[str], when: str
) -> None:
    X = table()

    def cut() -> None:
        monkeypatch.setattr(_line.Line, "_call", broken)

    if when == "later":
        request.getfixturevalue("line_at_once")
    else:
        cut()
    far = arss.dask.ARSS(6, max_iter=9, tol=0, callback=at(4, cut)).fit(da.from_array(X, chunks=(100, 5)))
    assert far.sample_indices_.tolist() == arss.ARSS(6, max_iter=9, tol=0).fit(X).sample_indices_.tolist()
    assert "arss-weights" in by_tasks and (len(by_tasks) == far.n_passes_) == (when != "later")
    assert seats(client) == 0


@pytest.mark.usefixtures("line_at_once")
def test_a_worker_that_leaves_without_a_word(doomed: Client, monkeypatch: Any) -> None:
    """Its line stays open and says nothing; the scheduler knows better."""
    X = table()
    monkeypatch.setattr(_line, "PATIENCE", 0.2)
    gone = next(iter(doomed.nthreads()))
    call = _line.Line._call

    async def silent(line: _line.Line, home: str, order: Any) -> Any:
        if home == gone and order is not None:
            await asyncio.sleep(3600)
        return await call(line, home, order)

    def leave() -> None:
        monkeypatch.setattr(_line.Line, "_call", silent)
        threading.Timer(0.5, doomed.retire_workers, ([gone],), {"close_workers": True}).start()

    far = arss.dask.TED(9, callback=at(4, leave)).fit(da.from_array(X, chunks=(100, 5)))
    assert far.sample_indices_.tolist() == arss.TED(9).fit(X).sample_indices_.tolist()
    assert gone not in doomed.nthreads()


class Kept:
    """A state whose content is how often it was changed."""

    def __init__(self, steps: int = 0) -> None:
        self.steps = steps

    def __reduce__(self) -> Any:
        return Kept, (self.steps,)


def test_a_copy_of_a_state_is_of_one_version(monkeypatch: Any) -> None:
    """Whenever a state is copied while steps change it, content and version belong together."""

    class Slow(_worker.Rows):
        def apply(self, step: Any, state: Any) -> bytes:
            state.kept.steps += 1
            time.sleep(0.002)
            return b""

    state = _worker.State()
    state.kept = Kept()  # type: ignore[assignment]
    rows = Slow(0, np.empty((0, 0)), None)

    def walk() -> None:
        for version in range(100):
            state.step(None, _worker.Order(b"", version, True, str(version)), rows)  # type: ignore[arg-type]

    walker = threading.Thread(target=walk)
    walker.start()
    copies = []
    while walker.is_alive():
        copies.append(pickle.loads(pickle.dumps(state)))
    walker.join(60)
    assert len(copies) > 10
    for copy in copies:
        assert copy.kept.steps == copy.version
        assert copy.answer[0] == (str(copy.version - 1) if copy.version else "")
    # Asked for once more it is not done once more.
    state.step(None, _worker.Order(b"", 99, True, "99"), rows)  # type: ignore[arg-type]
    assert state.version == 100
