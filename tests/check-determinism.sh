#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same trace, configuration and seed give the same bytes: run after run, with any number of
# threads, and in whatever pieces the trace is fed. (tools/same-output.sh compares builds.)
set -euo pipefail
: "${REFAULT:?path of the program}" "${REFAULT_SRC:?path of the sources}"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trace=$REFAULT_SRC/traces/redis.rft
setups=(
    "--kernel 6.12 --set memory.max=50% --set zswap.enabled=1 --set zswap.compressor=zstd"
    "--kernel 6.12 --set memory.max=30% --set swap.device=ssd --set machine.cpus=4"
    "--kernel 6.1 --set memory.max=40% --set zswap.enabled=1 --set zswap.max_pool_percent=3"
    "--kernel 6.18 --set memory.max=40% --set swap.device=zram0 --set machine.cpus=2 --seed 7"
    "--kernel 6.12 --set memory.max=50% --set lru_gen.enabled=1 --set swap.device=hdd"
)

same() {
    cmp -s "$1" "$2" && return
    echo "$3: the results differ:"
    diff "$1" "$2" | head -20 || true
    exit 1
}

replay() {
    # shellcheck disable=SC2086 # a setup is several words
    "$REFAULT" replay -q $s --json "$@" "$trace"
}

for s in "${setups[@]}"; do
    replay "$tmp/first"
    replay "$tmp/again"
    same "$tmp/first" "$tmp/again" "$s, run twice"
    # Looking at the machine along the way must not change it.
    replay "$tmp/pieces" --interval 20ms --csv "$tmp/series"
    same "$tmp/first" "$tmp/pieces" "$s, sampled"
    replay "$tmp/checked" --check
    same "$tmp/first" "$tmp/checked" "$s, checked"
done

sweep() {
    "$REFAULT" sweep "$trace" --set memory.max=50% --set zswap.enabled=1 \
        --sweep zswap.max_pool_percent=2,20 --sweep machine.cpus=1,2 -j"$1" --csv "$2" >/dev/null
}
sweep 1 "$tmp/j1"
sweep 2 "$tmp/j2"
same "$tmp/j1" "$tmp/j2" "sweep with one thread and with two"
echo "${#setups[@]} setups, the same bytes"
