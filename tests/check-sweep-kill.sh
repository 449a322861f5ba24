#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep that is killed with SIGKILL at random moments and resumed gives the bytes of one that was
# not, and no point that was in the journal runs again: check-sweep-kill.sh [KILLS [SEED]].
# The suite kills 4 times; tests/check-sweep-kill.sh 50 takes a few minutes.
set -euo pipefail
: "${REFAULT:?path of the program}"

kills=${1:-4}
seed=${2:-$$}
RANDOM=$((seed % 32768))
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
echo "seed $seed"

"$REFAULT" gen zipf -o t.rft --pages 1K --ops 40K --fill
args=(sweep t.rft --quiet --jobs 2 --set memory.max=50% --set zswap.enabled=1
    --sweep zswap.max_pool_percent=1,3,10,30 --sweep vm.page-cluster=0..3 --sweep seed=1,2)
now() { date +%s%N; }
from=$(now)
"$REFAULT" "${args[@]}" --csv whole.csv --json whole.jsonl
lasts=$((($(now) - from) / 1000000 + 1))
points=$(wc -l <whole.jsonl)
echo "$points points in $lasts ms"

# run_and_kill: after a random part of the time that all of it takes; false if it had ended before.
run_and_kill() {
    local ms=$(((RANDOM << 15 | RANDOM) % lasts)) pid
    "$REFAULT" "${args[@]}" --csv cut.csv --journal journal --resume 2>/dev/null &
    pid=$!
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
    kill -9 "$pid" 2>/dev/null || true
    if wait "$pid" 2>/dev/null; then
        lasts=$((lasts * 3 / 4 + 1)) # the machine has become faster than it was
        return 1
    fi
}

# Points that the journal has; a line is whole if it ends with the end of its object.
journaled() {
    [ -f journal ] || return 0
    { grep -o '"point":"[0-9a-f]*","result":{.*}}$' journal || true; } | cut -d'"' -f4
}

killed=0 in_the_middle=0
while [ "$killed" -lt "$kills" ]; do
    rm -f journal
    for _ in 1 2; do # the second one kills what had been resumed
        [ "$killed" -lt "$kills" ] || break
        run_and_kill || break
        killed=$((killed + 1))
        n=$(journaled | wc -l)
        if [ "$n" -gt 0 ] && [ "$n" -lt "$points" ]; then
            in_the_middle=$((in_the_middle + 1))
        fi
    done
    before=$(journaled | wc -l)
    "$REFAULT" "${args[@]}" --csv resumed.csv --json resumed.jsonl --journal journal --resume 2>/dev/null
    cmp whole.csv resumed.csv
    cmp whole.jsonl resumed.jsonl
    again=$(journaled | sort | uniq -d | wc -l)
    if [ "$again" != 0 ]; then
        echo "$again points ran again though the journal had them"
        exit 1
    fi
    if [ "$(journaled | wc -l)" != "$points" ]; then
        echo "the journal has $(journaled | wc -l) points of $points, $before of them before the last run"
        exit 1
    fi
done
echo "$killed kills, $in_the_middle of them with some but not all points in the journal"
