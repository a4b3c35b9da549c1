"""Random small tables: what they hold is known, so that what becomes of them can be worked out again."""

import gzip
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

try:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:  # then there are two formats less
    pyarrow = None

#: Formats that have names and kinds of columns.
TEXT = ["csv", "semicolon", "tsv", "csv.gz", "jsonl"]
TYPED = ["parquet", "arrow"] if pyarrow else []
ARRAYS = ["npy", "single.npy", "fortran.npy", "npz"]
#: How a file is called, where that is not the name of its format.
SUFFIX = {"semicolon": "csv", "single.npy": "npy", "fortran.npy": "npy"}


@dataclass(frozen=True)
class Column:
    """A column as it was made: `None` is a missing cell."""

    name: str
    kind: str  # number, category, flag, constant
    cells: list[Any]

    def distinct(self) -> list[Any]:
        """The different cells that are there, in order."""
        return sorted({cell for cell in self.cells if cell is not None})


@dataclass(frozen=True)
class Table:
    """A table and how it is written."""

    columns: list[Column]
    layout: str

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].cells)

    @property
    def is_array(self) -> bool:
        """Whether it has no names and no kinds of columns."""
        return self.layout in ARRAYS

    def row(self, at: int) -> list[Any]:
        """The cells of a row."""
        return [column.cells[at] for column in self.columns]

    def file_name(self) -> str:
        """How the file is called."""
        return f"t.{SUFFIX.get(self.layout, self.layout)}"


def _numbers(dice: random.Random, rows: int) -> list[float]:
    """One of several kinds of numbers."""
    kinds: list[Callable[[int], float]] = [
        lambda _: round(dice.gauss(0, 1), 4),
        lambda _: round(dice.gauss(50, 10), 3),
        lambda row: round(dice.gauss(row % 3 * 4, 0.5), 4),
        lambda _: float(f"{dice.lognormvariate(0, 1.5):.5g}"),
        lambda row: round(dice.gauss(0, 1) * (40 if row % 11 == 5 else 1), 4),
        lambda _: float(dice.randint(0, 9)),
        lambda _: 0.0 if dice.random() < 0.7 else round(dice.uniform(0.1, 9), 2),
    ]
    kind = dice.choice(kinds)
    return [kind(row) for row in range(rows)]


def _column(dice: random.Random, name: str, rows: int, kind: str) -> Column:
    if kind == "category":
        texts = dice.sample(["ash", "oak", "elm", "fir", "yew"], dice.randint(2, 4))
        return Column(name, kind, [dice.choice(texts) for _ in range(rows)])
    if kind == "flag":
        return Column(name, kind, [dice.random() < 0.5 for _ in range(rows)])
    if kind == "constant":
        return Column(name, kind, [3.25] * rows)
    return Column(name, kind, list(_numbers(dice, rows)))


def make(dice: random.Random) -> Table:
    """A table of 10 to 60 rows, perhaps with copies of rows and missing cells."""
    layout = dice.choice(TEXT + TYPED + ARRAYS)
    rows, width = dice.randint(10, 60), dice.randint(2, 7)
    array = layout in ARRAYS
    kinds = (
        ["number"] * width
        if array
        else dice.choices(["number", "category", "flag", "constant"], [7, 2, 1, 0.5], k=width)
    )
    # At least two columns that tell rows apart.
    kinds[:2] = ["number", "number"]
    columns = [_column(dice, f"c{at}", rows, kind) for at, kind in enumerate(kinds)]
    if dice.random() < 0.2:
        copies = [(dice.randrange(rows), dice.randrange(rows)) for _ in range(rows // 4)]
        for column in columns:
            for to, source in copies:
                column.cells[to] = column.cells[source]
    if dice.random() < 0.35:
        for column in columns:
            if column.kind in ("number", "category"):
                for at in range(rows):
                    if dice.random() < 0.06:
                        column.cells[at] = None
    return Table(columns, layout)


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def array_of(table: Table) -> np.ndarray:
    """The numbers of a table without names."""
    values = [[np.nan if cell is None else cell for cell in column.cells] for column in table.columns]
    return np.array(values, dtype=np.float32 if table.layout == "single.npy" else np.float64).T


def lines_of(table: Table) -> list[str]:
    """The lines of a text file, the header first."""
    if table.layout == "jsonl":
        names = [column.name for column in table.columns]
        return ["", *(json.dumps(dict(zip(names, table.row(at), strict=True))) for at in range(table.rows))]
    separator = {"semicolon": ";", "tsv": "\t"}.get(table.layout, ",")
    header = [column.name for column in table.columns]
    return [separator.join(map(_text, line)) for line in [header, *map(table.row, range(table.rows))]]


def write(table: Table, folder: Path) -> Path:
    """Write the table; the path of its file."""
    path = folder / table.file_name()
    if table.layout in ("npy", "single.npy"):
        np.save(path, np.ascontiguousarray(array_of(table)))
    elif table.layout == "fortran.npy":
        np.save(path, np.asfortranarray(array_of(table)))
    elif table.layout == "npz":
        np.savez(path, values=array_of(table))
    elif table.layout in TYPED:
        frame = pyarrow.table({column.name: column.cells for column in table.columns})
        if table.layout == "parquet":
            pyarrow.parquet.write_table(frame, path)
        else:
            pyarrow.feather.write_feather(frame, path)
    else:
        lines = lines_of(table)
        data = "".join(f"{line}\n" for line in lines[table.layout == "jsonl" :]).encode()
        path.write_bytes(gzip.compress(data) if table.layout == "csv.gz" else data)
    return path
