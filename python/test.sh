#!/usr/bin/env bash
# Builds the wheel, installs it into fresh environments and runs everything there: lints, all tests and the
# recorder on the newest versions of its dependencies, all tests but the half-gigabyte ones and those that kill workers on the oldest.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
# One folder for all builds, the one from the source distribution too.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/python
python=${PYTHON:-python3}
rm -rf "$work"
mkdir -p "$work"
# pip cannot build a wheel where it has no place to keep it: a home may be read-only.
cache=${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/pip
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || export PIP_CACHE_DIR=$work/cache

environment() { # NAME PACKAGE...: a fresh environment
    "$python" -m venv "$work/$1"
    "$work/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

run_tests() { # NAME PYTEST-ARGUMENT...: from elsewhere, so that the installed package is what is tested
    (cd "$work" && ARSS_BINARY="$binary" "$work/$1/bin/pytest" -c "$root/python/pyproject.toml" -q "$root/python/tests" "${@:2}")
}

# Both environments wait for downloads and for workers rather than for a core: they are set up and run side by side.
newest() {
    environment newest "$wheel[plot,dask]" --requirement python/requirements-test.txt datasets duckdb ipykernel mypy nbconvert
    "$work/newest/bin/pip" --disable-pip-version-check list
    (cd python && "$work/newest/bin/mypy" arss tests)
    run_tests newest
}

oldest() {
    environment oldest "$wheel[plot,dask]" --requirement python/requirements-test.txt --constraint python/oldest.txt
    run_tests oldest -k "not gigabyte and not kill"
}

# The source distribution builds by itself.
source_distribution() {
    (cd python && "$work/tools/bin/maturin" sdist --out "$work/dist")
    MATURIN_PEP517_ARGS="--profile dev" environment source "$work"/dist/*.tar.gz
    (cd "$work" && "$work/source/bin/arss" --version && "$work/source/bin/python" -c \
        "import arss, numpy; assert arss.select(numpy.eye(9, 4) + 1, 3, method='arss', p=1.0).shape == (3, 4)")
}

environment tools maturin ruff
"$work/tools/bin/ruff" check .
"$work/tools/bin/ruff" format --check .

# By the profile of the other tests, so that nothing is compiled twice; it is optimised, too.
cargo build --package arss-cli --package arss-python
binary=$CARGO_TARGET_DIR/debug/arss
(cd python && "$work/tools/bin/maturin" build --profile dev --quiet --interpreter "$python" --out "$work/dist")
wheel=$(echo "$work"/dist/*.whl)

# A group of processes of its own: nothing of it is left running if this script ends early.
set -m
(set -e; oldest) >"$work/oldest.log" 2>&1 </dev/null &
other=$!
set +m
trap 'kill -- "-$other" 2>/dev/null || true' EXIT
(set -e; newest)
# Every method, format and home tells what it told before; how memory and cores are asked for is Linux'.
if [ "$(uname)" = Linux ]; then
    "$work/newest/bin/python" tests/recorder/run.py --binary "$binary"
    # Some of the runs that must keep to --memory.
    "$work/newest/bin/python" benchmarks/memory/run.py --binary "$binary" --count 12 --seed 2 --small
fi
# Random commands over random tables choose and write what NumPy finds, too.
"$work/newest/bin/python" -m doctest tests/soak/reference.py
"$work/newest/bin/python" tests/soak/run.py --binary "$binary" --count 100

source_distribution
failed=0
wait "$other" || failed=$?
trap - EXIT
echo "The oldest versions:"
cat "$work/oldest.log"
exit "$failed"
