"""Makes tables.md from results.jsonl and speed.jsonl: `python tables.py`."""

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

HERE = Path(__file__).parent
Lines = list[dict[str, Any]]


def lines(name: str) -> Lines:
    """The lines of a file of results, none if it is not there."""
    path = HERE / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def table(heading: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    cells = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in cells) + "\n"


def by_method(all_lines: Lines) -> dict[str, Lines]:
    """The lines of each method."""
    found: dict[str, Lines] = defaultdict(list)
    for line in all_lines:
        found[line["method"]].append(line)
    return found


def fashion(part: str, own: Lines) -> str:
    """Classes and accuracy of each method."""
    rows = []
    ours = [line["accuracy"] for line in own if line["method"] == "arss"]
    for method, found in by_method(own).items():
        values = [line["accuracy"] for line in found]
        complete = sum(line["classes"] == 10 for line in found)
        margin = "" if method == "arss" else f"{mean(ours) - mean(values):+.3f}"
        wins = "" if method == "arss" else f"{sum(a > b for a, b in zip(ours, values, strict=True))}/{len(values)}"
        rows.append([method, f"{mean(values):.3f}", margin, wins, f"{complete}/{len(found)}"])
    heading = ["choice of 30", "1-NN accuracy", "arss is better by", "better in seeds", "all ten classes in seeds"]
    return f"### {part}\n\n{table(heading, rows)}"


def spoilt(part: str, own: Lines) -> str:
    """Spoilt pictures among the picks."""
    bad = sum(line["spoilt among 30 picks"] for line in own)
    picks = 30 * len(own)
    classes = sum(line["classes"] == 10 for line in own)
    row = [f"{bad} of {picks} ({100 * bad / picks:.1f} %)", f"{classes}/{len(own)}"]
    return f"### {part}\n\n{table(['spoilt picks', 'all ten classes in seeds'], [row])}"


def frames(part: str, own: Lines) -> str:
    """Distances to the nearest pick."""
    rows = []
    for k in sorted({line["k"] for line in own}):
        for method, found in by_method([line for line in own if line["k"] == k]).items():
            rows.append([str(k), method, f"{mean(line['mean distance'] for line in found):.4f}"])
    return f"### {part}\n\n{table(['K', 'choice', 'mean distance to the nearest pick'], rows)}"


def speeches(part: str, own: Lines) -> str:
    """Periods and years."""
    rows = []
    for method, found in by_method(own).items():
        years = mean(line["median years"] for line in found)
        all_five = sum(line["spans of five"] == 5 for line in found)
        rows.append([method, f"{years:.1f}", f"{all_five}/{len(found)}"])
    heading = ["choice of 20", "median years to the nearest pick", "all five spans in seeds"]
    terms = next((line["terms"] for line in own if "terms" in line), {})
    shown = table(["pick", "its terms"], [[name, words] for name, words in terms.items()])
    return f"### {part}\n\n{table(heading, rows)}\nThe picks of seed 0:\n\n{shown}"


def speed(own: Lines) -> str:
    """Seconds and processor seconds of each side, and how many times as long Pillow takes."""
    sides = [("arss", "arss"), ("arss again, from the cache", "again")]
    sides += [(f"Pillow, {side}", side) for side in ("same work", "shrink only")]
    rows = []
    for line in own:
        for name, side in sides:
            choice, memory = (str(line.get(f"{side} {key}", "")) for key in ("choice s", "MB"))
            ratios = [str(line.get(f"{side} / arss, {key}", "")) for key in ("s", "CPU s")]
            pictures = f"{line['files']} {line['pictures']}, {line['MB of files']} MB" if side == "arss" else ""
            times = [str(line[f"{side} {key}"]) for key in ("s", "CPU s", "files/s")]
            rows.append([pictures, name, *times, choice, memory, *ratios])
    heading = [
        "pictures",
        "side",
        "s",
        "CPU s",
        "files/s",
        "of it the choice, s",
        "peak MB",
        "s / arss",
        "CPU s / arss",
    ]
    return f"### Speed\n\n{table(heading, rows)}"


def main() -> None:
    """Write the tables."""
    makers = {"fashion": fashion, "fresh": fashion, "photographs": fashion, "spoilt": spoilt}
    makers |= {"frames": frames, "speeches": speeches}
    parts: dict[str, Lines] = defaultdict(list)
    for line in lines("results.jsonl"):
        parts[line["part"]].append(line)
    made = [makers[part.split()[0]](part, own) for part, own in parts.items()]
    fast = lines("speed.jsonl")
    (HERE / "tables.md").write_text("# Tables\n\n" + "\n".join(made + ([speed(fast)] if fast else [])))


if __name__ == "__main__":
    main()
