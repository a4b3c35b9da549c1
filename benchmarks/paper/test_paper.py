"""Part of `make reproduce-smoke`: the literal forms agree with the package, and runs and reports repeat themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import arss
import numpy as np
import pandas as pd
import pytest

import convergence
import forms
import rows
import summary
from markdown import filled

HERE = Path(__file__).parent


@pytest.fixture
def table() -> rows.Matrix:
    random = np.random.default_rng(5)
    return random.normal(size=(60, 3)) @ random.normal(size=(3, 7)) + 0.3 * random.normal(size=(60, 7))


@pytest.mark.parametrize("wide", [False, True])
def test_algorithm_2_gives_the_scores_of_the_preset(table: rows.Matrix, wide: bool) -> None:
    X = np.ascontiguousarray(table[:6] if wide else table)
    A = next(islice(forms.algorithm_2(np.ascontiguousarray(X.T), gamma=30.0), 99, None))
    ours = rows.quiet_fit(arss.ARSS(n_samples=5, preset="paper", gamma=30.0, all_scores=True), X)
    scores = np.abs(A).sum(1)
    length, root = np.sqrt((A * A).sum(1)), np.sqrt(len(A))
    scores[(root - scores / np.maximum(length, 1e-300)) / (root - 1) > 0.8] = 0.0  # the authors' rule of sparse rows
    np.testing.assert_allclose(ours.all_scores_, scores, rtol=1e-7, atol=1e-9)


def test_both_literal_forms_of_rrss_agree_and_reach_the_optimum_of_the_package(table: rows.Matrix) -> None:
    X = np.ascontiguousarray(table.T)
    ours = rows.quiet_fit(arss.RRSS(n_samples=10, gamma=3.0, tol=1e-6), table)
    nie = next(islice(forms.rrss_by_nie(X, 3.0), 14, None))
    short = next(islice(forms.rrss_by_nie(X, 3.0, short=True), 14, None))
    np.testing.assert_allclose(short, nie, atol=1e-5)
    late = next(islice(forms.rrss_by_nie(X, 3.0, short=True), 299, None))
    value = np.sqrt(((X - X @ late) ** 2).sum(0)).sum() + 3.0 * np.sqrt((late * late).sum(1)).sum()
    assert value == pytest.approx(ours.objective_, rel=1e-3)


def test_ted_without_repeats_gives_the_picks_of_the_package(table: rows.Matrix) -> None:
    literal = list(islice(forms.ted(table, 0.1, repeats=False), 20))
    assert rows.quiet_fit(arss.TED(n_samples=20, alpha=0.1), table).sample_indices_.tolist() == literal
    assert len(set(islice(forms.ted(table, 0.1, repeats=True), 40))) < 40


def test_a_ratio_stands_for_the_gamma_that_both_schedules_get(table: rows.Matrix) -> None:
    for p in (0.5, 1.0):
        by_ratio = rows.quiet_fit(arss.ARSS(n_samples=5, p=p, gamma_ratio=0.2), table)
        by_value = rows.quiet_fit(arss.ARSS(n_samples=5, p=p, gamma=convergence.gamma(table, 0.2, p)), table)
        assert by_ratio.objective_ == pytest.approx(by_value.objective_, rel=1e-9)


def test_exponents_and_extrapolation() -> None:
    part = pd.DataFrame({"size": [100, 200, 400, 800], "steps": 10, "seconds": [1.0, 8.0, 64.0, np.nan]})
    found = summary.exponent(part)
    assert found is not None and found[0] == pytest.approx(3.0) and found[2] == 400
    assert summary.extrapolated(part, 800) == pytest.approx(512.0)
    assert summary.extrapolated(part, 800, 4.0) == pytest.approx(1024.0)


def test_a_page_that_asks_for_a_table_that_does_not_exist_is_refused() -> None:
    assert filled("<!-- table: a -->\nold\n<!-- end -->", {"a": "new"}) == "<!-- table: a -->\nnew\n<!-- end -->"
    with pytest.raises(SystemExit, match="asks for the table 'b'"):
        filled("<!-- table: b -->\n<!-- end -->", {"a": "new"})


def reproduce(folder: Path) -> str:
    """Runs and reports; gives what the run says."""
    results = folder / "results"
    run = _script("run.py", "--smoke", "--out", results)
    _script("report.py", "--results", results, "--out", folder)
    return run


def _script(name: str, *words: str | Path) -> str:
    done = subprocess.run([sys.executable, HERE / name, *words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_second_run_with_the_same_seeds_gives_the_same_tables(tmp_path: Path) -> None:
    # The caller may want to look at the first run.
    first, second = Path(os.environ.get("SMOKE_FOLDER", tmp_path / "first")), tmp_path / "second"
    reproduce(first)
    again = reproduce(first)
    said = [line for line in again.splitlines() if "records are there" in line]
    assert len(said) == 5 and again.splitlines() == said  # nothing is run twice
    reproduce(second)
    timeless = ["accuracy-against-k", "robustness", "sensitivity", "features"]
    for name in ["tables.md", *(f"figures/{one}.csv" for one in timeless)]:
        assert (first / name).read_text() == (second / name).read_text(), name
    one, other = (pd.read_csv(folder / "figures/convergence.csv") for folder in (first, second))
    assert one.drop(columns="seconds").equals(other.drop(columns="seconds"))
    for name in [*timeless, "convergence", "speed-against-n"]:
        assert "<svg" in (first / "figures" / f"{name}.svg").read_text()
