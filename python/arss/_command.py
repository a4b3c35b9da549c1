"""The command line `arss`: the same commands as the Rust binary."""

import os
import sys
import tempfile
from pathlib import Path

from arss import _core

#: Commands that compare pictures, and flags that say what they are compared by or what the input is.
_COMMANDS = ("select", "outliers", "compare")
_TOLD = ("--embeddings", "--kind", "--images", "--text")


def main() -> int:
    """Run the words of the command line and return the exit code."""
    words = ["arss", *sys.argv[1:]]
    if not _wants_network(words):
        return _core.main(words)
    with tempfile.TemporaryDirectory(prefix="arss-") as folder:
        return _core.main([*words, "--embeddings", str(_embedded(words, Path(folder)))])


def _wants_network(words: list[str]) -> bool:
    """Whether pictures are chosen from, the extra `images` is installed and nothing else was asked for."""
    asked = any(word.split("=")[0] in _TOLD for word in words)
    if len(words) < 3 or words[1] not in _COMMANDS or asked or os.environ.get("ARSS_NETWORK") == "0":
        return False
    source = Path(words[2])
    if not source.is_dir() or _core.kind_of([source]) != "images":
        return False
    from arss import _network

    return _network.is_installed()


def _embedded(words: list[str], folder: Path) -> Path:
    """What the network says of the pictures, in a file."""
    import numpy as np

    from arss import _network

    cache = "--no-cache" not in words
    found = _core.read_media([Path(words[2])], kind="images", cache=cache)
    values = _network.embed([Path(path) for path in found["paths"]], cache=cache)
    np.save(folder / "network.npy", values)
    if "-q" not in words and "--quiet" not in words:
        print("note: pictures are compared by a network; ARSS_NETWORK=0 does without", file=sys.stderr)
    return folder / "network.npy"
