# SPDX-License-Identifier: Apache-2.0
# A time or counter that is no count is refused by name, not shown as another number or as none.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
"$REFAULT" replay t.rft --quiet --json a.json || exit 9
for v in -1 1e308 0.5 '"7"' true null; do
    sed -E "s/(\"vmstat.pgfault\": )[0-9]+/\1$v/" a.json >b.json
    "$REFAULT" compare a.json b.json
    echo "$?"
done
sed -E 's/("stall_ns": )[0-9]+/\1-5/' a.json >b.json
"$REFAULT" replay t.rft --quiet --baseline b.json
echo "$?"
