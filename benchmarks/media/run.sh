#!/usr/bin/env sh
# Pictures, frames and texts: run.sh DATA ARSS FOLDER
#   DATA    holds fashion_mnist/, frames/ and speeches/ (README.md says where they come from)
#   ARSS    the program, for the measurement of speed
#   FOLDER  where pictures for that are made
set -eu
cd "$(dirname "$0")"
python run.py --data "$1"
python speed.py --arss "$2" --folder "$3"
python tables.py
