"""Picks of every method on two-dimensional toy data with outliers: docs/images/toy.svg.

python examples/toy.py [FILE]    (needs the package and matplotlib)
"""

import sys
import warnings

import matplotlib

matplotlib.use("svg")
import arss
import matplotlib.pyplot as plt
import numpy as np

K = 8
SEED = 0
#: Colours that people with any colour vision can tell apart (Okabe and Ito).
GREY, BLUE, ORANGE = "#999999", "#0072B2", "#D55E00"
METHODS = {
    "exemplars": arss.Exemplars(K),
    "arss": arss.ARSS(K),
    "arss, kernel, diverse": arss.ARSS(K, kernel="rbf", diverse=True),
    "rrss": arss.RRSS(K),
    "ted": arss.TED(K),
    "k-means": arss.KMeansSelector(K, random_state=SEED),
    "k-medoids": arss.KMedoidsSelector(K, random_state=SEED),
    "facility location": arss.FacilityLocation(K, random_state=SEED),
    "pivoted QR": arss.RRQR(K),
    "random": arss.RandomSelector(K, random_state=SEED),
}


def toy() -> tuple[np.ndarray, int]:
    """Four groups of different sizes and shapes, then outliers all around; how many rows are clean."""
    rng = np.random.default_rng(SEED)
    turn = rng.uniform(0, np.pi, 120)
    groups = [
        rng.normal((-4.0, -1.5), (0.5, 0.9), (120, 2)),
        rng.normal((3.5, -2.5), (0.9, 0.3), (90, 2)),
        np.column_stack([2.8 * np.cos(turn), 1.5 + 2.2 * np.sin(turn)]) + rng.normal(0, 0.2, (120, 2)),
        rng.normal((5.0, 2.5), 0.4, (50, 2)),
    ]
    clean = np.concatenate(groups)
    wild = rng.uniform(-12, 12, (400, 2))
    near = np.sqrt(((wild[:, None] - clean[None]) ** 2).sum(axis=2)).min(axis=1)
    return np.concatenate([clean, wild[near > 2.5][:40]]), len(clean)


def main() -> None:
    """Choose by every method and draw the picks."""
    X, clean = toy()
    figure, axes = plt.subplots(2, 5, figsize=(12.5, 5.6), sharex=True, sharey=True, layout="constrained")
    for axis, (name, selector) in zip(axes.flat, METHODS.items(), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # more picks than columns: that is part of the picture
            picks = selector.fit(X).sample_indices_
        good, bad = picks[picks < clean], picks[picks >= clean]
        axis.scatter(*X.T, s=5, color=GREY, linewidths=0, rasterized=True)
        axis.scatter(*X[good].T, s=75, color=BLUE, marker="o", edgecolors="white", linewidths=0.8)
        axis.scatter(*X[bad].T, s=85, color=ORANGE, marker="X", edgecolors="white", linewidths=0.8)
        axis.set_title(f"{name}: {len(bad)} of {K}", fontsize=15)
        axis.set(xticks=[], yticks=[])
    axes.flat[0].scatter([], [], s=75, color=BLUE, marker="o", label="pick")
    axes.flat[0].scatter([], [], s=85, color=ORANGE, marker="X", label="pick that is an outlier")
    figure.legend(loc="outside lower center", ncols=2, fontsize=15, frameon=False)
    matplotlib.rcParams["svg.hashsalt"] = "toy"
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "docs/images/toy.svg", dpi=200, metadata={"Date": None})


if __name__ == "__main__":
    main()
