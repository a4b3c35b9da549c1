#!/usr/bin/env bash
# Builds the package, measures arss.dask with one and two workers, and simulates the tree with stragglers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../environment.sh"
"$bin/pip" install --quiet --disable-pip-version-check "dask[array,distributed]"
"$bin/python" "$here/run.py" "$@"
"$bin/python" "$here/simulate.py"
