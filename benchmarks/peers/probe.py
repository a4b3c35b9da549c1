"""One question to one package, in a process of its own: python probe.py PEER QUESTION; prints a JSON object."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

K = 5
Chooser = Callable[[Any], Any]


def _arss() -> Chooser:
    import arss

    return lambda X: arss.Exemplars(K).fit(X).sample_indices_


def _arss_columns() -> Chooser:
    import arss

    return lambda X: arss.FeatureSelector(n_features_to_select=K).fit(X).feature_indices_


def _apricot() -> Chooser:
    from apricot import FacilityLocationSelection

    return lambda X: FacilityLocationSelection(K).fit(X).ranking


def _submodlib() -> Chooser:
    from submodlib import FacilityLocationFunction

    def choose(X: Any) -> Any:
        function = FacilityLocationFunction(n=X.shape[0], mode="dense", data=X, metric="euclidean")
        return [i for i, _ in function.maximize(budget=K, show_progress=False)]

    return choose


def _kmedoids() -> Chooser:
    import kmedoids

    return lambda X: kmedoids.KMedoids(K, metric="euclidean", random_state=0).fit(X).medoid_indices_


def _skmatter() -> Chooser:
    from skmatter.sample_selection import FPS

    return lambda X: FPS(n_to_select=K).fit(X).selected_idx_


def _fastcan() -> Chooser:
    from fastcan import FastCan

    return lambda X: FastCan(K, verbose=0).fit(X, X).indices_


def _skactiveml() -> Chooser:
    from skactiveml.pool import TypiClust

    return lambda X: TypiClust(random_state=0).query(X, np.full(X.shape[0], np.nan), batch_size=K)


PEERS = {
    "arss": _arss,
    "arss, columns": _arss_columns,
    "apricot": _apricot,
    "submodlib": _submodlib,
    "kmedoids": _kmedoids,
    "skmatter": _skmatter,
    "fastcan": _fastcan,
    "scikit-activeml": _skactiveml,
}


#: Those that choose columns.
OF_COLUMNS = ("arss, columns", "fastcan")


def _table(n: int = 200, columns: int = 8) -> Any:
    return np.random.default_rng(0).normal(size=(n, columns))


def frame(choose: Chooser) -> str:
    """A pandas DataFrame gives what its values give."""
    import pandas as pd

    X = _table()
    given = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])], index=[f"r{i}" for i in range(len(X))])
    return "yes" if sorted(choose(given)) == sorted(choose(X)) else "other picks"


def sparse(choose: Chooser) -> str:
    """A scipy matrix gives as many picks."""
    import scipy.sparse

    X = _table()
    return "yes" if len(set(choose(scipy.sparse.csr_matrix(X * (X > 0))))) == K else "fewer picks"


def nan(choose: Chooser) -> str:
    """A row with NaN is an error, is left alone or is picked."""
    X = _table()
    X[3] = np.nan
    picks = [int(i) for i in choose(X)]
    return "the NaN row is picked" if 3 in picks else "accepted silently"


def copies(choose: Chooser) -> str:
    """Distinct values among the picks where every row (or column) is there ten times."""
    X = np.repeat(_table(20, 20), 10, axis=0)
    picks = np.array(choose(X.T.copy() if sys.argv[1] in OF_COLUMNS else X))
    return f"{len(np.unique(X[picks], axis=0))} of {K}"


def memory(choose: Chooser) -> str:
    """Peak beyond a small run: 6,000 rows x 8, N x N of 8 bytes would be 275 MB."""
    choose(_table())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    choose(_table(6000))
    return f"{(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:.0f} MB"


#: Those that need memory like N x N, so that there is an end to larger tables.
SQUARE = ("apricot", "submodlib", "kmedoids")


def interrupt(choose: Chooser) -> str:
    """Seconds from Ctrl-C, a second into a run that takes at least three, until the run gives way."""
    n, took = 1000, 0.0
    while took < 3.0 and n <= (16_000 if sys.argv[1] in SQUARE else 8_000_000):
        n *= 2
        X = _table(n, 64)
        start = time.perf_counter()
        choose(X)
        took = time.perf_counter() - start
    if took < 3.0:
        return f"no run took 3 s ({n:,} rows: {took:.1f} s)"
    # Who runs this in the background may have told it to ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pressed = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    start = time.perf_counter() + 1.0
    pressed.start()
    try:
        choose(X)
    except KeyboardInterrupt:
        return f"{max(time.perf_counter() - start, 0.0):.1f} s"
    return f"goes on to its end ({time.perf_counter() - start:.0f} s)"


def _estimator(peer: str) -> Any:
    """Its scikit-learn estimator as it comes, None where it has none."""
    if peer.startswith("arss"):
        import arss

        return arss.FeatureSelector() if "columns" in peer else arss.Exemplars()
    if peer == "apricot":
        from apricot import FacilityLocationSelection

        return FacilityLocationSelection(K)
    if peer == "kmedoids":
        import kmedoids

        return kmedoids.KMedoids(K, metric="euclidean")
    if peer == "skmatter":
        from skmatter.sample_selection import FPS

        return FPS()
    if peer == "fastcan":
        from fastcan import FastCan

        return FastCan()
    return None


def contract(choose: Chooser) -> str:
    """How many of scikit-learn's checks pass."""
    from sklearn.utils.estimator_checks import check_estimator

    estimator = _estimator(sys.argv[1])
    if estimator is None:
        return "no estimator"
    found = [one["status"] for one in check_estimator(estimator, on_fail=None, on_skip=None)]
    return f"{found.count('passed')} of {len(found)}"


QUESTIONS = {question.__name__: question for question in (frame, sparse, nan, copies, memory, interrupt, contract)}


def main() -> None:
    """Ask."""
    warnings.simplefilter("ignore")
    peer, question = sys.argv[1:]
    try:
        answer = QUESTIONS[question](PEERS[peer]())
    except (Exception, KeyboardInterrupt) as error:
        answer = f"{type(error).__name__}"
    print(json.dumps({"answer": answer}))


if __name__ == "__main__":
    main()
