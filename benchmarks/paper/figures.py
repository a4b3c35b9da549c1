"""The figures, each with its data as a csv file beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import palette
import summary
import tables
from speed import METHODS as SPEEDS

#: One look for each method in every figure.
ORDER = [
    "ARSS, paper",
    "ARSS",
    "Exemplars",
    "RRSS",
    "TED",
    "k-medoids",
    "k-means",
    "random",
    "RRQR",
    "TED, repeats allowed",
]
TITLES = {"pima": "Diabetes", "coil20": "Coil20", "mnist": "MNIST"}


def style(index: int) -> dict[str, Any]:
    """Colour, marker and line of the method at this place."""
    dashed = {"ls": "--"} if index >= len(palette.COLOURS) else {}
    colour = palette.COLOURS[index % len(palette.COLOURS)]
    return {"color": colour, "marker": palette.MARKERS[index], "ms": 4, "lw": 1.4} | dashed


def title(name: str) -> str:
    """A set's name as the paper writes it."""
    return TITLES.get(name, name.capitalize())


def draw(records: Path, folder: Path) -> None:
    """Every figure for which there are records."""
    palette.settings(10)
    if summary.has(records, "accuracy"):
        accuracy = summary.accuracy(records)
        curves(accuracy, folder)
        robustness(tables.robustness(accuracy), folder)
    if summary.has(records, "sensitivity"):
        sensitivity(summary.sensitivity(records), folder)
    if summary.has(records, "columns"):
        columns(summary.columns(records), folder)
    if summary.has(records, "convergence"):
        convergence(summary.read(records, "convergence"), folder)
    if summary.has(records, "speed"):
        speed(summary.read(records, "speed"), folder)


def curves(accuracy: pd.DataFrame, folder: Path) -> None:
    """Accuracy against K: 1-NN above, linear SVM below."""
    part = accuracy[accuracy["share"] == 0.1]
    sizes = part.groupby("set")["k"].nunique()
    names = sorted(name for name in part["set"].unique() if sizes[name] > 2)
    part = part[part["set"].isin(names)]
    means = part.groupby(["set", "method", "k"], sort=False)[["nn", "svm"]].mean().reset_index()
    means.to_csv(folder / "accuracy-against-k.csv", index=False, float_format="%.3f")
    figure, axes = panels(len(names), 2)
    for row, name in enumerate(names):
        for column, (value, label) in enumerate(tables.SHOWN.items()):
            axis = axes[row, column]
            for index, method in enumerate(ORDER):
                one = means[(means["set"] == name) & (means["method"] == method)]
                axis.plot(one["k"], one[value], label=method, **style(index))
            axis.set_title(f"{title(name)}, {label}")
            axis.grid(alpha=0.3)
        axes[row, 0].set_ylabel("accuracy, %")
    for axis in axes[-1]:
        axis.set_xlabel("K")
    below(figure, axes[0, 0], 3)
    palette.save(figure, folder / "accuracy-against-k.svg")


def panels(rows: int, columns: int) -> tuple[Any, Any]:
    """A figure of small panels."""
    size = (max(2.5 * columns, 5.0) + 0.4, 2.0 * rows + 1.3)
    return plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)


def below(figure: Any, axis: Any, across: int) -> None:
    """One legend for all panels."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=across, frameon=False)


def robustness(part: pd.DataFrame, folder: Path) -> None:
    """Accuracy and corrupted picks against the share of corrupted candidates."""
    found = {value: summary.over_sets(part, "share", value) for value in ("mean", "corrupted")}
    pd.concat({name: frame.stack() for name, frame in found.items()}, axis=1).to_csv(
        folder / "robustness.csv", float_format="%.3f"
    )
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.2), layout="constrained")
    for axis, (value, label) in zip(axes, (("mean", "accuracy, %"), ("corrupted", "corrupted picks, %")), strict=True):
        for index, method in enumerate(ORDER):
            line = found[value].loc[method].sort_index()
            axis.plot(100 * line.index, line, label=method, **style(index))
        axis.set(xlabel="corrupted candidates, %", ylabel=label)
        axis.grid(alpha=0.3)
    below(figure, axes[0], 3)
    palette.save(figure, folder / "robustness.svg")


#: Row, value, name, colour and marker of a line.
CURVES = [
    (0, "accuracy", "accuracy", "#0072B2", "o"),
    (0, "corrupted", "corrupted picks", "#D55E00", "s"),
    (1, "active_most", "E not zero, at most", "#009E73", "^"),
    (1, "active_end", "E not zero, at the end", "#CC79A7", "v"),
]


def sensitivity(frame: pd.DataFrame, folder: Path) -> None:
    """Accuracy and corrupted picks above, the share of E that is not zero below; p, then gamma."""
    frame = frame.assign(accuracy=50 * (frame["nn"] + frame["svm"]))
    for name in ("corrupted", "active_most", "active_end"):
        frame[name] = 100 * frame[name]
    values = ["accuracy", "corrupted", "active_most", "active_end"]
    means = frame.groupby(["schedule", "varied", "value", "set"])[values].mean()
    means = means.groupby(["schedule", "varied", "value"]).mean().reset_index()
    means.to_csv(folder / "sensitivity.csv", index=False, float_format="%.4f")
    across = [
        ("p", ["paper", "ours"], "p"),
        ("gamma", ["paper"], "gamma, paper's schedule"),
        ("gamma", ["ours"], "gamma ratio, ours"),
    ]
    figure, axes = plt.subplots(2, 3, figsize=(7.4, 5.4), layout="constrained", sharey="row")
    for column, (varied, schedules, label) in enumerate(across):
        for schedule in schedules:
            one = means[(means["schedule"] == schedule) & (means["varied"] == varied)].sort_values("value")
            look = {"lw": 1.6, "ms": 4, "ls": "-" if schedule == "paper" else "--"}
            for row, value, name, colour, marker in CURVES:
                drawn = {"label": f"{name}, {schedule}", "color": colour, "marker": marker} | look
                axes[row, column].plot(one["value"], one[value], **drawn)
        axes[1, column].set_xlabel(label)
        for axis in axes[:, column]:
            axis.grid(alpha=0.3)
            if varied == "gamma":
                axis.set_xscale("log")
    axes[0, 0].set_ylabel("%")
    axes[1, 0].set_ylabel("entries of E not zero, %")
    lines = [line for axis in axes[:, 0] for line in axis.get_lines()]
    figure.legend(handles=lines, loc="outside lower center", ncols=2, frameon=False)
    palette.save(figure, folder / "sensitivity.svg")


#: Lines of their own; and the package's UDFS, whose fault makes it another method, is in the table only.
APART = ("random", "all features", "UDFS (skfeature)")


def columns(frame: pd.DataFrame, folder: Path) -> None:
    """NMI of k-means and 1-NN accuracy against the number of features, on the widest sets."""
    means = frame.groupby(["set", "method", "step"], sort=False)[["k", "acc", "nmi", "nn"]].mean().reset_index()
    means = means.drop(columns="step")
    means.to_csv(folder / "features.csv", index=False, float_format="%.3f")
    widest = means[means["method"] == "all features"].sort_values("k", ascending=False)["set"].head(4)
    methods = [name for name in means["method"].unique() if name not in APART]
    figure, axes = panels(len(widest), 2)
    for row, name in enumerate(widest):
        for column, (value, label) in enumerate((("nmi", "NMI"), ("nn", "1-NN"))):
            axis = axes[row, column]
            here = means[means["set"] == name]
            for index, method in enumerate(methods):
                one = here[here["method"] == method]
                axis.plot(one["k"], one[value], label=method, **style(index))
            chance = here[here["method"] == "random"]
            axis.plot(chance["k"], chance[value], color="k", lw=1, ls="-.", label="random")
            everything = here[here["method"] == "all features"][value].iloc[0]
            axis.axhline(everything, color="k", lw=1, ls=":", label="all features")
            axis.set_xscale("log")
            axis.set_xticks(sorted(here.loc[here["method"] != "all features", "k"].unique()), minor=False)
            axis.minorticks_off()
            axis.xaxis.set_major_formatter("{x:.0f}")
            axis.set_title(f"{title(name)}, {label}")
            axis.grid(alpha=0.3)
        axes[row, 0].set_ylabel("%")
    for axis in axes[-1]:
        axis.set_xlabel("features")
    below(figure, axes[0, 0], 3)
    palette.save(figure, folder / "features.svg")


def convergence(frame: pd.DataFrame, folder: Path) -> None:
    """Objective above the lowest found, or the duality gap: against iterations above, against seconds below."""
    models = list(frame["model"].unique())
    found = []
    figure, axes = plt.subplots(2, len(models), figsize=(7.4, 6.0), layout="constrained", sharey="col")
    for column, model in enumerate(models):
        part = frame[frame["model"] == model]
        for index, name in enumerate(part["set"].unique()):
            here = part[part["set"] == name]
            least = min(min(values) for values in here["objective"])
            for one in here.itertuples():
                excess = np.array(one.objective) / least - 1 if one.gap is None else np.array(one.gap)
                line = {"color": palette.COLOURS[index], "ls": "-" if one.schedule == "ours" else "--", "lw": 1.6}
                steps = np.arange(1, len(excess) + 1)
                label = f"{title(name)}, {one.schedule}"
                for row, across in enumerate((steps, steps * one.iteration_seconds)):
                    axes[row, column].loglog(across, np.maximum(excess, 1e-6), label=label, **line)
                about = {"model": model, "set": name, "schedule": one.schedule, "iteration": steps}
                found.append(pd.DataFrame(about | {"seconds": steps * one.iteration_seconds, "excess or gap": excess}))
        axes[0, column].set(title=model, xlabel="iteration")
        axes[1, column].set_xlabel("seconds")
        for axis in axes[:, column]:
            axis.grid(alpha=0.3)
            axis.set_ylabel("above the lowest objective" if part["gap"].iloc[0] is None else "duality gap")
    below(figure, axes[0, 0], 3)
    pd.concat(found).to_csv(folder / "convergence.csv", index=False, float_format="%.5g")
    palette.save(figure, folder / "convergence.svg")


def speed(frame: pd.DataFrame, folder: Path) -> None:
    """Seconds against N on log axes; beyond the limit only extrapolation, dotted and hollow."""
    part = frame[frame["part"] == "growth"]
    names = list(part["set"].unique())
    rows = []
    figure, axes = panels(1, len(names))
    for axis, name in zip(axes[0], names, strict=True):
        for index, method in enumerate(SPEEDS):
            here = part[(part["set"] == name) & (part["method"] == method)].sort_values("size")
            run = here.dropna(subset="seconds")
            axis.loglog(run["size"], run["seconds"], label=method, **style(index))
            beyond = here[here["seconds"].isna()]
            how = np.where(run["measured"] == 1, "run", "scaled")
            rows += [[name, method, *one] for one in zip(run["size"], run["seconds"], how, strict=True)]
            if len(beyond) and len(run) > 1:
                sizes = [int(run["size"].iloc[-1]), *beyond["size"]]
                guess = [summary.extrapolated(here, size) for size in sizes]
                axis.loglog(sizes, guess, **style(index) | {"ls": ":", "mfc": "none"})
                rows += [[name, method, *pair, "extrapolated"] for pair in zip(sizes[1:], guess[1:], strict=True)]
        axis.set_title(title(name))
        axis.set_xlabel("N")
        axis.xaxis.set_minor_formatter("")
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("seconds")
    below(figure, axes[0, 0], 3)
    head = ["set", "method", "n", "seconds", "how"]
    pd.DataFrame(rows, columns=head).to_csv(folder / "speed-against-n.csv", index=False, float_format="%.6g")
    palette.save(figure, folder / "speed-against-n.svg")
