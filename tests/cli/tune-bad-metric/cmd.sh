# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 10K --fill &&
"$REFAULT" tune z.rft --minimize vmstat.pgmajfalt --sweep memory.max=50%,100%
