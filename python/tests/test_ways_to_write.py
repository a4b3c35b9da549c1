"""One table, written by pandas in many ways: the same rows are chosen from each of them."""

import csv
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

PICKS = 7


@cache
def table() -> pd.DataFrame:
    """Names, numbers, categories, dates and flags; ordered by the category, so that partitions keep the order."""
    rng = np.random.default_rng(5)
    rows = 120
    frame = pd.DataFrame(
        {
            "name": [f"Zoë {row}" for row in range(rows)],
            "height": (rng.normal(size=rows) * 1000).round(2),
            "income": (rng.lognormal(8, 1, size=rows)).round(2),
            "count": rng.integers(0, 9000, size=rows),
            "kind": np.sort(rng.choice(["fern", "moss", "oak"], size=rows)),
            "open": rng.random(rows) < 0.4,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, size=rows), unit="D"),
        }
    )
    frame.loc[[7, 50], "income"] = np.nan
    return frame


def text(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(since=frame["since"].dt.strftime("%Y-%m-%d"))


def chosen(path: Path, *flags: str) -> list[str]:
    command = [sys.executable, "-m", "arss", "select", str(path), "-k", str(PICKS), "--id", "name", "--json", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    found: list[str] = json.loads(ran.stdout)["ids"]
    return found


def local(frame: pd.DataFrame, how: str) -> pd.DataFrame:
    return frame.assign(since=frame["since"].dt.strftime(how))


def grouped(frame: pd.DataFrame, decimal: str, group: str, sign: str = "") -> pd.DataFrame:
    def written(value: float) -> str:
        if np.isnan(value):
            return ""
        plain = f"{abs(value):,.2f}".replace(",", "g").replace(".", "d")
        return ("-" if value < 0 else "") + sign + plain.replace("g", group).replace("d", decimal)

    return text(frame).assign(height=frame["height"].map(written), income=frame["income"].map(written))


def strings(frame: pd.DataFrame) -> pd.DataFrame:
    """Every value as text, as interfaces of the web send it."""
    return text(frame).map(lambda value: None if value is None or value != value else str(value))


def one_archive(frame: pd.DataFrame, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner/table.csv", text(frame).to_csv(index=False))


def partitioned(frame: pd.DataFrame, path: Path) -> None:
    for kind, rows in frame.groupby("kind"):
        folder = path / f"kind={kind}"
        folder.mkdir(parents=True)
        rows.drop(columns="kind").to_parquet(folder / "part-0.parquet", index=False)


WAYS: dict[str, tuple[str, Callable[[pd.DataFrame, Path], Any]]] = {
    "semicolons": ("t.csv", lambda f, p: text(f).to_csv(p, sep=";", index=False)),
    "tabs": ("t.tsv", lambda f, p: text(f).to_csv(p, sep="\t", index=False)),
    "bars": ("t.csv", lambda f, p: text(f).to_csv(p, sep="|", index=False)),
    "index": ("t.csv", lambda f, p: text(f).to_csv(p)),
    "all quoted": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, quoting=csv.QUOTE_ALL)),
    "windows lines": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, lineterminator="\r\n")),
    "decimal comma": ("t.csv", lambda f, p: text(f).to_csv(p, sep=";", decimal=",", index=False)),
    "German thousands": ("t.csv", lambda f, p: grouped(f, ",", ".").to_csv(p, sep=";", index=False)),
    "English thousands": ("t.csv", lambda f, p: grouped(f, ".", ",").to_csv(p, index=False)),
    "dollars": ("t.csv", lambda f, p: grouped(f, ".", ",", "$").to_csv(p, index=False)),
    "missing as NULL": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, na_rep="NULL")),
    "missing as a dash": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, na_rep="-")),
    "days first": ("t.csv", lambda f, p: local(f, "%d/%m/%Y").to_csv(p, index=False)),
    "months first": ("t.csv", lambda f, p: local(f, "%m/%d/%Y").to_csv(p, index=False)),
    "byte order mark": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, encoding="utf-8-sig")),
    "Latin-1": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, encoding="latin-1")),
    "UTF-16": ("t.csv", lambda f, p: text(f).to_csv(p, index=False, encoding="utf-16")),
    "comments": ("t.csv", lambda f, p: p.write_text("# made by hand\n" + text(f).to_csv(index=False))),
    "gz": ("t.csv.gz", lambda f, p: text(f).to_csv(p, index=False)),
    "bz2": ("t.csv.bz2", lambda f, p: text(f).to_csv(p, index=False)),
    "xz": ("t.csv.xz", lambda f, p: text(f).to_csv(p, index=False)),
    "zip": ("t.csv.zip", one_archive),
    "JSON records": ("t.json", lambda f, p: text(f).to_json(p, orient="records")),
    "JSON lines": ("t.jsonl", lambda f, p: text(f).to_json(p, orient="records", lines=True)),
    "Parquet": ("t.parquet", lambda f, p: f.to_parquet(p)),
    "Parquet with categories": ("t.parquet", lambda f, p: f.astype({"kind": "category"}).to_parquet(p)),
    "Parquet of strings": ("t.parquet", lambda f, p: strings(f).to_parquet(p)),
    "JSON of strings": ("t.json", lambda f, p: strings(f).to_json(p, orient="records")),
    "JSON of dollars": ("t.jsonl", lambda f, p: grouped(f, ".", ",", "$").to_json(p, orient="records", lines=True)),
    "Feather of dollars": ("t.feather", lambda f, p: grouped(f, ".", ",", "$").to_feather(p)),
    "Feather": ("t.feather", lambda f, p: f.to_feather(p)),
    "Hive partitions": ("t", partitioned),
    "Excel": ("t.xlsx", lambda f, p: f.to_excel(p, index=False)),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("plain") / "t.csv"
    text(table()).to_csv(path, index=False)
    return chosen(path)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_rows_are_chosen(way: str, plain: list[str], tmp_path: Path) -> None:
    name, write = WAYS[way]
    if way == "Excel":
        pytest.importorskip("openpyxl")
    write(table(), tmp_path / name)
    assert chosen(tmp_path / name) == plain


@pytest.mark.parametrize("kind", ["list", "text", "npy"])
def test_vectors_are_the_numbers_they_hold(kind: str, tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(80, 5))
    np.save(tmp_path / "t.npy", X)
    frame = pd.DataFrame({"label": ["a", "b"] * 40, "v": list(X)})
    if kind == "list":
        frame.to_parquet(tmp_path / "t.parquet")
    elif kind == "text":
        frame.assign(v=[str(row.tolist()) for row in X]).to_csv(tmp_path / "t.csv", index=False)
    files = {"list": "t.parquet", "text": "t.csv", "npy": "t.npy"}

    def picks(file: str) -> Any:
        command = [sys.executable, "-m", "arss", "select", str(tmp_path / file), "-k", "6", "--json"]
        return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)["indices"]

    assert picks(files[kind]) == picks("t.npy")
