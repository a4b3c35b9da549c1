"""From a table to the numbers that rows are chosen by: missing cells, encoding and scaling, written anew from the book.

`docs/reference/columns.md` says what is done; nothing here calls the program.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tables import Column, Table

Floats = NDArray[np.float64]

#: Pairs of quantiles and what their half distance is for a normal distribution of variance 1.
QUANTILES = [(0.25, 0.674490), (0.10, 1.281552), (0.05, 1.644854), (0.01, 2.326348)]


def used(table: Table, encode: str) -> list[Column]:
    """The columns that rows are chosen by."""
    if table.is_array:
        return table.columns
    kinds = {"auto": ("number", "category", "flag"), "none": ("number",)}.get(encode, ("number", "category"))
    return [column for column in table.columns if column.kind in kinds and len(column.distinct()) > 1]


def kept_rows(columns: list[Column], rows: int, missing: str) -> list[int]:
    """The rows that take part."""
    holes = [sum(column.cells[row] is None for column in columns) for row in range(rows)]
    if missing == "drop":
        return [row for row in range(rows) if holes[row] == 0]
    if missing == "auto":
        few = len(columns) < 4
        return [row for row in range(rows) if 2 * holes[row] < len(columns) + few]
    if missing in ("mean", "median"):
        # Without any value a row would be the most typical of all.
        return [row for row in range(rows) if holes[row] < len(columns)]
    return list(range(rows))


def _filled(column: Column, kept: list[int], encode: str, missing: str) -> list[Any]:
    """The cells of the rows that take part, with what is missing filled in; texts as their numbers for `ordinal`."""
    cells = [column.cells[row] for row in kept]
    if column.kind == "category" and encode == "ordinal":
        texts = column.distinct()
        cells = [None if cell is None else float(texts.index(cell)) for cell in cells]
    there = [cell for cell in cells if cell is not None]
    if len(there) == len(cells):
        return cells
    if column.kind == "category" and encode != "ordinal":
        # Of those that are equally common the first.
        counts = {texts[0]: sum(cell in texts for cell in there) for _, texts in groups_of(column, encode)}
        fill: object = max(counts, key=lambda text: counts[text])
    else:
        fill = float(np.mean(there)) if missing == "mean" else float(np.median(there))
    return [fill if cell is None else cell for cell in cells]


def robust(values: Floats) -> Floats:
    """Robust deviations from the median, bent beyond one of them, over their deviation."""
    ordered, count = np.sort(values), len(values)
    width, quartiles_differ = 0.0, False
    for share, normal in QUANTILES:
        cut = int(share * count)
        low, high = ordered[cut], ordered[count - 1 - cut]
        half = high / 2 - low / 2
        if half > 4 * np.finfo(float).eps * max(abs(low), abs(high)):
            width, quartiles_differ = half / normal, share == QUANTILES[0][0]
            break
    away = values - np.median(values)
    alike = 4 * np.finfo(float).eps * np.maximum(np.abs(values), abs(np.median(values)))
    others = np.abs(away)[np.abs(away) / 2 > alike]
    if not quartiles_differ and len(others) >= 0.02 * count:
        # Most values are the same: the middle one of the others is at most 2.6 deviations away.
        width = max(width, float(np.median(others)) / 2.6)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(away == 0, 0.0, np.abs(away) / width)
        over = np.clip(size - 1, 0, np.finfo(float).max)
        bent = np.sign(away) * (np.minimum(size, 1) + over / (over / 3 + 1))
        far = np.where((width > 0) & (size > 10), np.log(np.minimum(size / 10, 1e5)), 0.0)
    return (bent + np.sign(away) * far) / max(float(np.std(bent)), 0.7)


def _scaled(values: Floats, how: str) -> Floats:
    if how == "none":
        return values
    spread = values.max() - values.min()
    if spread <= 4 * np.finfo(float).eps * np.abs(values).max():
        return np.zeros_like(values)
    if how == "standard":
        return (values - values.mean()) / values.std()
    return (values - values.min()) / spread if how == "unit" else robust(values)


def groups_of(column: Column, encode: str) -> list[tuple[str, list[str]]]:
    """The columns of 0 and 1 of a category: their names and texts. Texts of a single row are one for `auto`."""
    counts = {text: column.cells.count(text) for text in column.distinct()}
    rare = [text for text, count in counts.items() if count < 2 and encode == "auto"]
    rest = [(f"{column.name}={text}", [text]) for text in counts if text not in rare]
    if not rest:
        return [(f"{column.name}={text}", [text]) for text in counts]
    name = rare[0] if len(rare) == 1 else "(rare)"
    return rest + ([(f"{column.name}={name}", rare)] if rare else [])


def _category(values: Floats, how: str) -> Floats:
    """The columns of 0 and 1 of a category: together they weigh as one column."""
    if how == "none":
        return values
    shares = values.mean(axis=0)
    width = np.sqrt(2) if how == "unit" else max(float(np.sqrt((shares * (1 - shares)).sum())), 0.7)
    return values / width


def matrix(table: Table, encode: str, missing: str, scale: str, metric: str) -> tuple[Floats, list[int], list[str]]:
    """The numbers, the rows of the file that they are of, and the names of their columns."""
    columns = used(table, encode)
    kept = kept_rows(columns, table.rows, missing)
    parts, names = [], []
    for column in columns:
        cells = _filled(column, kept, encode, missing)
        if column.kind == "category" and encode != "ordinal":
            groups = groups_of(column, encode)
            parts.append(_category(np.array([[float(cell in texts) for _, texts in groups] for cell in cells]), scale))
            names += [name for name, _ in groups]
            continue
        parts.append(_scaled(np.array(cells, dtype=float), scale)[:, None])
        names.append(column.name)
    X = np.column_stack(parts)
    if table.layout == "single.npy":
        X = X.astype(np.float32).astype(np.float64)
    if metric == "cosine":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return X, kept, names
