# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 10K --fill &&
"$REFAULT" tune z.rft --minimize vmstat.pgmajfalt --sweep memory.max=50%,100%
# Nothing is offered for a name that is like no other.
"$REFAULT" tune z.rft --minimize nosuch --sweep memory.max=50%,100%
