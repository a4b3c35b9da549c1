"""The same data gives the same answer through Rust, the command line and Python."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss

# The binary that cargo built, if the caller names one, and the one that the wheel ships.
BINARIES = [[sys.executable, "-m", "arss"], [str(Path(sys.executable).parent / "arss")]]
if "ARSS_BINARY" in os.environ:
    BINARIES.append([os.environ["ARSS_BINARY"]])

CASES: list[tuple[Any, list[str]]] = [
    (arss.Exemplars(n_samples=7), []),
    (
        arss.Exemplars(n_samples=7, landmarks=50, ridge=0.1, gate=False, include=[9], exclude=[3, 4], random_state=5),
        ["--landmarks", "50", "--ridge", "0.1", "--no-gate", "--include", "9", "--forbid", "3-4", "--seed", "5"],
    ),
    (arss.FacilityLocation(n_samples=7, random_state=3), ["--method", "facility", "--seed", "3"]),
    (arss.ARSS(n_samples=7, diverse=True), ["--method", "arss", "--diverse"]),
    (arss.ARSS(n_samples=7, rank="norm"), ["--method", "arss", "--rank", "norm"]),
    (
        arss.RRSS(n_samples=7, kernel="rbf", landmarks=30, random_state=2, tol=0.01),
        ["--method", "rrss", "--kernel", "rbf", "--landmarks", "30", "--seed", "2", "--tolerance", "0.01"],
    ),
    (arss.TED(n_samples=7, kernel="rbf"), ["--method", "ted", "--kernel", "rbf"]),
    (arss.ARSS(n_samples=7), ["--method", "arss"]),
    (arss.ARSS(n_samples=7, p=1.0, gamma=50), ["--method", "arss", "--p", "1", "--gamma", "50"]),
    (arss.ARSS(n_samples=7, preset="paper", gamma=99), ["--method", "arss", "--preset", "paper", "--gamma", "99"]),
    (arss.RRSS(n_samples=7, gamma_ratio=0.2), ["--method", "rrss", "--gamma-ratio", "0.2"]),
    (arss.TED(n_samples=7, alpha=0.5), ["--method", "ted", "--alpha", "0.5"]),
    (arss.RRQR(n_samples=7), ["--method", "rrqr"]),
    (arss.KMeansSelector(n_samples=7, random_state=3), ["--method", "kmeans", "--seed", "3"]),
    (arss.KMedoidsSelector(n_samples=7, random_state=3), ["--method", "kmedoids", "--seed", "3"]),
    (arss.RandomSelector(n_samples=7, random_state=3), ["--method", "random", "--seed", "3"]),
]


def through(binary: list[str], file: Path, flags: list[str]) -> Any:
    words = [*binary, "select", str(file), "-k", "7", "--scale", "none", "--json", "--quiet", *flags]
    done = subprocess.run(words, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("binary", BINARIES, ids=["module", "script", "cargo"][: len(BINARIES)])
@pytest.mark.parametrize(
    ("selector", "flags"), CASES, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_bit_for_bit(binary: list[str], selector: Any, flags: list[str], kind: str, tmp_path: Path) -> None:
    X = (np.random.default_rng(11).normal(size=(400, 9)) + 1.0).astype(kind)
    np.save(tmp_path / "table.npy", X)
    found = through(binary, tmp_path / "table.npy", flags)
    selector.fit(X)
    assert found["indices"] == selector.sample_indices_.tolist()
    assert found["scores"] == selector.scores_.tolist()
    assert found["iterations"] == selector.n_iter_
    assert found["objective"] == selector.objective_ or np.isnan(selector.objective_)
    assert found["gap"] == selector.gap_


@pytest.mark.parametrize("method", ["arss", "rrss", "ted", "rrqr"])
def test_features_too(method: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(11).normal(size=(60, 20)) + 1.0
    np.save(tmp_path / "table.npy", X)
    found = through(BINARIES[-1], tmp_path / "table.npy", ["--method", method, "--features"])
    selector = arss.FeatureSelector(method, n_features_to_select=7).fit(X)
    assert found["indices"] == selector.feature_indices_.tolist()
    assert selector.scores_ is not None
    assert found["scores"] == selector.scores_[selector.feature_indices_].tolist()


def test_the_command_line_is_shipped() -> None:
    done = subprocess.run([*BINARIES[1], "--version"], text=True, capture_output=True)
    assert done.stdout.split() == ["arss", arss.__version__]
    bad = subprocess.run([*BINARIES[1], "select", "no-such-file.csv", "-k", "3"], text=True, capture_output=True)
    assert bad.returncode == 2 and bad.stderr.startswith("error: ")
