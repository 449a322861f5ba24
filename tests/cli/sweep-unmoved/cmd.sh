# SPDX-License-Identifier: Apache-2.0
# Swept knobs that changed no row are named, once, and only if all rows were run.
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
# Without a limit nothing is swapped, whatever the kernel; nothing reads zswap's knobs.
"$REFAULT" sweep t.rft -q --sweep vm.page-cluster=0,3 --sweep memory.max=1G,2G --along vm.swappiness=60,70 \
    --sweep zswap.max_pool_percent=5,10
# The readahead window changes much, the size of a device that never fills nothing.
"$REFAULT" sweep t.rft -q --set memory.max=50% --sweep vm.page-cluster=0,3 --sweep swap.size=1G,2G
# An axis that moves something in one of two scenarios moves something.
printf '[tight]\nmemory.max = 50%%\n[wide]\nmemory.max = 1G\n' >s.ini
"$REFAULT" sweep t.rft -q --scenarios s.ini --sweep vm.page-cluster=0,3
# Nothing to compare: one value, or a part of the rows.
"$REFAULT" sweep t.rft -q --sweep vm.page-cluster=0
"$REFAULT" sweep t.rft -q --sweep vm.page-cluster=0,3 --shard 1/2
"$REFAULT" sweep t.rft -q --sweep vm.page-cluster=0,3 --sweep seed=1,2 --where 'vm.page-cluster<seed' --where 'seed<=1'
