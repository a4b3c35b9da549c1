# Sourced by the benchmarks that need rivals: a virtual environment under target/ with benchmarks/requirements.txt (or
# what `requirements` and `environment` name) and this package built from source. Sets `root`, `work` and `bin`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/${environment:-benchmarks}
requirements=${requirements:-$root/benchmarks/requirements.txt}
bin=$work/venv/bin

if ! cmp -s "$requirements" "$work/installed.txt"; then
    rm -rf "$work/venv"
    "${PYTHON:-python3}" -m venv "$work/venv"
    "$bin/pip" install --quiet --disable-pip-version-check maturin --requirement "$requirements"
    cp "$requirements" "$work/installed.txt"
fi
rm -rf "$work/dist"
(cd "$root/python" && "$bin/maturin" build --profile "${ARSS_PROFILE:-release}" --quiet --interpreter "$bin/python" --out "$work/dist")
"$bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$work"/dist/*.whl
# datasets.py and keel.py lie beside this file.
export PYTHONPATH=$root/benchmarks
