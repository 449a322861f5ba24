# SPDX-License-Identifier: Apache-2.0
# Absurd values of costs and of times of the kernel's rules, on the command line and in a profile.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
printf '[blk.nvme]\nread_ns = 20s\n' >p.ini
printf '[blk]\nread_ns = 1\n' >q.ini
for k in cost.mm.access_ns=1s cost.mm.tick_ns=0 cost.blk.read_bps=5 cost.blk.channels=0 \
    cost.zswap.compress_byte_ps.lz4=1000000000 era.reclaim.stat_flush_ns=1ns \
    era.reclaim.add_batch=0 machine.ram=2000T; do
    "$REFAULT" replay t.rft --quiet --set "$k"
    echo "$?"
done
"$REFAULT" replay t.rft --quiet --set machine.ram=1024T
echo "$?"
"$REFAULT" replay t.rft --quiet --set swap.device=zram0 --set zram0.disksize=1K
echo "$?"
for k in cost.blk.read_bps=0 era.reclaim.stat_flush_ns=0; do
    "$REFAULT" replay t.rft --quiet --set "$k" || exit 8
done
"$REFAULT" replay t.rft --profile q.ini || "$REFAULT" replay t.rft --profile p.ini
