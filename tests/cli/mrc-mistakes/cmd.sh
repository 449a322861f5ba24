# SPDX-License-Identifier: Apache-2.0
# What mrc and tune refuse is said in one line, and no temporary file stays behind, however they end.
mkdir tmp
export TMPDIR=$PWD/tmp
"$REFAULT" gen zipf --pages 4K --ops 20K -o z.rft || exit 9
"$REFAULT" mrc z.rft --set memory.max=50%
echo "$?"
"$REFAULT" mrc z.rft --rate 0.01 --sizes 20%
echo "$?"
"$REFAULT" tune z.rft --against time.stall_ns --set memory.max=50% --sweep vm.page-cluster=0..2
echo "$?"
TMPDIR=none "$REFAULT" mrc z.rft --rate 0.5 --sizes 20%
echo "$?"
"$REFAULT" mrc z.rft --rate 0.5 --sizes 20%,50% --quiet
echo "$?"
# A size without an end has no place on a curve; a share of a small trace may be no page at all.
for sizes in max 0 50%,max; do
    "$REFAULT" mrc z.rft --no-stall --quiet --sizes $sizes
    echo "$?"
done
printf 'W 0\n' >one.txt
"$REFAULT" import --from text one.txt --contents hist:mean=1650 -o one.rft
"$REFAULT" mrc one.rft
echo "$?"
for t in 0.05 0.1 0.2; do
    timeout -s KILL $t "$REFAULT" mrc z.rft --rate 0.9 --sizes 1%..100%:1% --quiet >/dev/null 2>&1
done 2>/dev/null
ls tmp
