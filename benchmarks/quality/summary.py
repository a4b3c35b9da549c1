"""Numbers from the lines of results: means, ranks, tests, targets, leave-one-set-out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from scipy.stats import wilcoxon

BASE = "exemplars"
PER_K = ["nn", "svm", "corrupted", "coverage", "k"]
#: What `--variants` measures besides.
MORE = ["lost_nn", "lost_svm", "classes", "imbalance", "far95", "farthest", "mmd"]
#: Distances are shown relative to this method's on the same table.
BEST_DISTANCE = "FasterPAM"


def read(path: Path) -> pd.DataFrame:
    """One row for each method, table and K; `accuracy` is the mean of both classifiers."""
    frame = pd.read_json(path, lines=True, precise_float=True)
    per_k = PER_K + [name for name in MORE if name in frame]
    frame = frame.explode(per_k, ignore_index=True).astype(dict.fromkeys(per_k, float)).astype({"k": int})
    frame["accuracy"] = (frame["nn"] + frame["svm"]) / 2
    frame["family"] = frame["kind"].map(lambda kind: kind if kind in ("none", "gross") else "noise")
    return frame


def family(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of one family of corruption, with the clean ones."""
    return frame[frame["family"].isin([name, "none"])]


def common(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The rows of these methods on the tables that every one of them was run on."""
    frame = frame[frame["method"].isin(names)]
    runs = frame.groupby(["set", "kind", "share", "seed", "k"])["method"].transform("nunique")
    return frame[runs == frame["method"].nunique()]


def means(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """Mean of the sets' means: a row for each method, a column for each share."""
    by_set = frame.groupby(["method", "share", "set"])[value].mean()
    return by_set.groupby(["method", "share"]).mean().unstack("share")


def coverage(frame: pd.DataFrame) -> pd.DataFrame:
    """Coverage over that of the random choice on the same table (below 1 is better)."""
    where = ["set", "kind", "share", "seed", "k"]
    random = frame[frame["method"] == "random"].set_index(where)["coverage"].rename("random")
    joined = frame.join(random, on=where)
    return means(joined.assign(relative=joined["coverage"] / joined["random"]), "relative")


def variants(frame: pd.DataFrame) -> pd.DataFrame:
    """Means of the sets' means for each share, method and K; distances relative to FasterPAM's on the same table."""
    where = ["set", "kind", "share", "seed", "k"]
    distances = ["coverage", "far95", "farthest"]
    best = frame[frame["method"] == BEST_DISTANCE].set_index(where)[distances]
    joined = frame.join(best, on=where, rsuffix="_best")
    for name in distances:
        joined[name] /= joined[name + "_best"]
    joined["lost"] = (joined["lost_nn"] + joined["lost_svm"]) / 2
    shown = ["accuracy", "lost", "corrupted", "classes", "imbalance", *distances, "mmd"]
    by_set = joined.groupby(["share", "method", "k", "set"])[shown].mean()
    return by_set.groupby(["share", "method", "k"]).mean()


def ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Average rank of the accuracy over sets and K, 1 is best."""
    cells = frame.groupby(["share", "set", "k", "method"])["accuracy"].mean().unstack("method")
    return cells.rank(axis=1, ascending=False).groupby("share").mean().T


def tests(frame: pd.DataFrame, rivals: list[str]) -> pd.DataFrame:
    """Exemplars minus rival over pairs of set and seed (means over K and kind): points, wins, Wilcoxon's p."""
    pairs = frame.groupby(["share", "set", "seed", "method"])["accuracy"].mean().unstack("method")
    rows = []
    for share, part in pairs.groupby("share"):
        for rival in rivals:
            gap = (part[BASE] - part[rival]).dropna()
            p = wilcoxon(gap).pvalue if (gap != 0).any() else 1.0
            wins = f"{(gap > 0).sum()}/{len(gap)}"
            rows.append({"share": share, "method": rival, "points": 100 * gap.mean(), "wins": wins, "p": p})
    return pd.DataFrame(rows)


def gaps(ours: pd.Series, rivals: pd.DataFrame) -> dict[float, tuple[float, str]]:
    """Points over the best rival at each share, and its name."""
    return {share: (100 * (ours[share] - rivals[share].max()), rivals[share].idxmax()) for share in rivals}


def leave_one_out(grid: pd.DataFrame) -> pd.DataFrame:
    """Each set with the setting that is best on the others: accuracy, less half of the corrupted picks beyond 1 %."""
    noise = family(grid, "noise")
    by_set = noise.groupby(["method", "set", "share"])[["accuracy", "corrupted"]].mean().reset_index()
    chosen = []
    for name in by_set["set"].unique():
        others = by_set[by_set["set"] != name].groupby("method")
        excess = (others["corrupted"].mean() - 0.01).clip(lower=0)
        best = (others["accuracy"].mean() - 0.5 * excess).idxmax()
        chosen.append(by_set[(by_set["set"] == name) & (by_set["method"] == best)])
    return pd.concat(chosen)
