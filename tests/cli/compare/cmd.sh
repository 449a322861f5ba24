# SPDX-License-Identifier: Apache-2.0
# One result against itself with a few numbers changed by hand: what comes first, and the ratios.
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
"$REFAULT" replay t.rft --set memory.max=50% --set vm.page-cluster=0 --quiet --json a.json || exit 9
edit() { sed -E "s/^( *\"$1\": )[0-9]+/\1$2/"; }
edit vm.page-cluster 3 <a.json | edit vmstat.pswpin 10000 | edit vmstat.swap_ra 7 | edit stall_ns 3000000000 |
    edit stall.swap_read_ns 2000000000 | edit stall.reclaim_ns 5000 >b.json
edit vmstat.pswpin 5000 <a.json | edit vmstat.swap_ra 0 | edit stall_ns 1000000000 | edit stall.swap_read_ns 500000000 |
    edit stall.reclaim_ns 0 >c.json
"$REFAULT" compare c.json b.json
echo "-> $?"
"$REFAULT" compare c.json b.json c.json --csv - | grep -E '^(kind|knobs|.*,vmstat.(pswpin|swap_ra),|time,stall_ns)'
"$REFAULT" compare a.json a.json
"$REFAULT" sweep t.rft --set memory.max=50% --sweep seed=1,2 --quiet --json two.jsonl
"$REFAULT" compare two.jsonl --json - | grep -c '"name": "vmstat.pswpin"'
"$REFAULT" compare a.json
echo "-> $?"
"$REFAULT" compare a.json cmd.sh
echo "-> $?"
echo '{"outcome": "done"}' >d.json
"$REFAULT" compare a.json d.json
echo "-> $?"
"$REFAULT" compare a.json b.json --json a.json
