"""Random commands over a random table."""

import random
from dataclasses import dataclass, field

import tables
from tables import Table

#: Methods and how often they come.
METHODS = {
    "exemplars": 4, "facility": 2, "ted": 3, "arss": 2, "rrss": 2, "rrqr": 2, "kmedoids": 2, "kmeans": 1, "random": 2
}  # fmt: skip
#: Methods that know an angle.
WITH_METRIC = ("exemplars", "facility", "ted", "rrss", "kmedoids", "kmeans")
#: What rows are written as, for each kind of table.
OUT = {"text": ["csv", "jsonl", "tsv"], "typed": ["csv", "jsonl", "parquet", "arrow"], "array": ["npy", "csv"]}


@dataclass
class Command:
    """A command: what it asks for, and the words of it."""

    method: str
    k: int
    encode: str = "auto"
    missing: str = "auto"
    scale: str = "robust"
    metric: str = "euclidean"
    out: str = "csv"
    order: str = "rank"
    #: Settings of the method, and flags without a value.
    settings: dict[str, float] = field(default_factory=dict)
    switches: list[str] = field(default_factory=list)
    threads: int = 0
    #: Worked on from scratch files.
    on_disk: bool = False

    def words(self, path: str) -> list[str]:
        """The command line, without the program."""
        line = ["select", path, "-k", str(self.k), "--method", self.method, "--json", "--missing", self.missing]
        line += ["--encode", self.encode, "--scale", self.scale, "--metric", self.metric, "--order", self.order]
        line += ["-o", f"out.{self.out}", "--indices", "indices.npy", "--scores", "scores.csv", "--no-config"]
        line += [word for name, value in self.settings.items() for word in (f"--{name}", f"{value:g}")]
        line += [*self.switches, "--threads", str(self.threads)]
        if self.method in ("exemplars", "facility"):
            line += ["--assignments", "assignments.csv"]
        if self.on_disk:
            line += ["--checkpoint", "kept", "--every", "5"]
        return line


def _settings(dice: random.Random, command: Command) -> None:
    """Settings of the method that have an answer of their own here."""
    method = command.method
    if method == "ted" and dice.random() < 0.4:
        command.settings["alpha"] = dice.choice([0.01, 1.0, 10.0])
    elif method == "arss":
        command.switches += ["--preset", "paper"]
        command.settings |= dice.choice([{}, {"p": 1.0}, {"gamma": 0.5}, {"gamma": 3.0}])
    elif method == "rrss":
        command.settings |= {"gamma": dice.choice([0.3, 1.0, 4.0]), "iterations": 12, "tolerance": 0, "eps": 1e-10}
    elif method in ("random", "kmedoids", "kmeans", "facility") and dice.random() < 0.7:
        command.settings["seed"] = dice.randrange(100)
    elif method == "exemplars":
        command.switches += dice.choice([[], ["--nested"], ["--nested", "--no-gate"], ["--no-gate"]])


def make(dice: random.Random, table: Table) -> Command:
    """A command for a table."""
    method = dice.choices(list(METHODS), list(METHODS.values()))[0]
    command = Command(method, min(dice.choice([1, 2, 3, 5, 8, 13]), table.rows), order=dice.choice(["rank", "file"]))
    if dice.random() < 0.06:
        command.k = dice.choice([table.rows, table.rows + 3])
    kind = "array" if table.is_array else "typed" if table.layout in tables.TYPED else "text"
    command.out = dice.choice(OUT[kind])
    if not table.is_array and "flag" not in [column.kind for column in table.columns]:
        command.encode = dice.choice(["auto", "auto", "auto", "none", "onehot", "ordinal"])
    command.missing = dice.choice(["auto", "auto", "error", "drop", "mean", "median"])
    command.scale = dice.choice(["robust", "robust", "standard", "unit", "none"])
    if method in WITH_METRIC and dice.random() < 0.15:
        command.metric, command.scale = "cosine", dice.choice(["none", "standard"])
    command.threads = dice.choice([0, 1, 2, 5])
    command.on_disk = method in ("exemplars", "ted", "rrss", "arss") and dice.random() < 0.25
    command.switches += ["--add-scores"] if dice.random() < 0.4 else []
    _settings(dice, command)
    return command
