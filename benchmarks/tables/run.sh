#!/usr/bin/env bash
# Every table of some packages of tables through the command line with its defaults: results.jsonl and README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/tables
if ! cmp -s "$here/requirements.txt" "$work/installed.txt"; then
    rm -rf "$work/venv"
    "${PYTHON:-python3}" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/installed.txt"
fi
cargo build --release --manifest-path "$root/Cargo.toml"
"$work/venv/bin/python" "$here/run.py" --binary "$CARGO_TARGET_DIR/release/arss" --work "$work" "$@"
