# SPDX-License-Identifier: Apache-2.0
# Large pages that no mapping of the trace allows are noted; without --thp none of gen's does.
"$REFAULT" gen scan -o no.rft --pages 1K --ops 2K --writes 100% || exit 9
"$REFAULT" gen scan -o yes.rft --pages 1K --ops 2K --writes 100% --thp || exit 9
for t in no yes; do
    for k in thp.enabled=always thp.hugepages-64kB.enabled=1 thp.enabled=never; do
        echo "$t $k $("$REFAULT" replay $t.rft --set $k | grep -c 'note  *large pages are on')"
    done
done
