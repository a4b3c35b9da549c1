"""The words that options take, as types and as what they are checked against."""

from collections.abc import Callable
from typing import Any, Literal, get_args

#: What to do with NaN.
Missing = Literal["error", "auto", "mean", "median", "drop"]
#: How rows are compared.
Metric = Literal["euclidean", "cosine", "manhattan", "precomputed", "precomputed_similarity"]
#: A function of two rows.
Distance = Callable[[Any, Any], float]
#: What to do with columns that hold no numbers.
Encode = Literal["auto", "onehot", "ordinal", "drop"]
#: Similarities that the models know.
Kernel = Literal["rbf"]
#: Sets of settings of ARSS.
Preset = Literal["paper"]
#: What ARSS and RRSS rank rows by.
Rank = Literal["sum", "norm"]
#: The methods, as the command line calls them.
Method = Literal["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"]
#: Those that choose columns.
FeatureMethod = Literal["arss", "rrss", "ted", "rrqr"]
#: Types of a table.
Element = Literal["float64", "float32"]

MISSING: tuple[Missing, ...] = get_args(Missing)
ENCODINGS: tuple[Encode, ...] = get_args(Encode)
METRICS: tuple[Metric, ...] = get_args(Metric)
KERNELS: tuple[Kernel, ...] = get_args(Kernel)
FEATURE_METHODS: tuple[FeatureMethod, ...] = get_args(FeatureMethod)
