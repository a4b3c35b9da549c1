"""The row selectors, and their names for `arss.select` and the command line."""

from arss._base import RowSelector
from arss._baselines import RRQR, FacilityLocation, KMeansSelector, KMedoidsSelector, RandomSelector
from arss._exemplars import Exemplars
from arss._models import ARSS, RRSS, TED

__all__ = [
    "ARSS",
    "RRQR",
    "RRSS",
    "TED",
    "Exemplars",
    "FacilityLocation",
    "KMeansSelector",
    "KMedoidsSelector",
    "RandomSelector",
]

_SELECTORS: tuple[type[RowSelector], ...] = (
    Exemplars,
    ARSS,
    RRSS,
    TED,
    KMeansSelector,
    KMedoidsSelector,
    FacilityLocation,
    RRQR,
    RandomSelector,
)
BY_NAME: dict[str, type[RowSelector]] = {kind._method: kind for kind in _SELECTORS}
