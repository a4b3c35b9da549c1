"""The ranking of ARSS and RRSS: time a row where rows have one length, its share of a run, and sums against norms.

Run: make bench-ranking, or run.py [--data DIR] [--only rows|exact|share|overlap ...] [--largest N]. Writes
results.jsonl and README.md beside this file; parts that are not run keep their records.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from datasets import UnavailableError, folder, load  # noqa: E402
from markdown import table  # noqa: E402

SIZES = (100_000, 300_000, 1_000_000, 3_000_000)
COLUMNS = (16, 64)
ITERATIONS = 20
SETS = ("coil20", "letter", "mnist", "optdigits", "pendigits", "pima", "satimage", "segment", "vehicle", "waveform")
METHODS = {"ARSS": "--method arss", "ARSS, preset paper": "--method arss --preset paper", "RRSS": "--method rrss"}
PAPER = f"--method arss --preset paper --iterations {ITERATIONS}"
#: What rows are ranked by, and the column of it in a file of scores.
RANKS = {"sum": "score", "norm": "norm"}
#: Rows that are chosen from, and how many are chosen.
CANDIDATES, K = 1000, 100
#: A run may take so long.
LIMIT = 900
BINARY = os.environ.get("ARSS_BINARY", str(ROOT / "target/release/arss"))


def select(path: Path, flags: str, k: int) -> dict[str, Any]:
    """What the binary tells of a choice."""
    command = [BINARY, "select", str(path), "-k", str(k), "--json", "-q", *flags.split()]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT)
    return json.loads(found.stdout)


def unit_rows(rows: int, columns: int) -> NDArray[np.float64]:
    """Rows of length one in all directions."""
    X = np.random.default_rng(rows + columns).normal(size=(rows, columns))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X


def rows_part(work: Path, largest: int) -> list[dict[str, Any]]:
    """Time a row, ranking included, as the table grows."""
    records = []
    for columns in COLUMNS:
        for rows in (size for size in SIZES if size <= largest):
            path = work / "unit.npy"
            np.save(path, unit_rows(rows, columns))
            found = select(path, f"--scale none {PAPER}", K)
            path.unlink()
            kept = {key: found[key] for key in ("rows_scored", "iterations", "notes", "seconds")}
            records.append({"part": "rows", "rows": rows, "columns": columns} | kept)
            print(json.dumps(records[-1]), flush=True)
    return records


def exact_part(work: Path) -> list[dict[str, Any]]:
    """Picks from a sampled ranking against the scores of all rows."""
    records = []
    for columns in COLUMNS:
        X = unit_rows(70_000, columns)
        path = work / "unit.npy"
        np.save(path, X)
        found = select(path, f"--scale none {PAPER}", K)
        scores = work / "scores.csv"
        select(path, f"--scale none {PAPER} --scores {scores} --force", K)
        exact = np.genfromtxt(scores, delimiter=",", names=True)["score"]
        order = np.lexsort((np.arange(len(exact)), -exact))[:K]
        same = len(set(order.tolist()) & set(found["indices"]))
        kth, following = np.sort(exact)[::-1][[K - 1, K]]
        record = {"part": "exact", "rows": len(X), "columns": columns, "same": same, "k": K}
        record |= {"ahead": kth / following - 1, "rows_scored": found["rows_scored"], "notes": found["notes"]}
        records.append(record)
        print(json.dumps(record), flush=True)
    return records


def share_part(data: Path | None) -> list[dict[str, Any]]:
    """The ranking of 1,000 rows of Covertype after 50 iterations."""
    path = None if data is None else data / "covertype.parquet"
    if path is None or not path.exists():
        print("covertype: not here", file=sys.stderr)
        return []
    records = []
    for name, flags in (("defaults", ""), ("preset paper", "--preset paper")):
        found = select(path, f"--exclude label --method arss --iterations 50 --tolerance 0 {flags}", 1000)
        kept = {key: found[key] for key in ("n_samples", "n_features", "rows_scored", "notes", "seconds")}
        records.append({"part": "share", "set": "covertype", "settings": name} | kept)
        print(json.dumps(records[-1]), flush=True)
    return records


def overlap_part(work: Path, data: Path | None, sets: list[str]) -> list[dict[str, Any]]:
    """Picks by the sum and by the norm of the rows of A: how many are the same, and how well each teaches 1-NN."""
    records = []
    for name in sets:
        try:
            X, y = load(name, data)
        except UnavailableError as problem:
            print(problem, file=sys.stderr)
            continue
        order = np.random.default_rng(0).permutation(len(X))[: 2 * CANDIDATES]
        half = min(CANDIDATES, len(order) // 2)
        train, test = order[:half], order[half:]
        path = work / "candidates.npy"
        spread = X[train].std(0)
        Z = (X - X[train].mean(0)) / np.where(spread > 0, spread, 1)
        np.save(path, Z[train])
        for label, flags in METHODS.items():
            scores = work / "scores.csv"
            select(path, f"--scale none {flags} --scores {scores} --force", K)
            found = np.genfromtxt(scores, delimiter=",", names=True)
            picks = {rank: np.argsort(-found[column], kind="stable")[:K].tolist() for rank, column in RANKS.items()}
            record: dict[str, Any] = {"part": "overlap", "set": name, "method": label, "k": K, "candidates": half}
            for top in (10, 50, K):
                record[f"top{top}"] = len(set(picks["sum"][:top]) & set(picks["norm"][:top])) / top
            for rank, chosen in picks.items():
                learned = KNeighborsClassifier(1).fit(Z[train][chosen], y[train][chosen])
                record[f"accuracy_{rank}"] = float(learned.score(Z[test], y[test]))
            records.append(record)
            print(json.dumps(record), flush=True)
    return records


def phases(record: dict[str, Any]) -> str:
    """The seconds of a run, phase by phase."""
    return " + ".join(f"{record['seconds'][phase]:.2f}" for phase in ("prepare", "solve", "score"))


def rows_table(records: list[dict[str, Any]]) -> str:
    """Time a row."""
    head = ["L", "N", "prepare + solve + ranking (s)", "microseconds a row", "rows summed exactly", "ties"]
    lines = []
    for r in records:
        a_row = 1e6 * sum(r["seconds"].values()) / r["rows"]
        ties = "; ".join(note for note in r["notes"] if note.startswith("the last")) or "-"
        lines.append([str(r["columns"]), f"{r['rows']:,}", phases(r), f"{a_row:.2f}", f"{r['rows_scored']:,}", ties])
    return table(head, lines)


def exact_table(records: list[dict[str, Any]]) -> str:
    """Picks against exact scores."""
    head = ["L", "N", "rows summed exactly", "picks that are the same", "the last pick is ahead of the next row by"]
    lines = []
    for r in records:
        size = [str(r["columns"]), f"{r['rows']:,}", f"{r['rows_scored']:,}"]
        lines.append([*size, f"{r['same']} of {r['k']}", f"{100 * r['ahead']:.3f} %"])
    return table(head, lines)


def share_table(records: list[dict[str, Any]]) -> str:
    """The ranking's share of a run."""
    head = ["settings", "N x L", "prepare + solve + ranking (s)", "ranking's share", "rows summed exactly"]
    lines = []
    for r in records:
        share = r["seconds"]["score"] / sum(r["seconds"].values())
        size = f"{r['n_samples']:,} x {r['n_features']}"
        lines.append([r["settings"], size, phases(r), f"{100 * share:.0f} %", f"{r['rows_scored']:,}"])
    return table(head, lines)


def overlap_table(records: list[dict[str, Any]]) -> str:
    """Sums against norms."""
    head = ["set", "method", "first 10", "first 50", "first 100", "1-NN by sums", "1-NN by norms"]
    lines = []
    for r in [*records, *means(records)]:
        common = [f"{r[key]:.2f}" for key in ("top10", "top50", f"top{K}")]
        lines.append([r["set"], r["method"], *common, f"{r['accuracy_sum']:.3f}", f"{r['accuracy_norm']:.3f}"])
    return table(head, lines)


#: The parts: what the heading says, and the table.
PARTS = {
    "rows": (f"Rows of length one, preset paper, {ITERATIONS} iterations, K = {K}, ranking included", rows_table),
    "exact": (f"Against the scores of all rows: rows of length one, K = {K}", exact_table),
    "share": ("The ranking's share: Covertype, 50 iterations, K = 1000", share_table),
    "overlap": (f"Row sums against row norms: up to {CANDIDATES} candidates, standardised", overlap_table),
}


def page(records: list[dict[str, Any]]) -> str:
    """The report."""
    lines = [
        "# Ranking",
        "",
        "Made by `make bench-ranking`; raw results in `results.jsonl`. Why the ranking is linear:",
        "[the linear-time forms](../../docs/explanation/linear-time.md#scores). What was tried: [notes](NOTES.md).",
        "The last table: share of picks in common among the first 10, 50 and 100, and accuracy of 1-NN learned from",
        "the 100 picks.",
    ]
    for part, (heading, make) in PARTS.items():
        own = [record for record in records if record["part"] == part]
        lines += ["", f"## {heading}", "", make(own) if own else "Not measured yet."]
    return "\n".join(lines) + "\n"


def means(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over the sets, for each method."""
    found = []
    for method in METHODS:
        own = [r for r in records if r["method"] == method]
        keys = ("top10", "top50", f"top{K}", "accuracy_sum", "accuracy_norm")
        if own:
            found.append(
                {"set": "mean", "method": method} | {key: float(np.mean([r[key] for r in own])) for key in keys}
            )
    return found


def main() -> None:
    """The parts that are asked for; then the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="a folder with SET.parquet")
    parser.add_argument("--only", nargs="*", choices=("rows", "exact", "share", "overlap"))
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="the largest number of rows")
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="sets of the overlap")
    args = parser.parse_args()
    wanted = args.only or ["rows", "exact", "share", "overlap"]
    results = HERE / "results.jsonl"
    kept = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    records = [record for record in kept if record["part"] not in wanted]
    data = folder(args.data)
    with tempfile.TemporaryDirectory() as space:
        work = Path(space)
        run = {
            "rows": lambda: rows_part(work, args.largest),
            "exact": lambda: exact_part(work),
            "share": lambda: share_part(data),
            "overlap": lambda: overlap_part(work, data, args.sets),
        }
        for part in wanted:
            records += run[part]()
    results.write_text("".join(json.dumps(record) + "\n" for record in records))
    (HERE / "README.md").write_text(page(records))


if __name__ == "__main__":
    main()
