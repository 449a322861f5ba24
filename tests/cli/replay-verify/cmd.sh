# SPDX-License-Identifier: Apache-2.0
# The summary says how many pages were compared: each that zswap loads or writes back, each that is
# read from zram, and none of those on a disk, whose bytes the model does not have.
value() { sed -n "s/.*\"vmstat.$1\": \([0-9]*\).*/\1/p" r.json; }
"$REFAULT" gen scan -o t.rft --pages 2K --ops 6K --fill
for a in zswap.enabled=1 swap.device=zram0 swap.device=nvme; do
    "$REFAULT" replay t.rft --verify --set memory.max=50% --set vm.page-cluster=0 --set "$a" --json r.json >r.txt
    sed -n '/^verified/s/[0-9][0-9]*/N/p' r.txt
    verified=$(sed -n 's/^verified \([0-9]*\) .*/\1/p' r.txt)
    case $a in
    zswap*) [ "$verified" = $(($(value zswpin) + $(value zswpwb))) ] ;;
    *zram*) [ "$verified" = "$(value pswpin)" ] ;;
    *) [ -z "$verified" ] ;;
    esac
    echo "$?"
done
"$REFAULT" replay t.rft --set memory.max=50% --set zswap.enabled=1 | grep '^verified'
echo "$?"
