"""Embeddings: how well the picks of each package cover them, at what cost.

Each method runs in a process of its own, which measures the processor time of its fit alone. The mean cosine of all
rows to their nearest pick is computed afterwards by NumPy, for all methods alike.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import report

COLUMNS = 384
#: Ours on numbers of 16 bits.
HALF = "exemplars float16"
#: Rows that are compared with the picks at a time.
BLOCK = 20_000


def made(rows: int, path: Path) -> None:
    """Write embeddings of length one: topics of very different size, each with subtopics, and noise."""
    random = np.random.default_rng(0)
    topics = random.standard_normal((3000, COLUMNS), dtype=np.float32)
    parents = random.standard_normal((60, COLUMNS), dtype=np.float32)
    topics += 1.2 * parents[random.integers(0, 60, 3000)]
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    shares = 1.0 / np.arange(1, 3001) ** 0.8
    shares /= shares.sum()
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, COLUMNS))
    for start in range(0, rows, BLOCK):
        count = min(BLOCK, rows - start)
        noise = random.standard_normal((count, COLUMNS), dtype=np.float32) / np.sqrt(COLUMNS)
        block = topics[random.choice(3000, count, p=shares)] + 1.1 * noise
        table[start : start + count] = block / np.linalg.norm(block, axis=1, keepdims=True)
    table.flush()


def nearest_rows(rows: NDArray[Any], centres: NDArray[Any]) -> NDArray[np.int64]:
    """The row nearest to each centre by cosine."""
    centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
    best, found = np.full(len(centres), -np.inf), np.zeros(len(centres), dtype=np.int64)
    for start in range(0, len(rows), BLOCK):
        cosines = rows[start : start + BLOCK].astype(np.float32) @ centres.T.astype(np.float32)
        places = cosines.argmax(axis=0)
        values = cosines[places, range(len(centres))]
        better = values > best
        best[better], found[better] = values[better], places[better] + start
    return np.unique(found)


def by_exemplars(rows: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Ours, with its defaults."""
    import arss

    return arss.Exemplars(k, metric="cosine", n_jobs=-1).fit(rows).sample_indices_  # type: ignore[no-any-return]


def by_minibatch(rows: NDArray[Any], k: int) -> NDArray[np.int64]:
    """MiniBatchKMeans with its defaults, then the rows nearest to the centres."""
    from sklearn.cluster import MiniBatchKMeans

    return nearest_rows(rows, MiniBatchKMeans(k, random_state=0).fit(rows).cluster_centers_)


def by_faiss(rows: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Faiss k-means with its defaults (spherical), then the rows nearest to the centres."""
    import faiss

    kmeans = faiss.Kmeans(COLUMNS, k, seed=0, spherical=True)
    kmeans.train(np.ascontiguousarray(rows))
    return nearest_rows(rows, kmeans.centroids)


def by_chance(rows: NDArray[Any], k: int) -> NDArray[np.int64]:
    """A random choice."""
    return np.random.default_rng(0).choice(len(rows), k, replace=False)


METHODS: dict[str, Callable[[NDArray[Any], int], NDArray[np.int64]]] = {
    "exemplars": by_exemplars,
    HALF: by_exemplars,
    "minibatch k-means + nearest": by_minibatch,
    "faiss k-means + nearest": by_faiss,
    "random": by_chance,
}


def cpu() -> float:
    """Processor seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def half(table: Path) -> Path:
    """The same rows with numbers of 16 bits, in a file of their own."""
    narrow = table.with_name(table.name.replace("embeddings", "half"))
    if not narrow.exists():
        np.save(narrow, np.load(table, mmap_mode="r").astype(np.float16))
    return narrow


def fit(name: str, table: Path, k: int) -> None:
    """In a process of its own: choose, and print picks and costs."""
    rows = np.load(half(table) if name == HALF else table)
    # Imports, and threads that start once, do not count.
    METHODS[name](rows[:2000], 20)
    before, peak, start = cpu(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    picks = METHODS[name](rows, k)
    told = {"cpu": cpu() - before, "seconds": time.monotonic() - start, "picks": picks.tolist()}
    told["megabytes"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
    print(json.dumps(told))


def coverage(table: Path, picks: list[int]) -> float:
    """The mean cosine of all rows to their nearest pick."""
    rows = np.load(table, mmap_mode="r")
    chosen = rows[sorted(picks)]
    total = sum(
        float((rows[start : start + BLOCK] @ chosen.T).max(axis=1).sum()) for start in range(0, len(rows), BLOCK)
    )
    return total / len(rows)


def main() -> None:
    """Make the table, run all methods, write what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=1000)
    parser.add_argument("--only", nargs="*", default=list(METHODS))
    parser.add_argument("--fit", help=argparse.SUPPRESS)
    parser.add_argument("--trial", action="store_true", help="write nothing beside this script")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    table = args.work / f"embeddings-{args.rows}.npy"
    if args.fit:
        return fit(args.fit, table, args.k)
    if not table.exists():
        made(args.rows, table)
    lines: list[dict[str, Any]] = []
    here = Path(__file__).parent
    known = here / "results.jsonl"
    if known.exists() and len(args.only) < len(METHODS):
        lines = [line for line in map(json.loads, known.read_text().splitlines()) if line["method"] not in args.only]
    if HALF in args.only:
        half(table)
    for name in args.only:
        words = [sys.executable, __file__, "--work", str(args.work), "--rows", str(args.rows), "--k", str(args.k)]
        ended = subprocess.run([*words, "--fit", name], capture_output=True, text=True)
        if ended.returncode:
            print(f"{name}: {ended.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        told = json.loads(ended.stdout.splitlines()[-1])
        picks = told.pop("picks")
        line = {"method": name, "rows": args.rows, "k": args.k, "chosen": len(picks), **told}
        line["cosine"] = coverage(table, picks)
        lines.append(line)
        print(line, flush=True)
    if not args.trial:
        lines.sort(key=lambda line: list(METHODS).index(line["method"]))
        known.write_text("".join(json.dumps(line) + "\n" for line in lines))
        report.write()
    return None


if __name__ == "__main__":
    main()
