# SPDX-License-Identifier: Apache-2.0
printf "S ok\nw 0 7\n" >s.zs
printf "100\n200\n" | "$REFAULT" zram s.zs --sizes - --quiet
: >empty
printf "100\n" | "$REFAULT" zram empty --sizes -
