# SPDX-License-Identifier: Apache-2.0
# Every command that runs a recording at less memory than it is valid for says so.
seq 0 255 | sed 's/^/W /' >t.txt
"$REFAULT" import --from text t.txt --contents hist:mean=1650 --min-memory 128 -o t.rft || exit 9
"$REFAULT" replay t.rft --set memory.max=75% | grep valid
"$REFAULT" replay t.rft --set memory.high=25% | grep valid
"$REFAULT" sweep t.rft t.rft --quiet --sweep memory.max=25%,40%,75%
"$REFAULT" sweep t.rft --quiet --sweep memory.max=50%,75%
"$REFAULT" sweep t.rft --list --set memory.high=100K --sweep seed=1 >list
"$REFAULT" mrc t.rft --no-stall --quiet --sizes 25%,50%,75%
"$REFAULT" tune t.rft --set memory.max=40% --sweep vm.page-cluster=0..2 --quiet
"$REFAULT" tune t.rft --set memory.max=60% --sweep vm.page-cluster=0 | head -1
