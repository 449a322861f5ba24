#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same trace, configuration and seed give the same bytes: run after run, with any number of
# threads, in whatever pieces the trace is fed, and from every build. DETERMINISM_BUILDS lists build
# directories whose programs are compared with the one under test.
set -euo pipefail
: "${REFAULT:?path of the program}" "${REFAULT_SRC:?path of the sources}"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
traces=(redis)
[ -n "${DETERMINISM_BUILDS:-}" ] && traces=(redis gcc-tree python sqlite)

setups=(
    "--kernel 6.12 --set memory.max=50% --set zswap.enabled=1 --set zswap.compressor=zstd"
    "--kernel 6.12 --set memory.max=30% --set swap.device=ssd --set machine.cpus=4"
    "--kernel 6.1 --set memory.max=40% --set zswap.enabled=1 --set zswap.max_pool_percent=3"
    "--kernel 6.18 --set memory.max=40% --set swap.device=zram0 --set machine.cpus=2 --seed 7"
    "--kernel 6.12 --set memory.max=50% --set lru_gen.enabled=1 --set swap.device=hdd"
)

# replay PROGRAM OUTPUT TRACE ARGUMENTS...
replay() {
    local program=$1 out=$2 trace=$3
    shift 3
    "$program" replay -q "$@" --json "$out" "$REFAULT_SRC/traces/$trace.rft"
}

same() {
    cmp -s "$1" "$2" && return
    echo "$3: the results differ:"
    diff "$1" "$2" | head -20 || true
    exit 1
}

n=0
for t in "${traces[@]}"; do
    for s in "${setups[@]}"; do
        # shellcheck disable=SC2086 # a setup is several words
        replay "$REFAULT" "$tmp/first.$n" "$t" $s
        if [ -z "${DETERMINISM_BUILDS:-}" ]; then
            # shellcheck disable=SC2086
            replay "$REFAULT" "$tmp/again" "$t" $s
            same "$tmp/first.$n" "$tmp/again" "$t $s, run twice"
            # Looking at the machine along the way must not change it.
            # shellcheck disable=SC2086
            replay "$REFAULT" "$tmp/pieces" "$t" $s --interval 20ms --csv "$tmp/series"
            same "$tmp/first.$n" "$tmp/pieces" "$t $s, sampled"
            # shellcheck disable=SC2086
            replay "$REFAULT" "$tmp/checked" "$t" $s --check
            same "$tmp/first.$n" "$tmp/checked" "$t $s, checked"
        fi
        n=$((n + 1))
    done
done

for b in ${DETERMINISM_BUILDS:-}; do
    i=0
    for t in "${traces[@]}"; do
        for s in "${setups[@]}"; do
            # shellcheck disable=SC2086
            replay "$b/refault" "$tmp/other" "$t" $s
            same "$tmp/first.$i" "$tmp/other" "$t $s, $REFAULT and $b"
            i=$((i + 1))
        done
    done
done

sweep() {
    "$REFAULT" sweep "$REFAULT_SRC/traces/redis.rft" --set memory.max=50% --set zswap.enabled=1 \
        --sweep zswap.max_pool_percent=2,20 --sweep machine.cpus=1,2 -j"$1" --csv "$2" >/dev/null
}
sweep 1 "$tmp/j1"
sweep 2 "$tmp/j2"
same "$tmp/j1" "$tmp/j2" "sweep with one thread and with two"
echo "$((n)) setups, the same bytes"
