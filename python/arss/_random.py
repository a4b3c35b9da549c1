"""Seeds."""

from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state


def seed(state: Any) -> int:
    """The seed for the core: a number is the seed itself, so that the command line's --seed means the same."""
    return int(state) if isinstance(state, Integral) else int(check_random_state(state).randint(2**31 - 1))
