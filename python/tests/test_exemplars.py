"""Exemplars: what the picks stand for, demands, edges."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

import arss

Table = NDArray[np.float64]


def planted(n: int = 400, wild: int = 40, groups: int = 5, seed: int = 0) -> tuple[Table, NDArray[np.int64]]:
    """Rows in tight groups, the last `wild` of them scattered far around; and the group of each."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    X = 4 * rng.normal(size=(groups, 8))[group] + 0.4 * rng.normal(size=(n, 8))
    X[n - wild :] = 10 * rng.normal(size=(wild, 8))
    return X, group


def test_outliers_are_seen_and_avoided() -> None:
    for wild in (8, 40, 150):  # more than a third of the rows
        X, _ = planted(wild=wild)
        selector = arss.Exemplars(30).fit(X)
        assert (selector.sample_indices_ < 400 - wild).all()
        strange = selector.outlier_scores_ > 1
        assert strange[400 - wild :].mean() > 0.9 and strange[: 400 - wild].mean() < 0.1
        (note,) = selector.notes_
        assert note.startswith(f"set aside as outliers: {strange.sum()} of 400 rows (confidence ")
        assert "they look like scattered errors" in note and ("gate=False" in note) == (wild == 150)
        assert (arss.Exemplars(30, gate=False).fit(X).sample_indices_ >= 400 - wild).any()


def test_what_the_picks_stand_for() -> None:
    X, group = planted(wild=0)
    selector = arss.Exemplars(5).fit(X)
    assert len(set(group[selector.sample_indices_])) == 5
    assert (group[selector.sample_indices_][selector.labels_] == group).mean() > 0.98
    assert selector.shares_.sum() == pytest.approx(1) and selector.shares_ == pytest.approx(0.2, abs=0.02)
    assert (np.diff(selector.coverage_) > 0).all() and selector.coverage_[-1] == pytest.approx(selector.objective_)
    assert np.array_equal(selector.exemplars_, X[selector.sample_indices_])
    assert np.array_equal(selector.predict(X), selector.labels_)
    assert selector.predict(X[:7] + 1e-3).tolist() == selector.labels_[:7].tolist()
    assert arss.Exemplars("auto").fit(X).sample_indices_[:5].tolist() == selector.sample_indices_.tolist()
    facility = arss.FacilityLocation(5, random_state=0).fit(X)
    assert np.array_equal(facility.predict(X), facility.labels_)


def test_weights() -> None:
    X, group = planted(wild=0)
    selector = arss.Exemplars(4).fit(X, sample_weight=(group == 2).astype(float))
    assert (group[selector.sample_indices_] == 2).all()
    assert selector.shares_.sum() == pytest.approx(1)
    even = arss.Exemplars(9).fit(X, sample_weight=np.full(400, 3.0))
    assert np.array_equal(even.sample_indices_, arss.Exemplars(9).fit(X).sample_indices_)
    with pytest.raises(ValueError, match=r"weight 0 is 0.*not all zero"):
        arss.Exemplars().fit(X, sample_weight=np.zeros(400))


def test_rows_that_must_and_must_not_be_in() -> None:
    X, _ = planted()
    plain = arss.Exemplars(12).fit(X).sample_indices_
    selector = arss.Exemplars(12, include=[399, 7], exclude=plain).fit(X)
    assert selector.sample_indices_[:2].tolist() == [399, 7]
    assert not set(selector.sample_indices_) & set(plain)


@pytest.mark.parametrize("kind", [np.asarray, list, pd.Series, pl.Series])
def test_groups_and_quotas(kind: Any) -> None:
    X, group = planted(wild=0)
    names = kind(np.array(["a", "b", "c", "d", "e"])[group])

    def counts(quotas: Any, k: int) -> list[int]:
        picks = arss.Exemplars(k, quotas=quotas).fit(X, groups=names).sample_indices_
        return np.bincount(group[picks], minlength=5).tolist()  # type: ignore[no-any-return]

    assert counts("proportional", 20) == [4, 4, 4, 4, 4]
    assert counts({"a": 1, "b": 2, "c": 3, "d": 4, "e": 10}, 20) == [1, 2, 3, 4, 10]
    assert counts({"a": 0}, 20)[0] == 0


def test_missing_rows_are_left_out_and_counted() -> None:
    X, group = planted(wild=0)
    X[[0, 9], 1] = np.nan
    weights, include, exclude = np.ones(400), [11, 5], [0, 12]
    selector = arss.Exemplars(12, missing="drop", include=include, exclude=exclude)
    selector.fit(X, sample_weight=weights, groups=group)
    assert selector.sample_indices_[:2].tolist() == [11, 5] and not {0, 9, 12} & set(selector.sample_indices_)
    assert selector.labels_.shape == (400,) and np.flatnonzero(selector.labels_ < 0).tolist() == [0, 9]
    assert np.flatnonzero(np.isnan(selector.outlier_scores_)).tolist() == [0, 9]
    kept = np.delete(np.arange(400), [0, 9])
    alone = arss.Exemplars(12, include=[9, 4], exclude=[10]).fit(X[kept], groups=group[kept])
    assert np.array_equal(kept[alone.sample_indices_], selector.sample_indices_)
    assert np.array_equal(selector.predict(X), selector.labels_)
    with pytest.raises(ValueError, match=r"row 9.*missing"):
        arss.Exemplars(3, missing="drop", include=[9]).fit(X)


def test_frames() -> None:
    X, _ = planted()
    picks = arss.Exemplars(8).fit(X)
    columns = list("stuvwxyz")
    for frame in (pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)):
        selector = arss.Exemplars(8).fit(frame)
        assert np.array_equal(selector.sample_indices_, picks.sample_indices_)
        assert np.array_equal(selector.predict(frame), picks.labels_)
    people = pd.DataFrame({"age": [20.0, 30, 40, 50, 61], "city": ["Ulm", "Jena", "Ulm", "Jena", "Ulm"]})
    selector = arss.Exemplars(2, encode="onehot").fit(people)
    assert np.array_equal(selector.predict(people), selector.labels_)
    assert np.array_equal(selector.predict(people.iloc[[0, 2]]), selector.labels_[[0, 2]])


def test_edges() -> None:
    X, _ = planted(60, wild=4)
    assert sorted(arss.Exemplars(60).fit(X).sample_indices_) == list(range(60))  # K = N, more than columns
    assert len(arss.Exemplars(7, landmarks=1000).fit(X).sample_indices_) == 7
    copies = np.repeat(np.random.default_rng(1).normal(size=(20, 3)), 10, axis=0)
    assert len(set(arss.Exemplars(20).fit(copies).sample_indices_ // 10)) == 20
    equal = arss.Exemplars(3).fit(np.full((30, 2), 1.5))
    assert equal.sample_indices_.tolist() == [0, 1, 2] and (equal.outlier_scores_ <= 1).all()
    cloud = np.random.default_rng(2).normal(size=(500, 3))
    assert (arss.Exemplars(10).fit(cloud).outlier_scores_ > 1).mean() < 0.1  # one cloud
    assert arss.Exemplars(1).fit([[1.0, 2.0]]).labels_.tolist() == [0]


def test_threads_and_seeds() -> None:
    X = np.random.default_rng(3).normal(size=(5000, 4))  # more rows than the samples hold
    one, many = (arss.Exemplars(20, n_jobs=n).fit(X) for n in (1, 3))
    for name in ("sample_indices_", "scores_", "outlier_scores_", "labels_", "shares_", "coverage_"):
        assert np.array_equal(getattr(one, name), getattr(many, name)), name
    assert not np.array_equal(arss.Exemplars(20, random_state=1).fit(X).sample_indices_, one.sample_indices_)


def test_a_callback_sees_the_scoring_and_may_stop_it() -> None:
    X = np.random.default_rng(4).normal(size=(20_000, 4))
    phases: list[str] = []
    arss.Exemplars(5, callback=lambda progress: phases.append(progress.phase)).fit(X)
    assert phases.count("prepare") > 5 and phases[-1] == "refine"
    stopped = arss.Exemplars(5, callback=lambda progress: True).fit(X)
    assert stopped.status_ == "stopped" and len(stopped.sample_indices_) == 5
    assert np.isnan(stopped.outlier_scores_).any() and (stopped.labels_ >= 0).all()


BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"include": [60]}, {}, "include names row 60.*X has 60"),
    ({"exclude": [-1]}, {}, "exclude names row -1"),
    ({"include": [1, 2], "exclude": [2]}, {}, "item 2 is both"),
    ({"include": range(6)}, {}, "6 items must be included, but k is only 5"),
    ({"exclude": range(57)}, {}, "leave only 3 items"),
    ({"quotas": {"a": 1}}, {}, "no groups"),
    ({"quotas": {"c": 1}}, {"groups": ["a", "b"] * 30}, "group 'c'.*no row"),
    ({"quotas": {"a": -1}}, {"groups": ["a", "b"] * 30}, "quota of group 'a' is -1"),
    ({"quotas": {"a": 1, "b": 1}}, {"groups": ["a", "b"] * 30}, "leave only 2 items"),
    ({"quotas": {"b": 1}, "include": [1, 3]}, {"groups": ["a", "b"] * 30}, "2 rows of group 'b'.*quota is 1"),
    ({}, {"groups": ["a"] * 59}, "groups has 59 labels.*60 rows"),
    ({}, {"groups": np.zeros((60, 2))}, "one label a row"),
    ({}, {"sample_weight": np.ones(3)}, "shape"),
]


@pytest.mark.parametrize(("settings", "passed", "words"), BAD)
def test_bad_demands_are_one_clear_line(settings: dict[str, Any], passed: dict[str, Any], words: str) -> None:
    X, _ = planted(60, wild=0)
    with pytest.raises(ValueError, match=words) as caught:
        arss.Exemplars(5, **settings).fit(X, **passed)
    assert "\n" not in str(caught.value)


def test_wrong_types() -> None:
    X, _ = planted(60, wild=0)
    with pytest.raises(TypeError, match=r"include must be a list of row positions.*'x'"):
        arss.Exemplars(5, include=["x"]).fit(X)
    with pytest.raises(TypeError, match="quotas=3"):
        arss.Exemplars(5, quotas=3).fit(X, groups=np.zeros(60))  # type: ignore[arg-type]


def test_diverse_and_kernel() -> None:
    rng = np.random.default_rng(5)
    X = np.repeat(rng.normal(size=(50, 3)), 4, axis=0) + 1e-5 * rng.normal(size=(200, 3))
    for kind in (arss.ARSS, arss.RRSS):
        for kernel in (None, "rbf"):
            picks = [kind(12, kernel=kernel, landmarks=60, diverse=diverse).fit(X) for diverse in (False, True)]
            distinct = [len(set(selector.sample_indices_ // 4)) for selector in picks]
            # RRSS with its certificate may choose one of several copies by itself.
            most = 11 if kind is arss.ARSS else 12
            assert distinct[1] == 12 and distinct[0] <= most, (kind, kernel, distinct)
    X, group = planted(wild=0)
    assert len(set(group[arss.TED(5, kernel="rbf").fit(X).sample_indices_])) == 5


def test_nested_picks_are_the_first_of_a_larger_choice() -> None:
    X, _ = planted()
    largest = arss.Exemplars(40, nested=True).fit(X).sample_indices_
    for k in (1, 7, 20):
        np.testing.assert_array_equal(arss.Exemplars(k, nested=True).fit(X).sample_indices_, largest[:k])
    # Without it picks are exchanged once their number is known.
    assert (arss.Exemplars(40).fit(X).sample_indices_[:20] != arss.Exemplars(20).fit(X).sample_indices_).any()


def test_a_group_of_outliers_stays() -> None:
    X, _ = planted(wild=40)
    X[360:380] = 30 + 0.1 * np.random.default_rng(1).normal(size=(20, 8))  # keeps company, far from the others
    selector = arss.Exemplars(20).fit(X)
    assert (selector.outlier_scores_[360:380] <= 1).all() and (selector.outlier_scores_[380:] > 1).mean() > 0.9
    assert np.isin(selector.sample_indices_, np.arange(360, 380)).any()


def test_how_sure_the_gate_is() -> None:
    X, _ = planted(wild=8)
    selector = arss.Exemplars(5).fit(X)
    assert selector.n_outliers_ == (selector.outlier_scores_ > 1).sum() > 0
    assert selector.outlier_confidence_ is not None and 0.5 < selector.outlier_confidence_ <= 1
    assert f"confidence {selector.outlier_confidence_:.2f}" in selector.notes_[0]
    opened = arss.Exemplars(5, gate=False).fit(X)
    assert (opened.n_outliers_, opened.outlier_confidence_) == (0, None)
    equal = arss.Exemplars(3).fit(np.full((30, 2), 1.5))
    assert (equal.n_outliers_, equal.outlier_confidence_) == (0, None)
