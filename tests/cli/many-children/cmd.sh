# SPDX-License-Identifier: Apache-2.0
# What the start and the end of a process cost does not grow with the number of those that have ended.
awk 'BEGIN { print "W 0 1"; for (i = 0; i < 10000; i++) print "F\nc W 0 2\nc R 0"; print "R 0" }' >ops.txt
"$REFAULT" import --from text ops.txt -o t.rft || exit 9
timeout 10 "$REFAULT" replay t.rft --set memory.max=max --set machine.cpus=256 | grep '^outcome'
