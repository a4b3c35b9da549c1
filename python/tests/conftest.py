"""Data that several tests use."""

import numpy as np
import pytest
from numpy.typing import NDArray


@pytest.fixture
def table() -> NDArray[np.float64]:
    """300 rows in 6 dimensions, three of them far out."""
    X = np.random.default_rng(7).normal(size=(300, 6)) + 2.0
    X[[5, 50, 250]] *= 30.0
    return X
