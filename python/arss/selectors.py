"""The row selectors.

`Exemplars` joins them with its own module.
"""

from arss._baselines import RRQR, KMeansSelector, KMedoidsSelector, RandomSelector
from arss._models import ARSS, RRSS, TED

__all__ = ["ARSS", "RRQR", "RRSS", "TED", "KMeansSelector", "KMedoidsSelector", "RandomSelector"]
