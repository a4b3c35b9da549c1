#!/usr/bin/env bash
# Builds what is timed, sets up the rivals, measures and writes the tables. Arguments go to run.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../environment.sh"

(cd "$root" && cargo build --release --quiet)
iteration=$(cd "$root" && cargo bench --quiet -p arss --bench iteration --no-run --message-format=json |
    "$bin/python" -c 'import json, sys; print([m["executable"] for m in map(json.loads, sys.stdin) if m.get("executable")][-1])')
# Both cores for NumPy, as for us.
export OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2
"$bin/python" "$here/run.py" --iteration "$iteration" "$@"
"$bin/python" "$here/report.py"
