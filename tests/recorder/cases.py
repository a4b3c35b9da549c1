"""What is run: names, command lines and where they work, in tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from signal import SIGINT, SIGKILL, Signals
from typing import Any

#: Rows to choose where nothing else is said.
K = 7
#: Homes of the command line, and the flags that lead there. `wheel` is the command that the Python package ships.
FLAGS = {"memory": "", "disk": "--checkpoint kept --every 7", "thread": "--threads 1", "wheel": ""}

RBF, IN_PYTHON = "--kernel rbf --landmarks 30 --seed 2", {"kernel": "rbf", "landmarks": 30, "random_state": 2}
#: Methods with settings: as flags, and in Python.
METHODS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "exemplars": ("--method exemplars", "Exemplars", {}),
    "exemplars-demands": (
        "--landmarks 50 --ridge 0.1 --no-gate --include 9 --forbid 3-4 --seed 5",
        "Exemplars",
        {"landmarks": 50, "ridge": 0.1, "gate": False, "include": [9], "exclude": [3, 4], "random_state": 5},
    ),
    "exemplars-auto": ("-k auto", "Exemplars", {"n_samples": "auto"}),
    "arss": ("--method arss", "ARSS", {}),
    "arss-short": ("--method arss --iterations 12", "ARSS", {"max_iter": 12}),
    "arss-p1": ("--method arss --p 1 --gamma-ratio 0.3", "ARSS", {"p": 1.0, "gamma_ratio": 0.3}),
    "arss-paper": ("--method arss --preset paper", "ARSS", {"preset": "paper"}),
    "arss-diverse": ("--method arss --diverse", "ARSS", {"diverse": True}),
    "arss-rbf": ("--method arss " + RBF, "ARSS", IN_PYTHON),
    "rrss": ("--method rrss", "RRSS", {}),
    "rrss-short": ("--method rrss --iterations 5", "RRSS", {"max_iter": 5}),
    "rrss-diverse": ("--method rrss --diverse", "RRSS", {"diverse": True}),
    "rrss-rbf": ("--method rrss " + RBF, "RRSS", IN_PYTHON),
    "ted": ("--method ted", "TED", {}),
    "ted-alpha": ("--method ted --alpha 2", "TED", {"alpha": 2.0}),
    "ted-rbf": ("--method ted " + RBF, "TED", IN_PYTHON),
    "kmeans": ("--method kmeans --seed 3", "KMeansSelector", {"random_state": 3}),
    "kmedoids": ("--method kmedoids --seed 3", "KMedoidsSelector", {"random_state": 3}),
    "facility": ("--method facility --seed 3", "FacilityLocation", {"random_state": 3}),
    "rrqr": ("--method rrqr", "RRQR", {}),
    "random": ("--method random --seed 3", "RandomSelector", {"random_state": 3}),
}
#: Those with few passes, which take time on a cluster.
ON_DASK = ("exemplars", "exemplars-demands", "arss-short", "rrss-short", "ted")
#: Those that draw a sample of a long table.
SAMPLED = ("exemplars", "kmedoids", "facility")
TABLES = ("tall", "single", "wide", "long")


def homes(name: str, table: str) -> list[str]:
    """Where a method runs on a table."""
    _, estimator, settings = METHODS[name]
    if table == "long" and name not in SAMPLED:
        return []
    found = ["memory", "python"]
    if table == "tall":
        found += ["thread", "wheel"] if name == "exemplars" else ["thread"]
    # All but exemplars turn a table with no more rows than columns round, and need all of it for that.
    if estimator == "Exemplars" or (
        estimator in ("ARSS", "RRSS", "TED") and table != "wide" and not {"kernel", "diverse"} & settings.keys()
    ):
        found += ["disk", "path", "batches", *(["dask"] if name in ON_DASK and table in ("tall", "single") else [])]
    return found


@dataclass(frozen=True)
class Case:
    """Commands in a folder of their own (`T/` is that of the tables), of which the last one ends with `code`."""

    name: str
    line: str
    code: int = 0
    #: A table that comes through a pipe.
    stdin: str | None = None
    #: The run is broken off by this as soon as it has left a checkpoint, and then taken up.
    broken: Signals | None = None


#: One table in every format; with a pipe, `-`. Below, another table as arrays.
FORMATS = {
    **{"csv": "T/plants.csv", "semicolon": "T/semicolon.csv", "csv.gz": "T/plants.csv.gz", "tsv": "T/plants.tsv"},
    **{"csv.zst": "T/plants.csv.zst", "jsonl": "T/plants.jsonl", "parquet": "T/plants.parquet", "stdin": "-"},
    **{"arrow": "T/plants.arrow", "feather": "T/plants.feather", "stream": "T/plants.arrows", "stdin-parquet": "-"},
    "files": "T/first.csv T/second.csv",
}
ARRAYS = {"npz": "T/tall.npz", "npz-array": "T/both.npz --array values", "fortran": "T/fortran.npy"}
#: What `-o` writes where that is not the name of the format.
WRITTEN = {"semicolon": "csv", "stream": "arrow", "stdin": "csv", "stdin-parquet": "parquet", "files": "csv"}
PIPES = {"stdin": "plants.csv", "stdin-parquet": "plants.parquet"}
TURNED = {
    "plants.csv": "parquet arrow jsonl tsv csv.gz",
    "plants.parquet": "csv jsonl arrow",
    "tall.npy": "csv parquet",
}

#: Flags of `select` on tables with words. Those with weights or groups need all of the table in memory.
OPTIONS = {
    "robust": "plants.csv --scale robust",
    "unit": "plants.csv --scale unit --method ted",
    "plain": "plants.csv --scale none --method rrss",
    "onehot": "plants.csv --encode onehot --id id --exclude remark",
    "ordinal": "plants.parquet --encode ordinal --method arss --iterations 20",
    "booleans-dates": "plants.csv --booleans --dates --method ted",
    "booleans-dates-parquet": "plants.parquet --booleans --dates --method ted",
    "columns": "plants.csv --columns b,a,count --id id --label kind",
    "drop": "gaps.csv --missing drop --include 40 --id id",
    "mean": "gaps.csv --missing mean --method rrss",
    "median": "gaps.parquet --missing median --method arss --p 1",
    "demands": "plants.csv --include @T/rows.txt --forbid 20-90,7",
    "auto": "plants.csv -k auto",
    "share": "plants.csv -k 5% --order file",
    "weights": "plants.csv --weights weight",
    "weights-ted": "plants.csv --weights weight --method ted",
    "group": "plants.csv --group kind",
    "quotas": "gaps.csv --missing drop --group kind --quotas red=1,blue=2",
}
PAGES = {
    "exemplars": "select T/plants.csv --id id",
    "arss": "select T/tall.npy --method arss",
    "rrss-features": "select T/tall.npy --method rrss --features",
    "ted": "select T/gaps.csv --missing drop --method ted",
    "kmeans": "select T/wide.npy --method kmeans",
    "facility": "select T/plants.csv --method facility",
    "sampled": "select T/long.npy --method rrqr",
}
OTHERS = {
    "sheet/exemplars": "select T/plants.csv -k 7 -q",
    "sheet/arss": "select T/tall.npy -k 7 -q --method arss",
    "sheet/features": "features T/plants.csv -k 2 -q",
    "settings-file/exemplars": "select T/plants.csv -q --config T/settings.toml --json",
    "indices/json": "select T/plants.csv -k 7 -q --indices indices.json",
    "indices/npy": "select T/plants.csv -k 7 -q --indices indices.npy",
    "features/order": "features T/plants.csv -k 3 -q -o out.csv --order file --scores scores.csv",
    "features/parquet": "features T/plants.parquet -k 3 -q -o out.parquet --encode onehot --exclude id,remark,wet",
    "outliers/json": "outliers T/plants.csv -n 9 --id id --json -q -o out.csv --clean clean.csv --scores scores.csv",
    "outliers/sheet": "outliers T/plants.csv -n 9 -q --report page.html",
    "outliers/threshold": "outliers T/gaps.csv --missing drop --threshold 0.6 --order file --json -q -o out.jsonl",
    "outliers/settings": "outliers T/tall.npy --landmarks 40 --ridge 0.2 --seed 4 --json -q --clean clean.parquet",
    "outliers/wide": "outliers T/wide.npy --json -q --scores scores.csv",
    "compare/json": "compare T/plants.csv -k 6 --json -q",
    "compare/label": "compare T/plants.parquet -k 9 --label kind --json -q --report page.html",
    "compare/sheet": "compare T/plants.csv -k 5% --methods exemplars,arss,kmedoids,random --seed 2 -q",
    "compare/wide": "compare T/wide.npy -k 4 --json -q",
    "compare/sampled": "compare T/big.npy -k 4 --methods exemplars,ted --json -q",
    "demo/demo": "demo d",
    "plan/text": "plan T/plants.csv -k 5 --memory 1G --json -q -o out.csv --report page.html",
    "plan/features": "plan T/tall.npy -k 2 --features --memory 1G --json -q",
}
#: Commands that end with code 2 and write nothing.
REFUSED = {
    "k": "select T/plants.csv -k 261 -o out.csv",
    "missing": "select T/gaps.csv -k 3 -o out.csv --missing error",
    "column": "compare T/plants.csv -k 3 --label nothing",
    "setting": "select T/plants.csv -k 3 --alpha 1",
    "no-file": "select nothing.csv -k 3",
    "text-to-npy": "select T/plants.csv -k 3 -o out.npy",
    "both": "select T/plants.csv -k 3 --include 5 --forbid 5",
    "quota": "select T/plants.csv -k 3 --group kind --quotas grey=1",
    "disk-kmeans": "select T/tall.npy -k 3 --method kmeans --checkpoint kept",
    "disk-wide": "select T/wide.npy -k 3 --method ted --checkpoint kept",
    "memory": "select T/big.npy -k 3 --memory 10M",
    "clean": "outliers T/plants.csv --threshold 0 --clean clean.csv",
}
#: Runs long enough to be broken off, and memory that is too little for all of `big.npy` but enough for scratch files.
LARGE = {
    "exemplars": ("--landmarks 64", "42M"),
    "arss": ("--method arss --iterations 30 --tolerance 0", "36M"),
    "rrss": ("--method rrss --iterations 30 --tolerance 0", "36M"),
    "ted": ("--method ted", "36M"),
}


def select(name: str, line: str, out: str = "csv --add-scores", **how: Any) -> Case:
    """A choice with all its files; a count in the line is kept."""
    line += "" if " -k " in line else f" -k {K}"
    if "--method" not in line or "--method exemplars" in line or "--method facility" in line:
        line += " --assignments assignments.csv"
    # Scores of all rows take time with the square of their number.
    line += "" if "big.npy" in line else " --scores scores.csv"
    return Case(name, f"select {line} -q --json --indices indices.txt -o out.{out}", **how)


def choices() -> Iterator[Case]:
    """Every method, format and option where it works."""
    for name, (flags, *_) in METHODS.items():
        for table in TABLES:
            for home in (home for home in homes(name, table) if home in FLAGS):
                line = f"T/{table}.npy --scale none {flags} {FLAGS[home]}"
                yield select(f"select/{name}/{table}/{home}", line, "npy --result result.json")
    for name in ("exemplars", "ted"):
        for home in ("memory", "disk"):
            line = f"--method {name} {FLAGS[home]}"
            for kind, source in FORMATS.items():
                out = WRITTEN.get(kind, kind) + " --add-scores"
                yield select(f"select/{name}/{kind}/{home}", f"{source} {line}", out, stdin=PIPES.get(kind))
            for kind, source in ARRAYS.items():
                yield select(f"select/{name}/{kind}/{home}", f"{source} --scale none {line}", "npy")
    for name, line in OPTIONS.items():
        for home in ("memory",) if "--weights" in line or "--group" in line else ("memory", "disk"):
            yield select(f"options/{name}/plants/{home}", f"T/{line} {FLAGS[home]}")
    for name in ("ted", "rrss", "arss", "rrqr", "exemplars"):
        for table in ("tall", "wide"):
            for home in ("memory",) if name in ("arss", "exemplars") else ("memory", "disk"):
                line = f"features T/{table}.npy -k 4 --scale none --method {name} {FLAGS[home]}"
                yield Case(f"features/{name}/{table}/{home}", f"{line} -q --json -o out.npy --scores scores.csv")


def every_case() -> Iterator[Case]:
    """All cases of the command line."""
    for name, (flags, memory) in LARGE.items():
        line, limit = f"T/long.npy -k 40 {flags}", f"--memory {memory} --scratch ."
        kept = f"{line} --checkpoint kept --every 3"
        yield select(f"resume/{name}/long/memory", line)
        yield select(f"resume/{name}/long/killed", kept, broken=SIGKILL)
        yield select(f"resume/{name}/long/interrupted", kept, broken=SIGINT)
        yield select(f"limit/{name}/big/memory", f"T/big.npy {flags}")
        yield select(f"limit/{name}/big/scratch", f"T/big.npy {flags} {limit}")
        yield Case(f"plan/limit-{name}", f"plan T/big.npy {flags} {limit} -k 9 --json -q")
    yield from choices()
    for name, outs in TURNED.items():
        for out in outs.split():
            yield Case(f"turned/{name}/{out}", f"select T/{name} -k 5 -q -o out.{out} --add-scores")
    for name, line in PAGES.items():
        first = f"{line} -k 6 -q --result result.json --report page.html"
        yield Case(f"report/{name}", f"{first} && report result.json -o again.html")
    for name in ("exemplars", "arss", "rrss-rbf", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"):
        yield Case(f"plan/{name}", f"plan T/tall.npy -k 5 --memory 1G --json -q {METHODS[name][0]}")
    yield from (Case(name, line) for name, line in OTHERS.items())
    yield from (Case(f"refused/{name}", line, code=2) for name, line in REFUSED.items())
