"""What the package costs on top of the core: memory, imports, and what plan() says of it."""

import subprocess
import sys
import textwrap
from typing import Any

import pytest

import arss

GIGABYTE = 10**9


def available_memory() -> int:
    try:
        with open("/proc/meminfo") as lines:
            facts = dict(line.split(":") for line in lines)
    except OSError:
        return 0
    return int(facts["MemAvailable"].split()[0]) * 1024


MEMORY = """
import numpy as np, arss, warnings

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

arss.{kind}(n_samples=2).fit(np.eye(300, 200))
X = np.empty((1_000_000, 128), dtype=np.float32)
row = np.random.default_rng(0).standard_normal((4_000, 128), dtype=np.float32)
for start in range(0, len(X), len(row)):
    X[start : start + len(row)] = row
X[::4001] *= 1.5
X = X if "{layout}" == "c" else X[::4]
before = peak()
arss.{kind}({arguments}).fit(X)
print((peak() - before) / X.nbytes)
"""


@pytest.mark.skipif(available_memory() < 2 * GIGABYTE, reason="needs 2 GB")
@pytest.mark.parametrize(
    ("kind", "arguments", "layout", "most"),
    [
        ("TED", "n_samples=2", "c", 0.1),
        # ARSS keeps one value a cell itself; a copy of the table would make it two.
        ("ARSS", "n_samples=2, max_iter=1, tol=0.0", "strided", 1.5),
    ],
)
def test_half_a_gigabyte_is_not_doubled(kind: str, arguments: str, layout: str, most: float) -> None:
    code = MEMORY.format(kind=kind, arguments=arguments, layout=layout)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], text=True, capture_output=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < most


def test_import_stays_light() -> None:
    """scikit-learn and scipy are loaded when an estimator is used, not with the package."""
    loaded = "import sys, arss; print(any(name.split('.')[0] in ('sklearn', 'scipy') for name in sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True).strip() == "False"


def test_plan() -> None:
    plan = arss.plan(1_000_000, 20, "arss")
    assert plan.table_bytes == 160_000_000 < plan.bytes < 3 * plan.table_bytes
    default = arss.plan(1_000_000, 20)
    assert default.method == "exemplars" and default.bytes < plan.bytes
    assert 0 < plan.seconds < 1000
    assert arss.plan(1_000_000, 20, dtype="float32").bytes < plan.bytes
    assert arss.plan(20, 5000, "ted").bytes < 100_000_000
    assert "on top of" in str(plan)
    methods: list[Any] = ["rrss", "rrqr", "kmeans", "kmedoids", "random"]
    for method in methods:
        assert arss.plan(3000, 10, method).seconds > 0
    with pytest.raises(ValueError, match="method='x'"):
        arss.plan(10, 10, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0 x 3"):
        arss.plan(0, 3)


@pytest.mark.parametrize("method", ["arss", "rrss", "ted", "kmeans"])
def test_plan_is_of_the_right_size(method: str) -> None:
    code = f"""
    import numpy as np
    from arss import _core, plan

    def peak():
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

    planned = plan(400_000, 32, "{method}").bytes
    X = np.random.default_rng(0).normal(size=(400_000, 32))
    before = peak()
    settings = {{"max_iter": 2, "tol": 0.0}} if "{method}" in ("arss", "rrss") else {{}}
    _core.select(X, 5, "{method}", settings, threads=2)
    print((peak() - before) / planned)
    """
    if not available_memory():
        pytest.skip("needs /proc")
    ratio = float(subprocess.check_output([sys.executable, "-c", textwrap.dedent(code)], text=True))
    assert 0.4 < ratio < 1.7
