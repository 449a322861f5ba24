# SPDX-License-Identifier: Apache-2.0
# What was set but has no effect is said in one line on stderr; over a sweep only if it has none at
# any point.
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 2000 || exit 9
printf '[idle]\nzram0.mem_limit = 1M\n' >s
say() {
    echo "-- $*" >&2
    "$REFAULT" "$@" --quiet || echo "$?" >&2
}
say replay t.rft --set zswap.compressor=lz4 --set memory.zswap.max=1M --set zram0.mem_limit=1M
say replay t.rft --set zswap.enabled=1 --set zswap.compressor=lz4 --set zswap.zpool=zbud --set zsmalloc.chain_size=8
say replay t.rft --set zswap.enabled=1 --set accel.model=none --set accel.batch=4 --set accel.wqs=2
say replay t.rft --set zswap.enabled=1 --set accel.model=queue --set accel.engines=2 --set accel.wqs=2
say replay t.rft --set zswap.enabled=1 --set zswap.compressor=deflate-iaa --set accel.model=iaa --set accel.queue.depth=4 --set accel.wqs=2
say replay t.rft --set machine.tlb_contents=1 --set vm.compress-batchsize=4 --set swap.singlemapped_ra_enabled=1
say replay t.rft --set swap.device=zram0 --set zram0.comp_algorithm=lz4 --set zsmalloc.chain_size=8
say replay t.rft --set zswap.enabled=0 --set accel.model=none
say replay t.rft --set machine.placement=bind --set thp.defrag=always --set machine.stat_flush_phase=5 --set era.reclaim.stat_flush_ns=0
say replay t.rft --set machine.placement=bind --set machine.cpus=2 --set thp.defrag=always --set thp.enabled=always --set machine.stat_flush_phase=5
say sweep t.rft --sweep zswap.enabled=0,1 --sweep zswap.max_pool_percent=10,20
say sweep t.rft --sweep accel.queue.depth=1,2 --set zswap.compressor=lz4
say sweep t.rft --sweep swap.device=nvme,zram0 --sweep zram0.comp_algorithm=lz4,zstd
say sweep t.rft --sweep swap.device=nvme,zram0 --sweep zram0.comp_algorithm=lz4,zstd --where 'swap.device=nvme'
say sweep t.rft --scenarios s --sweep seed=1,2
say tune t.rft --sweep zswap.max_pool_percent=10,20
say tune t.rft --sweep zswap.max_pool_percent=10,20 --sweep zswap.enabled=0,1
say mrc t.rft --sizes 50%,100% --set zswap.compressor=lz4
say replay t.rft --set cost.zswap.load_ns=1 --set cost.zram.read_ns=1
say replay t.rft --set swap.device=zram0 --set cost.zram.read_ns=1 --set cost.blk.accept_ns=1us
say replay t.rft --set cost.blk.accept_ns=1us --set cost.mm.swap_lock_ns=1 --set cost.mm.guest_exit_ns=1
say replay t.rft --set machine.contention=1 --set cost.mm.swap_lock_ns=1 --set machine.guests=1 --set cost.mm.guest_exit_ns=1
queue="--set zswap.enabled=1 --set accel.model=queue"
iaa="--set zswap.enabled=1 --set accel.model=iaa --set zswap.compressor=deflate-iaa"
say replay t.rft $queue --set accel.batch=4 --set accel.comp_full=error --set accel.comp_retries=5 --set accel.devices=1 --set accel.distribute_comps=1
say replay t.rft $queue --set accel.sync_mode=async --set accel.batch=4 --set accel.queue.depth=2 --set accel.decomp_retries=5 --set accel.queue.wake=1us
say replay t.rft $queue --set accel.queue.compress=0 --set accel.queue.max_out=99 --set cost.accel.store_ns=1 --set cost.zswap.store_ns=1
say replay t.rft $queue --set cost.accel.store_ns=1 --set cost.accel.wait_ns=1 --set cost.zswap.store_ns=1
say replay t.rft $queue --set accel.queue.depth=2 --set accel.comp_full=error --set accel.comp_retries=5 --set accel.sync_mode=async_irq --set accel.queue.wake=1us --set era.zswap.store_batch=1 --set accel.batch=4
say replay t.rft $iaa --set accel.wq_threshold=2 --set cost.accel.irq_ns=1 --set cost.accel.dynamic_percent=1
say replay t.rft $iaa --set accel.wq_threshold=2 --set accel.wq_shared=1 --set accel.sync_mode=async_irq --set cost.accel.irq_ns=1 --set cost.accel.store_ns=1
say replay t.rft $iaa --set accel.wq_shared=1 --set zswap.compressor=lz4 --set cost.accel.wait_ns=1 --set cost.zswap.store_ns=1
