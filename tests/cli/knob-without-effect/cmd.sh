# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
for k in zram0.backing_dev=1G zram0.writeback_limit=5 zram0.writeback_limit_enable=1 zram0.recomp_algorithm=zstd; do
    "$REFAULT" replay t.rft --quiet --set $k
    echo "$?"
done
"$REFAULT" replay t.rft --quiet --kernel 5.4 --set lru_gen.enabled=1
