#!/usr/bin/env bash
# Sets up the environment, runs the quality benchmark and writes the tables.
# Arguments go to run.py; --smoke writes under target/ and leaves the committed results alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../environment.sh"

# One thread each: seconds are of one core, and worker processes do not get in each other's way.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1
case " $* " in
*" --smoke "*)
    "$bin/python" "$here/run.py" --out "$work/smoke.jsonl" "$@"
    "$bin/python" "$here/report.py" --results "$work/smoke.jsonl" --out "$work/smoke"
    ;;
*)
    "$bin/python" "$here/run.py" "$@"
    "$bin/python" "$here/report.py"
    ;;
esac
