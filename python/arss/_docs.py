"""Parts of docstrings that several estimators share: said once, filled in where `%(name)s` stands."""

import re
from typing import TypeVar

Estimator = TypeVar("Estimator", bound=type)

_PARTS = {
    "all_scores": """\
all_scores_ : ndarray of shape (n,) or None
    The score of every row, where it was computed.
""",
    "callback": """\
callback : callable or None, default=None
    Called with a `Progress` once an iteration; something true stops the run, and the result
    is the one so far.
""",
    "encode": """\
encode : {None, "auto", "onehot", "ordinal", "drop"}, default=None
    What to do with data frame columns that hold no numbers: refuse them, turn them into columns of 0 and 1
    ("onehot") or into positions ("ordinal"), or leave them out ("drop"). Positions are those of the categories if they
    are ordered (an ordered categorical of pandas or Arrow, an Enum of polars), and alphabetical otherwise. "auto" does
    as the command line: columns of few texts become columns of 0 and 1, ordered ones positions, dates numbers, and
    columns that count or name the rows, long texts and constants are left out with a warning that names them. Of a file
    texts are left out unless "auto", "onehot" or "ordinal" is given. Columns of 0 and 1 do not make a row an outlier.
""",
    "feature_names_in": """\
feature_names_in_ : ndarray of str
    Names of the columns, if all are strings.
""",
    "gap": """\
gap_ : float or None
    None: the method has no duality gap.
""",
    "history": """\
history_ : dict of arrays
    `iteration`, `objective`, `residual`, `gap`, `mu` and `active`, one entry per iteration where the
    method iterates.
""",
    "kernel": """\
kernel : {None, "rbf"}, default=None
    Choose among the rows as they are, or as a bounded similarity to `landmarks` sees them
    (Nystroem features, width by the median distance): rows far out do not count for more then.
    `outlier_scores_` are those of the mapped rows.
""",
    "landmarks": """\
landmarks : int, default=256
    Columns of the mapped table; only with `kernel`.
""",
    "metric": """\
metric : {"euclidean", "cosine"}, default="euclidean"
    How rows are compared: by the straight line between them, or by the angle, whatever their length ("cosine", for
    embeddings; nothing is copied, and a row of zeros is refused by name). With `scale`, columns are scaled first.
""",
    "any_metric": """\
metric : {"euclidean", "cosine", "manhattan", "precomputed", "precomputed_similarity"} or callable, default="euclidean"
    How rows are compared: by the straight line between them; by the angle, whatever their length ("cosine", for
    embeddings; nothing is copied, and a row of zeros is refused by name); or by the sum of the absolute differences
    ("manhattan"). With `scale`, columns are scaled first. "precomputed": `X` holds distances, N x N, or is a sparse
    graph of neighbours, in which pairs that it does not hold are far apart; new rows are their distances to the rows
    of `fit`. "precomputed_similarity": `X` holds similarities s, and the squared distance is s_ii + s_jj - 2 s_ij. A
    function of two rows is called for each pair, of at most 8,192 rows. The last three need the table in memory.
""",
    "svd": """\
svd : int or None, default=None
    Columns that a sparse matrix or an array is reduced to first, by scikit-learn's randomised `TruncatedSVD`: for
    tables of many thousand columns, which these models need dense. `explained_variance_ratio_` tells how much of the
    rows that leaves.
""",
    "missing": """\
missing : {"error", "auto", "mean", "median", "drop"}, default="error"
    What to do with NaN: refuse it, fill it by the column's mean or median (of categories: the commonest one), or leave
    the rows out (their `outlier_scores_` are NaN). A row without any value is never filled but left out. "auto" fills
    by the median and leaves out columns and rows of which more than half is missing.
""",
    "n_iter": """\
n_iter_ : int
    Iterations (or picks) done.
""",
    "n_jobs": """\
n_jobs : int or None, default=None
    Threads: None is 1, or what a `joblib.parallel_config` around the call says, and -1 takes every core. The answer
    does not depend on it.
""",
    "n_rows": """\
n_rows_, n_features_in_ : int
    Shape of the table.
""",
    "n_samples": """\
n_samples : int or float, default=10
    How many rows to choose: a number (at most as many as there are), or a share in (0, 1],
    rounded down but at least one row.
""",
    "notes": """\
notes_ : list of str
    What else there is to know about the choice.
""",
    "objective": """\
objective_ : float
    The model's objective at the result.
""",
    "outlier_scores": """\
outlier_scores_ : ndarray of shape (n,)
    What the method leaves of each row, larger is stranger: the distance to the nearest pick.
""",
    "random_state": """\
random_state : int, RandomState instance, Generator or None, default=0
    Seed; the same number gives the same rows, in the command line (`--seed`) too.
""",
    "random_state_zero": """\
random_state : int, RandomState instance, Generator or None, default=0
    Seed of the landmarks; only with `kernel`.
""",
    "sample_indices": """\
sample_indices_ : ndarray of shape (n_chosen,)
    Positions of the chosen rows, best first.
""",
    "seconds": """\
seconds_ : dict
    Wall-clock seconds of the phases `prepare`, `solve` and `score`.
""",
    "status": """\
status_ : {"converged", "iteration_limit", "stopped"}
    How the run ended.
""",
    "verbose": """\
verbose : int, default=0
    1 shows a progress bar on stderr, 2 a line an iteration.
""",
}


def shared_docs(estimator: Estimator) -> Estimator:
    """Fill the shared parts into the docstring of a class."""

    def part(found: re.Match[str]) -> str:
        return "\n".join(f"    {line}" if line else line for line in _PARTS[found[1]].rstrip("\n").split("\n"))

    # Without docstrings (python -OO) there is nothing to fill in.
    if estimator.__doc__:
        estimator.__doc__ = re.sub(r"^    %\((\w+)\)s$", part, estimator.__doc__, flags=re.MULTILINE)
    return estimator
