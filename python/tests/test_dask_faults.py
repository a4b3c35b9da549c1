"""What may happen to a cluster in the middle of a run: workers die, run out of memory, the client goes away."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss

pytest.importorskip("distributed")
import dask.array as da
from distributed import Client

import arss.dask
from arss.dask import _engine, _worker

# Dask has warnings of its own; that few iterations do not converge is no news here.
pytestmark = pytest.mark.filterwarnings("ignore")


def table(rows: int, columns: int) -> Any:
    X = np.random.default_rng(1).normal(size=(rows, columns)) + np.arange(rows)[:, None] % 3
    X[::97] *= 5
    return X


def pids(client: Client) -> list[int]:
    return list(client.run(os.getpid).values())


def at_iterations(*when: int, do: Callable[[], object]) -> Callable[[arss.Progress], bool]:
    def callback(progress: arss.Progress) -> bool:
        if progress.phase == "solve" and progress.iteration in when:
            do()
        return False

    return callback


KILLS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("ARSS", {"max_iter": 9, "tol": 0}, (5,)),
    ("ARSS", {"max_iter": 17, "tol": 0}, (12, 13)),  # the second before the first is back
    ("RRSS", {"max_iter": 26, "tol": 0}, (12, 23)),
    ("TED", {}, (3, 6)),
]


WAYS = ["tasks_only", "line_at_once"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "settings", "when"), KILLS)
def test_killed_workers_change_nothing(
    doomed: Client, monkeypatch: Any, request: Any, way: str, name: str, settings: Any, when: tuple[int, ...]
) -> None:
    """Workers are killed while they work on a pass."""
    request.getfixturevalue(way)
    X = table(2000, 6)
    local = getattr(arss, name)(10, **settings).fit(X)
    victims = pids(doomed)[: len(when)]
    waiting = list(victims)
    made_anew: list[int] = []
    restore = _engine.Engine._restore

    def watched(engine: _engine.Engine, numbers: list[int]) -> None:
        made_anew.append(engine.passes)
        restore(engine, numbers)

    monkeypatch.setattr(_engine.Engine, "_restore", watched)

    def kill() -> None:
        threading.Timer(0.01, os.kill, (waiting.pop(), signal.SIGKILL)).start()

    estimator = getattr(arss.dask, name)(10, callback=at_iterations(*when, do=kill), **settings)
    far = estimator.fit(da.from_array(X, chunks=(400, 6)))
    assert not waiting and not set(victims) & set(pids(doomed))
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
    np.testing.assert_allclose(far.scores_, local.scores_, rtol=1e-10)
    np.testing.assert_allclose(
        far.outlier_scores_.compute(), local.outlier_scores_, rtol=1e-10, atol=1e-10 * local.outlier_scores_.max()
    )
    # A death takes states that only the requests so far can bring back.
    assert made_anew


def task_count(client: Client) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def tasks_left(client: Client, before: int) -> int:
    """Tasks beyond `before`, after at most a minute in which they may go."""
    for _ in range(600):
        if task_count(client) <= before:
            break
        time.sleep(0.1)
    return task_count(client) - before


def test_tasks_do_not_pile_up(client: Client) -> None:
    X = da.from_array(table(600, 4), chunks=(200, 4))
    gc.collect()
    before = task_count(client)  # of results that are still alive
    counts: list[int] = []
    count = at_iterations(*range(80), do=lambda: counts.append(task_count(client) - before))
    arss.dask.ARSS(5, max_iter=80, tol=0, callback=count).fit(X)
    assert len(counts) == 79
    # A task a worker in two passes, one that still goes and one that has ended; states, and what the table is made of.
    assert max(counts) <= 2 * 3 + 3 + 8 * 3
    assert max(counts[50:]) <= max(counts[:30])


def test_a_callback_that_stops_or_raises(client: Client) -> None:
    X = da.from_array(table(600, 4), chunks=(100, 4))

    def interrupt() -> None:
        raise KeyboardInterrupt

    gc.collect()
    before = task_count(client)
    with pytest.raises(KeyboardInterrupt) as caught:
        arss.dask.RRSS(5, callback=at_iterations(13, do=interrupt), tol=0).fit(X)
    assert tasks_left(client, before) <= 0, "the traceback holds the futures, but their tasks are gone"
    del caught
    stopped = arss.dask.RRSS(5, callback=lambda progress: progress.iteration >= 3, tol=0).fit(X)
    assert stopped.status_ == "stopped" and len(stopped.sample_indices_) == 5


CLIENT = """
import signal, sys, time
import numpy as np
import dask.array as da
from distributed import Client
import arss.dask

# Who starts the tests in the background may have told them to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def tell(progress):
    if progress.iteration == 12:
        print("solving", flush=True)

def main():
    pause = float(sys.argv[2])
    rows = da.random.default_rng(0).normal(size=(900, 4), chunks=(100, 4))
    X = rows.map_blocks(lambda block: (time.sleep(pause), block)[1], dtype=float)
    with Client(sys.argv[1]):
        print("ready", flush=True)
        try:
            arss.dask.ARSS(3, max_iter=10**6, tol=0, callback=tell).fit(X)
        except KeyboardInterrupt as error:
            kept = error  # and with it the frames and their futures
            print("interrupted", flush=True)
            sys.stdin.read()

main()
"""


SIGNALS = [(signal.SIGINT, 0.0), (signal.SIGINT, 1.0), (signal.SIGKILL, 0.0)]


@pytest.mark.parametrize(("how", "pause"), SIGNALS, ids=["solving", "reading", "kill"])
def test_an_interrupted_client_leaves_no_tasks(
    client: Client, tmp_path: Path, how: signal.Signals, pause: float
) -> None:
    """A client process of its own: Ctrl-C while it reads or solves, after which it lives on, and kill -9."""
    gc.collect()
    before = task_count(client)
    script = tmp_path / "script.py"
    script.write_text(CLIENT)
    command = [sys.executable, "-W", "ignore", str(script), client.scheduler.address, str(pause)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        try:
            assert other.stdout.readline() == "ready\n"
            if pause == 0.0:
                assert other.stdout.readline() == "solving\n"
            else:
                time.sleep(0.5)
            assert task_count(client) > before
            other.send_signal(how)
            if how == signal.SIGINT:
                assert other.stdout.readline() == "interrupted\n"
            assert tasks_left(client, before) <= 0
            assert (other.poll() is None) == (how == signal.SIGINT)
        finally:
            other.kill()


MEMORY = """
import resource, sys
import dask.array as da
from distributed import Client
import arss.dask

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def fit(X):
    arss.dask.ARSS(5, max_iter=3, tol=0).fit(X)
    arss.dask.Exemplars(5, landmarks=32).fit(X)

if __name__ == "__main__":
    with Client(sys.argv[1]):
        X = da.random.default_rng(0).normal(size=(int(sys.argv[2]), 16), chunks=(100_000, 16))
        fit(X[:10_000])
        before = peak()
        fit(X)
        print(peak() - before)
"""


def test_the_client_stays_small(client: Client, tmp_path: Path) -> None:
    """The kernel's peak of a client process grows by less than a tenth of the data, which is 77 MB."""
    rows = 600_000
    script = tmp_path / "script.py"
    script.write_text(MEMORY)
    command = [sys.executable, "-W", "ignore", str(script), client.scheduler.address, str(rows)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(found.stdout) < rows * 16 * 8 / 10


def test_a_partition_that_does_not_fit_is_named(doomed: Client) -> None:
    """Three GiB on workers of one: the nanny kills each that tries, and there is an end to it."""
    # The first worker that dies could be bad luck, the second is not.
    doomed.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 1))
    parts = [da.ones((50, 4), chunks=-1), da.full((100 * 2**20, 4), 1.5, chunks=-1).map_blocks(np.copy, dtype=float)]
    gc.collect()
    before = task_count(doomed)
    with pytest.raises(RuntimeError, match=r"partition 1 killed 2 workers in turn: .* use smaller partitions"):
        arss.dask.TED(2).fit(da.concatenate(parts))
    assert tasks_left(doomed, before) <= 0
    doomed.wait_for_workers(1)
    X = table(400, 4)
    far = arss.dask.TED(5).fit(da.from_array(X, chunks=(100, 4)))
    assert far.sample_indices_.tolist() == arss.TED(5).fit(X).sample_indices_.tolist()


@pytest.mark.parametrize("way", WAYS)
def test_a_retired_worker_hands_its_states_on(doomed: Client, monkeypatch: Any, request: Any, way: str) -> None:
    """As adaptive clusters do when there is little to do: nothing is made anew."""
    request.getfixturevalue(way)
    X = table(2000, 6)
    local = arss.ARSS(10, max_iter=12, tol=0).fit(X)
    made_anew: list[list[int]] = []
    restore = _engine.Engine._restore

    def watched(engine: _engine.Engine, numbers: list[int]) -> None:
        made_anew.append(numbers)
        restore(engine, numbers)

    monkeypatch.setattr(_engine.Engine, "_restore", watched)
    leaving = next(iter(doomed.nthreads()))
    retire = at_iterations(6, do=lambda: doomed.retire_workers([leaving], close_workers=True))
    far = arss.dask.ARSS(10, max_iter=12, tol=0, callback=retire).fit(da.from_array(X, chunks=(250, 6)))
    assert leaving not in doomed.nthreads() and not made_anew
    assert far.sample_indices_.tolist() == local.sample_indices_.tolist()


@pytest.mark.parametrize("way", WAYS)
def test_partitions_of_very_different_size_on_any_worker(client: Client, request: Any, way: str) -> None:
    """The sums have the same bits whichever worker holds which partition."""
    request.getfixturevalue(way)
    X = table(3000, 5)
    local = arss.RRSS(7, max_iter=9, tol=0).fit(X)
    workers = list(client.nthreads())
    scores = set()
    for turn in range(3):
        far_X = da.from_array(X, chunks=((1, 2, 1500, 3, 994, 500), 5))
        parts = [
            client.persist(block, workers=[workers[(turn + number * turn) % 3]])
            for number, block in enumerate(far_X.blocks.ravel())
        ]
        far = arss.dask.RRSS(7, max_iter=9, tol=0).fit(da.concatenate(parts))
        assert far.sample_indices_.tolist() == local.sample_indices_.tolist()
        scores.add(far.scores_.tobytes())
    assert len(scores) == 1


def test_neighbours_are_paired_alike_whoever_holds_them() -> None:
    """Every way to deal seven partitions out to two workers ends in the same pairs."""

    class Core:
        @staticmethod
        def merge(parts: list[bytes]) -> bytes:
            return b"(" + b"+".join(parts) + b")"

    whole = b"(((0+1)+(2+3))+((4+5)+6))"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_worker, "_core", Core)
        for mask in range(2**7):
            mine, yours = ({(0, n): b"%d" % n for n in range(7) if mask >> n & 1 == side} for side in (0, 1))
            answers = [_worker.Answer({}, _worker.joined(sums, 7)) for sums in (mine, yours)]
            assert _worker.together(answers, 7).sums == {(3, 0): whole}, mask
