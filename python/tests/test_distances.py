"""Sums of absolute differences, distances that are given, and functions of two rows."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import kneighbors_graph

import arss

KINDS = [arss.Exemplars, arss.FacilityLocation, arss.KMedoidsSelector]


@pytest.fixture
def rows() -> NDArray[np.float64]:
    rng = np.random.default_rng(3)
    centres = 6 * rng.normal(size=(5, 4))
    return centres[rng.integers(0, 5, 240)] + rng.normal(size=(240, 4))


def chosen(kind: Any, X: Any, **settings: Any) -> list[int]:
    gate = {"gate": False} if kind is arss.Exemplars else {}
    return kind(9, **gate, **settings).fit(X).sample_indices_.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("metric", "name"), [("euclidean", "euclidean"), ("manhattan", "cityblock")])
def test_given_distances_are_those_of_the_rows(kind: Any, metric: Any, name: str, rows: NDArray[np.float64]) -> None:
    given = pairwise_distances(rows, metric=name)
    by_rows = chosen(kind, rows, metric=metric)
    assert chosen(kind, given, metric="precomputed") == by_rows
    # Single precision, and by columns.
    assert chosen(kind, np.asfortranarray(given.astype(np.float32)), metric="precomputed") == by_rows


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_compares_pairs(kind: Any, rows: NDArray[np.float64]) -> None:
    def along(a: Any, b: Any) -> float:
        return float(np.abs(a - b).sum())

    selector = kind(9, metric=along).fit(rows)
    assert chosen(kind, rows, metric=along) == chosen(kind, rows, metric="manhattan")
    assert np.array_equal(clone(selector).fit(rows).sample_indices_, selector.sample_indices_)
    nearest = pairwise_distances(rows, rows[selector.sample_indices_], metric="cityblock").argmin(axis=1)
    assert np.array_equal(selector.predict(rows[:40]), nearest[:40])
    if kind is not arss.KMedoidsSelector:
        assert np.array_equal(selector.exemplars_, rows[selector.sample_indices_])
    with pytest.raises(ValueError, match="only Exemplars, FacilityLocation and KMedoidsSelector"):
        arss.TED(3, metric=along).fit(rows)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"at most 8192 rows: 9000 rows are 40495500 calls and 0.6 GiB"):
        kind(3, metric=along).fit(np.zeros((9000, 1)) + np.arange(9000)[:, None])
    with pytest.raises(ValueError, match="model file knows distances"):
        arss.Model.of(selector)


@pytest.mark.parametrize("kind", KINDS)
def test_similarities_become_distances(kind: Any, rows: NDArray[np.float64]) -> None:
    similar = rows @ rows.T
    assert chosen(kind, similar, metric="precomputed_similarity") == chosen(kind, rows)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = unit @ unit.T
    assert chosen(kind, cosine, metric="precomputed_similarity") == chosen(kind, rows, metric="cosine")
    selector = kind(9, metric="precomputed_similarity").fit(cosine)
    assert np.array_equal(selector.predict(cosine[:30]), selector.labels_[:30])
    differing = kind(9, metric="precomputed_similarity").fit(similar)
    with pytest.raises(ValueError, match="differ in their similarity to themselves"):
        differing.predict(similar[:3])
    similar[3, 5] = similar[5, 3] = 1e6
    with pytest.raises(ValueError, match=r"row 3, column 5 of the similarities is 1000000.0"):
        kind(9, metric="precomputed_similarity").fit(similar)
    with pytest.raises(ValueError, match="240 x 4"):
        kind(9, metric="precomputed_similarity").fit(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_of_neighbours(kind: Any, rows: NDArray[np.float64]) -> None:
    graph = kneighbors_graph(rows, 12, mode="distance")
    selector = kind(9, metric="precomputed").fit(graph)
    group = pairwise_distances(rows, rows[selector.sample_indices_]).min(axis=1)
    everywhere = pairwise_distances(rows, rows[np.arange(9)]).min(axis=1)
    assert group.mean() < everywhere.mean()
    # From one side or from both, and in any layout of scipy.
    both = graph.maximum(graph.T)
    for other in (both, graph.tocsc(), graph.tocoo(), sparse.csr_array(graph)):
        assert np.array_equal(kind(9, metric="precomputed").fit(other).sample_indices_, selector.sample_indices_)
    assert selector.predict(graph[:20]).shape == (20,)
    if kind is arss.Exemplars:
        for call in (selector.score_samples, selector.transform, selector.score):
            with pytest.raises(ValueError, match="graph of neighbours tells neither outliers"):
                call(graph[:3])


def test_new_rows_are_their_distances(rows: NDArray[np.float64]) -> None:
    first, later = rows[:200], rows[200:]
    given = pairwise_distances(first, metric="cityblock")
    new = pairwise_distances(later, first, metric="cityblock")
    # With so many columns that no tail of one of them counts, both judge alike.
    by_rows = arss.Exemplars(7, metric="manhattan").fit(first)
    by_table = arss.Exemplars(7, metric="precomputed").fit(given)
    assert np.array_equal(
        by_table.predict(new), pairwise_distances(later, first[by_table.sample_indices_], metric="cityblock").argmin(1)
    )
    assert np.allclose(by_table.score_samples(given), -by_table.outlier_scores_)
    whole = by_table.score_samples(new)
    assert np.array_equal(np.concatenate([by_table.score_samples(new[:11]), by_table.score_samples(new[11:])]), whole)
    assert np.allclose(by_rows.score_samples(first), -by_rows.outlier_scores_)
    assert by_table.transform(new).shape == (40, 7)
    assert np.allclose(by_table.transform(new).max(axis=1).mean(), by_table.score(new))
    assert np.allclose(by_rows.transform(later).max(axis=1).mean(), by_rows.score(later))


def test_models_are_kept(rows: NDArray[np.float64], tmp_path: Any) -> None:
    for X, metric in ((rows, "manhattan"), (pairwise_distances(rows), "precomputed")):
        selector = arss.Exemplars(6, metric=metric).fit(X)  # type: ignore[arg-type]
        arss.Model.of(selector).save(tmp_path / "m.arss")
        model = arss.Model.load(tmp_path / "m.arss")
        assert np.array_equal(model.predict(X), selector.labels_)
        assert np.allclose(model.score_samples(X), -selector.outlier_scores_)


def test_grids_cut_both_sides(rows: NDArray[np.float64]) -> None:
    search = GridSearchCV(arss.Exemplars(metric="precomputed"), {"n_samples": [2, 8]}, cv=3)
    search.fit(pairwise_distances(rows))
    assert search.best_params_ == {"n_samples": 8}


def test_out_of_core_by_manhattan(rows: NDArray[np.float64], tmp_path: Any) -> None:
    np.save(tmp_path / "rows.npy", rows)
    for kind in (arss.Exemplars, arss.FacilityLocation):
        inside, outside = (kind(8, metric="manhattan").fit(X) for X in (rows, tmp_path / "rows.npy"))
        assert np.array_equal(inside.sample_indices_, outside.sample_indices_)
        assert np.array_equal(inside.scores_, outside.scores_)
        assert np.array_equal(inside.predict(rows), outside.predict(rows))
        with pytest.raises(ValueError, match="metric='precomputed' needs the whole table in memory"):
            kind(8, metric="precomputed").fit(tmp_path / "rows.npy")


def test_bad_tables_and_names(rows: NDArray[np.float64]) -> None:
    given = pairwise_distances(rows)
    with pytest.raises(ValueError, match="as many columns as rows, but this one is 240 x 4"):
        arss.Exemplars(3, metric="precomputed").fit(rows)
    given[7, 3] = -2.0
    with pytest.raises(ValueError, match=r"row 7, column 3 of the distances is -2: distances are not negative"):
        arss.KMedoidsSelector(3, metric="precomputed").fit(given)
    given[7, 3] = np.nan
    with pytest.raises(ValueError, match=r"row 7, column 3 is NaN"):
        arss.FacilityLocation(3, metric="precomputed").fit(given)
    with pytest.raises(ValueError, match="scale='robust' is about columns"):
        arss.Exemplars(3, metric="precomputed", scale="robust").fit(pairwise_distances(rows))
    with pytest.raises(ValueError, match="method kmeans cannot choose by the manhattan metric"):
        arss.KMeansSelector(3, metric="manhattan").fit(rows)
    twice = sparse.coo_matrix(([1.0, 1.0, 2.0], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    with pytest.raises(ValueError, match="row 0, column 1 twice"):
        arss.Exemplars(1, metric="precomputed").fit(
            sparse.csr_matrix((twice.data, twice.col, [0, 2, 3, 3]), shape=(3, 3))
        )


def test_sparse_rows_by_manhattan() -> None:
    words = sparse.random(150, 900, density=0.02, random_state=1, format="csr")
    for kind in (arss.Exemplars, arss.FacilityLocation, arss.KMedoidsSelector):
        held, dense = (kind(7, metric="manhattan").fit(X).sample_indices_ for X in (words, words.toarray()))
        assert np.array_equal(held, dense)
