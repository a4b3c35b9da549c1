"""The methods of the paper and its rivals: each class names its method and its settings, the rest is shared."""

from arss._docs import shared_docs
from arss._kernels import KernelSelector, PenalisedSelector
from arss._options import Encode, Kernel, Metric, Missing, Preset, Rank
from arss._progress import Callback
from arss._random import RandomState
from arss._weighted import WeightedSelector

#: What a preset of ARSS settles.
OF_THE_PRESET = ("gamma_ratio", "max_iter", "tol")


@shared_docs
class ARSS(PenalisedSelector):
    """Accelerated robust subset selection: min sum |X - XA|^p + gamma sum_n |a^n|_2.

    Rows that the others need for their representation are chosen. Damaged cells and most strange rows
    go into the error; a row that is far from all others can only be represented by itself, though, and
    may be chosen for it. Time and memory are linear in the number of rows.

    Parameters
    ----------
    %(n_samples)s
    p : float, default=0.5
        Exponent of the loss, in (0, 1]; with 1 the problem is convex and `gap_` a certificate.
    gamma : float or None, default=None
        Weight of the row penalty as it stands in the objective; if given, `gamma_ratio` is not used.
    gamma_ratio : float, default=0.1
        The weight as a share of the one at which nothing is chosen: does not depend on the scale
        of the data.
    max_iter : int, default=1000
        Most iterations.
    tol : float, default=1e-3
        Stop at this relative accuracy (the duality gap for p = 1); 0 runs all iterations.
    preset : {None, "paper"}, default=None
        "paper": the algorithm as its authors ran it (a penalty that grows by 1.1 an iteration, two steps of the
        shrinkage, 100 iterations, very sparse rows of coefficients score 0); `gamma` is .1 unless given, and
        `gamma_ratio`, `max_iter` and `tol` are not used.
    all_scores : bool, default=False
        Score every row, not only those that can reach the top: time grows with n squared.
    diverse : bool, default=False
        Choose among the top max(10 K, 1000) one by one, each time the row with the largest score
        times 1 - exp(-3 d^2 / h2), d being the distance to the nearest pick so far; copies of a pick
        (less than .01 there) come last. `sample_indices_` are then in the order of choice.
    rank : {"sum", "norm"}, default="sum"
        What rows are ranked by: the sum of |a^n|, the row of coefficients, as published; or its length |a^n|_2, which
        the objective penalises. The lengths are known at once; the sums take another step.
    %(kernel)s
    %(landmarks)s
    %(random_state_zero)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(metric)s
    %(svd)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: the sum of |a^n|, the row of coefficients, or its length.
    %(all_scores)s
    outlier_scores_ : ndarray of shape (n,)
        What the method leaves of each row, larger is stranger: |x_n - X a_n|_2.
    %(n_iter)s
    %(objective)s
    gap_ : float or None
        Relative duality gap if p = 1, otherwise None.
    %(status)s
    history_ : dict of arrays
        `iteration`, `objective`, `residual`, `gap`, `mu` and `active` (the share of the entries of the
        error that are not zero: where the loss acts), one entry per iteration.
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> import numpy as np
    >>> from arss import ARSS
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> X[7] *= 40
    >>> selector = ARSS(n_samples=4).fit(X)
    >>> selector.select(X).shape
    (4, 5)
    >>> bool(7 in selector.outlier_scores_.argsort()[-1:])
    True
    """

    _method = "arss"
    _settings_names = ("p", "max_iter", "tol", "diverse", "rank")
    _cheap_scores = False

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        p: float = 0.5,
        gamma: float | None = None,
        gamma_ratio: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-3,
        preset: Preset | None = None,
        all_scores: bool = False,
        diverse: bool = False,
        rank: Rank = "sum",
        kernel: Kernel | None = None,
        landmarks: int = 256,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric = "euclidean",
        svd: int | None = None,
    ) -> None:
        self.n_samples = n_samples
        self.p = p
        self.gamma = gamma
        self.gamma_ratio = gamma_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.preset = preset
        self.all_scores = all_scores
        self.diverse = diverse
        self.rank = rank
        self.kernel = kernel
        self.landmarks = landmarks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric
        self.svd = svd

    def _settings(self) -> dict[str, object]:
        settings = super()._settings()
        if self.preset is None:
            return settings
        return {"preset": self.preset} | {name: settings[name] for name in settings if name not in OF_THE_PRESET}


@shared_docs
class RRSS(PenalisedSelector):
    """Robust representative subset selection: min sum_n |x_n - X a_n|_2 + gamma sum_n |a^n|_2.

    Convex: `gap_` says how far the objective may be above the optimum.

    Parameters
    ----------
    %(n_samples)s
    gamma : float or None, default=None
        Weight of the row penalty as it stands in the objective; if given, `gamma_ratio` is not used.
    gamma_ratio : float, default=0.1
        The weight as a share of the one at which nothing is chosen: does not depend on the scale
        of the data.
    max_iter : int, default=1000
        Most iterations.
    tol : float, default=1e-4
        Stop at this relative duality gap; 0 runs all iterations, as published.
    all_scores : bool, default=False
        Score every row, not only those that can reach the top: time grows with n squared.
    diverse : bool, default=False
        Choose among the top max(10 K, 1000) one by one, each time the row with the largest score
        times 1 - exp(-3 d^2 / h2), d being the distance to the nearest pick so far; copies of a pick
        (less than .01 there) come last. `sample_indices_` are then in the order of choice.
    rank : {"sum", "norm"}, default="sum"
        What rows are ranked by: the sum of |a^n|, the row of coefficients, as published; or its length |a^n|_2, which
        the objective penalises. The lengths are known at once; the sums take another step.
    %(kernel)s
    %(landmarks)s
    %(random_state_zero)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(metric)s
    %(svd)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: the sum of |a^n|, the row of coefficients, or its length.
    %(all_scores)s
    outlier_scores_ : ndarray of shape (n,)
        What the method leaves of each row, larger is stranger: |x_n - X a_n|_2.
    %(n_iter)s
    %(objective)s
    gap_ : float or None
        Relative duality gap.
    %(status)s
    %(history)s
    %(seconds)s
    %(notes)s
    %(n_rows)s
    %(feature_names_in)s

    Examples
    --------
    >>> import numpy as np
    >>> from arss import RRSS
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> RRSS(n_samples=4).fit(X).gap_ <= 1e-4
    True
    """

    _method = "rrss"
    _sparse = "rotated"
    _settings_names = ("max_iter", "tol", "diverse", "rank")
    _cheap_scores = False

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        gamma: float | None = None,
        gamma_ratio: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-4,
        all_scores: bool = False,
        diverse: bool = False,
        rank: Rank = "sum",
        kernel: Kernel | None = None,
        landmarks: int = 256,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric = "euclidean",
        svd: int | None = None,
    ) -> None:
        self.n_samples = n_samples
        self.gamma = gamma
        self.gamma_ratio = gamma_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.all_scores = all_scores
        self.diverse = diverse
        self.rank = rank
        self.kernel = kernel
        self.landmarks = landmarks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric
        self.svd = svd


@shared_docs
class TED(WeightedSelector, KernelSelector):
    """Transductive experimental design: rows from which a ridge regression represents all others.

    Greedy, fast and exact, but not robust: long rows are chosen early. The choice is diverse by itself: what
    a pick explains no longer counts, so a row and its copy are not both chosen while others are left to explain.

    Parameters
    ----------
    %(n_samples)s
    alpha : float, default=0.1
        Ridge, larger than 0.
    %(kernel)s
    %(landmarks)s
    %(random_state_zero)s
    %(n_jobs)s
    %(verbose)s
    %(callback)s
    %(missing)s
    %(encode)s
    %(metric)s
    %(svd)s

    Attributes
    ----------
    %(sample_indices)s
    scores_ : ndarray of shape (n_chosen,)
        Their scores: what each pick gained.
    %(all_scores)s
    outlier_scores_ : ndarray of shape (n,)
        What the method leaves of each row, larger is stranger: the root of its term in the objective.
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
    >>> from arss import TED
    >>> X = [[2.0, 0.0], [2.0, 0.1], [0.0, 1.0]]
    >>> TED(n_samples=2).fit(X).sample_indices_.tolist()
    [1, 2]
    >>> TED(n_samples=1).fit(X, sample_weight=[0.01, 0.01, 9.0]).sample_indices_.tolist()
    [2]
    """

    _method = "ted"
    _sparse = "rotated"
    _settings_names = ("alpha",)

    def __init__(
        self,
        n_samples: int | float = 10,
        *,
        alpha: float = 0.1,
        kernel: Kernel | None = None,
        landmarks: int = 256,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        missing: Missing = "error",
        encode: Encode | None = None,
        metric: Metric = "euclidean",
        svd: int | None = None,
    ) -> None:
        self.n_samples = n_samples
        self.alpha = alpha
        self.kernel = kernel
        self.landmarks = landmarks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.missing = missing
        self.encode = encode
        self.metric = metric
        self.svd = svd
