"""The usual alternatives: each class names its method and its settings, the rest is shared."""

from arss._assigning import AssigningSelector, PredictingSelector
from arss._base import RowSelector
from arss._docs import shared_docs
from arss._options import Distance, Encode, Metric, Missing
from arss._progress import Callback
from arss._random import RandomState, seed


class SeededSelector(RowSelector):
    """Methods that draw random numbers."""

    random_state: RandomState

    def _settings(self) -> dict[str, object]:
        return super()._settings() | {"seed": seed(self.random_state)}


@shared_docs
class RRQR(RowSelector):
    """Column-pivoted QR of the transposed table: each pick is the row farthest from the span of those before.

    Spans the table well and picks outliers first.

    Parameters
    ----------
    %(n_samples)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: the distance of each pick from the span of those before.
    %(all_scores)s
    outlier_scores_ : ndarray of shape (n,)
        What the method leaves of each row, larger is stranger: the distance from the span of the picks.
    %(n_iter)s
    %(objective)s
    %(gap)s
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> from arss import RRQR
    >>> RRQR(n_samples=2).fit([[3.0, 0.0], [2.9, 0.1], [0.0, 1.0]]).sample_indices_.tolist()
    [0, 2]
    """

    _method = "rrqr"

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
    ) -> None:
        self.n_samples = n_samples
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode


@shared_docs
class KMeansSelector(PredictingSelector, SeededSelector):
    """The rows nearest to the centres of k-means.

    Parameters
    ----------
    %(n_samples)s
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by at most this share.
    %(random_state)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(metric)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: the sizes of their clusters.
    %(all_scores)s
    %(outlier_scores)s
    labels_ : ndarray of shape (n,)
        The nearest pick of each row, as a position in `sample_indices_`.
    %(n_iter)s
    %(objective)s
    %(gap)s
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> from arss import KMeansSelector
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]
    >>> sorted(KMeansSelector(n_samples=2, random_state=0).fit(X).sample_indices_.tolist())
    [1, 4]
    """

    _method = "kmeans"
    _sparse = "rotated"
    _settings_names = ("max_iter", "tol")

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric = "euclidean",
    ) -> None:
        self.n_samples = n_samples
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric


@shared_docs
class KMedoidsSelector(PredictingSelector, SeededSelector):
    """Medoids: the rows with the least sum of distances to the nearest of them, found by swapping.

    Tables of more than 5,000 rows are searched in samples (`notes_` says so).

    Parameters
    ----------
    %(n_samples)s
    max_iter : int, default=100
        Most iterations (sweeps over all rows).
    %(random_state)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(any_metric)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: the sizes of their clusters.
    %(all_scores)s
    %(outlier_scores)s
    labels_ : ndarray of shape (n,)
        The nearest pick of each row, as a position in `sample_indices_`.
    %(n_iter)s
    %(objective)s
    %(gap)s
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> from arss import KMedoidsSelector
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1]]
    >>> int(KMedoidsSelector(n_samples=2, random_state=0).fit(X).sample_indices_[0])
    1
    """

    _by_pairs = True
    _method = "kmedoids"
    _sparse = "rotated"
    _settings_names = ("max_iter",)

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        max_iter: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric | Distance = "euclidean",
    ) -> None:
        self.n_samples = n_samples
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric


@shared_docs
class RandomSelector(SeededSelector):
    """A random choice without replacement: what every method has to beat.

    Parameters
    ----------
    %(n_samples)s
    %(random_state)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: random.
    %(all_scores)s
    %(outlier_scores)s
    %(n_iter)s
    %(objective)s
    %(gap)s
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> from arss import RandomSelector
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> len(RandomSelector(n_samples=0.5, random_state=0).fit(X).sample_indices_)
    2
    """

    _method = "random"

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
    ) -> None:
        self.n_samples = n_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode


@shared_docs
class FacilityLocation(AssigningSelector, SeededSelector):
    """Greedy facility location with a bounded similarity: the choice of `Exemplars` without its gate.

    Covers clean data best; outliers get picks of their own.

    Parameters
    ----------
    %(n_samples)s
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the samples that tables of more than 8192 rows are covered by; the same number gives
        the same rows, in the command line (`--seed`) too.
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(any_metric)s

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_chosen,)
        Positions of the chosen rows, in the order of choice.
    scores_ : ndarray of shape (n_chosen,)
        What each pick added to the coverage.
    %(outlier_scores)s
    labels_ : ndarray of shape (n,)
        The exemplar nearest to each row, as a position in `sample_indices_`; -1 for rows that
        `missing` left out.
    shares_ : ndarray of shape (n_chosen,)
        The share of the rows that each exemplar stands for; they add up to 1.
    coverage_ : ndarray of shape (n_chosen,)
        Coverage by the first 1, 2, ... picks: the mean similarity, 0 to 1, of a row to the nearest of them.
    exemplars_ : ndarray of shape (n_chosen, n_columns)
        The chosen rows as the method saw them (encoded, filled).
    all_scores_ : ndarray of shape (n,)
        `scores_` of the picks, 0 for the other rows.
    %(n_iter)s
    %(objective)s
    %(gap)s
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> from arss import FacilityLocation
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1]]
    >>> selector = FacilityLocation(n_samples=2, random_state=0).fit(X)
    >>> selector.labels_.tolist(), selector.shares_.tolist()
    ([0, 0, 0, 1, 1], [0.6, 0.4])
    """

    _by_pairs = True
    _method = "facility"
    _sparse = "rows"

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric | Distance = "euclidean",
    ) -> None:
        self.n_samples = n_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric
