"""Numbers of 16 bits: chosen from as float32, without a copy."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import arss


@pytest.fixture
def rows() -> NDArray[np.float16]:
    rng = np.random.default_rng(2)
    return (rng.normal(size=(600, 8)) + 3 * rng.integers(0, 4, size=(600, 1))).astype(np.float16)


@pytest.mark.parametrize("kind", [arss.Exemplars, arss.KMeansSelector, arss.KMedoidsSelector, arss.TED, arss.ARSS])
@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, lambda rows: rows[::2, 1:]])
def test_picks_are_those_of_float32(kind: Any, layout: Any, rows: NDArray[np.float16]) -> None:
    half = layout(rows)
    wide = kind(9).fit(half.astype(np.float32))
    found = kind(9).fit(half)
    assert np.array_equal(found.sample_indices_, wide.sample_indices_)
    np.testing.assert_array_equal(found.scores_, wide.scores_)


def test_cosine_new_rows_and_scale(rows: NDArray[np.float16]) -> None:
    for settings in ({"metric": "cosine"}, {"scale": "robust"}):
        found = arss.Exemplars(6, **settings).fit(rows)  # type: ignore[arg-type]
        wide = arss.Exemplars(6, **settings).fit(rows.astype(np.float32))  # type: ignore[arg-type]
        assert np.array_equal(found.sample_indices_, wide.sample_indices_)
        assert np.array_equal(found.predict(rows), found.labels_)


def test_infinity_is_named(rows: NDArray[np.float16]) -> None:
    rows[4, 2] = np.inf
    with pytest.raises(ValueError, match="row 4, column 2 is inf"):
        arss.Exemplars(3).fit(rows)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the peak")
def test_memory_beyond_the_input_is_that_of_float32() -> None:
    program = """
import resource, sys, numpy as np, arss
kind = np.dtype(sys.argv[1])
random = np.random.default_rng(0)
rows = np.empty((100_000, 128), dtype=kind)
for start in range(0, len(rows), 1000):
    rows[start : start + 1000] = random.standard_normal((1000, 128))
arss.Exemplars(5).fit(rows[:2000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
arss.Exemplars(20, refine=1).fit(rows)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    peaks = {}
    for kind in ("float16", "float32"):
        done = subprocess.run(
            [sys.executable, "-c", program, kind], capture_output=True, text=True, timeout=300, check=True
        )
        peaks[kind] = int(done.stdout)
    # A copy in float32 would take 50 MB.
    assert peaks["float16"] <= peaks["float32"] + 20_000, peaks
