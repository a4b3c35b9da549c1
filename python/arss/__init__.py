"""Pick the K rows (or columns) that stand for a whole table, even when part of it is garbage.

>>> import numpy as np, arss
>>> X = np.random.default_rng(0).normal(size=(200, 8))
>>> arss.select(X, 5).shape
(5, 8)

The estimators follow scikit-learn: `fit`, then `sample_indices_` (best first), `scores_` and
`outlier_scores_`. scikit-learn itself is imported when the first of them is used.
"""

from typing import TYPE_CHECKING

from arss._core import __version__

if TYPE_CHECKING:
    from arss import plot
    from arss._functions import select
    from arss._media import Picks, images, texts
    from arss._model import Model
    from arss._plan import Plan, plan
    from arss._progress import Progress
    from arss._report import Report
    from arss.features import FeatureSelector
    from arss.selectors import (
        ARSS,
        RRQR,
        RRSS,
        TED,
        Exemplars,
        FacilityLocation,
        KMeansSelector,
        KMedoidsSelector,
        RandomSelector,
    )

# Where each public name lives: imported at first use, so that `import arss` is quick.
_HOME = {
    "Exemplars": "selectors",
    "ARSS": "selectors",
    "RRSS": "selectors",
    "TED": "selectors",
    "RRQR": "selectors",
    "KMeansSelector": "selectors",
    "KMedoidsSelector": "selectors",
    "FacilityLocation": "selectors",
    "RandomSelector": "selectors",
    "FeatureSelector": "features",
    "Model": "_model",
    "Picks": "_media",
    "images": "_media",
    "texts": "_media",
    "Plan": "_plan",
    "plan": "_plan",
    "Progress": "_progress",
    "Report": "_report",
    "select": "_functions",
}

__all__ = [
    "ARSS",
    "RRQR",
    "RRSS",
    "TED",
    "Exemplars",
    "FacilityLocation",
    "FeatureSelector",
    "KMeansSelector",
    "KMedoidsSelector",
    "Model",
    "Picks",
    "Plan",
    "Progress",
    "RandomSelector",
    "Report",
    "__version__",
    "images",
    "plan",
    "plot",
    "select",
    "texts",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOME:
        found: object = getattr(import_module(f"arss.{_HOME[name]}"), name)
    elif name == "plot":
        found = import_module("arss.plot")
    else:
        raise AttributeError(f"module 'arss' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
