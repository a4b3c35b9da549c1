#!/bin/sh
# Runs every target for $1 seconds (60), two at a time; logs go to target/.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
mkdir -p target
one() {
    mkdir -p "corpus/$1"
    # No workbook of the older kind is shorter.
    length=4096
    if [ "$1" = xlsx ]; then length=8192; fi
    cp seeds/"$1"/* "corpus/$1/"
    nice -n 19 cargo +nightly fuzz run "$1" -- \
        -max_total_time="$seconds" -rss_limit_mb=2048 -max_len=$length -timeout=25 -print_final_stats=1 \
        >"target/$1.log" 2>&1 || echo "$1: a crash, see target/$1.log"
    echo "$1: $(grep -E 'number_of_executed_units|average_exec' "target/$1.log" | tr -s ' \n' ' ')"
}
for pair in "csv parquet" "jsonl arrow" "npy npz" "packed messages" "xlsx model" "mtx"; do
    for target in $pair; do one "$target" & done
    wait
done
