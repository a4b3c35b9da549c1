"""Makes forest.csv: 1,000 real forest plots and 60 damaged ones.

    python make_forest.py covertype.parquet forest.csv

The parquet file holds the Covertype data: columns f0..f9 (the ten quantitative variables, in the
order of NAMES) and `label` (the cover type, 1 to 7). Needs pandas and numpy. The result depends
on the seed only.
"""

import sys

import numpy as np
import pandas as pd

NAMES = [
    "elevation_m",
    "aspect_deg",
    "slope_deg",
    "water_distance_m",
    "water_height_m",
    "road_distance_m",
    "hillshade_9am",
    "hillshade_noon",
    "hillshade_3pm",
    "fire_distance_m",
]
COVER = ["spruce/fir", "lodgepole pine", "ponderosa pine", "cottonwood/willow", "aspen", "douglas-fir", "krummholz"]
CLEAN, DAMAGED, FEWEST, SEED = 1000, 60, 40, 2015
METRES = [name for name in NAMES if name.endswith("_m")]
SHADES = [name for name in NAMES if name.startswith("hillshade")]


def sample(table, rng):
    """Rows in the data's own proportions, but at least FEWEST of each cover type."""
    total = CLEAN + DAMAGED
    share = table["label"].value_counts(normalize=True).sort_index()
    counts = np.maximum(FEWEST, np.floor(share * total)).astype(int)
    counts[counts.idxmax()] += total - counts.sum()
    parts = [np.flatnonzero(table["label"] == label) for label in counts.index]
    chosen = [rng.choice(part, size, replace=False) for part, size in zip(parts, counts, strict=True)]
    return table.iloc[rng.permutation(np.concatenate(chosen))]


def missing_code(row, rng):
    """A code for "missing" taken for a number."""
    for name in rng.choice(NAMES, rng.integers(2, 5), replace=False):
        row[name] = -9999


def feet(row, rng):
    """Feet written where metres belong."""
    for name in METRES:
        row[name] = round(row[name] / 0.3048)


def swapped(row, rng):
    """Two columns changed places."""
    pairs = [("elevation_m", "aspect_deg"), ("slope_deg", "hillshade_noon"), ("road_distance_m", "water_height_m")]
    first, second = pairs[rng.integers(len(pairs))]
    row[first], row[second] = row[second], row[first]


def stuck(row, rng):
    """A sensor that says the same everywhere."""
    value = int(rng.choice([0, 255]))
    for name in SHADES:
        row[name] = value


def digit_lost(row, rng):
    """The last digit is gone."""
    for name in ["elevation_m", *rng.choice(METRES[1:], 1)]:
        row[name] = int(row[name] / 10)


KINDS = {
    "missing code -9999": missing_code,
    "feet for metres": feet,
    "columns swapped": swapped,
    "sensor stuck": stuck,
    "digit lost": digit_lost,
}


def main(source, target):
    """Sample, damage and write."""
    rng = np.random.default_rng(SEED)
    table = sample(pd.read_parquet(source), rng).reset_index(drop=True)
    rows = table[[f"f{i}" for i in range(10)]].astype(int).set_axis(NAMES, axis=1)
    rows["cover_type"] = [COVER[label - 1] for label in table["label"]]
    rows["damage"] = ""
    damaged = np.sort(rng.choice(len(rows), DAMAGED, replace=False))
    for order, index in enumerate(rng.permutation(damaged)):
        kind = list(KINDS)[order % len(KINDS)]
        row = rows.loc[index].to_dict()
        KINDS[kind](row, rng)
        row["damage"] = kind
        rows.loc[index] = row
    rows.insert(0, "id", [f"plot-{i:04d}" for i in range(1, len(rows) + 1)])
    rows.to_csv(target, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
