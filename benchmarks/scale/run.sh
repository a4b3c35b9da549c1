#!/usr/bin/env bash
# Builds the package, measures arss.dask with one and two workers, passes with nothing to do, files against memory
# in Python and on the command line, simulates the tree with stragglers, and measures a scheduler with 10,000 partitions. Arguments go to run.py: `--only arss rrss`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
environment=scale requirements=$here/requirements.txt
source "$here/../environment.sh"
"$bin/python" "$here/run.py" "$@"
"$bin/python" "$here/rounds.py"
"$bin/python" "$here/outside.py"
(cd "$here/../.." && cargo build --release --package arss-cli)
"$bin/python" "$here/disk.py"
"$bin/python" "$here/simulate.py"
"$bin/python" "$here/partitions.py"
