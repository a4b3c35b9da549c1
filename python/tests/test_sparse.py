"""Sparse tables: chosen from as their dense forms are, without being made dense."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

import arss
from arss import _input


@pytest.fixture
def words() -> Any:
    """Rows of three topics with words of their own, and some that all share: no two are equally far from a third."""
    rng = np.random.default_rng(4)
    dense = np.zeros((150, 1208))
    dense[:, :8] = rng.random((150, 8))
    for row in range(150):
        dense[row, 8 + 400 * (row % 3) + rng.choice(400, 20, replace=False)] = rng.random(20)
    return scipy.sparse.csr_array(dense)


SPARSE = [
    arss.Exemplars(9),
    arss.Exemplars(9, metric="cosine"),
    arss.FacilityLocation(9),
    arss.KMeansSelector(9),
    arss.KMedoidsSelector(9, metric="cosine"),
    arss.TED(9),
]


@pytest.mark.parametrize("selector", SPARSE, ids=repr)
@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix"])
def test_zeros_change_nothing(selector: Any, kind: str, words: Any) -> None:
    found = clone(selector).fit(getattr(scipy.sparse, kind)(words))
    dense = clone(selector).fit(words.toarray())
    assert found.sample_indices_.tolist() == dense.sample_indices_.tolist()
    np.testing.assert_allclose(found.outlier_scores_, dense.outlier_scores_, rtol=1e-6, atol=1e-6)
    if hasattr(dense, "labels_"):
        np.testing.assert_array_equal(found.labels_, dense.labels_)
        np.testing.assert_array_equal(found.predict(words), dense.predict(words.toarray()))
    chosen = found.select(words)
    assert scipy.sparse.issparse(chosen) and chosen.shape == (9, 1208)


def test_new_rows_are_scored_as_dense_ones(words: Any) -> None:
    found = arss.Exemplars(9, metric="cosine").fit(words)
    dense = arss.Exemplars(9, metric="cosine").fit(words.toarray())
    np.testing.assert_array_equal(found.score_samples(words), -found.outlier_scores_)
    np.testing.assert_allclose(found.score_samples(words[:20]), dense.score_samples(words.toarray()[:20]), rtol=1e-6)
    np.testing.assert_allclose(found.transform(words), dense.transform(words.toarray()), rtol=1e-6)
    assert found.score(words) == pytest.approx(dense.score(words.toarray()))
    assert scipy.sparse.issparse(found.exemplars_)


def test_nothing_is_made_dense(words: Any) -> None:
    wide = scipy.sparse.csr_array((words.data, words.indices * 80, words.indptr), shape=(150, 96_640))
    tracemalloc.start()
    selector = arss.Exemplars(5).fit(wide)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * 150 * 96_640 * 8
    assert selector.sample_indices_.tolist() == arss.Exemplars(5).fit(words).sample_indices_.tolist()


def test_unsorted_and_repeated_entries_are_added_up(words: Any) -> None:
    entries = words.tocoo()
    order = np.random.default_rng(0).permutation(len(entries.data))
    row, column, value = entries.row[order], entries.col[order], entries.data[order]
    halves = scipy.sparse.coo_array(
        (np.concatenate([value, value]) / 2, (np.concatenate([row, row]), np.concatenate([column, column]))),
        shape=words.shape,
    )
    rows = scipy.sparse.csr_array(halves)
    before = rows.copy()
    assert (
        arss.select(rows, 9, return_indices=True)[1].tolist() == arss.select(words, 9, return_indices=True)[1].tolist()
    )
    assert len(rows.data) == len(before.data), "what was passed stays as it was"


def test_what_is_wrong_is_named(words: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = words.copy()
    bad.data[7] = np.nan
    with pytest.raises(ValueError, match=r"row 0, column \d+ is NaN"):
        arss.Exemplars(3).fit(bad)
    empty = words.copy()
    empty.data[empty.indptr[4] : empty.indptr[5]] = 0.0
    with pytest.raises(ValueError, match="row 4 holds only zeros"):
        arss.Exemplars(3, metric="cosine").fit(empty)
    monkeypatch.setattr(_input, "SPARSE_LIMIT", 1000)
    with pytest.raises(ValueError, match="Exemplars on a sparse table of 150 x 1208 would take"):
        arss.Exemplars(3).fit(words)
    with pytest.raises(ValueError, match=r"what ARSS works on.*svd=256"):
        arss.ARSS(3).fit(words)


def test_the_models_of_the_paper_work_on_a_truncated_svd(words: Any) -> None:
    for selector in (arss.ARSS(6, svd=20, p=1.0), arss.RRSS(6, svd=20), arss.TED(6, svd=20)):
        found = selector.fit(words)
        again = clone(selector).fit(words.toarray())
        assert found.sample_indices_.tolist() == again.sample_indices_.tolist()
        assert 0.05 < found.explained_variance_ratio_ < 1.0
    wrong: tuple[Any, ...] = (0, 1208, "many")
    for svd in wrong:
        with pytest.raises(ValueError, match="svd="):
            arss.TED(6, svd=svd).fit(words)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="svd=20 is for arrays"):
        arss.TED(1, svd=20).fit(pandas.DataFrame({"a": [1.0, 2.0]}))
