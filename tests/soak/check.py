"""What a command printed and wrote, against what it should have."""

import csv
import gzip
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

import prepare
import reference
import tables
from commands import Command
from tables import Table

Done = subprocess.CompletedProcess[str]


def differences(table: Table, command: Command, folder: Path, done: Done) -> list[str]:
    """Everything that is wrong, in words."""
    columns = prepare.used(table, command.encode)
    holes = any(cell is None for column in columns for cell in column.cells)
    rows = len(prepare.kept_rows(columns, table.rows, command.missing))
    if (command.missing == "error" and holes) or command.k > rows:
        return _refused(done, folder)
    if command.metric == "cosine" and done.returncode == 2 and "only zeros" in done.stderr:
        X = prepare.matrix(table, command.encode, command.missing, command.scale, "euclidean")[0]
        return [] if (X == 0).all(axis=1).any() else [f"no row is zero, but: {done.stderr}"]
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr}"]
    # A zero row has no direction; the line above is what becomes of it.
    with np.errstate(invalid="ignore"):
        X, kept, names = prepare.matrix(table, command.encode, command.missing, command.scale, command.metric)
    result = json.loads(done.stdout)
    found = _consistent(table, command, result, (X, kept, names))
    if found:
        return found
    return [
        *_choice(table, command, result, (X, kept), folder),
        *_files(table, command, result, kept, folder),
    ]


def _refused(done: Done, folder: Path) -> list[str]:
    """One line, code 2, and nothing written."""
    lines = done.stderr.strip().splitlines()
    found = [] if done.returncode == 2 else [f"exit code {done.returncode} instead of 2"]
    errors = [line for line in lines if line.startswith("error: ")]
    found += [] if len(errors) == 1 and lines[-1] == errors[0] else [f"not one line of error: {done.stderr!r}"]
    return found + [f"{path.name} was written" for path in folder.iterdir() if path.stem in ("out", "indices")]


def _consistent(table: Table, command: Command, result: dict[str, Any], prepared: Any) -> list[str]:
    """What the JSON says agrees with itself, the table and the flags."""
    X, kept, names = prepared
    indices, scores = result["indices"], result["scores"]
    facts = {
        "rows": (result["n_samples"], len(kept)),
        "columns": (result["n_features"], X.shape[1]),
        "names": (result.get("columns", names), names) if not table.is_array else (0, 0),
        "k": (result["k"], command.k),
        "picks": (len(indices), command.k),
        "different picks": (len(set(indices)), command.k),
        "scores": (len(scores), command.k),
        "method": (result["method"], command.method),
    }
    found = [f"{what}: {here!r}, should be {wanted!r}" for what, (here, wanted) in facts.items() if here != wanted]
    found += [f"row {row} was chosen, but left out" for row in indices if row not in kept]
    found += [f"a score is {score!r}" for score in scores if score is None or not math.isfinite(score)]
    # Exemplars come by what they add, and gains of TED may grow.
    if command.method not in ("exemplars", "ted") and list(scores) != sorted(scores, reverse=True):
        found.append(f"scores are not sorted: {scores}")
    return found


def _choice(table: Table, command: Command, result: dict[str, Any], prepared: Any, folder: Path) -> list[str]:
    """The rows are those that the method should choose."""
    X, kept = prepared
    place = {row: at for at, row in enumerate(kept)}
    picks, scores = [place[row] for row in result["indices"]], result["scores"]
    close = reference.CLOSE[table.layout == "single.npy"]
    method, settings = command.method, command.settings
    if method == "ted":
        return reference.ted(X, picks, scores, close, settings.get("alpha", 0.1))
    if method == "rrqr":
        return reference.rrqr(X, picks, scores, close)
    if method == "arss":
        wanted = reference.arss_paper(X, settings.get("p", 0.5), settings.get("gamma", 0.1))
        return reference.ranked(wanted, picks, scores, 100 * close)
    if method == "rrss":
        return reference.ranked(reference.rrss(X, settings["gamma"], 12, 1e-10), picks, scores, 100 * close)
    if method == "random":
        keys = np.array(reference.random_keys(int(settings.get("seed", 0)), len(kept)))
        return (
            [] if picks == np.argsort(-keys, kind="stable")[: command.k].tolist() else [f"not the random rows: {picks}"]
        )
    D = reference.squared_distances(X)
    if method == "kmedoids":
        return reference.medoids(D, picks, result["objective"], close) + _sizes(D, picks, scores)
    if method == "kmeans":
        return [] if sum(scores) == len(kept) else [f"clusters of {scores} rows do not add up to {len(kept)}"]
    return _covering(table, command, result, (D, picks), folder)


def _sizes(D: Any, picks: list[int], scores: list[float]) -> list[str]:
    """The score of a medoid is how many rows are nearest to it."""
    nearest = D[:, picks].min(axis=1)
    sure = [int((D[:, pick] < np.delete(D[:, picks], at, axis=1).min(axis=1, initial=np.inf) * (1 - 1e-9)).sum())
            for at, pick in enumerate(picks)]  # fmt: skip
    most = [int((D[:, pick] <= nearest * (1 + 1e-9) + 1e-12).sum()) for pick in picks]
    fits = all(low <= score <= high for low, score, high in zip(sure, scores, most, strict=True))
    return [] if fits and sum(scores) == len(D) else [f"clusters of {scores} rows, but {sure} to {most}"]


def _covering(table: Table, command: Command, result: dict[str, Any], prepared: Any, folder: Path) -> list[str]:
    """Exemplars and facility location: the greedy choice, coverage, shares and the nearest exemplar of each row."""
    D, picks = prepared
    close = reference.CLOSE[table.layout == "single.npy"]
    with (folder / "assignments.csv").open(newline="") as file:
        assigned = [row for row in csv.DictReader(file) if row["exemplar"] != ""]
    outlying = np.array([float(row["outlier_score"]) for row in assigned])
    plain = command.method == "facility" or "--no-gate" in command.switches
    within = np.ones(len(D), dtype=bool) if plain else outlying <= 1
    # The score looks at numbers only, where there are categories, and not at cells that were filled in.
    columns = prepare.used(table, command.encode)
    numbers = all(column.kind != "category" and None not in column.cells for column in columns)
    # Where no second population is seen, all rows within the gate count alike.
    weights = np.where(within, 1.0, 0.0)
    found, scores = [], result["scores"]
    greedy = command.method == "facility" or "--nested" in command.switches
    exact = plain or (numbers and not reference.may_be_two(D, reference.aloneness(D)))
    if greedy and exact:
        found += reference.facility(D, weights, picks, scores, max(close, 1e-5))
    if exact:
        wanted = reference.coverage(D, weights, picks)
        if not np.allclose(result["coverage"], wanted, rtol=max(close, 1e-5), atol=1e-6):
            found.append(f"coverage {result['coverage']}, should be {wanted}")
    nearest = D[:, picks].min(axis=1)
    stands = [0] * len(picks)
    for at, row in enumerate(assigned):
        rank = int(row["rank"]) - 1
        stands[rank] += bool(within[at])
        if int(row["exemplar"]) != result["indices"][rank]:
            found.append(f"row {row['row']}: exemplar {row['exemplar']} does not have rank {rank + 1}")
        if D[at, picks[rank]] > nearest[at] * (1 + 10 * close) + 1e-9 * D.max():
            found.append(f"row {row['row']} is nearer to another exemplar than {row['exemplar']}")
    if plain and not np.allclose(result["shares"], np.array(stands) / len(D)):
        found.append(f"shares {result['shares']}, should be {stands} of {len(D)}")
    if not math.isclose(sum(result["shares"]), 1.0, rel_tol=1e-9):
        found.append(f"shares add up to {sum(result['shares'])}")
    if not plain and result["outliers"] != int((~within).sum()):
        found.append(f"{result['outliers']} outliers, but {int((~within).sum())} scores above 1")
    return found


def _files(table: Table, command: Command, result: dict[str, Any], kept: list[int], folder: Path) -> list[str]:
    """The files hold the rows that were chosen, as they came."""
    indices = result["indices"]
    found = [] if np.load(folder / "indices.npy").tolist() == indices else ["indices.npy has other rows"]
    with (folder / "scores.csv").open(newline="") as file:
        scored = {int(row["row"]): row["score"] for row in csv.DictReader(file)}
    told = dict(zip(indices, result["scores"], strict=True))
    if sorted(scored) != kept:
        found.append("scores.csv does not have one line for each row")
    found += [
        f"scores.csv: row {row} has {scored[row]}, not {told[row]}" for row in told if float(scored[row]) != told[row]
    ]
    order = sorted(indices) if command.order == "file" else indices
    written = _written(command, folder / f"out.{command.out}")
    extra = 0
    if "--add-scores" in command.switches:
        extra = len(written[0]) - len(table.columns) if written else 0
        ranks = [row[len(table.columns)] for row in written]
        if [float(rank) for rank in ranks] != [indices.index(row) + 1 for row in order]:
            found.append(f"ranks {ranks} in the order {command.order}")
    cells = [row[: len(row) - extra] if extra else row for row in written]
    for row, there in zip(order, cells, strict=True):
        wanted, single = table.row(row), table.layout == "single.npy"
        if len(there) != len(wanted) or not all(_same(a, b, single) for a, b in zip(wanted, there, strict=True)):
            found.append(f"out.{command.out}: row {row} is {there}, not {wanted}")
    return found


def _same(wanted: Any, there: Any, single: bool) -> bool:
    """Whether a cell is the same, whatever it is written as."""
    if wanted is None:
        return there in (None, "", "null") or (isinstance(there, float) and math.isnan(there)) or there == "NaN"
    if isinstance(wanted, bool):
        return str(there).lower() == str(wanted).lower()
    if isinstance(wanted, float):
        return bool(np.float32(there) == np.float32(wanted)) if single else float(there) == wanted
    return bool(there == wanted)


def _written(command: Command, path: Path) -> list[list[Any]]:
    """The cells of a file, row by row."""
    if command.out == "npy":
        return [list(row) for row in np.load(path).tolist()]
    if command.out == "jsonl":
        return [list(json.loads(line).values()) for line in path.read_text().splitlines()]
    if command.out in ("parquet", "arrow"):
        read = tables.pyarrow.parquet.read_table if command.out == "parquet" else tables.pyarrow.feather.read_table
        return [list(row.values()) for row in read(path).to_pylist()]
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    delimiter = "\t" if command.out == "tsv" else next((mark for mark in ";," if mark in text.splitlines()[0]), ",")
    return list(csv.reader(text.splitlines(), delimiter=delimiter))[1:]
