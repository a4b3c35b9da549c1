"""What every experiment gets, and what it has to offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import objective

Record = dict[str, Any]
Config = dict[str, Any]


@dataclass
class Context:
    """The configuration of the experiment, where data is, and the records so far."""

    config: Config
    folder: Path | None
    records: list[Record] = field(default_factory=list)

    def cell(self, key: Record) -> objective.Cell:
        """The noisy candidates and the test rows of a set, by the protocol of the paper."""
        size = (self.config["candidates"], self.config["test"])
        return _cell(objective.Task(key["set"], "mixed", key.get("share", 0.1), key["seed"]), self.folder, size)


@lru_cache(maxsize=2)
def _cell(task: objective.Task, folder: Path | None, size: tuple[int, int]) -> objective.Cell:
    return objective.make(task, folder, *size)


class Experiment(Protocol):
    """A module: its keys, and what is measured for one of them."""

    def plan(self, config: Config) -> Iterator[Record]:
        """Every key, in the order in which they are run; a key names set, seed and method at least."""

    def measure(self, key: Record, context: Context) -> Record:
        """What is found for the key."""
