"""Runs every method on every table and appends what it finds to a file of JSON lines.

A line is one method on one table, with a value for each K. Lines already there are not run again, so a run can be
stopped and taken up. See README.md for the protocol and `config.toml` for its numbers.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import datasets
import methods
import objective
from methods import Method
from objective import Task

HERE = Path(__file__).parent
Line = dict[str, Any]
Config = dict[str, Any]


def options(words: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with <set>.parquet, columns f0, f1, ... and label (or ARSS_DATA)")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--out", type=Path, help="where the lines go")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--smoke", action="store_true", help="two small sets, one seed")
    what.add_argument("--held", action="store_true", help="the sets that settings were not chosen on")
    what.add_argument("--grid", action="store_true", help="settings of exemplars instead of methods")
    parser.add_argument("--variants", action="store_true", help="measure more than accuracy, of fewer methods")
    parser.add_argument("--sets", nargs="+", help="only these sets")
    parser.add_argument("--methods", nargs="+", help="only these methods")
    parser.add_argument("--seeds", nargs="+", type=int, help="only these seeds")
    parser.add_argument("--shares", nargs="+", type=float, help="only these shares of corrupted candidates")
    return parser.parse_args(words)


def configure(chosen: argparse.Namespace) -> Config:
    """The protocol, with what the command line changes."""
    config = tomllib.loads((HERE / "config.toml").read_text())
    protocol: Config = config["protocol"]
    for part in ("variants", "smoke", "held", "grid"):
        if getattr(chosen, part):
            protocol |= config["protocol-" + part]
    for name in ("sets", "seeds", "shares"):
        protocol[name] = getattr(chosen, name) or protocol[name]
    return protocol | {name: config[name] for name in ("grid", "ablation", "gated", "sparse")}


def catalogue(chosen: argparse.Namespace, config: Config) -> dict[str, Method]:
    """The methods to run; those whose package is missing are named and left out."""
    known = variants(config) if chosen.grid else methods.OURS | methods.RIVALS
    usual = config["methods"] if chosen.variants else known
    found = {}
    for name in chosen.methods or usual:
        if methods.versions({known[name].package})[known[name].package] is None:
            print(f"skipped: {name} (package {known[name].package} is not installed)", file=sys.stderr)
        else:
            found[name] = known[name]
    return found


def variants(config: Config) -> dict[str, Method]:
    """Exemplars with every combination of the settings in the grid, the ablations, and others behind its gate."""
    names = list(config["grid"])
    combinations = [dict(zip(names, values, strict=True)) for values in itertools.product(*config["grid"].values())]
    grid = {"exemplars " + json.dumps(settings): methods.exemplars(**settings) for settings in combinations}
    grid |= {f"exemplars, {name}": methods.exemplars(**how) for name, how in config["ablation"].items()}
    return grid | {f"exemplars, gate then {name}": methods.gated(name) for name in config["gated"]["rivals"]}


def tied(config: Config, seed: int) -> str:
    """The kind of noise that goes with a seed."""
    kind: str = config["kinds"][seed % len(config["kinds"])]
    return kind


def wanted(config: Config, task: Task, method: str) -> bool:
    """Whether the method is run on this table: the slow ones on few."""
    few = config["sparse"]
    usual = task.seed in few["seeds"] and task.kind in ("none", tied(config, task.seed))
    return method not in few["methods"] or (usual and task.set not in few["skip"])


def tasks(config: Config) -> Iterator[Task]:
    """Every table of the protocol; a clean one has no kind of noise."""
    for name, seed in itertools.product(config["sets"], config["seeds"]):
        noise = config["kinds"] if config["noise"] == "all" else [tied(config, seed)]
        for share in config["shares"]:
            gross = ["gross"] if seed in config["gross"] else []
            for kind in ["none"] if share == 0 else [*noise, *gross]:
                yield Task(name, kind, share, seed)


def measure(task: Task, names: Iterable[str], chosen: argparse.Namespace) -> tuple[list[Line], list[str]]:
    """Lines of the methods on one table, and what went wrong."""
    warnings.filterwarnings("ignore")
    config = configure(chosen)
    known = catalogue(chosen, config)
    cell = objective.make(task, datasets.folder(chosen.data), config["candidates"], config["test"])
    lines, errors = [], []
    for name in names:
        try:
            lines.append(vars(task) | {"method": name} | _one(cell, known[name], config, task.seed))
        except Exception as error:  # a rival that fails must not end the run
            errors.append(f"failed: {name} on {task}: {error!r}")
    return lines, errors


def _one(cell: objective.Cell, method: Method, config: Config, seed: int) -> Line:
    ks = [k for k in config["k"] if k < len(cell.X)]
    start = time.perf_counter()
    picks, outlier_scores = method.run(cell.X, ks, seed)
    seconds = time.perf_counter() - start
    more = objective.more if config["more"] else lambda cell, chosen: {}
    found = [objective.score(cell, chosen) | more(cell, chosen) for chosen in picks]
    line: Line = {name: [round(one[name], 5) for one in found] for name in found[0]}
    auroc = objective.auroc(cell, outlier_scores)
    line |= {"k": ks, "auroc": auroc and round(auroc, 6), "seconds": round(seconds, 4)}
    return line | {"version": f"{method.package} {methods.versions({method.package})[method.package]}"}


def available(config: Config, folder: Path | None) -> Config:
    """The protocol without the sets that cannot be had here, which are named."""
    found = []
    for name in config["sets"]:
        try:
            datasets.load(name, folder)
            found.append(name)
        except datasets.UnavailableError as error:
            print(f"skipped: {error}", file=sys.stderr)
    return config | {"sets": found}


def key(line: Line) -> tuple[object, ...]:
    """What makes a line the same as another."""
    return tuple(line[name] for name in ("set", "kind", "share", "seed", "method"))


def plan(config: Config, names: list[str], done: set[tuple[object, ...]]) -> dict[Task, list[str]]:
    """Which methods are still to be run on which table."""
    todo = {
        task: [one for one in names if wanted(config, task, one) and key(vars(task) | {"method": one}) not in done]
        for task in tasks(config)
    }
    return {task: missing for task, missing in todo.items() if missing}


def main() -> int:
    """Runs what is missing in the file of results; 1 if a method failed."""
    chosen = options()
    config = available(configure(chosen), datasets.folder(chosen.data))
    names = list(catalogue(chosen, config))
    part = next((part for part in ("variants", "smoke", "held", "grid") if getattr(chosen, part)), None)
    out = chosen.out or HERE / ("results.jsonl" if part is None else f"results-{part}.jsonl")
    if chosen.smoke:
        out.unlink(missing_ok=True)
    done = {key(json.loads(line)) for line in out.read_text().splitlines()} if out.exists() else set()
    todo = plan(config, names, done)
    print(f"{len(todo)} tables, {sum(map(len, todo.values()))} lines to go, into {out.name}", file=sys.stderr)
    failures = 0
    with ProcessPoolExecutor(chosen.jobs) as pool, out.open("a") as file:
        running = [pool.submit(measure, task, missing, chosen) for task, missing in todo.items()]
        for count, future in enumerate(as_completed(running), 1):
            lines, errors = future.result()
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
            failures += len(errors)
            print(*errors, f"{count} of {len(todo)}", sep="\n", file=sys.stderr)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
