#!/usr/bin/env bash
# Sets up the environment, runs the experiments of the paper and writes tables, figures and docs/explanation/paper-claims.md.
# Arguments go to run.py. `run.sh --smoke` runs everything small, with tests, under target/ and leaves results/ alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
environment=paper requirements=$here/requirements.txt
source "$here/../environment.sh"

# One thread: seconds are of one core, and the answer does not depend on it.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
if [ "${1:-}" = --smoke ]; then
    rm -rf "$work/smoke"
    (cd "$work" && SMOKE_FOLDER=$work/smoke "$bin/pytest" -q -p no:cacheprovider "$here/test_paper.py")
    echo "tables: $work/smoke/tables.md, $work/smoke/timings.md"
else
    "$bin/python" "$here/run.py" "$@"
    "$bin/python" "$here/report.py"
fi
