"""Writes tables.md and the figures from the lines of results, and from nothing else."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import figures
import summary
from markdown import table
from methods import OURS, RIVALS
from summary import BASE

HERE = Path(__file__).parent
#: Said where the lines kept are older than the present gate; goes when they are run again.
FORMER = "The lines kept are of the gate before and of the choice without swaps and refinement."


def main() -> None:
    """Every table for which there are results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=HERE / "results.jsonl")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for tables and figures")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    # A smoke run has its own folder, and nothing beside its lines.
    kept = chosen.results.parent
    results = summary.read(chosen.results)
    if "mmd" in results:
        (chosen.out / "tables.md").write_text("\n\n".join(variants(results)) + "\n")
        return
    parts = [
        "# Tables\n\nMade by `report.py` from `results*.jsonl`; the protocol is in [README.md](README.md).",
        *comparison(results, "Ten sets"),
        *wide(results),
    ]
    if (kept / "results-grid.jsonl").exists():
        parts += settings(results, summary.read(kept / "results-grid.jsonl"))
    if (kept / "results-held.jsonl").exists():
        parts += comparison(summary.read(kept / "results-held.jsonl"), "Further sets, not used for any setting")
    if (kept / "results-variants.jsonl").exists():
        parts += variants(summary.read(kept / "results-variants.jsonl"))
    if (kept / "results-dirt.jsonl").exists():
        parts += dirt(pd.read_json(kept / "results-dirt.jsonl", lines=True))
    if (kept / "growth.jsonl").exists():
        parts += growth(pd.read_json(kept / "growth.jsonl", lines=True))
    (chosen.out / "tables.md").write_text("\n\n".join([*parts, versions(results)]) + "\n")
    draw(results, chosen.out)


def comparison(results: pd.DataFrame, title: str) -> list[str]:
    """Exemplars against the rivals, in both families of corruption."""
    rivals = [name for name in RIVALS if name in set(results["method"])]
    frame = summary.common(results, [BASE, *rivals])
    tables = len(frame.groupby(["set", "kind", "share", "seed"]))
    parts = [f"## {title}\n\n{frame['set'].nunique()} sets, seeds {_list(frame['seed'])}, {tables} tables."]
    parts += [f"### Targets: {title.lower()}", targets(frame, rivals)]
    for family, name in (("noise", "noise of 1 sd, salt and pepper"), ("gross", "gross, 10 sd")):
        if family not in set(frame["family"]):
            continue
        part = summary.family(frame, family)
        parts += [f"### Accuracy, mean of 1-NN and SVM: {name}", grid(summary.means(part, "accuracy"), 4)]
        parts += [f"### 1-NN / SVM: {name}", pair(summary.means(part, "nn"), summary.means(part, "svm"))]
        parts += [f"### Corrupted picks, %: {name}", grid(100 * summary.means(part, "corrupted"), 2)]
        parts += [f"### Coverage, relative to random: {name}", grid(summary.coverage(part), 3)]
        parts += [f"### Average rank over sets and K: {name}", grid(summary.ranks(part), 2)]
        parts += [f"### Exemplars minus rival, points (wins over set x seed; Wilcoxon p): {name}", paired(part, rivals)]
    return parts


def targets(frame: pd.DataFrame, rivals: list[str]) -> str:
    """The lines of the issue: wanted, found, met."""
    noise, gross = summary.family(frame, "noise"), summary.family(frame, "gross")
    accuracy = summary.means(noise, "accuracy")
    gaps = summary.gaps(accuracy.loc[BASE], accuracy.loc[rivals])
    lines = []
    for share, least in {0.0: -0.3, 0.1: 3.0, 0.2: 4.0, 0.3: 6.0}.items():
        if share in gaps:
            points, rival = gaps[share]
            what = f"accuracy over the best rival, {share:.0%} corrupted, points"
            lines.append((what, f"{least:+}", f"{points:+.2f} ({rival})", points >= least))
    for share, corrupted in summary.means(noise, "corrupted").loc[BASE].items():
        if share > 0:
            lines.append((f"corrupted picks, {share:.0%}", "< 2 %", f"{100 * corrupted:.2f} %", corrupted < 0.02))
    for share, place in summary.ranks(noise).rank().loc[BASE].items():
        lines.append((f"average rank, {share:.0%}: place", "1", f"{place:g}", place == 1))
    for name, part, least in (("noise", noise, 0.98), ("gross", gross, 0.999)):
        for share, auroc in summary.means(part, "auroc").loc[BASE].dropna().items():
            lines.append((f"AUROC, {name}, {share:.0%}", f"{least}", f"{auroc:.4f}", auroc >= least))
    rows = ([what, wanted, found, "yes" if met else "**no**"] for what, wanted, found, met in lines)
    return table(["", "wanted", "found", "met"], rows)


def wide(results: pd.DataFrame) -> list[str]:
    """All our methods on the tables that all of them were run on."""
    names = [name for name in [*OURS, "random"] if name in set(results["method"])]
    part = summary.family(summary.common(results, names), "noise")
    seconds = results[results["k"] == results["k"].max()].groupby("method")["seconds"].mean()
    return [
        f"## Our methods, noise, seeds {_list(part['seed'])}",
        "Accuracy:",
        grid(summary.means(part, "accuracy"), 4),
        "Corrupted picks, %:",
        grid(100 * summary.means(part, "corrupted"), 2),
        "AUROC of the outlier score:",
        grid(summary.means(part[part["share"] > 0], "auroc").dropna(), 4),
        "## Seconds for all K together, one thread, mean over all tables that the method was run on",
        table(["method", "seconds"], ([name, f"{value:.3f}"] for name, value in seconds.sort_values().items())),
    ]


def settings(results: pd.DataFrame, grid_results: pd.DataFrame) -> list[str]:
    """Leave-one-set-out over the grid, against the rivals on the same tables, and the ablation."""
    ablations = grid_results["method"].str.startswith("exemplars,")
    chosen = summary.leave_one_out(grid_results[~ablations])
    where = ["set", "kind", "share", "seed", "k"]
    same = results.set_index(where).loc[grid_results.set_index(where).index.unique()].reset_index()
    rivals = [name for name in RIVALS if name in set(same["method"])]
    ours = chosen.groupby("share")[["accuracy", "corrupted"]].mean()
    gaps = summary.gaps(ours["accuracy"], summary.means(summary.family(same, "noise"), "accuracy").loc[rivals])
    default = summary.means(summary.family(same[same["method"] == BASE], "noise"), "accuracy").loc[BASE]
    over = [f"{points:+.2f} ({rival})" for points, rival in gaps.values()]
    rows = (
        [_percent(share), f"{one.accuracy:.4f}", f"{default[share]:.4f}", gap, f"{100 * one.corrupted:.2f}"]
        for (share, one), gap in zip(ours.iterrows(), over, strict=True)
    )
    picked = chosen.drop_duplicates("set")[["set", "method"]]
    steps = pd.concat([grid_results[ablations], same[same["method"] == BASE]])
    variants = summary.family(pd.concat([grid_results, same[same["method"] == BASE]]), "noise")
    return [
        f"## Leave one set out\n\n{grid_results['set'].nunique()} sets ({_list(grid_results['set'])}), "
        f"seeds {_list(grid_results['seed'])}, kind of noise tied to the seed. {FORMER} "
        "The defaults are the present ones.",
        table(["share", "accuracy", "with defaults", "over the best rival", "corrupted picks, %"], rows),
        table(["left out", "chosen on the others"], picked.to_numpy().tolist()),
        "Every setting, accuracy:",
        grid(summary.means(variants, "accuracy"), 4),
        "Every setting, corrupted picks, %:",
        grid(100 * summary.means(variants, "corrupted"), 2),
        f"## Ablation\n\n{FORMER} `exemplars` itself is the present one. Accuracy, then corrupted picks in %:",
        grid(summary.means(summary.family(steps, "noise"), "accuracy"), 4),
        grid(100 * summary.means(summary.family(steps, "noise"), "corrupted"), 2),
    ]


def variants(results: pd.DataFrame) -> list[str]:
    """What accuracy does not show, for each share of corrupted candidates."""
    found = summary.variants(summary.common(results, list(results["method"].unique())))
    heads = ["method", "K", "accuracy", "labels lost too", "corrupted picks, %", "classes met, %", "imbalance"]
    heads += ["distance: mean", "95 %", "largest", "MMD"]
    parts = [
        f"## More than accuracy\n\n{results['set'].nunique()} sets, seeds {_list(results['seed'])}. Distances of clean "
        f"candidates to the nearest pick are relative to {summary.BEST_DISTANCE}'s. Smaller is better, as for "
        "imbalance and MMD."
    ]
    for share, part in found.groupby("share"):
        rows = (
            [
                *(method, str(k), f"{one.accuracy:.4f}", f"{one.lost:.4f}", f"{100 * one.corrupted:.1f}"),
                *(f"{100 * one.classes:.1f}", f"{one.imbalance:.3f}"),
                *(f"{one.coverage:.3f}", f"{one.far95:.3f}", f"{one.farthest:.3f}", f"{one.mmd:.4f}"),
            ]
            for (_, method, k), one in part.iterrows()
        )
        parts += [f"### {_percent(share)} corrupted", table(heads, rows)]
    return parts


def dirt(found: pd.DataFrame) -> list[str]:
    """Raw tables with the dirt of real files: each method, from clean to the dirtiest."""
    tables = ["set", "seed", "share"]
    found["distance"] /= found.groupby(tables)["distance"].transform("min")
    found["accuracy"] = 50 * (found["nn"] + found["svm"])
    found["bad"] *= 100
    means = found.groupby(["method", "share"])[["accuracy", "bad", "distance"]].mean()
    shares = sorted(found["share"].unique())
    heads = [f"{value} {' / '.join(map(_percent, shares))}" for value in ("accuracy", "bad picks, %", "distance")]

    def cells(method: str) -> list[str]:
        digits = {"accuracy": 1, "bad": 1, "distance": 3}
        return [" / ".join(f"{means.loc[(method, s), name]:.{d}f}" for s in shares) for name, d in digits.items()]

    return [
        f"## Raw tables with dirt, K = 50\n\n{found['set'].nunique()} sets, seeds {_list(found['seed'])} (`dirt.py`). "
        "Distance: mean distance of clean rows to the nearest clean pick, in clean units, relative to the best on the "
        "table.",
        table(["method", *heads], ([method, *cells(method)] for method in found["method"].unique())),
    ]


def growth(runs: pd.DataFrame) -> list[str]:
    """Time and memory on Covertype by the number of rows: the best of the runs."""
    best = runs.groupby("rows")[["seconds", "choice_s", "cpu_s", "peak_mb"]].min()
    more = best["cpu_s"].diff() / best.index.to_series().diff() * 1e6
    rows = (
        [
            f"{n:,}",
            f"{one.seconds:.2f}",
            f"{one.choice_s:.2f}",
            f"{one.cpu_s:.2f}",
            _number(more[n]),
            f"{one.peak_mb:.0f}",
        ]
        for n, one in best.iterrows()
    )
    return [
        f"## Growth: Covertype, K = {runs['k'].iloc[0]}, two threads\n\nBest of {runs.groupby('rows').size().min()} "
        f"runs of the program on a .npy file (wanted for all 581,012 rows: 120 s, 6 GB).",
        table(["rows", "seconds", "without reading", "CPU seconds", "CPU us per added row", "peak MB"], rows),
    ]


def paired(frame: pd.DataFrame, rivals: list[str]) -> str:
    """The tests as a table: a row for each rival, a column for each share."""
    found = summary.tests(frame, rivals)
    found["text"] = [f"{one.points:+.2f} ({one.wins}; {one.p:.1g})" for one in found.itertuples()]
    by_share = found.pivot(index="method", columns="share", values="text").loc[rivals]
    return table(["rival", *map(_percent, by_share)], ([name, *values] for name, values in by_share.iterrows()))


def grid(frame: pd.DataFrame, digits: int) -> str:
    """Methods down, shares across; exemplars first."""
    first = frame.sort_values(frame.columns[-1], ascending=False)
    order = sorted(first.index, key=lambda name: name != BASE)
    rows = ([name, *(f"{value:.{digits}f}" for value in frame.loc[name])] for name in order)
    return table(["method", *map(_percent, frame)], rows)


def pair(left: pd.DataFrame, right: pd.DataFrame) -> str:
    """Two frames in one table."""
    rows = (
        [name, *(f"{a:.4f} / {b:.4f}" for a, b in zip(left.loc[name], right.loc[name], strict=True))]
        for name in sorted(left.index, key=lambda name: name != BASE)
    )
    return table(["method", *map(_percent, left)], rows)


def versions(results: pd.DataFrame) -> str:
    """What was run."""
    return "## Versions\n\n" + "\n".join(f"- {name}" for name in sorted(results["version"].unique()))


def draw(results: pd.DataFrame, folder: Path) -> None:
    """Accuracy and corrupted picks over the share of corrupted candidates."""
    rivals = [name for name in RIVALS if name in set(results["method"])]
    noise = summary.family(summary.common(results, [BASE, *rivals]), "noise")
    for value, label in (("accuracy", "accuracy, %"), ("corrupted", "corrupted picks, %")):
        means = summary.means(noise, value)
        figures.lines(means.loc[[BASE, *rivals]], label, folder / f"{value}.svg")


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.1f}"


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _list(values: pd.Series) -> str:
    return ", ".join(map(str, sorted(values.unique())))


if __name__ == "__main__":
    main()
