"""The tables that the recorder chooses from, in every format: the same bits on every machine."""

import csv
import gzip
import io
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet
from pyarrow.ipc import new_file, new_stream

KINDS = ["red", "green", "blue"]
#: Rows of the table with words, and where its second file begins.
ROWS, CUT = 260, 110


def noise(rows: int, columns: int, seed: int) -> np.ndarray:
    """Numbers in [-1, 1) by integer arithmetic (splitmix64), multiples of 1/2048: single precision holds them all."""
    z = (np.arange(rows * columns, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z >> np.uint64(52)).astype(np.int64) - 2048).reshape(rows, columns) / 2048


def clusters(rows: int, columns: int, seed: int, far: int = 12) -> np.ndarray:
    """Rows around six centres, every fortieth of them so many times as far out."""
    at = np.arange(rows)
    centres = at[:, None] % 6 * (3 * np.arange(columns) + 1) % 7
    return np.where(at % 40 == 7, far, 1)[:, None] * (centres + noise(rows, columns, seed))


def plants(gaps: bool) -> dict[str, list[Any]]:
    """Words, numbers, truths and dates by column, some of the numbers missing if asked."""
    rows = range(ROWS)
    numbers = dict(zip("abcd", clusters(ROWS, 4, 1).T.tolist(), strict=True))
    if gaps:
        numbers["b"] = [None if row % 23 == 5 else value for row, value in enumerate(numbers["b"])]
        numbers["c"] = [None if row % 31 == 8 else value for row, value in enumerate(numbers["c"])]
    return {
        "id": [f"p{row:03}" for row in rows],
        **numbers,
        "count": [row * 7 % 11 for row in rows],
        "kind": [KINDS[row * row % 7 % 3] for row in rows],
        "wet": [row * row % 5 < 2 for row in rows],
        "day": [date(2021, 3, 1) + timedelta(days=row * 13 % 400) for row in rows],
        "weight": [row % 4 + 0.5 for row in rows],
        "remark": [[f'no {row}, "quoted"', f"two\nlines {row}", f"é{row}"][row % 3] for row in rows],
    }


def text(table: dict[str, list[Any]], rows: slice = slice(None), mark: str = ",", ending: str = "\n") -> bytes:
    """Some rows as text with this separator."""
    out = io.StringIO()
    lines = csv.writer(out, delimiter=mark, lineterminator=ending)
    lines.writerow(table)
    for row in [*zip(*table.values(), strict=True)][rows]:
        lines.writerow(str(cell).lower() if isinstance(cell, bool) else cell for cell in row)
    return out.getvalue().encode()


def write_plants(folder: Path, table: dict[str, list[Any]]) -> None:
    """`plants.*` and a few more: one table in every format that holds words."""
    lines = [json.dumps(dict(zip(table, row, strict=True)), default=str) for row in zip(*table.values(), strict=True)]
    (folder / "plants.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "plants.csv").write_bytes(text(table))
    (folder / "first.csv").write_bytes(text(table, slice(CUT)))
    (folder / "second.csv").write_bytes(text(table, slice(CUT, None)))
    (folder / "semicolon.csv").write_bytes(text(table, mark=";", ending="\r\n"))
    (folder / "plants.tsv").write_bytes(text(table, mark="\t"))
    (folder / "plants.csv.gz").write_bytes(gzip.compress(text(table), mtime=0))
    with pa.CompressedOutputStream(str(folder / "plants.csv.zst"), "zstd") as out:
        out.write(text(table))
    packed = pa.table(table)
    parquet.write_table(packed, folder / "plants.parquet", row_group_size=70)
    feather.write_feather(packed, str(folder / "plants.feather"), compression="uncompressed")
    for name, writer in (("plants.arrow", new_file), ("plants.arrows", new_stream)):
        with writer(str(folder / name), packed.schema) as out:
            out.write_table(packed, max_chunksize=100)


def write_all(folder: Path) -> None:
    """Every table: `plants` and `gaps` with words, the others of numbers; `wide` has fewer rows than columns."""
    write_plants(folder, plants(gaps=False))
    (folder / "gaps.csv").write_bytes(text(plants(gaps=True)))
    parquet.write_table(pa.table(plants(gaps=True)), folder / "gaps.parquet")
    (folder / "rows.txt").write_text("150\n\n 3, 9-10\n")
    (folder / "settings.toml").write_text('scale = "robust"\n[select]\nk = "3%"\nno-gate = true\ninclude = [0, 7]\n')
    tall = clusters(700, 9, 2)
    np.savez(folder / "tall.npz", values=tall)
    np.savez_compressed(folder / "both.npz", other=tall[:9], values=tall)
    parquet.write_table(pa.table({f"x{at}": column for at, column in enumerate(tall.T)}), folder / "tall.parquet")
    arrays = {"tall": tall, "single": tall.astype("f4"), "fortran": np.asfortranarray(tall)}
    sized = {"wide": clusters(24, 60, 3, far=2), "long": clusters(9000, 8, 4), "big": clusters(60_000, 20, 5)}
    for name, array in (arrays | sized).items():
        np.save(folder / f"{name}.npy", array)
