# SPDX-License-Identifier: Apache-2.0
# Output that does not arrive is an error, however long it is: a write may fail before the last one.
printf '1000\n' >sizes
printf 'w 0 0\nS a\n' >s.zs
"$REFAULT" zram s.zs --sizes sizes >/dev/full
echo "$?"
"$REFAULT" zsmalloc classes --chain-size 8 --rules new --csv - >/dev/full
echo "$?"
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
"$REFAULT" sweep t.rft --sweep seed=1,2 --journal /dev/full
echo "$?"
"$REFAULT" knobs > /dev/full
