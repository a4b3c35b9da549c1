"""Seconds of processor time, one thread: the literal forms in NumPy and the package, over growing tables.

Runs of the literal forms that would exceed the limit are cut short and scaled up: `measured` is the share that was
run. A size beyond the first whose run exceeds the limit is not run at all: `beyond`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import arss
import numpy as np

import datasets
import forms
import rows
from experiment import Config, Context, Record

Matrix = rows.Matrix
GAMMA = 1.0
clock = time.process_time


def _iterated(work: Iterator[Any], count: int, limit: float) -> Record:
    """Some of `count` equal steps."""
    start, done = clock(), 0
    while done < count and clock() - start <= limit:
        next(work)
        done += 1
    return {"seconds": (clock() - start) * count / done, "measured": done / count, "steps": count}


def _rrss_literal(X: Matrix, config: Config, short: bool) -> Record:
    """Columns of the first iteration, as many as the limit allows; all iterations if they fit."""
    X = np.ascontiguousarray(X.T)
    N, count, limit = X.shape[1], config["rrss_iterations"], config["limit"]
    v, A = np.full(N, 0.5), np.zeros((N, N), order="F")
    start = clock()
    gram, B = X.T @ X, (X / v).T
    S = X @ B
    ready, done = clock() - start, 0
    start = clock()
    while done < N and clock() - start < limit / 2:
        A[:, done] = (
            forms.short_column(X, B, S, GAMMA, 0.5, done) if short else forms.nie_column(gram, GAMMA, v, 0.5, done)
        )
        done += 1
    columns = clock() - start
    start = clock()
    _ = ((X - X @ A) ** 2).sum(0), (A * A).sum(1)
    seconds = count * (ready + columns * N / done + clock() - start)
    if done == N and seconds < limit:
        return _iterated(forms.rrss_by_nie(X, GAMMA, short), count, 2 * limit)
    return {"seconds": seconds, "measured": done / N / count, "steps": count}


def _ours(selector: Any, X: Matrix, steps: int) -> Record:
    """The least of up to three runs; once if it takes long."""
    spent = []
    while len(spent) < 3 and sum(spent) < 2.0:
        start = clock()
        rows.quiet_fit(selector, X)
        spent.append(clock() - start)
    return {"seconds": min(spent), "measured": 1.0, "steps": steps}


def _arss_whole(X: Matrix, config: Config) -> Record:
    """One run; if it takes longer than the limit for whole sets it is stopped, and its iterations are scaled up."""
    start, count = clock(), config["arss_iterations"]
    times: list[float] = []

    def too_long(progress: arss.Progress) -> bool:
        if progress.phase == "solve":
            times.append(clock())
        return progress.phase == "solve" and clock() - start > config["whole_limit"]

    rows.quiet_fit(arss.ARSS(_k(X, config), preset="paper", n_jobs=1, callback=too_long), X)
    missing = count - len(times)
    each = (times[-1] - times[0]) / (len(times) - 1)
    return {"seconds": clock() - start + missing * each, "measured": len(times) / count, "steps": count}


def _k(X: Matrix, config: Config) -> int:
    return min(config["k"], len(X) // 2)


Timer = Callable[[Matrix, Config], Record]
METHODS: dict[str, Timer] = {
    "RRSS by Nie": lambda X, config: _rrss_literal(X, config, short=False),
    "RRSS by the paper": lambda X, config: _rrss_literal(X, config, short=True),
    "RRSS, ours": lambda X, config: _ours(
        arss.RRSS(_k(X, config), max_iter=config["rrss_iterations"], tol=0.0, n_jobs=1), X, config["rrss_iterations"]
    ),
    "ARSS by the paper": lambda X, config: _iterated(
        forms.algorithm_2(np.ascontiguousarray(X.T)), config["arss_iterations"], config["limit"]
    ),
    "ARSS, ours": lambda X, config: _ours(
        arss.ARSS(_k(X, config), preset="paper", n_jobs=1), X, config["arss_iterations"]
    ),
    "TED, N x N": lambda X, config: _iterated(
        forms.ted(X, rows.TED_ALPHA, repeats=True), _k(X, config), config["limit"]
    ),
    "TED, ours": lambda X, config: _ours(arss.TED(_k(X, config), alpha=rows.TED_ALPHA, n_jobs=1), X, _k(X, config)),
}
LITERAL = ("RRSS by Nie", "RRSS by the paper", "ARSS by the paper", "TED, N x N")
#: Parts in which the time of a step is wanted, so that a share of a run will do.
EXPONENTS = ("exponent of N", "exponent of L")


def plan(config: Config) -> Iterator[Record]:
    """Exponents, growth, fixed N, the paper's N = 13,000, whole sets."""
    exponents = config["exponents"]
    for method in METHODS:
        for size in exponents["n"]:
            yield _key("exponent of N", "gaussian", method, size)
        for size in exponents["l"]:
            yield _key("exponent of L", "gaussian", method, size)
    for name, sizes in config["growth"].items():
        for method, size in itertools.product(METHODS, sizes):
            yield _key("growth", name, method, size)
    for name, method in itertools.product(config["fixed"]["sets"], METHODS):
        yield _key("fixed", name, method, config["fixed"]["candidates"])
    for method in config.get("headline", []):
        yield _key("headline", "letter", method, 13_000)
    for name in config["fixed"]["sets"]:
        yield _key("whole", name, "ARSS, ours", 0)


def _key(part: str, name: str, method: str, size: int) -> Record:
    return {"part": part, "set": name, "seed": 0, "method": method, "size": size}


def measure(key: Record, context: Context) -> Record:
    """Seconds of one method on one table, unless a smaller one took too long already."""
    config = context.config
    X = table(key, context)
    shape = {"n": X.shape[0], "l": X.shape[1]}
    if any(_same(one, key) and _too_slow(one, config) for one in context.records):
        return shape | {"beyond": True}
    if key["method"] in LITERAL and 3 * 8 * len(X) ** 2 > config["memory_gb"] * 1e9:
        return shape | {"beyond": True}
    found = _arss_whole(X, config) if key["part"] == "whole" else METHODS[key["method"]](X, config)
    return shape | found | {"seconds": round(found["seconds"], 6)}


def _too_slow(record: Record, config: Config) -> bool:
    """Whether a run exceeds the limit; where only the time of a step counts, whether a step exceeds its own."""
    seconds = record.get("seconds", np.inf)
    if record["part"] == "growth":
        return bool(seconds > config["limit"])
    return record["part"] in EXPONENTS and bool(seconds / record.get("steps", 1) > config["exponents"]["step_limit"])


def _same(record: Record, key: Record) -> bool:
    smaller = record["size"] < key["size"]
    return smaller and all(record[name] == key[name] for name in ("part", "set", "method"))


def table(key: Record, context: Context) -> Matrix:
    """Gaussian; rows of a set, standardised; its noisy candidates; or all of it."""
    part, size, exponents = key["part"], key["size"], context.config["exponents"]
    if part == "exponent of N":
        return np.random.default_rng(0).normal(size=(size, exponents["l_fixed"]))
    if part == "exponent of L":
        return np.random.default_rng(0).normal(size=(exponents["n_fixed"], size))
    if part == "fixed":
        fixed = context.config["fixed"]
        return Context(fixed, context.folder).cell(key).X
    X = datasets.load(key["set"], context.folder)[0]
    if size:
        X = X[np.random.default_rng(0).permutation(len(X))[:size]]
    spread = X.std(0)
    return np.ascontiguousarray((X - X.mean(0)) / np.where(spread > 0, spread, 1.0))
