# SPDX-License-Identifier: Apache-2.0
# With more memory there is less to wait for; all of it is best.
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 10K --fill &&
"$REFAULT" tune z.rft --sweep memory.max=50%..110%:20% --sweep vm.page-cluster=0,3 -j1
