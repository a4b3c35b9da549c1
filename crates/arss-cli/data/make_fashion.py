"""Makes fashion.png and fashion.txt: 150 pictures of Fashion-MNIST in one, 15 of them spoilt.

    python make_fashion.py DIR

DIR holds PNGs of 28 x 28 pixels whose names begin with the number and name of the class: 0_tshirt_00018.png.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

ACROSS, SIDE, SPOILT = 15, 28, 15
rng = np.random.default_rng(22)
files = sorted(Path(sys.argv[1]).glob("*.png"))
classes = sorted({file.name[0] for file in files})
chosen = [file for own in classes for file in [one for one in files if one.name[0] == own][:15]]
spoilt = set(rng.choice(len(chosen), SPOILT, replace=False).tolist())

names, tiles = [], []
for at, file in enumerate(chosen):
    tile = np.asarray(Image.open(file).convert("L"))
    _, name, number = file.stem.split("_")
    if at in spoilt:
        how = ("noise", "shuffled", "dark")[len([one for one in spoilt if one < at]) % 3]
        if how == "noise":
            tile = rng.integers(0, 256, tile.shape).astype(np.uint8)
        elif how == "shuffled":
            tile = rng.permutation(tile.ravel()).reshape(tile.shape)
        else:
            tile = (tile * 0.08).astype(np.uint8)
        name = f"{name}_{how}"
    names.append(f"{name}_{number}")
    tiles.append(tile)

rows = [np.hstack(tiles[start : start + ACROSS]) for start in range(0, len(tiles), ACROSS)]
Image.fromarray(np.vstack(rows)).save("fashion.png", optimize=True)
Path("fashion.txt").write_text("\n".join(names) + "\n")
