#!/usr/bin/env bash
# Sets up the environment of the quality benchmark, installs this package in it, runs it and writes the tables.
# Arguments go to run.py; --smoke writes under target/ and leaves the committed results alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/quality
bin=$work/venv/bin

if ! cmp -s "$here/requirements.txt" "$work/installed.txt"; then
    rm -rf "$work/venv"
    "${PYTHON:-python3}" -m venv "$work/venv"
    "$bin/pip" install --quiet --disable-pip-version-check maturin --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/installed.txt"
fi
rm -rf "$work/dist"
(cd "$root/python" && "$bin/maturin" build --release --quiet --interpreter "$bin/python" --out "$work/dist")
"$bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$work"/dist/*.whl

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
