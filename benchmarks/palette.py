"""Colours that all can tell apart (Okabe and Ito), markers, and how figures are saved: the same bytes each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

COLOURS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
MARKERS = "os^vDP*Xph<>"


def settings(size: float = 9) -> None:
    """Fonts, and ids in the file that do not change."""
    plt.rcParams.update({"svg.hashsalt": "arss", "font.size": size})


def save(figure: Any, target: Path) -> None:
    """As SVG without date."""
    figure.savefig(target, metadata={"Date": None, "Creator": None})
    plt.close(figure)
