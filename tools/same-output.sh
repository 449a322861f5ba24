#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Different builds of refault give the same bytes: same-output.sh PROGRAM PROGRAM...
# Replays the bundled traces with several configurations by each program and compares the JSON with
# that of the first. Exit status 1 if any differs.
set -uo pipefail
src=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
if [ $# -lt 2 ]; then
    echo "usage: same-output.sh PROGRAM PROGRAM..." >&2
    exit 2
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# One configuration a line: trace, then options.
configurations() {
    local zswap="--set memory.max=60% --set zswap.enabled=1"
    cat <<EOF
redis $zswap --set zswap.compressor=lz4
redis $zswap --set zswap.compressor=zstd --kernel 6.1
sqlite --set memory.max=60% --set swap.device=zram0
sqlite --set memory.max=60% --set swap.device=nvme --kernel 6.1 --seed 7
gcc-tree $zswap --set machine.cpus=4 --set zswap.compressor=zstd
gcc-tree --set memory.max=60% --set swap.device=zram0 --set machine.cpus=4 --kernel 6.1
python $zswap --set lru_gen.enabled=1 --set zswap.shrinker_enabled=1
python --set memory.max=60% --set swap.device=hdd --set thp.enabled=always
EOF
}

failed=0 n=0
while read -r trace options; do
    i=0
    for program in "$@"; do
        i=$((i + 1))
        # shellcheck disable=SC2086 # options are words
        if ! "$program" replay "$src/traces/$trace.rft" $options --quiet --json "$tmp/$i.json" \
            >/dev/null 2>"$tmp/err" </dev/null; then
            echo "FAIL $program replay $trace $options"
            cat "$tmp/err"
            failed=1
        elif [ $i -gt 1 ] && ! cmp -s "$tmp/1.json" "$tmp/$i.json"; then
            echo "FAIL $trace $options: $program differs from $1"
            diff <(tr ',' '\n' <"$tmp/1.json") <(tr ',' '\n' <"$tmp/$i.json") | head -n 10
            failed=1
        fi
        n=$((n + 1))
    done
    rm -f "$tmp"/*.json
done < <(configurations)
[ $failed = 0 ] && echo "$n results of $# programs agree"
exit $failed
