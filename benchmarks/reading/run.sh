#!/usr/bin/env bash
# Processor time of reading a table, against pandas and pyarrow: results.jsonl and README.md. Arguments go to run.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/reading
if ! cmp -s "$here/requirements.txt" "$work/installed.txt"; then
    rm -rf "$work/venv"
    "${PYTHON:-python3}" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/installed.txt"
fi
cargo build --release --manifest-path "$root/Cargo.toml"
"$work/venv/bin/python" "$here/run.py" --binary "$CARGO_TARGET_DIR/release/arss" --work "$work" "$@"
