# SPDX-License-Identifier: Apache-2.0
# Parts are counted alike by dump and cut, and dump finds them by the index.
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 2M --fill || exit 9
"$REFAULT" trace dump t.rft | grep '^[RW]' >all
for from in 0 1 1048575 1048576 2000000 2098175; do
    "$REFAULT" trace dump --from-op $from --ops 3 t.rft | grep '^[RW]' >part
    tail -n +$((from + 1)) all | head -3 | cmp - part || exit 8
done
"$REFAULT" trace dump --from-op 2098176 t.rft
echo "$?"
"$REFAULT" trace cut t.rft -o c.rft --from-op 1000000 --ops 5 || exit 7
"$REFAULT" trace dump c.rft | grep '^[RW]' | tail -5 >cut
tail -n +1000001 all | head -5 | cmp - cut || exit 6
for a in "--ops 0" "--ops 5 --to-op 9" "--from-op 5 --to-op 5" "--from-op x" "--level 0"; do
    # shellcheck disable=SC2086 # options
    "$REFAULT" trace cut t.rft -o d.rft $a
    echo "$?"
done
ls
