"""What p and gamma do: accuracy, corrupted picks, and the share of the entries of E that are not zero."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import arss

import objective
import rows
from experiment import Config, Context, Record


def plan(config: Config) -> Iterator[Record]:
    """Each schedule with each exponent at its usual gamma, and with each gamma at p = .5."""
    for seed, name, schedule in itertools.product(range(config["seeds"]), config["sets"], ("paper", "ours")):
        for varied in ("p", "gamma"):
            for value in config["p"] if varied == "p" else config["gamma_" + schedule]:
                yield {"set": name, "seed": seed, "schedule": schedule, "varied": varied, "value": value}


def measure(key: Record, context: Context) -> Record:
    """ARSS with one setting changed."""
    cell = context.cell(key)
    k = context.config["k"]
    found = rows.quiet_fit(arss.ARSS(n_samples=k, n_jobs=1, **settings(key)), cell.X)
    active = found.history_["active"]
    scores = objective.score(cell, found.sample_indices_)
    return {
        "k": k,
        "nn": round(scores["nn"], 4),
        "svm": round(scores["svm"], 4),
        "corrupted": round(scores["corrupted"], 4),
        "active_end": round(float(active[-1]), 5),
        "active_most": round(float(active.max()), 5),
        "iterations": found.n_iter_,
    }


def settings(key: Record) -> dict[str, object]:
    """The paper's gamma is the number in its objective; ours is a share of the largest that makes sense."""
    if key["schedule"] == "paper":
        return {"preset": "paper", key["varied"]: key["value"]}
    return {"p" if key["varied"] == "p" else "gamma_ratio": key["value"]}
