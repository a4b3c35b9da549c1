"""How much of all columns is left when they are projected on the columns that a method chooses.

Needs the arss package, NumPy and scikit-learn. Prints the table of README.md: python3 benchmarks/features/run.py
"""

import csv
import pathlib
import warnings

import arss
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.preprocessing import StandardScaler

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOREST = next(ROOT.glob("crates/*/data/forest.csv"))
METHODS = ["ted", "exemplars", "rrqr", "rrss", "arss", "random"]


def forest():
    """The bundled table, measurements only."""
    with FOREST.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in ("id", "cover_type", "damage")]
    return np.array([[float(row[name]) for name in names] for row in rows])


def tables():
    """Standardised tables, as they are and with a third of the columns copied with a little noise."""
    loaders = {"wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits, "diabetes": load_diabetes}
    for name, X in [(name, load().data) for name, load in loaders.items()] + [("forest", forest())]:
        X = StandardScaler().fit_transform(X)
        X = X[:, X.std(axis=0) > 0]
        columns = X.shape[1]
        copies = X[:, : columns // 3] + 1e-3 * np.random.default_rng(0).normal(size=(len(X), columns // 3))
        for k in (max(2, columns // 6), columns // 3):
            yield name, X, k
            yield f"{name} with copies", np.hstack([X, copies]), k


def left(X, columns):
    """What is left of the table when its columns are projected on the chosen ones."""
    Q, _ = np.linalg.qr(X[:, columns])
    return np.linalg.norm(X - Q @ (Q.T @ X)) / np.linalg.norm(X)


def choose(method, X, k):
    """The chosen columns; several draws of a random choice."""
    if method == "exemplars":
        return [arss.Exemplars(k).fit(X.T.copy()).sample_indices_]
    if method == "random":
        return [np.random.default_rng(seed).choice(X.shape[1], k, replace=False) for seed in range(20)]
    return [arss.FeatureSelector(method, n_features_to_select=k).fit(X).feature_indices_]


def main():
    """Prints what each method leaves of each table, and the means, as Markdown."""
    warnings.simplefilter("ignore")
    means = []
    print("| table | K |", " | ".join(METHODS), "|")
    print("|---" * (len(METHODS) + 2) + "|")
    for name, X, k in tables():
        errors = [np.mean([left(X, columns) for columns in choose(method, X, k)]) for method in METHODS]
        print("|", name, "|", k, "|", " | ".join(f"{error:.3f}" for error in errors), "|")
        means.append(errors)
    print("| **mean** | |", " | ".join(f"{mean:.3f}" for mean in np.mean(means, axis=0)), "|")


if __name__ == "__main__":
    main()
