# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill >/dev/null || exit 9
set -- t.rft --set memory.max=50% --set zswap.enabled=1 --sweep zswap.max_pool_percent=1,5,20 \
    --sweep vm.page-cluster=0..2
"$REFAULT" sweep "$@" -j1 --csv one.csv --quiet || exit 8
"$REFAULT" sweep "$@" -j3 --csv three.csv --json three.jsonl --quiet || exit 8
cmp one.csv three.csv || exit 7
cut -d, -f1-3 one.csv
tail -n +2 one.csv | cut -d, -f4- | sort -u | wc -l | awk '{ print ($1 > 3) }'
wc -l <three.jsonl | tr -d ' '
