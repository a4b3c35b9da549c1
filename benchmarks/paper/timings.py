"""The tables that hold timings."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import summary
from markdown import table
from speed import METHODS
from tables import NOTHING

#: What theory says of a step: against N, against L.
THEORY = {
    "RRSS by Nie": ("4", "0 (N x N systems)"),
    "RRSS by the paper": ("2 (L << N)", "1 to 3"),
    "RRSS, ours": ("1", "2"),
    "ARSS by the paper": ("2", "1"),
    "ARSS, ours": ("1", "2"),
    "TED, N x N": ("2", "0"),
    "TED, ours": ("1", "1"),
}


def all_of(folder: Path) -> dict[str, str]:
    """Every table by name."""
    found = dict.fromkeys(("exponents", "fixed", "ratios", "headline", "convergence seconds"), NOTHING)
    if summary.has(folder, "speed"):
        frame = summary.read(folder, "speed")
        found |= {"exponents": exponents_table(frame), "fixed": fixed_table(frame), "ratios": ratios_table(frame)}
        if (frame["part"] == "headline").any():
            found["headline"] = headline_table(frame)
    if summary.has(folder, "convergence"):
        found["convergence seconds"] = convergence_table(summary.read(folder, "convergence"))
    return found


def exponents_table(frame: pd.DataFrame) -> str:
    """Fitted slopes of the time of an iteration (of a pick, for TED)."""
    rows = []
    for method in METHODS:
        cells = []
        for axis, theory in zip("NL", THEORY[method], strict=True):
            part = frame[(frame["part"] == f"exponent of {axis}") & (frame["method"] == method)]
            fit = summary.exponent(part)
            cells += ["-" if fit is None else f"{fit[0]:.2f} ({fit[1]:,.0f} to {fit[2]:,.0f})", theory]
        rows.append([method, *cells])
    return table(["a step of", "measured against N", "theory", "measured against L", "theory"], rows)


def seconds(value: float, measured: float = 1.0) -> str:
    """Readable; scaled values are marked."""
    text = f"{value:.3g}" if value < 100 else f"{value:,.0f}"
    return text if measured >= 1 else f"~{text}"


def fixed_table(frame: pd.DataFrame) -> str:
    """Seconds on the noisy candidates, and of our ARSS on the whole set."""
    part = frame[frame["part"] == "fixed"]
    whole = frame[frame["part"] == "whole"].set_index("set")
    rows = []
    for name, one in part.groupby("set", sort=False):
        by = one.set_index("method")
        cells = [seconds(by.loc[m, "seconds"], by.loc[m, "measured"]) if m in by.index else "" for m in METHODS]
        row = [name, f"{by['n'].iloc[0]:,} x {by['l'].iloc[0]:,}", *cells]
        if name in whole.index:
            row += [f"{whole.loc[name, 'n']:,}", seconds(whole.loc[name, "seconds"], whole.loc[name, "measured"])]
        else:
            row += ["", "not run"]
        rows.append(row)
    mean = part.groupby("method", sort=False)["seconds"].mean()
    rows.append(["**mean**", "", *(seconds(mean[m]) if m in mean else "" for m in METHODS), "", ""])
    return table(["set", "N x L", *METHODS, "N*", "ARSS, ours (N*)"], rows)


#: Pairs whose ratio is told, and what the paper tells of them.
RATIOS = [
    ("RRSS by Nie", "RRSS by the paper", "559x"),
    ("RRSS by Nie", "ARSS by the paper", "23,275x"),
    ("TED, N x N", "ARSS by the paper", "281x"),
    ("RRSS by Nie", "RRSS, ours", ""),
    ("RRSS by Nie", "ARSS, ours", ""),
    ("ARSS by the paper", "ARSS, ours", ""),
    ("TED, N x N", "TED, ours", ""),
]


def times(value: float) -> str:
    """A ratio: two digits below ten."""
    return f"{value:.2g}x" if value < 10 else f"{value:,.0f}x"


def ratios_table(frame: pd.DataFrame) -> str:
    """The paper's average accelerations, and what comes out here: of mean seconds, and set by set."""
    by_set = frame[frame["part"] == "fixed"].pivot(index="set", columns="method", values="seconds")
    rows = []
    for slow, fast, paper in RATIOS:
        each = by_set[slow] / by_set[fast]
        spread = f"{times(each.min())} to {times(each.max())}"
        whole = times(by_set[slow].mean() / by_set[fast].mean())
        rows.append([f"{slow} over {fast}", paper, whole, times(each.mean()), spread])
    return table(
        ["", "paper, on average", "here, of mean seconds", "mean of the sets' ratios", "least and largest"], rows
    )


def headline_table(frame: pd.DataFrame) -> str:
    """N = 13,000: the paper's 2088 hours against 1.8 minutes."""
    part = frame[frame["part"] == "headline"].set_index("method")
    nie = frame[frame["method"] == "RRSS by Nie"]
    base = nie[(nie["part"] == "fixed") & (nie["set"] == "letter")].iloc[0]
    slope = summary.exponent(nie[nie["part"] == "exponent of N"])[0]
    by_law, by_fit = (base["seconds"] * (13_000 / base["n"]) ** power for power in (4.0, slope))
    rows = [
        [
            "RRSS by Nie",
            "2088 h",
            f"extrapolated from N = {base['n']:,}: {by_law / 3600:,.0f} h by N^4, "
            f"{by_fit / 3600:,.0f} h by the fitted N^{slope:.2f}",
        ],
    ]
    for method in part.index:
        paper = "1.8 min" if method == "ARSS by the paper" else ""
        rows.append([method, paper, f"{seconds(part.loc[method, 'seconds'], part.loc[method, 'measured'])} s"])
    for method in ("ARSS by the paper", "ARSS, ours"):
        if method in part.index:
            paper = "68,429x" if method == "ARSS by the paper" else ""
            low, high = (value / part.loc[method, "seconds"] for value in (by_fit, by_law))
            rows.append([f"ratio: RRSS by Nie over {method}", paper, f"{low:,.0f}x (fitted) to {high:,.0f}x (N^4)"])
    return table(["Letter, 13,000 x 16", "paper", "here"], rows)


def convergence_table(frame: pd.DataFrame) -> str:
    """Seconds until the objective is within 1 % of the lowest found for the same problem."""
    rows = []
    for (name, model), part in frame.groupby(["set", "model"], sort=False):
        least = min(min(values) for values in part["objective"])
        cells = []
        for schedule in ("paper", "ours"):
            one = part[part["schedule"] == schedule].iloc[0]
            hit = next((i for i, value in enumerate(one["objective"], 1) if value <= 1.01 * least), None)
            cells.append("never" if hit is None else f"{hit} ({1000 * hit * one['iteration_seconds']:.0f} ms)")
        rows.append([name, model, *cells])
    return table(["set", "model", "paper's schedule", "ours"], rows)
