"""Figures from the results, in colours that all can tell apart (Okabe and Ito)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

import palette
from palette import COLOURS, MARKERS


def lines(table: pd.DataFrame, ylabel: str, target: Path) -> None:
    """One line for each method over the share of corrupted candidates."""
    palette.settings()
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    for i, (name, values) in enumerate(table.iterrows()):
        style = {"color": COLOURS[i % 8], "marker": MARKERS[i % 12], "ls": "-" if i < 8 else "--"}
        axes.plot(100 * table.columns, 100 * values, label=name, lw=2.2 if i == 0 else 1.1, ms=4, **style)
    axes.set(xlabel="corrupted candidates, %", ylabel=ylabel, xticks=100 * table.columns)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False)
    palette.save(figure, target)
