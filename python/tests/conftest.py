"""Data and clusters that several tests use."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

# What is started in the background (`nohup make test &`) ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def table() -> NDArray[np.float64]:
    """300 rows in 6 dimensions, three of them far out."""
    X = np.random.default_rng(7).normal(size=(300, 6)) + 2.0
    X[[5, 50, 250]] *= 30.0
    return X


@contextmanager
def cluster() -> Iterator[Any]:
    """The client of a new Dask cluster of three worker processes with 1 GiB each."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    settings = {
        "distributed.admin.log-length": 0,
        "distributed.comm.timeouts.connect": "30s",
        # A worker that is killed twice within the default of 15 s is given up for good; without any, every fit waits.
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None, silence_logs=50
        ) as nodes,
        distributed.Client(nodes) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A cluster for all tests that leave it as it is."""
    with cluster() as client:
        yield client


@pytest.fixture
def doomed() -> Iterator[Any]:
    """A cluster for one test, which may kill its workers: not always do they all come back."""
    with cluster() as client:
        yield client


@pytest.fixture
def tasks_only(monkeypatch: Any) -> None:
    """No direct line from the client to the workers: tasks do every pass."""
    _line = pytest.importorskip("arss.dask._line")
    monkeypatch.setattr(_line.Line, "ready", False)


@pytest.fixture
def line_at_once(monkeypatch: Any) -> None:
    """The direct line is waited for, so that it does every pass but the first."""
    _line = pytest.importorskip("arss.dask._line")
    lay = _line.Line.lay

    def waiting(line: Any, bundles: Any) -> None:
        lay(line, bundles)
        for _ in range(6000):
            if line.ready:
                return
            time.sleep(0.01)

    monkeypatch.setattr(_line.Line, "lay", waiting)
