"""Figures from the results, in colours that all can tell apart (Okabe and Ito)."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("Agg")
from matplotlib import pyplot as plt

COLOURS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
MARKERS = "os^vDP*Xph<>"


def lines(table: pd.DataFrame, ylabel: str, target: Path) -> None:
    """One line for each method over the share of corrupted candidates."""
    plt.rcParams.update({"svg.hashsalt": "arss", "font.size": 9})
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    for i, (name, values) in enumerate(table.iterrows()):
        style = {"color": COLOURS[i % 8], "marker": MARKERS[i % 12], "ls": "-" if i < 8 else "--"}
        axes.plot(100 * table.columns, 100 * values, label=name, lw=2.2 if i == 0 else 1.1, ms=4, **style)
    axes.set(xlabel="corrupted candidates, %", ylabel=ylabel, xticks=100 * table.columns)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False)
    figure.savefig(target, metadata={"Date": None, "Creator": None})
    plt.close(figure)
