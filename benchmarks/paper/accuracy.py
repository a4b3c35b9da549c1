"""Accuracy of classifiers trained on the picks: the table at K = 200, the curves against K, the share of noise."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import objective
import rows
from experiment import Config, Context, Record


def plan(config: Config) -> Iterator[Record]:
    """Seed by seed, so that a run that is stopped has the same seeds for every set."""
    for seed in range(max(part["seeds"] for part in config["part"])):
        for part in config["part"]:
            if seed >= part["seeds"]:
                continue
            for name, share, method in itertools.product(part["sets"], part["shares"], rows.METHODS):
                yield {"set": name, "share": share, "seed": seed, "method": method}


def measure(key: Record, context: Context) -> Record:
    """Both classifiers at every K, and the share of corrupted picks."""
    cell = context.cell(key)
    curve = context.config["curve"]
    wanted = curve["k"] if key["set"] in curve["sets"] and key["share"] == curve["share"] else context.config["k"]
    ks = [k for k in wanted if k < len(cell.X)]
    start = time.perf_counter()
    picks = rows.picks(key["method"], cell.X, ks, key["seed"])
    seconds = time.perf_counter() - start
    found = [objective.score(cell, chosen) for chosen in picks]
    columns = {name: [round(one[name], 4) for one in found] for name in ("nn", "svm", "svc", "corrupted")}
    distinct = [len(set(chosen.tolist())) for chosen in picks]
    return {"n": len(cell.X), "k": ks, "distinct": distinct} | columns | {"seconds": round(seconds, 4)}
