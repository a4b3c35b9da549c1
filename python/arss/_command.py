"""The command line `arss`: the same commands as the Rust binary, with a network for pictures if it is installed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from arss import _core
from arss._extras import has_network

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def main() -> int:
    """Run the words of the command line and return the exit code."""
    return _core.main(["arss", *sys.argv[1:]], _embed if has_network() else None)


def _embed(paths: list[Path], keep: bool) -> "NDArray[np.float32]":
    """What the network says of pictures."""
    from arss import _network

    return _network.embed(paths, cache=keep, say=_say)


def _say(text: str) -> None:
    if not {"-q", "--quiet"} & set(sys.argv):
        print(f"note: {text}", file=sys.stderr)
