"""Half precision, sparse text, and a table larger than the memory allowed: what a run costs. A line each in more.jsonl.

python more.py --work FOLDER half        # 400,000 x 384 in single and half precision: memory beyond the input
python more.py --work FOLDER words       # 2,500 x 43,723 sparse rows of 285 words
python more.py --work FOLDER large --rows 10000000 --arss target/release/arss
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import report
from run import BLOCK, COLUMNS, cpu, made


def words(path: Path) -> None:
    """Write rows of words, as frequent as in texts (Zipf), each row of one of 20 topics, weighted like TF-IDF."""
    random = np.random.default_rng(0)
    rows, columns, count = 2500, 43_723, 285
    shares = 1.0 / np.arange(1, columns + 1)
    places: list[Any] = []
    for row in range(rows):
        topic = shares.copy()
        topic[row % 20 :: 20] *= 8
        drawn = np.unique(random.choice(columns, 2 * count, p=topic / topic.sum()))
        places.append(random.permutation(drawn)[:count])
    starts = np.cumsum([0] + [len(own) for own in places])
    columns_of = np.concatenate(places)
    values = random.integers(1, 4, len(columns_of)) * np.log(
        rows / np.bincount(columns_of, minlength=columns)[columns_of]
    )
    table = sparse.csr_matrix((values + 0.01, columns_of, starts), shape=(rows, columns))
    table.sort_indices()
    sparse.save_npz(path, table)


def fit(what: str, path: Path) -> None:
    """In a process of its own: fit once, print the cost."""
    import arss

    if what.startswith("words"):
        X: Any = sparse.load_npz(path)
        small, selector = (
            X[:300],
            {
                "words exemplars": arss.Exemplars(50, metric="cosine", n_jobs=-1),
                "words facility": arss.FacilityLocation(50, metric="cosine", n_jobs=-1),
            }[what],
        )
    else:
        X = np.load(path)
        small, selector = X[:2000], arss.Exemplars(1000, metric="cosine", n_jobs=-1)
    type(selector)(20, metric="cosine").fit(small)
    before, peak, start = cpu(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    picks = selector.fit(X).sample_indices_
    told = {"cpu": cpu() - before, "seconds": time.monotonic() - start, "picks": picks.tolist()}
    told["megabytes"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
    print(json.dumps(told))


def run_fit(what: str, path: Path, work: Path) -> dict[str, Any]:
    """The same, from outside."""
    command = [sys.executable, __file__, "--work", str(work), what, "--fit", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return {"what": what, **json.loads(ended.stdout.splitlines()[-1])}


def half(work: Path, rows: int) -> list[dict[str, Any]]:
    """Single and half precision."""
    single, narrow = work / f"embeddings-{rows}.npy", work / f"half-{rows}.npy"
    if not single.exists():
        made(rows, single)
    if not narrow.exists():
        np.save(narrow, np.load(single, mmap_mode="r").astype(np.float16))
    found = [run_fit(what, path, work) for what, path in (("float32", single), ("float16", narrow))]
    shared = len(set(found[0].pop("picks")) & set(found[1].pop("picks")))
    return [{**line, "rows": rows, "shared_picks": shared} for line in found]


def wide(rows: int, path: Path) -> None:
    """Write rows of half precision: `made` ones with noise; after 2,500,000 the same again with other columns."""
    made(BLOCK, path.with_suffix(".block.npy"))
    base = np.load(path.with_suffix(".block.npy"))
    random = np.random.default_rng(1)
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=(rows, COLUMNS))
    fresh = min(rows, 2_500_000)
    for start in range(0, fresh, BLOCK):
        noise = random.standard_normal(base.shape, dtype=np.float32) * (0.6 / np.sqrt(COLUMNS))
        file[start : start + BLOCK] = (base + noise)[: fresh - start].astype(np.float16)
    for start in range(fresh, rows, BLOCK):
        again = file[start - fresh : start - fresh + BLOCK][: rows - start]
        file[start : start + len(again)] = np.roll(again, 101, axis=1)
    file.flush()


def high_water(pid: int) -> int:
    """The most kilobytes that a process has held; `ru_maxrss` of a child counts those of its parent before `exec`."""
    try:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def large(work: Path, rows: int, arss: str, memory: str) -> list[dict[str, Any]]:
    """A table of half precision by the command line, within a quarter of its size; the plan first."""
    table = work / f"large-{rows}.npy"
    if not table.exists():
        wide(rows, table)
    flags = [str(table), "-k", "1000", "--metric", "cosine", "--memory", memory, "--scratch", str(work)]
    plan = subprocess.run([arss, "plan", *flags], capture_output=True, text=True, check=True).stdout
    start = time.monotonic()
    command = [arss, "select", *flags, "-q", "--indices", str(work / "picks.txt"), "--force"]
    ended = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while ended.poll() is None:
        peak = max(peak, high_water(ended.pid))
        time.sleep(0.2)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = re.findall(r".*(?:time|memory|scratch).*", plan)
    line = {
        "what": f"large, --memory {memory}",
        "rows": rows,
        "code": ended.returncode,
        "seconds": time.monotonic() - start,
    }
    return [{**line, "cpu": used.ru_utime + used.ru_stime, "megabytes": peak / 1024, "plan": told}]


def main() -> None:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--arss", default="arss")
    parser.add_argument("--memory", default="2G", help="of the large run")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--trial", action="store_true", help="write nothing beside this script")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if args.fit:
        return fit(args.what, args.fit)
    if args.what == "half":
        lines = half(args.work, args.rows)
    elif args.what == "large":
        lines = large(args.work, args.rows, args.arss, args.memory)
    else:
        table = args.work / "words.npz"
        if not table.exists():
            words(table)
        lines = [run_fit(f"words {method}", table, args.work) for method in ("exemplars", "facility")]
        for line in lines:
            line["chosen"] = len(line.pop("picks"))
    for line in lines:
        print(line, flush=True)
    if not args.trial:
        with (Path(__file__).parent / "more.jsonl").open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        report.write()
    return None


if __name__ == "__main__":
    main()
