"""The walk in CONTRIBUTING.md is true: each stop names a file that is there and functions that are in it.

python3 tests/docs/walk.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_STOPS = 15


def main() -> int:
    """Check every stop; the number of faults is the exit code."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    stops = re.findall(r"^\d+\. `([^`]+)` ((?:`\w+`(?:, )?)+):(.*)$", text, re.MULTILINE)
    faults = [] if 5 <= len(stops) <= MOST_STOPS else [f"{len(stops)} stops, but at most {MOST_STOPS} are wanted"]
    for path, functions, rest in stops:
        file = ROOT / path
        if not file.is_file():
            faults.append(f"{path}: no such file")
            continue
        source = file.read_text(encoding="utf-8")
        for function in re.findall(r"`(\w+)`", functions + rest):
            if not re.search(rf"\bfn {function}\b", source):
                faults.append(f"{path}: no function {function}")
    print("\n".join(faults) or f"{len(stops)} stops, all there")
    return len(faults)


if __name__ == "__main__":
    sys.exit(main())
