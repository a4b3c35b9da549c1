"""What a record says about where it comes from: versions and machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def installed(package: str) -> str | None:
    """The version of a package, None where it is not installed; ours with the commit of its sources."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return None
    return f"{found} {_commit()}" if package == "arss" else found


@cache
def machine() -> str:
    """Processor and cores, without names."""
    return f"{platform.machine()}, {os.cpu_count()} cores"


def _commit() -> str:
    """The last commit that changed what the package is built from."""
    root = Path(__file__).parents[1]
    command = ["git", "-C", str(root), "log", "-1", "--format=%h", "--", "crates", "python", "Cargo.lock"]
    found = subprocess.run(command, capture_output=True, text=True)
    return found.stdout.strip() or "no commit"
