"""What deny.toml demands of the dependencies, as far as the lock file and the manifests tell.

Licences, versions of the same crate, and where crates come from. `cargo deny` knows advisories and withdrawn crates as
well, but has to be compiled and needs its database: the hosted workflow runs it, and so does this where it is there.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def satisfied(expression: str, allowed: set[str]) -> bool:
    """Whether one may use a crate of this licence.

    >>> satisfied("MIT OR GPL-3.0", {"MIT"}), satisfied("(MIT OR X) AND Y", {"MIT"}), satisfied("A/B", {"B"})
    (True, False, True)
    >>> satisfied("Apache-2.0 WITH LLVM-exception", {"Apache-2.0 WITH LLVM-exception"})
    True
    """
    words = re.findall(r"\(|\)|\bAND\b|\bOR\b|[^\s()]+(?: WITH \S+)?", expression.replace("/", " OR "))
    at = 0

    def one() -> bool:
        nonlocal at
        word = words[at]
        at += 1
        if word != "(":
            return word in allowed
        found = either()
        at += 1
        return found

    def both() -> bool:
        nonlocal at
        found = one()
        while at < len(words) and words[at] == "AND":
            at += 1
            found = one() and found
        return found

    def either() -> bool:
        nonlocal at
        found = both()
        while at < len(words) and words[at] == "OR":
            at += 1
            found = both() or found
        return found

    return either()


def faults() -> list[str]:
    """What is wrong, a line each."""
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)["packages"]
    allowed = set(rules["licenses"]["allow"])
    skipped = {entry["crate"] for entry in rules["bans"]["skip"]}
    found = []
    versions: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if f"{package['name']}@{package['version']}" not in skipped:
            versions[package["name"]].add(package["version"])
        if not satisfied(package["license"] or "none", allowed):
            found.append(f"{name}: the licence {package['license']} is not on the list of deny.toml")
        if package["source"] and not package["source"].startswith(("registry+", "sparse+")):
            found.append(f"{name}: comes from {package['source']}")
    for name, own in versions.items():
        if len(own) > 1:
            found.append(f"{name}: {len(own)} versions, {', '.join(sorted(own))}; deny.toml may skip it with a reason")
    return found


def main() -> None:
    found = faults()
    print("\n".join(found) or "dependencies: licences, versions and sources are as deny.toml demands")
    if not found and shutil.which("cargo-deny"):
        subprocess.run(["cargo", "deny", "check"], cwd=ROOT, check=True)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
