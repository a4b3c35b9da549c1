"""Objective against iterations and seconds: the paper's schedule and ours, with the duality gap where there is one."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import arss
import numpy as np

import forms
import objective
import rows
from experiment import Config, Context, Record

MODELS = ("ARSS, p = 0.5", "ARSS, p = 1", "RRSS")
#: Iterations of plain re-weighting, the paper's solver of RRSS, and of the schedule of ARSS, which has 100.
PLAIN = 100


def plan(config: Config) -> Iterator[Record]:
    """Every model by both schedules; one table a set."""
    for name, model, schedule in itertools.product(config["sets"], MODELS, ("paper", "ours")):
        for ratio in config["ratios"]:
            yield {"set": name, "seed": 0, "model": model, "schedule": schedule, "value": ratio}


def measure(key: Record, context: Context) -> Record:
    """The history of one run; the table is standardised and clean."""
    task = objective.Task(key["set"], "none", 0.0, key["seed"])
    X = objective.make(task, context.folder, context.config["rows"], 1).X
    if key["model"] == "RRSS" and key["schedule"] == "paper":
        return _plain(X, key["value"])
    if key["model"] == "RRSS":
        selector = arss.RRSS(n_samples=10, gamma_ratio=key["value"], n_jobs=1)
    else:
        p = float(key["model"].split()[-1])
        how = {"preset": "paper", "gamma": gamma(X, key["value"], p)} if key["schedule"] == "paper" else {}
        selector = arss.ARSS(n_samples=10, p=p, gamma_ratio=key["value"], n_jobs=1, **how)
    found = rows.quiet_fit(selector, X)
    history = found.history_
    gaps = None if np.isnan(history["gap"]).all() else [float(f"{gap:.4g}") for gap in history["gap"]]
    return {
        "n": len(X),
        "l": X.shape[1],
        "objective": [float(f"{value:.8g}") for value in history["objective"]],
        "gap": gaps,
        "iteration_seconds": found.seconds_["solve"] / found.n_iter_,
        "status": found.status_,
    }


def gamma(X: rows.Matrix, ratio: float, p: float) -> float:
    """The gamma that `gamma_ratio` stands for: a share of max_n |x_n' sign(X)|, in the units of the loss."""
    signs = np.sign(X)
    largest = np.sqrt((((X @ (signs.T @ signs)) * X).sum(1)).max())
    return float(ratio * largest * np.abs(X).mean() ** (p - 1.0))


def _plain(X: rows.Matrix, ratio: float) -> Record:
    """The paper's iteration for RRSS in linear time: the gap, and the objective of each iterate."""
    start = time.perf_counter()
    found = list(itertools.islice(forms.rrss_plain(X, ratio), PLAIN))
    seconds = (time.perf_counter() - start) / PLAIN
    return {
        "n": len(X),
        "l": X.shape[1],
        "objective": [float(f"{value:.8g}") for value, _ in found],
        "gap": [float(f"{gap:.4g}") for _, gap in found],
        "iteration_seconds": seconds,
        "status": "iteration_limit",
    }
