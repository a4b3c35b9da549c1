"""How good are the forecasts of crates/arss/src/forecast.rs? The rule in NumPy, on runs of k-means over made tables.

    python3 benchmarks/progress/forecast.py

Needs NumPy and scikit-learn. What is over in two iterations is not judged.
"""

import math

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import RobustScaler

ROWS, TOLERANCE, LIMIT = 8000, 1e-4, 100
LEAST, AGREED, SOON, NEAR, LATELY = 8, 2.0, 0.2, 5.0, 3


def tables() -> list[NDArray[np.float64]]:
    """Groups, noise, heavy tails, a path and two real tables."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(60, 10)) * 4
    return [
        rng.standard_normal((ROWS, 16)) + 4 * rng.integers(0, 5, (ROWS, 1)),
        rng.standard_normal((ROWS, 8)),
        rng.random((ROWS, 4)),
        centres[rng.integers(0, 60, ROWS)] + rng.standard_normal((ROWS, 10)),
        rng.standard_t(3, size=(ROWS, 6)),
        np.cumsum(rng.normal(size=(ROWS, 2)), axis=0),
        load_digits().data,
        load_breast_cancer().data,
    ]


def residuals(rows: NDArray[np.float64], k: int, seed: int) -> list[float]:
    """The share by which each iteration of Lloyd's lowers the objective."""
    centres, _ = kmeans_plusplus(rows, k, random_state=seed)
    before, found = math.inf, []
    lengths = (rows**2).sum(1)
    for _ in range(LIMIT):
        squared = lengths[:, None] - 2 * rows @ centres.T + (centres**2).sum(1)
        nearest = squared.argmin(1)
        objective = float(np.maximum(squared[np.arange(len(rows)), nearest], 0).sum())
        found.append((before - objective) / before if before < math.inf else 1.0)
        if found[-1] <= TOLERANCE:
            break
        for cluster in range(k):
            if (own := nearest == cluster).any():
                centres[cluster] = rows[own].mean(0)
        before = objective
    return found


def crossing(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Where a line through the points falls to the tolerance."""
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return float(x.mean() + (math.log(TOLERANCE) - y.mean()) / slope) if slope < 0 else None


def more(history: list[float]) -> float | None:
    """How many more iterations the rule tells."""
    done = len(history)
    if done < LEAST or min(history[-LATELY:]) < NEAR * TOLERANCE:
        return None
    places, values = np.arange(done // 2 + 1.0, done + 1), np.log(history[done // 2 :])
    steady, slower = crossing(places, values), crossing(np.log(places), values)
    if steady is None or slower is None or steady <= done:
        return None
    ways = sorted((steady - done, math.exp(slower) - done))
    falls = math.sqrt(ways[0] * ways[1])
    return math.sqrt(falls * done) if ways[1] <= AGREED * ways[0] and falls >= SOON * done else None


def main() -> None:
    """Print how many forecasts are good."""
    ratios, runs, telling = [], 0, 0
    for table in tables():
        rows = RobustScaler().fit_transform(table)
        for k in (10, 30, 80):
            for seed in (0, 1):
                history = residuals(rows, k, seed)
                told = [(more(history[:done]), len(history) - done) for done in range(1, len(history) - 1)]
                own = [found / left for found, left in told if found is not None]
                ratios += own
                runs, telling = runs + 1, telling + bool(own)
    good = np.mean([1 / 3 < ratio < 3 for ratio in ratios])
    print(
        f"{runs} runs, {telling} of which tell something; {len(ratios)} forecasts, {good:.1%} within a factor of three"
    )


if __name__ == "__main__":
    main()
