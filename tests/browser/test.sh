#!/usr/bin/env bash
# Opens report pages in a real browser: Debian's Chromium, without a window, driven by its own driver.
# Installs it if it can; says so and skips if it cannot. SCREENSHOTS=DIR keeps pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."

have() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }

if ! have && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "test-browser: installing chromium and chromium-driver"
    log=$(mktemp)
    { apt-get update && apt-get install -y --no-install-recommends chromium chromium-driver; } >"$log" 2>&1 || tail -3 "$log"
    rm -f "$log"
fi
if ! have; then
    echo "test-browser: SKIPPED, there is no chromium with chromedriver here and it could not be installed"
    exit 0
fi

# Built as the tests are, so that nothing is compiled twice.
cargo test --quiet --workspace --no-run
binary=${CARGO_TARGET_DIR:-target}/debug/arss

# The rules of axe-core for people who listen to pages, from npm, once, under target/.
axe=${CARGO_TARGET_DIR:-target}/axe/node_modules/axe-core/axe.min.js
if [ ! -f "$axe" ] && command -v npm >/dev/null; then
    npm install --no-audit --no-fund --silent --prefix "${CARGO_TARGET_DIR:-target}/axe" axe-core@4 >/dev/null 2>&1 || true
fi
[ -f "$axe" ] || axe=
exec python3 tests/browser/test.py "$binary" ${axe:+"$axe"}
