# SPDX-License-Identifier: Apache-2.0
cat >s.ini <<'END'
[none]
[_limited]
memory.max = 50%
[zswap : _limited]
zswap.enabled = 1
[zstd : zswap]
zswap.compressor = zstd
END
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
"$REFAULT" sweep t.rft --scenarios s.ini --sweep kernel=6.1,6.12 --along zswap.zpool=zbud,zsmalloc --where 'kernel>6.1' \
    --where memory.max\<=60% --csv - | cut -d, -f1-4
# A scenario is what the same knobs are by --set.
"$REFAULT" sweep t.rft --scenarios s.ini --json - | sed -n 3p >a
"$REFAULT" sweep t.rft --set memory.max=50% --set zswap.enabled=1 --sweep zswap.compressor=zstd --json - >b
cmp a b || exit 8
echo '[a : b]' >bad.ini
"$REFAULT" sweep t.rft --scenarios bad.ini
"$REFAULT" sweep t.rft --sweep kernel=6.1,6.12 --along seed=1,2,3
"$REFAULT" sweep t.rft --sweep kernel=6.1 --where 'zswap.compressor<zstd'
