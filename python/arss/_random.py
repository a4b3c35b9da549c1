"""Seeds."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

#: What `random_state` takes.
RandomState = int | np.random.RandomState | np.random.Generator | None


def seed(state: Any) -> int:
    """The seed for the core: a number is the seed itself, so that the command line's --seed means the same.

    A generator is asked for one, `None` asks NumPy's global one.
    """
    if isinstance(state, Integral):
        return int(state)
    if isinstance(state, np.random.Generator):
        return int(state.integers(2**31 - 1))
    return int(check_random_state(state).randint(2**31 - 1))
