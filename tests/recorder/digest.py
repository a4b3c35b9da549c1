"""What is kept of an output: hashes of its bytes and of its choices, and one number for all its fractions."""

import base64
import gzip
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

#: Names in JSON of what differs from run to run, and of prose.
VOLATILE = re.compile("seconds|solve_seconds|time|version|command|notes|reason")
#: Names of what counts in the data of a report page; the rest is prose.
PAGE = re.compile(
    "item|items|headings|used|map|frame|x|y|numbers|kinds|picks|colours|name|groups|ends|levels|cards|rank|at|score|share|rows"
    "|outlier|loss|spread|differs|column|cell|typical|z|group|near|cells|how_many|coverage|ahead|next|explained|others|by"
    "|together|copies|chart|scores|all|bins|from|to|count|log|zeros|threshold|outliers|convergence|objective|residual|gap"
    "|strangest|chosen|aside|nearest|marks|comparison|method|values|best|indices|overlap|total"
)
#: What is packed in the map of a page: how, and what it is divided by.
PACKED = {"x": ("<u2", 65535.0), "y": ("<u2", 65535.0), "numbers": ("<u4", 1), "kinds": ("u1", 1), "picks": ("<u2", 1)}
#: Numbers with a fraction, in a text.
FRACTION = re.compile(r"(?<![\w.])-?(?:\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|NaN|inf)(?![\w.])")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
#: How much the sum of fractions may differ on another machine: about six digits of each of them.
ELSEWHERE = 1e-7


@dataclass
class Output:
    """An output as bytes, and as a tree of words, whole numbers and fractions."""

    exact: bytes
    tree: Any

    @classmethod
    def of(cls, tree: Any) -> "Output":
        return cls(json.dumps(tree, default=str).encode(), tree)

    @cached_property
    def parts(self) -> tuple[str, list[float]]:
        """Everything but the fractions, and the fractions."""
        found: list[float] = []
        return json.dumps(_without_fractions(self.tree, found), default=str), found

    def digest(self) -> list[Any]:
        """As it is kept: two hashes, and a sum in which each fraction counts by its size and its place."""
        rest, fractions = self.parts
        terms = (math.asinh(1000 * value) * (1 + at % 7) for at, value in enumerate(fractions) if math.isfinite(value))
        hashes = [sha256(content).hexdigest()[:12] for content in (self.exact, rest.encode())]
        return [*hashes, float(f"{math.fsum(terms):.10g}")]

    def is_close(self, other: "Output", tolerance: float) -> bool:
        """The same choices, and fractions that differ by no more than this share of them or of the largest."""
        (rest, mine), (other_rest, theirs) = self.parts, other.parts
        largest = max((abs(value) for value in mine if math.isfinite(value)), default=0.0)
        close = {"rtol": tolerance, "atol": tolerance * largest, "equal_nan": True}
        return rest == other_rest and len(mine) == len(theirs) and np.allclose(mine, theirs, **close)


def _without_fractions(tree: Any, found: list[float]) -> Any:
    """The tree with marks where fractions were, which are added to `found`."""
    if isinstance(tree, float):
        found.append(tree)
        return "#"
    if isinstance(tree, str):
        found.extend(float(number) for number in FRACTION.findall(tree))
        return FRACTION.sub("#", tree)
    if isinstance(tree, dict):
        return {name: _without_fractions(value, found) for name, value in tree.items()}
    return [_without_fractions(value, found) for value in tree] if isinstance(tree, list | tuple) else tree


def pruned(tree: Any, counts: Callable[[str], Any] = lambda name: not VOLATILE.fullmatch(name)) -> Any:
    """JSON with the entries whose names count."""
    if isinstance(tree, dict):
        return {name: pruned(value, counts) for name, value in tree.items() if counts(name)}
    return [pruned(value, counts) for value in tree] if isinstance(tree, list) else tree


def sheet(printed: str, command: str) -> list[str]:
    """The numbers of a table for people, line by line; headings are words, and `compare` tells seconds first."""
    return [" ".join(NUMBER.findall(line)[command == "compare" :]) for line in printed.splitlines()[1:]]


def _arrow(table: pa.Table) -> Any:
    return [str(table.schema), table.to_pydict()]


READERS: dict[str, Callable[[Path], Any]] = {
    ".parquet": lambda path: _arrow(parquet.read_table(path)),
    ".arrow": lambda path: _arrow(feather.read_table(str(path))),
    ".feather": lambda path: _arrow(feather.read_table(str(path))),
    ".npy": lambda path: [str((array := np.load(path)).dtype), array.tolist()],
    ".gz": lambda path: gzip.decompress(path.read_bytes()).decode(),
    ".png": lambda path: path.read_bytes().hex(),
    ".zst": lambda path: pa.input_stream(str(path), compression="zstd").read().decode(),
}


def read(path: Path) -> Output:
    """A file that a run wrote."""
    content = path.read_bytes()
    if path.suffix == ".html":
        data = content.decode().split('id="data">', 1)[1].split("</script>", 1)[0]
        page = json.loads(data)
        _unpack(page["map"])
        return Output.of(pruned(page, PAGE.fullmatch))
    if path.suffix == ".json":
        return Output.of(pruned(json.loads(content)))
    reader = READERS.get(path.suffix)
    return Output(content, reader(path) if reader else content.decode())


def _unpack(places: dict[str, Any]) -> None:
    """Puts numbers where the map of a page has them packed."""
    for name, (kind, unit) in PACKED.items():
        values = np.frombuffer(base64.b64decode(places[name]), dtype=kind)
        places[name] = (values / unit if unit != 1 else values).tolist()
    places["outliers"] = np.frombuffer(base64.b64decode(places["outliers"]), dtype="<f4").astype(float).tolist()
    for colour in places["colours"]:
        colour["levels"] = np.frombuffer(base64.b64decode(colour["levels"]), dtype="u1").tolist()


def differences(expected: dict[str, Any], found: dict[str, Any], exact: bool) -> Iterator[str]:
    """What differs between the digests of two runs of a case, a line each output."""
    if not expected or not found:
        yield f": expected {'nothing' if found else 'a run'}, found {'a run' if found else 'nothing'}"
        return
    for name in sorted(expected.keys() | found.keys()):
        was, now = expected.get(name), found.get(name)
        if was is None or now is None:
            yield f" {name}: expected {'nothing' if now else 'a file'}, found {'a file' if now else 'nothing'}"
        elif was[1] != now[1]:
            yield f" {name}: the choices differ: expected {was[1]}, found {now[1]}"
        elif not math.isclose(was[2], now[2], rel_tol=ELSEWHERE, abs_tol=ELSEWHERE):
            yield f" {name}: the numbers differ: expected the sum {was[2]}, found {now[2]}"
        elif exact and was[0] != now[0]:
            yield f" {name}: only the last bits or the form differ: expected {was[0]}, found {now[0]}"
