"""Tables that do not fit into memory: from a path or a function that yields batches to a file of rows."""

import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arss import _core, _frames
from arss._missing import Floats
from arss._options import Encode, Missing

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class RowsInFile(NamedTuple):
    """A table in a file."""

    file: "_core.RowFile"
    #: Rows of the source, and which of them are in the file; `None` if all are.
    rows: int
    columns: int
    names: list[str] | None
    kept: NDArray[np.int64] | None = None
    #: What each column is a category of; empty if none is.
    categories: Sequence[int | None] = ()


class Outside(NamedTuple):
    """How a table that is not in memory is read."""

    memory: int | str = "1G"
    scratch: Any = None
    reading: Mapping[str, Any] | None = None


def is_outside(X: Any) -> bool:
    """Whether `X` is a path or a function that yields batches, not a table."""
    return isinstance(X, str | Path) or (callable(X) and not hasattr(X, "__array__") and _frames.as_frame(X) is None)


def read_memory(memory: int | str) -> int:
    """Bytes: a number, or "500M", "2G" and the like."""
    if isinstance(memory, int) and not isinstance(memory, bool) and memory > 0:
        return memory
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?", str(memory).strip(), re.IGNORECASE)
    if found is None or float(found[1]) == 0:
        raise ValueError(f"memory={memory!r}, but it must be a number of bytes or a size such as '500M' or '2G'")
    return int(float(found[1]) * UNITS[found[2].upper()])


def open_rows(
    X: Any,
    folder: Path,
    memory: int,
    asked: tuple[Encode | None, Missing],
    reading: Mapping[str, Any] | None,
) -> RowsInFile:
    """The rows of a path or of batches.

    A plain .npy file is read where it is. Every other file or folder that the command line reads is read as it does, to
    a scratch file; so are batches.
    """
    encode, missing = asked
    if not isinstance(X, str | Path):
        _only_numbers("batches", encode, missing, reading)
        return _batches(X(), "a batch", folder)
    path = Path(X)
    pattern = any(character in str(X) for character in "*?[")
    if not pattern and not path.is_file() and not path.is_dir():
        if not path.suffix:
            raise ValueError(f"{str(path)!r} is no table and no file: pass a table, or the path of one")
        raise FileNotFoundError(f"{path} is no file")
    if path.suffix == ".npy" and not pattern:
        _only_numbers("an .npy file", encode, missing, reading)
        return _npy(path, folder)
    # As for tables in memory, text is encoded and holes are filled only if that is asked for.
    how = "none" if encode in (None, "drop") else str(encode)
    file, rows, kept, names, categories, notes = _core.RowFile.read(
        path, folder, memory, how, missing, dict(reading or {})
    )
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=4)
    places = None if kept is None else np.array(kept, dtype=np.int64)
    known = categories if any(category is not None for category in categories) else []
    return RowsInFile(file, rows, len(names), names, places, known)


def _only_numbers(what: str, encode: Encode | None, missing: Missing, reading: Mapping[str, Any] | None) -> None:
    for name, given, wanted in (("encode", encode, None), ("missing", missing, "error"), ("reading", reading, None)):
        if given != wanted:
            raise ValueError(f"{name}={given!r} is for tables in memory and for files of columns, not for {what}")


def scratch_folder(scratch: Any) -> Path:
    """Where scratch files go."""
    folder = Path(tempfile.gettempdir() if scratch is None else scratch)
    if not folder.is_dir():
        raise FileNotFoundError(f"scratch={str(folder)!r} is no folder")
    return folder


def _npy(path: Path, folder: Path) -> RowsInFile:
    table = np.load(path, mmap_mode="r")
    if table.ndim != 2:
        raise ValueError(f"{path} has {table.ndim} dimension(s), but a table has rows and columns")
    rows, columns = table.shape
    kinds = {np.dtype("<f4"): True, np.dtype("<f8"): False}
    if table.dtype in kinds and table.flags.c_contiguous:
        file = _core.RowFile.open(path, table.offset, (rows, columns), kinds[table.dtype])
        return RowsInFile(file, rows, columns, None)
    return _batches(_pieces(path, table), str(path), folder)


def _pieces(path: Path, table: Any) -> Iterator[NDArray[Any]]:
    """Some rows at a time, read: a mapped file that somebody truncates ends the process."""
    rows, columns = table.shape
    step = max(1, (1 << 22) // max(columns, 1))
    by_row = table.flags.c_contiguous
    size = table.dtype.itemsize
    with path.open("rb") as file:
        for start in range(0, rows, step):
            count = min(step, rows - start)
            # By columns, the values of some rows stand in as many places as there are columns.
            places = (
                [(start * columns, count * columns)] if by_row else [(c * rows + start, count) for c in range(columns)]
            )
            parts = []
            for first, length in places:
                file.seek(table.offset + first * size)
                parts.append(np.fromfile(file, table.dtype, length))
                if parts[-1].size < length:
                    raise ValueError(f"{path} became shorter while it was being read; run again when it is complete")
            yield parts[0].reshape(count, columns) if by_row else np.stack(parts, axis=1)


def _batches(batches: Iterable[Any], name: str, folder: Path) -> RowsInFile:
    """The batches one behind the other in a scratch file, of the type of the first."""
    file: _core.RowFile | None = None
    rows, like = 0, (0, None)
    kind: np.dtype[Any] = np.dtype(np.float64)
    for batch in batches:
        values, names = _array(batch, name)
        if file is None:
            kind, like = values.dtype, (values.shape[1], names)
            file = _core.RowFile.scratch(folder, values.shape[1], kind == np.float32)
        if (values.shape[1], names) != like:
            raise ValueError(f"{name}, row {rows}: the columns differ from those of the first batch")
        file.append(np.require(values, dtype=kind, requirements=("C", "A")))
        rows += len(values)
    if file is None or rows == 0:
        raise ValueError(f"{name}: there are no rows")
    return RowsInFile(file, rows, like[0], like[1])


def _array(batch: Any, name: str) -> tuple[Floats, Any]:
    frame = _frames.as_frame(batch)
    if frame is not None:
        table, names, _ = frame.table(frame.layout(None))
        return (np.column_stack(table) if isinstance(table, list) else np.asarray(table)), names
    values = np.asarray(batch)
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise ValueError(f"{name}: a batch must be a table of numbers, but one is {values.dtype} of {values.ndim} axes")
    if values.dtype == np.float16:
        return values.astype(np.float32), None
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64), None


Source = str | Path | Callable[[], Iterable[Any]]
