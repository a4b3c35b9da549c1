"""Write README.md from the raw lines: results.jsonl, more.jsonl and rivals.jsonl; notes.md is written by hand."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Line = dict[str, Any]


def lines(name: str) -> list[Line]:
    """The lines of a file; none if it is not there."""
    path = HERE / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def million(found: list[Line]) -> list[str]:
    """The table of run.py."""
    by_name = {line["method"]: line for line in found}
    base, rival = by_name["random"]["cosine"], by_name["minibatch k-means + nearest"]
    text = [
        f"Made by `make bench-embeddings`: {found[0]['rows']:,} x 384 made embeddings, K = {found[0]['k']:,}; "
        "`results.jsonl` has a line a method. The gain is that of MiniBatchKMeans over a random choice.",
        "",
        "| method | mean cosine to the nearest pick | share of the gain | CPU s | CPU ratio | MB beyond the input |",
        "|---|---|---|---|---|---|",
    ]
    for line in found:
        gain = (line["cosine"] - base) / (rival["cosine"] - base)
        text.append(
            f"| {line['method']} | {line['cosine']:.4f} | {gain:.2f} | {line['cpu']:.0f} "
            f"| {line['cpu'] / rival['cpu']:.2f} | {line['megabytes']:.0f} |"
        )
    return text


def further(found: list[Line]) -> list[str]:
    """The table of more.py; of each kind the last line."""
    last = {(line["what"], line.get("rows")): line for line in found}.values()
    text = [
        "",
        "## Half precision, sparse text, larger than memory",
        "",
        "Made by `more.py` (`python more.py --help`), each run in a process of its own; `more.jsonl` has the lines.",
        "",
        "| run | CPU s | s | MB beyond the input (large: of the process) | |",
        "|---|---|---|---|---|",
    ]
    for line in last:
        rows = f", {line['rows']:,} rows" if "rows" in line else ""
        shared = f"{line['shared_picks']} of 1,000 picks shared by both" if "shared_picks" in line else ""
        about = "; ".join(part.strip() for part in line.get("plan", [])) or shared
        text.append(
            f"| {line['what']}{rows} | {line['cpu']:.1f} | {line['seconds']:.0f} | {line['megabytes']:.0f} | {about} |"
        )
    return text


def real(found: list[Line]) -> list[str]:
    """The table of rivals.py: a column a set, the best first."""
    sets = list(dict.fromkeys(line["set"] for line in found))
    text = [
        "",
        "## Real embeddings",
        "",
        "Made by `rivals.py` from files of ADBench (CV_by_ResNet18), K = 50: mean cosine of all rows to their nearest "
        "pick, the mean of three seeds where a method draws. `rivals.jsonl` has the lines.",
        "",
        f"| method | {' | '.join(sets)} |",
        f"|---|{'---|' * len(sets)}",
    ]
    table = {
        name: [next((x for x in found if (x["set"], x["method"]) == (own, name)), {}) for own in sets]
        for name in dict.fromkeys(line["method"] for line in found)
    }
    order = sorted(table, key=lambda name: -sum(line.get("cosine", 0.0) for line in table[name]))
    for name in order:
        cells = [
            f"{line['cosine']:.4f}" if "cosine" in line else line.get("error", "not run")[:60] for line in table[name]
        ]
        text.append(f"| {name} | {' | '.join(cells)} |")
    return text


def write() -> None:
    """Write README.md."""
    text = ["# Embeddings", ""]
    for part, name in ((million, "results.jsonl"), (further, "more.jsonl"), (real, "rivals.jsonl")):
        found = lines(name)
        text += part(found) if found else []
    text += ["", "[Notes](notes.md): what was wanted, on which machine this was measured, and what is missed."]
    (HERE / "README.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    write()
