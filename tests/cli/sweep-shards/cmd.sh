# SPDX-License-Identifier: Apache-2.0
# Shards merged are the single run, byte for byte; a shard that is missing is told.
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
"$REFAULT" gen scan -o u.rft --pages 1K --ops 10K --fill || exit 9
set -- t.rft u.rft --set memory.max=50% --sweep swap.device=nvme,zram0,null --sweep vm.page-cluster=0..2
"$REFAULT" sweep "$@" --csv one.csv --json one.jsonl >one.txt || exit 8
for i in 1 2 3 4 5; do
    "$REFAULT" sweep "$@" --shard $i/5 --journal part.$i --csv part.$i.csv --quiet || exit 7
done
"$REFAULT" merge part.? --csv all.csv --json all.jsonl >all.txt || exit 6
cmp one.csv all.csv && cmp one.jsonl all.jsonl && cmp one.txt all.txt || exit 5
wc -l <part.3.csv | tr -d ' '
"$REFAULT" merge part.1 part.2 part.4 part.5 2>&1 | sed 's/is [0-9a-f]*$/is .../'
"$REFAULT" sweep u.rft --sweep seed=1 --journal other --quiet
"$REFAULT" merge part.1 other
echo "$?"
"$REFAULT" merge one.csv
echo "$?"
"$REFAULT" sweep t.rft --sweep seed=1 --shard 0/5
echo "$?"
"$REFAULT" sweep "$@" --shard 2/9 --list | cut -d' ' -f2-
