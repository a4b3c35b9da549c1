#!/usr/bin/env bash
# Sets up the environment with the peers' packages and asks them every question of probe.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../environment.sh"
"$bin/python" "$here/run.py"
