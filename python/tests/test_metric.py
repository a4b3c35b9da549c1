"""`metric="cosine"`: rows by their angle, in every home and for rows to come."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV

import arss
from arss import _core


@pytest.fixture
def rows() -> NDArray[np.float64]:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(5, 12))
    directions = centres[rng.integers(0, 5, 400)] + 0.25 * rng.normal(size=(400, 12))
    return directions * 10.0 ** rng.uniform(-3, 3, size=(400, 1))


def unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


SELECTORS = [arss.Exemplars, arss.FacilityLocation, arss.KMedoidsSelector, arss.KMeansSelector, arss.TED, arss.RRSS]


@pytest.mark.parametrize("kind", SELECTORS)
def test_lengths_do_not_count(kind: Any, rows: NDArray[np.float64]) -> None:
    by_cosine = kind(8, metric="cosine").fit(rows)
    assert np.array_equal(by_cosine.sample_indices_, kind(8, metric="cosine").fit(unit(rows)).sample_indices_)
    if kind is not arss.KMeansSelector:
        assert np.array_equal(by_cosine.sample_indices_, kind(8).fit(unit(rows)).sample_indices_)


@pytest.mark.parametrize("kind", [arss.Exemplars, arss.FacilityLocation, arss.KMedoidsSelector, arss.KMeansSelector])
def test_rows_go_to_the_exemplar_of_the_smallest_angle(kind: Any, rows: NDArray[np.float64]) -> None:
    selector = kind(8, metric="cosine").fit(rows)
    cosines = unit(rows) @ unit(rows[selector.sample_indices_]).T
    assert np.array_equal(selector.predict(rows), cosines.argmax(axis=1))
    assert np.array_equal(selector.labels_, cosines.argmax(axis=1))
    assert np.array_equal(kind(8, metric="cosine").fit_predict(rows), selector.labels_)


def test_files_and_the_command_line_agree(rows: NDArray[np.float64], tmp_path: Path, capfd: Any) -> None:
    inside = arss.Exemplars(8, metric="cosine").fit(rows)
    np.save(tmp_path / "rows.npy", rows)
    outside = arss.Exemplars(8, metric="cosine").fit(tmp_path / "rows.npy")
    assert np.array_equal(inside.sample_indices_, outside.sample_indices_)
    np.testing.assert_array_equal(inside.outlier_scores_, outside.outlier_scores_)
    assert np.array_equal(outside.predict(rows), inside.labels_)
    np.testing.assert_allclose(outside.score_samples(rows), -inside.outlier_scores_, rtol=1e-9)
    where = str(tmp_path / "rows.npy")
    assert _core.main(["arss", "select", where, "-k", "8", "--metric", "cosine", "--indices", "-", "--quiet"]) == 0
    told = [int(line) for line in capfd.readouterr().out.split()]
    assert told == inside.sample_indices_.tolist()


def test_a_row_of_zeros_is_named(rows: NDArray[np.float64]) -> None:
    rows[17] = 0.0
    with pytest.raises(ValueError, match="row 17 holds only zeros and has no direction"):
        arss.Exemplars(3, metric="cosine").fit(rows)
    rows[[20, 30]] = 0.0
    with pytest.raises(ValueError, match="row 17 and 2 others hold only zeros and have no direction: leave them out"):
        arss.Exemplars(3, metric="cosine").fit(rows)
    with pytest.raises(ValueError, match="metric='angle', but it must be one of 'euclidean', 'cosine'"):
        arss.Exemplars(3, metric="angle").fit(rows)  # type: ignore[arg-type]


# Rows to come


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_rows_of_fit_score_as_in_fit(metric: Any, rows: NDArray[np.float64]) -> None:
    table = unit(rows)
    table[:4] = np.random.default_rng(0).normal(size=(4, 12)) * 9
    selector = arss.Exemplars(6, metric=metric).fit(table)
    np.testing.assert_array_equal(selector.score_samples(table), -selector.outlier_scores_)
    np.testing.assert_array_equal(selector.decision_function(table), 1 - selector.outlier_scores_)
    parts = np.concatenate([selector.score_samples(part) for part in np.array_split(table, 7)])
    np.testing.assert_allclose(parts, selector.score_samples(table), rtol=1e-9)
    if metric == "euclidean":
        assert (selector.decision_function(table[:4]) < 0).all()


def test_similarities_are_those_of_the_exemplars(rows: NDArray[np.float64]) -> None:
    table = unit(rows)
    selector = arss.Exemplars(6, scale="robust").fit(table)
    similar = selector.transform(table)
    assert similar.shape == (400, 6) and similar.min() >= 0 and similar.max() <= 1
    assert np.array_equal(similar.argmax(axis=1), selector.labels_)
    np.testing.assert_allclose(similar[selector.sample_indices_, range(6)], 1.0, atol=1e-7)
    np.testing.assert_allclose(selector.score(table), similar.max(axis=1).mean(), rtol=1e-6)


def test_a_grid_search_finds_how_many() -> None:
    rng = np.random.default_rng(1)
    table = rng.permutation(np.vstack([rng.normal(c, 0.1, size=(60, 2)) for c in ((0, 0), (5, 0), (0, 5))]))
    search = GridSearchCV(arss.Exemplars(), {"n_samples": [1, 2, 3]}, cv=3).fit(table)
    assert search.best_params_ == {"n_samples": 3}
    assert arss.KMedoidsSelector(3).fit(table).score(table) > arss.KMedoidsSelector(1).fit(table).score(table)


def test_rows_that_are_left_out_have_no_score() -> None:
    rng = np.random.default_rng(2)
    table = rng.normal(size=(50, 3))
    selector = arss.Exemplars(4, missing="drop").fit(table)
    table[7, 1] = np.nan
    assert np.isnan(selector.score_samples(table)).tolist() == [row == 7 for row in range(50)]
    assert np.isnan(selector.transform(table)[7]).all() and selector.predict(table)[7] == -1


def test_what_resampled_does_not_transform(rows: NDArray[np.float64]) -> None:
    selector = arss.Exemplars(4)
    assert hasattr(selector, "transform")
    selector.fit_resample(unit(rows), np.zeros(400))
    assert not hasattr(selector, "transform")
    assert hasattr(selector.fit(unit(rows)), "transform")
