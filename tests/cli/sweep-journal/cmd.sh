# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
set -- t.rft --set memory.max=50% --sweep vm.page-cluster=0..3
"$REFAULT" sweep "$@" --csv whole.csv --quiet --journal j || exit 8
"$REFAULT" sweep "$@" --csv again.csv --quiet --journal j
echo "$?"
"$REFAULT" sweep "$@" --csv again.csv --journal j --resume >/dev/null && cmp whole.csv again.csv
# One line damaged, one cut off: these two run again.
{
    sed -n 1,2p j
    sed -n 3p j | sed 's/done/doom/'
    sed -n 4p j
    sed -n 5p j | head -c 500
} >k
"$REFAULT" sweep "$@" --csv again.csv --journal k --resume >/dev/null && cmp whole.csv again.csv
# More values than before: only the new ones run. Copies of a trace are the same trace.
cp t.rft v.rft
"$REFAULT" sweep v.rft --set memory.max=50% --sweep vm.page-cluster=0..5 --journal j --resume >/dev/null
"$REFAULT" merge j --csv - | cut -d, -f1,2
# What is not there is not said to be: a new journal, and a shard.
"$REFAULT" sweep "$@" --journal new --resume >/dev/null
"$REFAULT" sweep "$@" --journal part --shard 1/2 --resume >/dev/null
"$REFAULT" sweep "$@" --resume
"$REFAULT" sweep "$@" --journal t.rft --resume
