"""Could TED choose several rows in one pass? Whether the gain of a row only falls, and what a bound would verify.

`python ted_picks.py` writes ted_picks.jsonl beside it: of each table the share of rows whose gain rises from a pick to
the next, the largest factor, how often the next pick is among the 8 or 64 rows that led before, and how often the bound
`lambda_max(K) d / (d + alpha)` of all other rows lies below its gain.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

PICKS, ALPHA = 40, 0.1
Floats = NDArray[np.float64]


def tables() -> dict[str, Floats]:
    """Two that are made up and three real ones."""
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(7, 16))[generator.integers(7, size=20_000)] * 3
    real = {"breast cancer": load_breast_cancer().data, "diabetes": load_diabetes().data}
    return {
        "normal, 20,000 x 64": generator.normal(size=(20_000, 64)),
        "seven clusters, 20,000 x 16": centres + generator.normal(size=(20_000, 16)),
        "digits": load_digits().data,
    } | {name: (X - X.mean(axis=0)) / X.std(axis=0) for name, X in real.items()}


def watched(X: Floats) -> dict[str, Any]:
    """The greedy choice, and what holds of its gains."""
    G, C, free = X.T @ X, np.eye(X.shape[1]), np.ones(len(X), dtype=bool)

    def gains() -> tuple[Floats, Floats]:
        forms = X @ C
        d = np.maximum((forms * X).sum(axis=1), 0.0)
        found: Floats = np.where(free, ((forms @ G) * forms).sum(axis=1) / (d + ALPHA), -1.0)
        return found, d

    before, _ = gains()
    rises = rows = verified = 0
    worst, found = 1.0, {8: 0, 64: 0}
    for _ in range(PICKS):
        leaders = np.argsort(-before, kind="stable")[: max(found)]
        pick = leaders[0]
        free[pick] = False
        v = C @ X[pick]
        C = C - np.outer(v, v) / (X[pick] @ v + ALPHA)
        after, d = gains()
        # What is left of a row that is nearly spent is rounding.
        factors = after[free & (before > 1e-9 * before[pick])] / before[free & (before > 1e-9 * before[pick])]
        rises, rows, worst = rises + int((factors > 1 + 1e-9).sum()), rows + len(factors), max(worst, factors.max())
        following = after.argmax()
        for count in found:
            found[count] += int(following in leaders[1:count])
        others = np.setdiff1d(np.flatnonzero(free), leaders)
        bound = np.linalg.eigvals(C @ G).real.max() * d[others] / (d[others] + ALPHA)
        verified += int(bound.max() < after[following])
        before = after
    return {
        "picks": PICKS,
        "gain_rises": rises / rows,
        "largest_factor": float(worst),
        "next_among_8": found[8] / PICKS,
        "next_among_64": found[64] / PICKS,
        "verified": verified / PICKS,
    }


def main() -> None:
    """Measure and write."""
    lines = [{"table": name, **watched(X), "command": "python ted_picks.py"} for name, X in tables().items()]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path(__file__).with_name("ted_picks.jsonl").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
