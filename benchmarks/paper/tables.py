"""The tables that do not hold timings: the same records give the same text."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import summary
from markdown import table

SHOWN = {"nn": "1-NN", "svm": "linear SVM"}
ROBUST = {"accuracy": "mean", "corrupted": "corrupted"}


#: Which experiment a table needs; one without records has tables that say so.
NEEDS = {
    "accuracy": ["accuracy nn", "accuracy svm", "corrupted", "claims", "robust accuracy", "robust corrupted"],
    "sensitivity": ["sensitivity"],
    "columns": ["columns", "columns by set"],
    "convergence": ["convergence"],
}
NOTHING = "*No records yet.*"


def all_of(folder: Path) -> dict[str, str]:
    """Every table by name."""
    found = {name: NOTHING for names in NEEDS.values() for name in names}
    if summary.has(folder, "accuracy"):
        found |= accuracy_tables(summary.accuracy(folder))
    if summary.has(folder, "sensitivity"):
        found["sensitivity"] = sensitivity_table(summary.sensitivity(folder))
    if summary.has(folder, "columns"):
        found["columns"] = columns_table(summary.columns(folder))
        found["columns by set"] = columns_by_set(summary.columns(folder))
    if summary.has(folder, "convergence"):
        found["convergence"] = convergence_table(summary.read(folder, "convergence"))
    return found


def accuracy_tables(accuracy: pd.DataFrame) -> dict[str, str]:
    """Those of the accuracy experiment; at K = 200, or the largest K that every set has."""
    noisy = accuracy[accuracy["share"] == 0.1]
    largest = min(200, int(noisy.groupby("set")["k"].max().min()))
    fixed = noisy[noisy["k"] == largest]
    found = {f"accuracy {value}": accuracy_table(fixed, value) for value in SHOWN}
    found |= {"corrupted": corrupted_table(fixed), "claims": claims_table(fixed)}
    robust = robustness(accuracy)
    return found | {f"robust {name}": shares_table(robust, value) for name, value in ROBUST.items()}


def accuracy_table(fixed: pd.DataFrame, value: str) -> str:
    """Sets down, methods across: mean and deviation over seeds; the best of a row in bold; means last."""
    means, spread = summary.by_set(fixed, value)
    seeds = fixed.groupby("set")["seed"].nunique()
    rows = []
    for name in means.index:
        cells = [f"{means.loc[name, m]:.1f} ± {spread.loc[name, m]:.1f}" for m in means]
        rows.append([name, str(seeds[name]), *_bold(cells, means.loc[name])])
    overall = means.mean()
    rows.append(["**mean**", "", *_bold([f"{x:.1f}" for x in overall], overall)])
    rows.append(["sets won", "", *(str(int((means.idxmax(axis=1) == m).sum())) for m in means)])
    return table(["set", "seeds", *means.columns], rows)


def corrupted_table(fixed: pd.DataFrame) -> str:
    """Corrupted picks in per cent, and how many of TED's picks are distinct where it may repeat."""
    means, _ = summary.by_set(fixed, "corrupted")
    distinct = fixed[fixed["method"] == "TED, repeats allowed"].groupby("set")["distinct"].mean()
    rows = [[name, *(f"{x:.1f}" for x in means.loc[name]), f"{distinct[name]:.0f}"] for name in means.index]
    rows.append(["**mean**", *(f"{x:.1f}" for x in means.mean()), f"{distinct.mean():.0f}"])
    return table(["set", *means.columns, "distinct picks of TED, repeats allowed"], rows)


def claims_table(fixed: pd.DataFrame) -> str:
    """Pairs that the paper's text compares: mean difference in points, and on how many sets it is positive."""
    rows = []
    for value, name in SHOWN.items():
        means, _ = summary.by_set(fixed, value)
        pairs = [("ARSS, paper", "TED"), ("ARSS, paper", "RRSS"), ("RRSS", "TED"), ("ARSS, paper", "random")]
        pairs += [("ARSS", "random"), ("Exemplars", "ARSS, paper"), ("Exemplars", "k-medoids"), ("Exemplars", "random")]
        for left, right in pairs:
            gap = means[left] - means[right]
            rows.append([f"{left} - {right}", name, f"{gap.mean():+.1f}", f"{int((gap > 0).sum())} of {len(gap)}"])
    linear = summary.by_set(fixed, "svm")[0] - summary.by_set(fixed, "nn")[0]
    higher = int((linear > 0).sum().sum())
    rows.append(
        ["linear SVM - 1-NN", "all methods", f"{linear.mean().mean():+.1f}", f"{higher} of {linear.size} cells"]
    )
    return table(["difference", "classifier", "points, mean over sets", "sets where positive"], rows)


def robustness(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Tables of every share on the sets and seeds that all shares have, at the smaller K."""
    part = accuracy[accuracy["k"] == 100] if (accuracy["k"] == 100).any() else accuracy[accuracy["k"] == 20]
    shares = part.groupby(["set", "seed"])["share"].transform("nunique")
    return part[shares == part["share"].nunique()]


def shares_table(part: pd.DataFrame, value: str) -> str:
    """Methods down, shares across."""
    means = summary.over_sets(part, "share", value)
    means = means[sorted(means.columns)]
    rows = [[name, *(f"{x:.1f}" for x in values)] for name, values in means.iterrows()]
    return table(["method", *(f"{share:.0%}" for share in means)], rows) + _extent(part)


def _extent(part: pd.DataFrame) -> str:
    """On how much data a table rests."""
    sets, seeds = part["set"].unique(), part.groupby("set")["seed"].nunique()
    return f"\n\nSets: {', '.join(sets)}; seeds a set: {seeds.min()} to {seeds.max()}."


def sensitivity_table(frame: pd.DataFrame) -> str:
    """One row for each value of p or gamma."""
    frame = frame.assign(mean=50 * (frame["nn"] + frame["svm"]))
    rows = []
    for (schedule, varied, value), part in frame.groupby(["schedule", "varied", "value"], sort=False):
        means = part.groupby("set")[["mean", "corrupted", "active_most", "active_end", "iterations"]].mean().mean()
        name = "gamma" if (schedule, varied) == ("paper", "gamma") else "gamma ratio" if varied == "gamma" else "p"
        shares = (f"{100 * means[x]:.2f}" for x in ("active_most", "active_end"))
        scores = (f"{means['mean']:.1f}", f"{100 * means['corrupted']:.1f}")
        rows.append([schedule, f"{name} = {value:g}", *scores, *shares, f"{means['iterations']:.0f}"])
    head = ["schedule", "setting", "accuracy, %", "corrupted picks, %"]
    head += ["E not zero, at most, %", "at the end, %", "iterations"]
    return table(head, rows) + _extent(frame)


def columns_table(frame: pd.DataFrame) -> str:
    """Means over sets of the means over K and seeds."""
    means = {
        value: frame.groupby(["method", "set"], sort=False)[value].mean().groupby("method", sort=False).mean()
        for value in ("acc", "nmi", "nn")
    }
    order = means["nmi"].sort_values(ascending=False).index
    rows = [[name, *(f"{means[value][name]:.1f}" for value in means)] for name in order]
    return table(["method", "clustering accuracy", "NMI", "1-NN accuracy"], rows) + _extent(frame)


def columns_by_set(frame: pd.DataFrame) -> str:
    """NMI, sets down, methods across."""
    means = summary.by_set(frame, "nmi")[0]
    seeds = frame.groupby("set")["seed"].nunique()
    chosen = means.drop(columns="all features")
    rows = []
    for name in means.index:
        cells = [f"{x:.1f}" for x in chosen.loc[name]]
        rows.append([name, str(seeds[name]), *_bold(cells, chosen.loc[name]), f"{means.loc[name, 'all features']:.1f}"])
    return table(["set", "seeds", *chosen.columns, "all features"], rows)


def convergence_table(frame: pd.DataFrame) -> str:
    """Iterations, the objective over the lowest found for the same problem, and the gap."""
    rows = []
    for (name, model), part in frame.groupby(["set", "model"], sort=False):
        least = min(min(values) for values in part["objective"])
        for one in part.itertuples():
            excess = one.objective[-1] / least - 1
            gap = "" if one.gap is None else f"{one.gap[-1]:.1e}"
            rows.append([name, model, one.schedule, str(len(one.objective)), f"{excess:.2%}", gap, one.status])
    return table(["set", "model", "schedule", "iterations", "above the lowest", "duality gap", "status"], rows)


def _bold(cells: list[str], values: pd.Series) -> list[str]:
    return [f"**{cell}**" if x == values.max() else cell for cell, x in zip(cells, values, strict=True)]
