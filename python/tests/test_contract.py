"""scikit-learn's contract, by its own checks."""

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import arss
from arss import _core

SELECTORS: list[Any] = [
    arss.Exemplars,
    arss.FacilityLocation,
    arss.ARSS,
    arss.RRSS,
    arss.TED,
    arss.RRQR,
    arss.KMeansSelector,
    arss.KMedoidsSelector,
    arss.RandomSelector,
]
ESTIMATORS = [*SELECTORS, arss.FeatureSelector]

#: These two checks take a weight for a number of copies. For the gate it cannot be one: a row with a copy is not alone,
#: so a weight of 2 would make an outlier usual, and a weight of 1.5 would mean nothing. And the checks ask for 10 picks
#: where 9 rows have a weight: copies can be the tenth, but a weighted table has none. Without the gate, and with fewer
#: picks than rows that count, a weight is a number of copies to the choice: see below. Outlier scores, and with them
#: `decision_function`, never look at weights.
NOT_COPIES = "a weight is not a number of copies to the gate, which sets rows aside that are alone"


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    """What no method that sets lonely rows aside can do."""
    if isinstance(estimator, arss.Exemplars):
        return {f"check_sample_weight_equivalence_on_{kind}_data": NOT_COPIES for kind in ("dense", "sparse")}
    return {}


@parametrize_with_checks([kind() for kind in ESTIMATORS], expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        arss.Exemplars(5, gate=False),
        arss.Exemplars(5, metric="manhattan"),
        arss.FacilityLocation(5, metric="manhattan"),
        arss.KMedoidsSelector(5, metric="manhattan"),
        *(arss.FeatureSelector(method) for method in ("arss", "rrss", "rrqr")),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_with_other_settings(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_a_weight_is_a_number_of_copies_without_the_gate() -> None:
    rng = np.random.default_rng(3)
    rows, copies = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
    weighted = arss.Exemplars(5, gate=False).fit(rows, sample_weight=copies.astype(float))
    repeated = arss.Exemplars(5, gate=False).fit(np.repeat(rows, copies, axis=0))
    np.testing.assert_array_equal(weighted.exemplars_, repeated.exemplars_)
    np.testing.assert_allclose(weighted.shares_, repeated.shares_)
    np.testing.assert_array_equal(weighted.predict(rows), repeated.predict(rows))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_clone_and_pickle(kind: Any, table: NDArray[np.float64]) -> None:
    estimator = kind()
    assert clone(estimator).get_params() == estimator.get_params()
    estimator.set_params(**({"random_state": 3} if "random_state" in estimator.get_params() else {}))
    again = pickle.loads(pickle.dumps(estimator.fit(table)))
    for name, value in vars(estimator).items():
        other = getattr(again, name)
        assert np.array_equal(other, value) if isinstance(value, np.ndarray) else str(other) == str(value), name


@pytest.mark.parametrize("kind", SELECTORS)
def test_constructor_defaults_are_those_of_the_core(kind: Any) -> None:
    signature = {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}
    for name, value in _core.defaults(kind._method).items():
        assert signature[name] == value, name


@pytest.mark.parametrize("kind", SELECTORS)
def test_results(kind: Any, table: NDArray[np.float64]) -> None:
    selector = kind(n_samples=6, **({"random_state": 0} if "random_state" in kind().get_params() else {})).fit(table)
    assert selector.sample_indices_.shape == selector.scores_.shape == (6,)
    assert len(set(selector.sample_indices_.tolist())) == 6
    assert (np.diff(selector.scores_) <= 0).all() or kind in (arss.TED, arss.RRQR)
    assert selector.outlier_scores_.shape == (300,)
    assert selector.status_ == "converged"
    assert (selector.n_rows_, selector.n_features_in_) == (300, 6)
    assert (selector.gap_ is not None) == (kind is arss.RRSS)
    if selector.all_scores_ is not None:
        assert np.array_equal(selector.all_scores_[selector.sample_indices_], selector.scores_)


@pytest.mark.parametrize("kind", SELECTORS)
def test_threads_do_not_change_the_answer(kind: Any, table: NDArray[np.float64]) -> None:
    seed = {"random_state": 0} if "random_state" in kind().get_params() else {}
    one, many = (kind(n_jobs=n, **seed).fit(table) for n in (1, 3))
    assert np.array_equal(one.sample_indices_, many.sample_indices_)
    assert np.array_equal(one.scores_, many.scores_)


SEEDED = [kind for kind in SELECTORS if kind is not arss.RRQR]


@pytest.mark.parametrize("kind", SEEDED)
def test_random_state(kind: Any, table: NDArray[np.float64]) -> None:
    kernel = {"kernel": "rbf", "landmarks": 9} if "kernel" in kind().get_params() else {}

    def picks(state: Any) -> list[float]:
        found: list[float] = kind(random_state=state, **kernel).fit(table).outlier_scores_.tolist()
        return found

    # The command line's default, too.
    assert inspect.signature(kind).parameters["random_state"].default == 0
    assert picks(4) == picks(np.int64(4))
    for make in (np.random.RandomState, np.random.default_rng):
        assert picks(make(1)) == picks(make(1))
        state = make(1)
        picks(state)
        # Facility location draws only in large tables, and so does Exemplars among its landmarks.
        if kind not in (arss.FacilityLocation, arss.Exemplars):
            assert picks(state) != picks(make(1)), "a generator moves on"
    np.random.seed(5)
    first = picks(None)
    np.random.seed(5)
    assert picks(None) == first
    with pytest.raises(ValueError, match="'seven' cannot be used to seed"):
        picks("seven")


def test_all_scores_when_asked(table: NDArray[np.float64]) -> None:
    big = np.random.default_rng(0).normal(size=(3000, 4)) * np.geomspace(1, 1e-3, 3000)[:, None]
    assert arss.ARSS().fit(big).all_scores_ is None
    selector = arss.ARSS(all_scores=True).fit(big)
    assert selector.all_scores_ is not None and np.isfinite(selector.all_scores_).all()
    assert np.array_equal(selector.sample_indices_, np.argsort(-selector.all_scores_, kind="stable")[:10])


def test_convex_arss_has_a_certificate(table: NDArray[np.float64]) -> None:
    selector = arss.ARSS(p=1.0).fit(table)
    assert selector.gap_ is not None and selector.gap_ <= 1e-3
    assert selector.gamma_ is not None
    same = arss.ARSS(p=1.0, gamma=selector.gamma_).fit(table)
    assert np.array_equal(same.sample_indices_, selector.sample_indices_)


def test_weights_of_ted(table: NDArray[np.float64]) -> None:
    weights = np.zeros(300)
    weights[[10, 20]] = 1.0
    picks = arss.TED(n_samples=2).fit(table, sample_weight=weights)
    assert picks.objective_ < arss.TED(n_samples=2).fit(table).objective_


BAD = [
    (arss.ARSS(p=0), "p is 0"),
    (arss.ARSS(p=float("nan")), "p is NaN"),
    (arss.ARSS(p=1.5), "p is 1.5"),
    (arss.ARSS(gamma=-1), "gamma is -1"),
    (arss.ARSS(gamma_ratio=0), "gamma_ratio is 0"),
    (arss.ARSS(max_iter=0), "max_iter is 0"),
    (arss.ARSS(max_iter=-1), "max_iter is -1"),
    (arss.RRSS(tol=-1e-3), "tol is -0.001"),
    (arss.TED(alpha=0), "alpha is 0"),
    (arss.TED(n_samples=0), "n_samples=0"),
    (arss.TED(n_samples=301), "n_samples=301.*300 sample"),
    (arss.TED(n_samples=1.5), "n_samples=1.5"),
    (arss.TED(n_samples=float("nan")), "n_samples=nan"),
    (arss.TED(n_jobs=0), "n_jobs is 0"),
    (arss.TED(missing="zero"), "missing='zero'"),  # type: ignore[arg-type]
    (arss.RandomSelector(random_state=-1), "seed is -1"),
    (arss.Exemplars(landmarks=0), "landmarks is 0"),
    (arss.Exemplars(ridge=2), "ridge is 2"),
    (arss.Exemplars(n_samples=301), "n_samples=301.*300 sample"),
    (arss.ARSS(kernel="poly"), "kernel='poly'.*'rbf'"),  # type: ignore[arg-type]
    (arss.TED(kernel="rbf", landmarks=0), "landmarks is 0"),
    (arss.FeatureSelector("exemplars"), "method='exemplars'"),  # type: ignore[arg-type]
    (arss.FeatureSelector("pca"), "method='pca'"),  # type: ignore[arg-type]
    (arss.FeatureSelector("arss", alpha=0.1), "alpha is not a setting of method arss"),
    (arss.FeatureSelector("arss", gamma=1.0, gamma_ratio=0.1), "both"),
    (arss.FeatureSelector(n_features_to_select=7), "n_features_to_select=7.*6 feature"),
]


@pytest.mark.parametrize(("estimator", "words"), BAD)
def test_bad_settings_are_named(estimator: Any, words: str, table: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match=words):
        estimator.fit(table)


WRONG_TYPE = [
    (arss.ARSS(p="half"), "p is 'half'"),  # type: ignore[arg-type]
    (arss.ARSS(max_iter=1.5), "max_iter is 1.5"),  # type: ignore[arg-type]
    (arss.ARSS(n_samples="10"), "n_samples='10'"),  # type: ignore[arg-type]
    (arss.ARSS(n_samples=True), "n_samples=True"),
    (arss.ARSS(callback=3), "callback is 3"),  # type: ignore[arg-type]
    (arss.ARSS(diverse="yes"), "diverse is 'yes'"),  # type: ignore[arg-type]
    (arss.ARSS(n_samples="auto"), "n_samples='auto'"),  # type: ignore[arg-type]
    (arss.Exemplars(n_samples="all"), "n_samples='all'.*'auto'"),  # type: ignore[arg-type]
    (arss.Exemplars(gate="no"), "gate is 'no'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("estimator", "words"), WRONG_TYPE)
def test_wrong_types_are_named(estimator: Any, words: str, table: NDArray[np.float64]) -> None:
    with pytest.raises(TypeError, match=words):
        estimator.fit(table)


def test_weights_and_groups_that_cannot_be(table: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="shape"):
        arss.TED().fit(table, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="weight 1 is -1"):
        arss.TED().fit(table, sample_weight=np.r_[1.0, -1.0, np.ones(298)])
    for kind in SELECTORS:
        accepted = inspect.signature(kind.fit).parameters
        assert ("sample_weight" in accepted) == (kind in (arss.Exemplars, arss.TED))
        assert ("groups" in accepted) == (kind is arss.Exemplars)
    with pytest.raises(ValueError, match="zero"):
        arss.ARSS().fit(np.zeros((20, 3)))


def test_shares_of_the_rows(table: NDArray[np.float64]) -> None:
    assert len(arss.TED(n_samples=0.1).fit(table).sample_indices_) == 30
    assert len(arss.TED(n_samples=0.001).fit(table).sample_indices_) == 1
    assert len(arss.RandomSelector(n_samples=1.0).fit(table).sample_indices_) == 300
