"""Files a second: `arss select` on folders of pictures against Pillow with two processes.

    python speed.py --arss PATH --folder DIR [--small 50000] [--photos 2000] [--grainy 200] [--scenes 20] [--rounds 3]

Makes the pictures in DIR unless they are there: small PNGs of 64 x 64 pixels, and JPEG photographs of 12 megapixels,
with little grain and with much. A photograph is one of `scenes` made ones with another end behind its last byte, so
that no two files are the same.

What each side does with a picture; the operating system has all of them in memory:

- *arss*: all of `arss select DIR -k 8` with an empty cache: lists the folder, reads and hashes the bytes, decodes at
  reduced size, turns the right way up, computes 288 numbers and a perceptual hash, finds copies, writes the cache,
  chooses 8. *Again* is the same command once more.
- *Pillow, same work*: reads and hashes the bytes, decodes at reduced size (`draft`), turns, shrinks to 32 x 32 pixels,
  computes 224 numbers (thumbnail and edges as arss has them, in NumPy) and a perceptual hash, hands them to one
  process. It finds no copies, keeps nothing and chooses nothing.
- *Pillow, shrink only*: opens, decodes at reduced size, turns, shrinks to 32 x 32 pixels. Nothing else.

The sides take turns, `rounds` times; a line has the medians. `CPU s` is user and system time of all its processes.
"""

import argparse
import hashlib
import io
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from PIL import Image, ImageOps

RESULTS = Path(__file__).with_name("speed.jsonl")
# Runs a program and says its peak of memory in kB and its seconds of the processor.
SMALL = """
import os, sys
_, status, used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""
# Standard deviation of the noise in the photographs, of 255.
GRAIN = {"photos": 2, "grainy": 12}
# For each of 32 x 32 pixels, the place of the first of the 8 numbers of its cell.
CELL_OF_PIXEL = 8 * (np.arange(32)[:, None] // 8 * 4 + np.arange(32) // 8)


def scene(rng: np.random.Generator, size: tuple[int, int], grain: float = 2) -> Image.Image:
    """Hills, a sky and grain: noise at all scales, like a photograph."""
    width, height = size
    picture = np.zeros((height, width, 3), dtype=np.float32)
    scale = 4
    while scale < min(size):
        coarse = rng.normal(size=(scale * height // width + 1, scale, 3)).astype(np.float32)
        layer = [
            np.asarray(Image.fromarray(coarse[..., colour]).resize(size, Image.Resampling.BICUBIC))
            for colour in range(3)
        ]
        picture += np.stack(layer, 2) / scale**0.8
        scale *= 2
    picture = (picture - picture.min()) / np.ptp(picture) * 255
    return Image.fromarray((picture + rng.normal(scale=grain, size=picture.shape)).clip(0, 255).astype(np.uint8))


def make(folder: Path, counts: dict[str, int], scenes: int) -> None:
    """Makes the pictures, unless they are there."""
    for seed, (name, count) in enumerate(counts.items()):
        rng = np.random.default_rng(22 + seed)
        (folder / name).mkdir(parents=True, exist_ok=True)
        if len(list((folder / name).iterdir())) == count:
            continue
        if name == "small":
            bases = [np.asarray(scene(rng, (64, 64))) for _ in range(200)]
            for at in range(count):
                turned = np.roll(bases[at % 200], (int(rng.integers(64)), int(rng.integers(64))), (0, 1))
                Image.fromarray(turned).save(folder / name / f"{at:06}.png", compress_level=1)
        else:
            for number in range(scenes):
                made = io.BytesIO()
                scene(rng, (4000, 3000), GRAIN[name]).save(made, "JPEG", quality=88)
                for at in range(number, count, scenes):
                    (folder / name / f"{at:06}.jpg").write_bytes(made.getvalue() + at.to_bytes(4, "big"))


def reduced(source: str | io.BytesIO) -> Image.Image:
    """The picture in 32 x 32 pixels, and what Pillow has to do for that."""
    with Image.open(source) as picture:
        picture.draft("RGB", (256, 256))
        return ImageOps.exif_transpose(picture).convert("RGB").resize((32, 32), Image.Resampling.BOX)


def shrink(path: str) -> int:
    """The least that Pillow can do with a picture."""
    return int(np.asarray(reduced(path)).sum())


def same_work(path: str) -> tuple[bytes, np.ndarray, int]:
    """What arss does with a picture: a hash of its bytes, numbers to compare it by, and a perceptual hash."""
    content = Path(path).read_bytes()
    small = reduced(io.BytesIO(content))
    colours = np.asarray(small, dtype=np.float32) / 255
    grey = colours @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    light = grey.reshape(8, 4, 8, 4).mean((1, 3)) / 8
    differences = (colours[..., (2, 0)] - grey[..., None]).reshape(4, 8, 4, 8, 2).mean((1, 3)) / 4
    across, down = np.zeros_like(grey), np.zeros_like(grey)
    across[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    down[1:-1] = grey[2:] - grey[:-2]
    angle = np.arctan2(down, across) % np.pi / np.pi * 8
    strength, share = np.hypot(across, down), angle % 1
    first = CELL_OF_PIXEL + angle.astype(np.intp) % 8
    second = CELL_OF_PIXEL + (angle.astype(np.intp) + 1) % 8
    edges = np.bincount(first.ravel(), (strength * (1 - share)).ravel(), 128)
    edges += np.bincount(second.ravel(), (strength * share).ravel(), 128)
    numbers = np.concatenate([light.ravel(), differences.ravel(), np.sqrt(edges / 64) / 4]).astype(np.float32)
    steps = np.asarray(small.convert("L").resize((9, 8), Image.Resampling.BOX))
    word = int.from_bytes(np.packbits(steps[:, :-1] < steps[:, 1:]).tobytes(), "big")
    return hashlib.sha1(content, usedforsecurity=False).digest(), numbers, word


def pillow(work: Callable[[str], Any], files: list[str]) -> dict[str, float]:
    """Seconds of two processes."""
    before, started = processor(), time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(work, files, chunksize=max(len(files) // 200, 1)))
    seconds = time.perf_counter() - started
    return {"s": seconds, "CPU s": processor() - before}


def processor() -> float:
    """Seconds of the processor that this process and its finished children took."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(own.ru_utime + own.ru_stime for own in used)


def ours(program: str, folder: Path, cache: Path) -> dict[str, float]:
    """Seconds, those of the choice alone, and the peak of memory in MB."""
    words = [program, "select", str(folder), "-k", "8", "-q", "--json", "--threads", "2"]
    # A process begins with the peak of the one that started it: a small one in between.
    words = [sys.executable, "-I", "-S", "-c", SMALL, *words]
    started = time.perf_counter()
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    run = subprocess.run(words, check=True, capture_output=True, text=True, env=env)
    seconds = time.perf_counter() - started
    peak, used = map(float, run.stderr.split())
    return {"s": seconds, "CPU s": used, "choice s": json.loads(run.stdout)["solve_seconds"], "MB": peak / 1024}


def measure(program: str, folder: Path, rounds: int) -> dict[str, Any]:
    """A line: the medians of the rounds, and all of them."""
    files = sorted(str(path) for path in folder.iterdir())
    size = sum(len(Path(file).read_bytes()) for file in files)
    found: dict[str, list[dict[str, float]]] = {"arss": [], "again": [], "same work": [], "shrink only": []}
    for _ in range(rounds):
        cache = folder.parent / f"cache-{time.time_ns()}"
        found["arss"].append(ours(program, folder, cache))
        found["again"].append(ours(program, folder, cache))
        found["same work"].append(pillow(same_work, files))
        found["shrink only"].append(pillow(shrink, files))
    middle = {side: {key: median(run[key] for run in runs) for key in runs[0]} for side, runs in found.items()}
    line: dict[str, Any] = {"pictures": folder.name, "files": len(files), "MB of files": round(size / 1e6)}
    for side, values in middle.items():
        line.update({f"{side} {key}": round(value, 2 if key != "MB" else None) for key, value in values.items()})
        line[f"{side} files/s"] = round(len(files) / values["s"])
    for side in ("same work", "shrink only"):
        for key in ("s", "CPU s"):
            line[f"{side} / arss, {key}"] = round(middle[side][key] / middle["arss"][key], 2)
    line["rounds"] = {side: [{key: round(run[key], 2) for key in run} for run in runs] for side, runs in found.items()}
    return line


def main() -> None:
    """Measures and keeps the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arss", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--small", type=int, default=50_000)
    parser.add_argument("--photos", type=int, default=2_000)
    parser.add_argument("--grainy", type=int, default=200)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--make", action="store_true", help="make the pictures and stop")
    args = parser.parse_args()
    # A cache folder that is not absolute would be passed over for the user's own.
    args.folder = args.folder.resolve()
    counts = {"small": args.small, "photos": args.photos, "grainy": args.grainy}
    make(args.folder, counts, args.scenes)
    if args.make:
        return
    lines = []
    for name in counts:
        lines.append(measure(args.arss, args.folder / name, args.rounds))
        print({key: value for key, value in lines[-1].items() if key != "rounds"}, flush=True)
    RESULTS.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
