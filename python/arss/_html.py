"""The summary that notebooks show."""

from html import escape
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr


def summary(estimator: Any) -> str:
    """The estimator and, once fitted, what it found, as a small table."""
    title = f"<b>{escape(repr(estimator))}</b>"
    diagram = f"<details><summary>scikit-learn's diagram</summary>{estimator_html_repr(estimator)}</details>"
    if not hasattr(estimator, "status_"):
        return f"<div>{title}<br>not fitted yet{diagram}</div>"
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in _facts(estimator)
    )
    more = (
        ""
        if hasattr(estimator, "feature_indices_")
        else "<p>The page that explains the choice: <code>.report(X)</code></p>"
    )
    return f"<div>{title}<table>{rows}</table>{more}{diagram}</div>"


def _facts(estimator: Any) -> list[tuple[str, str]]:
    features = hasattr(estimator, "feature_indices_")
    picks = estimator.feature_indices_ if features else estimator.sample_indices_
    left = estimator.residuals_ if features else estimator.outlier_scores_
    total = estimator.n_features_in_ if features else estimator.n_rows_
    what = "columns" if features else "rows"
    if isinstance(left, np.ndarray):
        strange = _first(np.argsort(-np.nan_to_num(left, nan=-np.inf), kind="stable")[:5])
    else:
        # A summary is no reason to set a cluster to work.
        strange = "on the cluster: outlier_scores_.compute()"
    gap = "" if estimator.gap_ is None else f", gap {estimator.gap_:.2e}"
    facts = [
        ("chosen", f"{len(picks)} of {total} {what}: {_first(picks)}"),
        (f"strangest {what}", strange),
        ("status", f"{estimator.status_.replace('_', ' ')}, {estimator.n_iter_} iterations{gap}"),
        ("objective", f"{estimator.objective_:.6g}"),
        ("seconds", f"{sum(estimator.seconds_.values()):.3f}"),
    ]
    return facts + [("note", note) for note in estimator.notes_]


def _first(indices: Any, most: int = 10) -> str:
    return ", ".join(map(str, indices[:most])) + (", ..." if len(indices) > most else "")
