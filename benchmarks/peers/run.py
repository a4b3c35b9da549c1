"""Asks every peer every question of probe.py; writes results.jsonl and the table of docs/explanation/comparison.md."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import stamp
from markdown import filled, table
from probe import PEERS, QUESTIONS

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "explanation" / "comparison.md"
PACKAGE = {"arss, columns": "arss", "apricot": "apricot-select", "submodlib": "submodlib-py"}

TEXT = {
    "frame": "pandas DataFrame in, the same picks",
    "sparse": "scipy sparse matrix in",
    "nan": "a row of NaN",
    "copies": "distinct rows among 5 picks, every row there ten times",
    "memory": "memory beyond the input for 6,000 rows (N x N: 275 MB)",
    "interrupt": "Ctrl-C, a second into a run of 3 s or more: it stops after",
    "contract": "scikit-learn's estimator checks passed",
}


def ask(peer: str, question: str) -> str:
    """What the package does, or how its process ended."""
    command = [sys.executable, str(HERE / "probe.py"), peer, question]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "no answer in 300 s"
    if done.returncode:
        return f"the process dies ({done.returncode})"
    return str(json.loads(done.stdout.splitlines()[-1])["answer"])


def main() -> None:
    """Every question that has no answer yet."""
    results = HERE / "results.jsonl"
    old = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    known = {(record["peer"], record["question"], record["version"]) for record in old}
    with results.open("a") as file:
        for peer, question in itertools.product(PEERS, QUESTIONS):
            package = PACKAGE.get(peer, peer)
            about = {"peer": peer, "question": question, "version": stamp.installed(package)}
            if tuple(about.values()) in known:
                continue
            record = about | {"answer": ask(peer, question), "machine": stamp.machine()}
            file.write(json.dumps(record) + "\n")
            print(peer, question, record["answer"], file=sys.stderr, flush=True)


def report() -> None:
    """The answers as a table in the page: questions down, peers across."""
    records = [json.loads(line) for line in (HERE / "results.jsonl").read_text().splitlines()]
    answers = {(record["question"], record["peer"]): record["answer"] for record in records}
    rows = [[TEXT[question], *(answers[question, peer] for peer in PEERS)] for question in QUESTIONS]
    PAGE.write_text(filled(PAGE.read_text(), {"probes": table(["", *PEERS], rows)}))


if __name__ == "__main__":
    main()
    report()
