#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program that a signal ends dies of that signal and leaves no unfinished file: neither the trace
# that gen was writing, nor the results that repro and sweep were to write, nor anything in $TMPDIR.
# Of temporary files not even SIGKILL leaves any.
set -euo pipefail
set -m # a job in the background is not started with SIGINT ignored
: "${REFAULT:?path of the program}"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
mkdir out scratch
export TMPDIR=$tmp/scratch

# ended_by SIGNAL FILE COMMAND...: runs it until FILE is there, and sends the signal.
ended_by() {
    local sig=$1 file=$2 pid status=0
    shift 2
    "$@" >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 400); do
        [ -e "$file" ] && break
        sleep 0.02
    done
    [ -e "$file" ] || { echo "$*: no $file"; exit 1; }
    kill -s "$sig" "$pid"
    wait "$pid" 2>/dev/null || status=$?
    if [ "$status" != $((128 + $(kill -l "$sig"))) ]; then
        echo "$*: status $status after SIG$sig"
        exit 1
    fi
}

# nothing_in DIR
nothing_in() {
    [ -z "$(ls -A "$1")" ] || { echo "$2 left in $1:"; ls -A "$1"; exit 1; }
}

"$REFAULT" gen zipf -o t.rft --pages 16K --ops 4M
sweep=(sweep t.rft -j 1 --set memory.max=50% --sweep seed=1..1000)
for sig in INT TERM HUP QUIT; do
    ended_by "$sig" out/t.rft.part "$REFAULT" gen zipf -o out/t.rft --pages 1M --ops 64G
    nothing_in out "gen, SIG$sig"
    ended_by "$sig" out/r.json "$REFAULT" repro seed-003 --json out/r.json --html out/r.html
    nothing_in out "repro, SIG$sig"
    nothing_in scratch "repro, SIG$sig"
    ended_by "$sig" out/s.csv "$REFAULT" "${sweep[@]}" --csv out/s.csv --json out/s.jsonl
    nothing_in out "sweep, SIG$sig"
done
ended_by KILL out/r.json "$REFAULT" repro seed-003 --json out/r.json
nothing_in scratch "repro, SIGKILL"

# What another name leads to is not removed, nor what is no regular file.
mkfifo out/pipe
ln -sf ../t.csv out/s.csv
cat out/pipe >/dev/null &
ended_by TERM t.csv "$REFAULT" "${sweep[@]}" --csv out/s.csv --json out/pipe
[ -p out/pipe ] && [ -L out/s.csv ]

# The file of lengths has another name until it is whole. A pipe of that name, which is full, holds
# the program up in the midst of writing it: 40000 lengths of two bytes are more than a pipe takes.
mkdir lengths
head -c $((256 * 4096)) /dev/urandom >bank
truncate -s $((40000 * 4096)) bank
for i in $(seq 0 255); do echo "W $i $i"; done >ops
"$REFAULT" import --from text ops --bank bank -o b.rft
sh -c 'mkfifo lengths/c.$$.tmp; exec "$REFAULT" replay b.rft --set memory.max=25% \
    --set zswap.enabled=1 --sizes lengths/c' >/dev/null 2>&1 &
pid=$!
until part=$(ls lengths) && [ -n "$part" ]; do sleep 0.02; done
exec 7<>"lengths/$part"
head -c 1 <&7 >/dev/null
kill -s TERM "$pid"
status=0
wait "$pid" 2>/dev/null || status=$?
[ "$status" = 143 ]
nothing_in lengths "replay --sizes, SIGTERM"
