"""Runs the experiments of the paper and appends what is found to results/EXPERIMENT.jsonl, one record a line.

A record that is there already is not run again, so a run can be stopped and taken up. `config.toml` has all numbers.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import accuracy
import columns
import convergence
import datasets
import sensitivity
import speed
import stamp
from experiment import Config, Context, Experiment, Record

HERE = Path(__file__).parent
EXPERIMENTS: dict[str, Experiment] = {
    "accuracy": accuracy,
    "sensitivity": sensitivity,
    "columns": columns,
    "convergence": convergence,
    "speed": speed,
}


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiments", nargs="*", help=f"any of {', '.join(EXPERIMENTS)}; all if none is given")
    parser.add_argument("--data", help="folder with <set>.parquet, columns f0, f1, ... and label (or ARSS_DATA)")
    parser.add_argument("--smoke", action="store_true", help="small tables that come with scikit-learn")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the records")
    parser.add_argument("--sets", nargs="+", help="only these sets")
    parser.add_argument("--seeds", nargs="+", type=int, help="only these seeds")
    parser.add_argument("--methods", nargs="+", help="only these methods")
    chosen = parser.parse_args()
    unknown = set(chosen.experiments) - set(EXPERIMENTS)
    if unknown:
        parser.error(f"there is no experiment {', '.join(sorted(unknown))}: choose from {', '.join(EXPERIMENTS)}")
    return chosen


def configure(name: str, smoke: bool) -> Config:
    """The section of an experiment, with what smoke changes."""
    config = tomllib.loads((HERE / "config.toml").read_text())
    section: Config = config[name] | (config["smoke"].get(name, {}) if smoke else {})
    return section


#: What may be part of a key; everything else in a record was found.
KEYS = ("part", "set", "share", "seed", "method", "schedule", "model", "varied", "value", "size")


def identity(record: Record) -> tuple[object, ...]:
    """What makes a record the one of a key."""
    return tuple(record.get(name) for name in KEYS)


def wanted(config: Config, experiment: Experiment, chosen: argparse.Namespace) -> Iterator[Record]:
    """The keys that the command line asks for and whose data can be had; other sets are named once."""
    folder, known = datasets.folder(chosen.data), {}
    for key in experiment.plan(config):
        name = key["set"]
        asked = all(
            values is None or key.get(field) in values
            for field, values in (("set", chosen.sets), ("seed", chosen.seeds), ("method", chosen.methods))
        )
        if asked and name not in known:
            known[name] = _available(name, folder)
        if asked and known[name]:
            yield key


def _available(name: str, folder: Path | None) -> bool:
    try:
        return name == "gaussian" or datasets.load(name, folder) is not None
    except datasets.UnavailableError as error:
        print(f"skipped: {error}", file=sys.stderr)
        return False


def run(name: str, chosen: argparse.Namespace) -> None:
    """One experiment."""
    path = chosen.out / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    context = Context(configure(name, chosen.smoke), datasets.folder(chosen.data), records)
    experiment = EXPERIMENTS[name]
    keys = list(wanted(context.config, experiment, chosen))
    done = {identity(record) for record in records}
    todo = [key for key in keys if identity(key) not in done]
    where = {"version": f"arss {stamp.installed('arss')}", "machine": stamp.machine()}
    print(f"{name}: {len(keys) - len(todo)} of {len(keys)} records are there", file=sys.stderr)
    with path.open("a") as file:
        for count, key in enumerate(todo, 1):
            start = time.perf_counter()
            record = key | experiment.measure(key, context) | where
            records.append(record)
            file.write(json.dumps(record) + "\n")
            file.flush()
            spent = time.perf_counter() - start
            print(f"{name} {count}/{len(todo)} ({spent:.1f} s): {' '.join(map(str, key.values()))}", file=sys.stderr)


def main() -> None:
    """Every experiment asked for."""
    chosen = options()
    for name in chosen.experiments or EXPERIMENTS:
        run(name, chosen)


if __name__ == "__main__":
    main()
