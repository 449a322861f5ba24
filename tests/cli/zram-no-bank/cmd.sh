# SPDX-License-Identifier: Apache-2.0
# What a run without a bank lacks is said.
printf '100\n2000\n' >l
head -c 8192 /dev/zero >b
printf 'w 0 0\nw 1 1\n' >s
"$REFAULT" zram s --sizes l
"$REFAULT" zram s --sizes zstd=l --comp lz4 --recomp lzo --recomp zstd --kernel 6.1
"$REFAULT" zram s --sizes l --verify
"$REFAULT" zram s --sizes l --bank b --verify
