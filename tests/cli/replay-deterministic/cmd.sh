# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 2K --ops 20K --fill >/dev/null || exit 9
for dev in nvme zram0; do
    "$REFAULT" replay t.rft --set memory.max=50% --set swap.device=$dev --json a.json --quiet || exit 8
    "$REFAULT" replay t.rft --set memory.max=50% --set swap.device=$dev --json - >b.json || exit 8
    cmp a.json b.json || exit 7
    grep -c '"outcome": "done"' a.json
done
