# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 10K --fill &&
"$REFAULT" tune z.rft --where 'memory<=64K' --sweep memory.max=50%,100% --csv -
