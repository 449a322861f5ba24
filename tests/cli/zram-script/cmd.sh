# SPDX-License-Identifier: Apache-2.0
printf "0\n1000\n4000\n2000\n" >sizes
printf "w 0 0\nw 1 1\nw 2 2\nw 3 3\nE /sys/block/zram0/writeback huge\nd 3\nr 2 2\nS end\n" >s.zs
"$REFAULT" zram s.zs --sizes lz4=sizes --comp lz4 --backing-dev 1M --check --verify
