#!/usr/bin/env bash
# Embeddings: coverage and cost against k-means of scikit-learn and faiss. Needs 2 GB of disk, 8 GB of memory and a quiet machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/embeddings
if ! cmp -s "$here/requirements.txt" "$work/installed.txt"; then
    rm -rf "$work/venv"
    "${PYTHON:-python3}" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/installed.txt"
fi
(cd "$root/python" && "$work/venv/bin/maturin" build --release --quiet --interpreter "$work/venv/bin/python" --out "$work/dist")
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$work"/dist/*.whl
"$work/venv/bin/python" "$here/run.py" --work "$work" "$@"
