# SPDX-License-Identifier: Apache-2.0
# A value that stands twice would only repeat rows. It is told by what it means, not how it is written.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 500 || exit 9
for l in seed=1,1 vm.page-cluster=0..5,3 memory.max=1G,2G,1024M cost.mm.minor_fault_ns=1000,1us zswap.enabled=0,1,0; do
    "$REFAULT" sweep t.rft --sweep "$l"
    echo "$?"
done
"$REFAULT" sweep t.rft --sweep seed=1,2 --sweep vm.swappiness=1 --sweep seed=3
"$REFAULT" sweep t.rft --sweep seed=1,2 --along seed=3,4
"$REFAULT" sweep t.rft --sweep seed=1,1,2 --along vm.swappiness=5,5,5
"$REFAULT" tune t.rft --sweep seed=1,01
"$REFAULT" mrc t.rft --sizes 10%..50%:10%,30%
# Not the same: amounts that differ by a byte; pairs that differ in one of two.
"$REFAULT" sweep t.rft --list --sweep memory.max=1G,1073741825 | wc -l
"$REFAULT" sweep t.rft --list --sweep vm.swappiness=5,5,6 --along seed=1,2,2 --along vm.page-cluster=0,0,0 | wc -l
