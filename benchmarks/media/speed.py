"""Files a second: `arss select` on a folder of pictures against Pillow with two processes.

    python speed.py --arss PATH --folder DIR [--small 50000] [--photos 200] [--scenes 20]

Makes the pictures in DIR unless they are there: small PNGs of 64 x 64 pixels, and JPEG photographs of 12 megapixels. A
photograph is one of `scenes` made ones with another end behind its last byte, so that no two files are the same.

Pillow reads each picture at reduced size where it can (`draft`), turns it the right way up and shrinks it to 32 x 32
pixels. That is less than arss does, which also computes 288 numbers and a hash, looks for copies and chooses 8.
"""

import argparse
import json
import os
import resource
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

RESULTS = Path(__file__).with_name("speed.jsonl")


def scene(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
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
    return Image.fromarray((picture + rng.normal(scale=2, size=picture.shape)).clip(0, 255).astype(np.uint8))


def make(folder: Path, small: int, photos: int, scenes: int) -> None:
    """Makes the pictures, unless they are there."""
    rng = np.random.default_rng(22)
    for name, count in (("small", small), ("photos", photos)):
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
                made = folder / "scene.jpg"
                scene(rng, (4000, 3000)).save(made, quality=88)
                for at in range(number, count, scenes):
                    (folder / name / f"{at:06}.jpg").write_bytes(made.read_bytes() + at.to_bytes(4, "big"))
                made.unlink()


def shrink(path: str) -> int:
    """What Pillow does with a picture."""
    with Image.open(path) as picture:
        picture.draft("RGB", (256, 256))
        small = ImageOps.exif_transpose(picture).convert("RGB").resize((32, 32), Image.Resampling.BOX)
    return int(np.asarray(small).sum())


def pillow(files: list[str]) -> float:
    """Seconds of two processes."""
    started = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(shrink, files, chunksize=max(len(files) // 200, 1)))
    return time.perf_counter() - started


def ours(program: str, folder: Path, cache: Path) -> tuple[float, float]:
    """Seconds, and the peak of memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    started = time.perf_counter()
    words = [program, "select", str(folder), "-k", "8", "-q", "--json", "--threads", "2"]
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return seconds, max(before, after) / 1024


def main() -> None:
    """Measures and keeps the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arss", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--small", type=int, default=50_000)
    parser.add_argument("--photos", type=int, default=200)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--make", action="store_true", help="make the pictures and stop")
    args = parser.parse_args()
    # A cache folder that is not absolute would be passed over for the user's own.
    args.folder = args.folder.resolve()
    make(args.folder, args.small, args.photos, args.scenes)
    if args.make:
        return
    lines = []
    for name in ("small", "photos"):
        files = sorted(str(path) for path in (args.folder / name).iterdir())
        cache = args.folder / f"cache-{name}-{time.time_ns()}"
        first, memory = ours(args.arss, args.folder / name, cache)
        again, _ = ours(args.arss, args.folder / name, cache)
        theirs = pillow(files)
        lines.append(
            {
                "pictures": name,
                "files": len(files),
                "MB of files": round(sum(Path(file).stat().st_size for file in files) / 1e6),
                "arss s": round(first, 2),
                "arss again s": round(again, 2),
                "Pillow s": round(theirs, 2),
                "arss files/s": round(len(files) / first),
                "Pillow files/s": round(len(files) / theirs),
                "ratio": round(theirs / first, 2),
                "peak MB so far": round(memory),
            }
        )
        print(lines[-1], flush=True)
    RESULTS.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
