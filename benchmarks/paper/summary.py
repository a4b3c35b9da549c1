"""Numbers from the records: what the tables and figures show."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

PER_K = ["k", "distinct", "nn", "svm", "svc", "corrupted"]


def has(folder: Path, name: str) -> bool:
    """Whether there are records of an experiment."""
    path = folder / f"{name}.jsonl"
    return path.exists() and path.stat().st_size > 0


def read(folder: Path, name: str) -> pd.DataFrame:
    """The records of an experiment; none if there is no file."""
    path = folder / f"{name}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return pd.DataFrame([json.loads(line) for line in lines])


def accuracy(folder: Path) -> pd.DataFrame:
    """One row for each K; percentages; tables on which every method was run."""
    frame = read(folder, "accuracy")
    frame = frame.explode(PER_K, ignore_index=True)
    frame[PER_K] = frame[PER_K].astype(float)
    frame[["nn", "svm", "svc", "corrupted"]] *= 100
    frame["mean"] = (frame["nn"] + frame["svm"]) / 2
    runs = frame.groupby(["set", "share", "seed", "k"])["method"].transform("nunique")
    return frame[runs == frame["method"].nunique()].astype({"k": int})


def sensitivity(folder: Path) -> pd.DataFrame:
    """The records of the tables (set and seed) on which every setting was run."""
    frame = read(folder, "sensitivity")
    runs = frame.groupby(["set", "seed"])["value"].transform("size")
    return frame[runs == runs.max()]


def by_set(frame: pd.DataFrame, value: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean and deviation over seeds: sets down, methods across."""
    groups = frame.groupby(["set", "method"], sort=False)[value]
    return groups.mean().unstack(sort=False), groups.std(ddof=0).unstack(sort=False)


def over_sets(frame: pd.DataFrame, across: str, value: str) -> pd.DataFrame:
    """Mean of the sets' means: methods down."""
    means = frame.groupby(["method", across, "set"], sort=False)[value].mean()
    return means.groupby(["method", across], sort=False).mean().unstack(sort=False)


def exponent(part: pd.DataFrame, points: int = 4) -> tuple[float, float, float] | None:
    """Slope of log time a step against log size over the largest sizes run, and their range; None if too few."""
    run = part.dropna(subset="seconds").sort_values("size")
    run = run[run["seconds"] > 1e-4].tail(points)
    if len(run) < 3:
        return None
    slope = np.polyfit(np.log(run["size"]), np.log(run["seconds"] / run["steps"]), 1)[0]
    return float(slope), float(run["size"].min()), float(run["size"].max())


def growth(part: pd.DataFrame, points: int = 4) -> tuple[float, float]:
    """Slope and last value (log) of seconds against size, for extrapolation."""
    run = part.dropna(subset="seconds").sort_values("size")
    tail = run.tail(points)
    slope = np.polyfit(np.log(tail["size"]), np.log(tail["seconds"]), 1)[0] if len(tail) > 1 else np.nan
    return float(slope), float(np.log(run["seconds"].iloc[-1]))


def extrapolated(part: pd.DataFrame, size: float, slope: float | None = None) -> float:
    """Seconds at a size beyond the largest run, by the fitted slope or the one given."""
    run = part.dropna(subset="seconds").sort_values("size")
    fitted, last = growth(part)
    power = fitted if slope is None else slope
    return float(np.exp(last + power * (np.log(size) - np.log(run["size"].iloc[-1]))))


def columns(folder: Path) -> pd.DataFrame:
    """Feature selection: one row for each K, `all features` repeated nowhere; percentages.

    `step` is the place of K among those of its table: where seeds leave out other constant columns, the K differ.
    """
    frame = read(folder, "columns")
    if "failed" in frame:
        frame = frame[frame["failed"].isna()].copy()
    frame["step"] = [list(range(len(ks))) for ks in frame["k"]]
    values = ["step", "k", "acc", "nmi", "nn"]
    frame = frame.explode(values, ignore_index=True)
    frame[values] = frame[values].astype(float)
    frame[["acc", "nmi", "nn"]] *= 100
    runs = frame.groupby(["set", "seed"])["method"].transform("nunique")
    return frame[runs == frame["method"].nunique()].astype({"k": int})
