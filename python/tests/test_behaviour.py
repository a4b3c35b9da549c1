"""Manners: lock released, Ctrl-C, callbacks, progress, warnings, processes."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning

import arss
from arss import _core
from arss._threads import threads

LARGE = """
import numpy as np, arss
X = np.random.default_rng(0).normal(size=({rows}, {columns})).astype(np.float32)
"""


def run(code: str, **how: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], text=True, capture_output=True, **how)


def picks(seed: int) -> list[int]:
    X = np.random.default_rng(seed).normal(size=(500, 8))
    found: list[int] = arss.ARSS(n_samples=5).fit(X).sample_indices_.tolist()
    return found


def test_another_thread_runs_on(table: NDArray[np.float64]) -> None:
    X = np.tile(table, (100, 4))
    steps = 0
    done = threading.Event()

    def count() -> None:
        nonlocal steps
        while not done.wait(0.001):
            steps += 1

    counter = threading.Thread(target=count)
    counter.start()
    arss.RRSS(max_iter=20, tol=0.0, n_jobs=1).fit(X)
    done.set()
    counter.join()
    # With the lock held there would be none at all.
    assert steps > 1


# One iteration of the second table takes most of a second: the answer to Ctrl-C does not wait for its end.
@pytest.mark.parametrize(("rows", "columns", "kind"), [(20_000, 16, "ARSS"), (16_000, 700, "RRSS")])
def test_ctrl_c_is_heard_within_an_iteration(rows: int, columns: int, kind: str) -> None:
    code = LARGE.format(rows=rows, columns=columns) + textwrap.dedent(f"""
        import signal
        # Started in the background, a process ignores it; and no test waits for ever.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(240)

        def tell(progress):
            if progress.phase == "solve":
                print("iteration", progress.iteration, flush=True)

        try:
            arss.{kind}(tol=0.0, max_iter=10**6, callback=tell).fit(X)
        except KeyboardInterrupt:
            print("heard", flush=True)
        # The interpreter is alive and well.
        print(len(arss.TED(n_samples=3).fit(X[:100, :5]).sample_indices_), flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "iteration 1\n"
        process.send_signal(signal.SIGINT)
        after = process.stdout.read().splitlines()
        process.wait(30)
    assert after[-2:] == ["heard", "3"]
    if kind == "RRSS":
        assert len(after) == 2, "no further iteration was finished"
    assert process.returncode == 0


def test_callback_sees_and_stops(table: NDArray[np.float64]) -> None:
    seen: list[arss.Progress] = []

    def third(progress: arss.Progress) -> bool:
        seen.append(progress)
        return progress.phase == "solve" and progress.iteration >= 3

    selector = arss.ARSS(p=1.0, callback=third).fit(table)
    assert selector.status_ == "stopped"
    assert len(selector.sample_indices_) == 10
    solving = [progress for progress in seen if progress.phase == "solve"]
    assert [progress.iteration for progress in solving][:3] == [1, 2, 3]
    assert all(np.isfinite([p.objective, p.residual, p.gap]).all() and p.limit == 1000 for p in solving)

    silent = arss.ARSS(callback=lambda progress: None).fit(table)
    assert silent.status_ == "converged"
    assert np.array_equal(silent.sample_indices_, arss.ARSS().fit(table).sample_indices_)


@pytest.mark.parametrize(
    "kind", [arss.ARSS, arss.RRSS, arss.TED, arss.RRQR, arss.KMeansSelector, arss.KMedoidsSelector]
)
def test_errors_of_a_callback_come_out(kind: Any, table: NDArray[np.float64]) -> None:
    def fail(progress: arss.Progress) -> bool:
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        kind(callback=fail).fit(table)


def test_progress_is_shown(table: NDArray[np.float64], capfd: Any) -> None:
    arss.ARSS(verbose=1).fit(table)
    shown = capfd.readouterr()
    assert shown.err.startswith("ARSS ") and shown.err.count("\n") == 1 and shown.out == ""
    arss.ARSS(verbose=2).fit(table)
    shown = capfd.readouterr()
    assert shown.err.count("\n") > 10 and "ARSS solve" in shown.err and "residual" in shown.err
    arss.ARSS().fit(table)
    assert capfd.readouterr() == ("", "")


def test_progress_is_drawn_over_in_a_terminal(table: NDArray[np.float64], capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    arss.ARSS(verbose=1).fit(table)
    shown = capsys.readouterr().err
    assert shown.startswith("\rARSS") and shown.endswith("\n")


def test_warnings(table: NDArray[np.float64]) -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        assert arss.ARSS(n_samples=3, max_iter=2).fit(table).status_ == "iteration_limit"
    with pytest.warns(DataDimensionalityWarning, match="saturates"):
        arss.TED(n_samples=7).fit(table)
    with pytest.warns(UserWarning, match="never acted"):
        arss.ARSS(n_samples=3, gamma=1e-9, max_iter=5, tol=0.0).fit(table)


def test_no_warning_where_all_iterations_were_asked_for(table: NDArray[np.float64], recwarn: Any) -> None:
    arss.ARSS(n_samples=3, max_iter=5, tol=0.0).fit(table)
    assert not [warning for warning in recwarn if issubclass(warning.category, ConvergenceWarning)]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_multiprocessing(start: str) -> None:
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this system")
    expected = [picks(seed) for seed in range(3)]  # threads have run in the parent before the fork
    with multiprocessing.get_context(start).Pool(2) as pool:
        assert pool.map_async(picks, range(3)).get(60) == expected


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_joblib(backend: str) -> None:
    expected = [picks(seed) for seed in range(4)]
    assert joblib.Parallel(2, backend=backend, timeout=60)(joblib.delayed(picks)(seed) for seed in range(4)) == expected


def test_many_threads_at_once() -> None:
    expected = [picks(seed) for seed in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(picks, range(8))) == expected


def test_jobs_mean_what_they_mean_in_scikit_learn(monkeypatch: Any) -> None:
    assert (threads(None), threads(3), threads(-10_000)) == (1, 3, 1)
    assert threads(-1) == joblib.cpu_count()
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend=backend, n_jobs=5):
            assert (threads(None), threads(2)) == (5, 2)
    # Workers that have a core each do not start more threads.
    assert joblib.Parallel(2, timeout=60)(joblib.delayed(threads)(None) for _ in range(2)) == [1, 1]
    asked: list[int] = []
    real = _core.select

    def select(*arguments: Any, **how: Any) -> Any:
        asked.append(how["threads"])
        return real(*arguments, **how)

    monkeypatch.setattr(_core, "select", select)
    X = np.random.default_rng(0).normal(size=(30, 3))
    for kind in (arss.Exemplars, arss.FeatureSelector):
        kind().fit(X)
        with joblib.parallel_config("threading", n_jobs=2):
            kind().fit(X)
    assert asked == [1, 2, 1, 2]


def test_the_process_ends_while_a_solver_is_left_behind() -> None:
    code = LARGE.format(rows=16_000, columns=700) + textwrap.dedent("""
        import _thread, signal, threading
        # Started in the background, a process ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(1.0, _thread.interrupt_main).start()
        arss.RRSS(tol=0.0).fit(X)
    """)
    done = run(code, timeout=60)
    assert "KeyboardInterrupt" in done.stderr
    assert done.returncode != 0 and done.returncode not in (-signal.SIGSEGV, -signal.SIGABRT), done.stderr
    assert os.name == "nt" or done.returncode in (1, 130, -signal.SIGINT)


def test_the_preset_of_the_paper_and_where_its_loss_acts() -> None:
    X = np.random.default_rng(3).normal(size=(120, 5))
    with pytest.warns(UserWarning, match="never acted"):
        published = arss.ARSS(n_samples=4, preset="paper").fit(X)
    assert published.n_iter_ == 100 and published.history_["mu"][0] == pytest.approx(1e-3)
    assert (published.history_["active"] == 0).all()
    stronger = arss.ARSS(n_samples=4, preset="paper", gamma=100.0).fit(X)
    assert 0 < stronger.history_["active"].max() <= 1
    with pytest.raises(ValueError, match="preset='nature', but it must be None or 'paper'"):
        arss.ARSS(n_samples=4, preset="nature").fit(X)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="preset is not a setting of method ted"):
        arss.FeatureSelector("ted", preset="paper").fit(X)


def test_rows_are_ranked_by_sums_or_by_norms() -> None:
    X = np.random.default_rng(4).normal(size=(150, 5))
    for kind in (arss.ARSS, arss.RRSS):
        sums, norms = kind(n_samples=20, rank="sum").fit(X), kind(n_samples=20, rank="norm").fit(X)
        assert (np.diff(norms.scores_) <= 0).all()
        # |a|_2 <= |a|_1, and both know which rows matter most.
        assert norms.scores_[0] < sums.scores_[0]
        assert len({*sums.sample_indices_} & {*norms.sample_indices_}) >= 10
        with pytest.raises(ValueError, match="rank='length', but it must be 'sum' or 'norm'"):
            kind(rank="length").fit(X)  # type: ignore[arg-type]
