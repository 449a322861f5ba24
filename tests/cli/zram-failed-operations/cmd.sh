# SPDX-License-Identifier: Apache-2.0
head -c 4096 "$REFAULT" >one.bank
printf 'w 0 0\nw 262144 0\nd 262143 2\nr 0 0\nS x\n' >s.zs
"$REFAULT" zram s.zs --bank one.bank --quiet
