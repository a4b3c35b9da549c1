"""The extension module: private, may change at any time."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str
METHODS: list[str]

class NotFinite(ValueError): ...
class OverQuota(ValueError): ...

class History(TypedDict):
    iteration: NDArray[np.int64]
    objective: NDArray[np.float64]
    residual: NDArray[np.float64]
    gap: NDArray[np.float64]
    mu: NDArray[np.float64]
    active: NDArray[np.float64]

class Selection(TypedDict):
    indices: NDArray[np.int64]
    scores: NDArray[np.float64]
    all_scores: NDArray[np.float64] | None
    row_norms: NDArray[np.float64] | None
    residuals: NDArray[np.float64]
    labels: NDArray[np.int64]
    shares: NDArray[np.float64]
    coverage: NDArray[np.float64]
    status: str
    iterations: int
    objective: float
    constraint_residual: float | None
    gap: float | None
    gamma: float | None
    history: History
    seconds: tuple[float, float, float]
    rows_scored: int
    notes: list[tuple[str, str]]
    set_aside: tuple[int, float] | None
    #: What was learned for rows to come, and the width of the similarity to the exemplars.
    model: bytes | None
    width: float | None
    #: The rows of the picks as the method saw them, one behind the other.
    picks: NDArray[np.float64] | None

def select(
    table: NDArray[np.floating[Any]] | list[NDArray[np.floating[Any]]],
    k: int | None,
    method: str,
    settings: Mapping[str, object],
    *,
    features: bool = False,
    threads: int = 1,
    all_scores: bool = False,
    metric: str = "euclidean",
    progress: Callable[[str, int, int, float, float, float], object] | None = None,
) -> Selection: ...
def apply(
    model: bytes, table: NDArray[np.floating[Any]] | list[NDArray[np.floating[Any]]], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64] | None]: ...
def page(
    table: NDArray[np.floating[Any]] | list[NDArray[np.floating[Any]]],
    k: int | None,
    method: str,
    settings: Mapping[str, object],
    about: str,
    cells: Callable[[list[int]], list[list[str]]],
    *,
    features: bool = False,
    threads: int = 1,
    metric: str = "euclidean",
) -> tuple[list[int], str]: ...
def write_model(path: Path, about: str, model: bytes) -> None: ...
def read_model(path: Path) -> tuple[str, bytes]: ...
def defaults(method: str) -> dict[str, float]: ...
def main(words: Sequence[str], embed: Callable[[list[Path], bool], NDArray[np.float32]] | None = None) -> int: ...
def plan(
    method: str,
    settings: Mapping[str, object],
    shape: tuple[int, int, int],
    element: int,
    threads: int,
    max_iter: int | None = None,
) -> tuple[int, float, int]: ...

#: What was measured of a column: unit, centre, width, what bent values are divided by, usable.
Measured = tuple[float, float, float, float | None, bool]

#: The column that each column of a table is a category of; empty if none is.
Categories = Sequence[int | None]

def scale(
    table: NDArray[np.floating[Any]] | list[NDArray[np.floating[Any]]], how: str, categories: Categories
) -> tuple[NDArray[np.floating[Any]], list[Measured] | None]: ...
def rescale(
    table: NDArray[np.floating[Any]] | list[NDArray[np.floating[Any]]], columns: Sequence[Measured]
) -> NDArray[np.floating[Any]]: ...
def role_of_numbers(name: str, numbers: NDArray[np.float64]) -> tuple[str, bool, str]: ...
def is_code_name(name: str) -> bool: ...
def role_of_texts(name: str, texts: list[str]) -> tuple[str, bool, str]: ...
def written_as(name: str, texts: list[str]) -> tuple[str, bool, bool] | None: ...
def written_numbers(
    texts: list[str], how: tuple[str, bool, bool]
) -> tuple[NDArray[np.float64], tuple[int, int] | None]: ...
def location_and_spread(columns: Sequence[Measured]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class RowFile:
    @staticmethod
    def open(path: Path, offset: int, shape: tuple[int, int], single: bool) -> RowFile: ...
    @staticmethod
    def read(
        path: Path, folder: Path, memory: int, encode: str, missing: str, reading: dict[str, Any]
    ) -> tuple[RowFile, int, list[int] | None, list[str], list[int | None], list[str]]: ...
    @staticmethod
    def scratch(folder: Path, columns: int, single: bool) -> RowFile: ...
    def append(self, rows: NDArray[np.floating[Any]]) -> None: ...
    def scale(self, how: str, categories: Categories, folder: Path) -> list[Measured] | None: ...

def stream(
    file: RowFile,
    k: int | None,
    method: str,
    settings: Mapping[str, object],
    *,
    memory: int,
    scratch: Path,
    threads: int = 1,
    metric: str = "euclidean",
    progress: Callable[[str, int, int, float, float, float], object] | None = None,
) -> Selection: ...

class RowState:
    def __init__(
        self, values: NDArray[np.floating[Any]] | None = None, numbers: NDArray[np.float64] | None = None
    ) -> None: ...
    def numbers(self) -> NDArray[np.float64]: ...

class Step:
    def __init__(self, request: bytes) -> None: ...
    def apply(
        self,
        rows: NDArray[np.floating[Any]],
        first: int,
        state: RowState,
        weights: NDArray[np.float64] | None = None,
        groups: NDArray[np.int64] | None = None,
    ) -> bytes: ...

def about(request: bytes) -> tuple[str, bool]: ...
def merge(parts: Sequence[bytes]) -> bytes: ...
def columns(method: str, settings: Mapping[str, object]) -> tuple[int, int, int | None]: ...
def drive(
    method: tuple[str, Mapping[str, object]],
    k: int | None,
    shape: tuple[int, int, bool],
    run_pass: Callable[[bytes], bytes],
    progress: Callable[[str, int, int, float, float, float], object] | None,
    metric: str,
) -> Selection: ...

class Found(TypedDict):
    values: NDArray[np.float32]
    rows: list[int]
    paths: list[Path]
    names: list[str]
    readable: list[int]
    unreadable: list[tuple[Path, str]]
    duplicates: list[tuple[int, int, bool]]
    blank: list[int]
    shots: list[int]
    terms: list[str]

def read_media(
    inputs: Sequence[Path], *, kind: str, cache: bool = True, keep_blank: bool = False, seed: int = 0
) -> Found: ...
def read_texts(texts: Sequence[str], *, seed: int = 0) -> Found: ...
def pixels(path: Path, side: int) -> NDArray[np.float32] | None: ...
def thumbnail(path: Path, side: int) -> bytes | None: ...
