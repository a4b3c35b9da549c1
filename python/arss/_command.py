"""The command line `arss`: the same commands as the Rust binary."""

import sys

from arss._core import main as run


def main() -> int:
    """Run the words of the command line and return the exit code."""
    return run(["arss", *sys.argv[1:]])
