"""How good is the time left that a run tells? Each command is run with --json-progress, and what it told of a phase is
compared with what the phase still took.

    python3 benchmarks/progress/run.py target/release/arss        # writes results.jsonl and README.md

Needs NumPy, pandas and pyarrow, and a quiet machine. Runs of a few seconds to half a minute.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
#: What is left in less than this is over before anybody reads it.
SHORT = 0.5


def tables(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Made tables: long, wide, text, and many columns in Parquet."""
    rng = np.random.default_rng(0)
    long = rng.standard_normal((1_500_000, 16)) + 4 * rng.integers(0, 5, (1_500_000, 1))
    np.save(folder / "long.npy", long)
    frame = pd.DataFrame(long[:600_000].round(5), columns=[f"c{at}" for at in range(16)])
    frame["kind"] = rng.choice(list("abcdef"), len(frame))
    frame.to_csv(folder / "text.csv", index=False)
    np.save(folder / "unit.npy", (rng.standard_normal((200_000, 256))).astype("f4"))
    wide = pd.DataFrame(rng.standard_normal((300, 20_000)), columns=[f"c{at}" for at in range(20_000)])
    wide.to_parquet(folder / "wide.parquet")
    return {name: folder / name for name in ("long.npy", "text.csv", "unit.npy", "wide.parquet")}


#: A name, the table and the flags.
RUNS = [
    ("exemplars, 1,500,000 x 16", "long.npy", ["select", "-k", "200"]),
    ("arss, 1,500,000 x 16", "long.npy", ["select", "-k", "100", "--method", "arss", "--iterations", "60"]),
    ("rrss, 1,500,000 x 16", "long.npy", ["select", "-k", "100", "--method", "rrss", "--iterations", "60"]),
    ("ted, 1,500,000 x 16", "long.npy", ["select", "-k", "200", "--method", "ted"]),
    ("k-means, 1,500,000 x 16", "long.npy", ["select", "-k", "50", "--method", "kmeans"]),
    ("exemplars, csv, 600,000 x 17", "text.csv", ["select", "-k", "50"]),
    ("exemplars, 200,000 x 256", "unit.npy", ["select", "-k", "500"]),
    ("outliers, 200,000 x 256", "unit.npy", ["outliers"]),
    ("wide Parquet, 300 x 20,000", "wide.parquet", ["select", "-k", "20"]),
]


def run(binary: str, file: pathlib.Path, words: list[str]) -> dict:
    """What a run told, and when: seconds since its start, of each phase."""
    command = [binary, words[0], str(file), *words[1:], "--json-progress"]
    start = time.perf_counter()
    told, first = [], None
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            event = json.loads(line)
            if event.get("event") == "progress":
                first = first or time.perf_counter() - start
                told.append({key: event[key] for key in ("phase", "done", "total", "seconds", "left")})
    return {"first": first, "seconds": time.perf_counter() - start, "told": told}


def ratios(found: dict) -> list[float]:
    """What was told to be left of a phase, over what it took."""
    out = []
    for at, event in enumerate(found["told"]):
        later = [other["seconds"] for other in found["told"][at:] if other["phase"] != event["phase"]]
        end = later[0] if later else found["seconds"]
        if event["left"] is not None and end - event["seconds"] >= SHORT:
            out.append(event["left"] / (end - event["seconds"]))
    return out


def main() -> None:
    """Run all and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.binary).resolve())
    lines, text = [], []
    with tempfile.TemporaryDirectory() as folder:
        files = tables(pathlib.Path(folder))
        for name, table, words in RUNS:
            found = run(binary, files[table], words)
            lines.append({"run": name, "command": ["arss", words[0], table, *words[1:]], **found})
            every = ratios(found)
            within = sum(1 / 3 <= ratio <= 3 for ratio in every)
            middle = f"{statistics.median(every):.2f}" if every else "-"
            worst = f"{max(every, key=lambda ratio: max(ratio, 1 / max(ratio, 1e-9))):.2f}" if every else "-"
            first = "-" if found["first"] is None else f"{found['first']:.1f}"
            text.append(f"| {name} | {found['seconds']:.1f} | {first} | {len(every)} | {within} | {middle} | {worst} |")
            print(text[-1], flush=True)
    (HERE / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    head = [
        "# The time left that a run tells",
        "",
        "Made by `python3 benchmarks/progress/run.py target/release/arss`; what each run told is in `results.jsonl`.",
        "The time left is that of the phase (`read`, `prepare`, `solve`, `score`). The ratio is what was told over",
        "what it took; what took less than half a second is not judged. A solver that converges says nothing before it",
        "knows how fast.",
        "",
        "| run | seconds | first sign after, s | told | within a factor of 3 | median ratio | worst |",
        "|---|---|---|---|---|---|---|",
    ]
    (HERE / "README.md").write_text("\n".join([*head, *text, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
