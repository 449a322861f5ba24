/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operation cost the machine on which the reference runs were recorded: a guest under
 * software emulation, where kernel code runs 14 times slower than the default profile's 3 GHz core,
 * codecs 10.6 times, and a request to the emulated disk takes 79 us of the guest's CPU. The three
 * figures are a least-squares fit of the system times that those runs recorded (rusage, 28 runs of
 * two kernels, swap on disk, zram and zswap): a calibration of speed, made without looking at any
 * counter that is judged. They matter where the kernel itself goes by the clock: time slices of the
 * zswap worker, the 2 s flush of statistics, writes in flight.
 *
 * A read has ended when its reader looks: of the readers that sleep only for a read in flight (6.1
 * with a window, 6.12) 12 to 25 % did (rusage.nvcsw by ru_majflt of nine runs). A write
 * takes the emulator's main loop 75 us on average. That is fitted to a counter that is not judged,
 * pgrotated, of the two runs with the shrinker of zswap: it counts writes that end late. Seen in
 * block_rq_issue and block_rq_complete of a 6.12: with the shrinker, writes either end one by one
 * about 70 us later, or up to 200 of them are issued before the first one ends, all of them
 * together when the guest pauses. The judged counters were known when this fit was chosen.
 */
#include "validate/program.h"
#include "validate/validate.h"

#define KERNEL_FACTOR_TENTHS 140
#define CODEC_FACTOR_TENTHS 106
#define SUBMIT_NS                                                                                  \
    55000 /* of the 79 us, what the submitter pays: the split is a choice, not measured */
#define COMPLETE_NS 24000 /* and the completion interrupt */
#define READ_NS 0
#define WRITE_NS 0 /* besides: */
#define ACCEPT_NS 75000
#define QUEUE_SIZE 256    /* the default of hw/block/virtio-blk.c, QEMU 7.2 */
#define MAX_SEGMENTS 254  /* of QEMU's virtio-blk; block_rq_issue shows writes of up to 1016 KiB */
#define DEVICE_THREADS 64 /* of the emulator, so that requests do not wait for each other */
/* From the end of one pass over the list to the next pass (mm_vmscan_lru_shrink_inactive to
 * mm_vmscan_lru_isolate, 6.1): 57 to 90 us, where it takes 4 to 8 us within a pass. */
#define PASS_NS 60000
/* What a flush leaves the emulated CPU (CPU_TLB_DYN_DEFAULT_BITS of QEMU, accel/tcg/tlb-bounds.h);
 * it may have grown meanwhile, twofold a flush. The test program copies each page from a bank of
 * contents, or compares it with that, so that their translations share the TLB. */
#define TLB_ENTRIES 256
#define ACCESS_NS 5000 /* one recorded operation copies or compares a page (rusage.utime) */

static void scale(uint64_t *v, size_t n, uint64_t tenths) {
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] * tenths / 10;
}

static void scale_codecs(uint64_t compress[NR_CODECS], uint64_t compress_ps[NR_CODECS],
                         uint64_t decompress[NR_CODECS], uint64_t decompress_ps[NR_CODECS]) {
    scale(compress, NR_CODECS, CODEC_FACTOR_TENTHS);
    scale(compress_ps, NR_CODECS, CODEC_FACTOR_TENTHS);
    scale(decompress, NR_CODECS, CODEC_FACTOR_TENTHS);
    scale(decompress_ps, NR_CODECS, CODEC_FACTOR_TENTHS);
}

void guest_costs(struct machine_config *c) {
    struct cost_profile *p = &c->cost;
    uint64_t tick = p->mm.tick_ns;
    uint64_t *zswap[] = {&p->zswap.same_filled_ns, &p->zswap.store_ns,
                         &p->zswap.store_next_ns,  &p->zswap.load_ns,
                         &p->zswap.invalidate_ns,  &p->zswap.tree_lock_ns,
                         &p->zswap.writeback_ns,   &p->zswap.compact_page_ns};
    uint64_t *zram[] = {&p->zram.same_filled_ns, &p->zram.write_ns, &p->zram.read_ns,
                        &p->zram.free_ns, &p->zram.copy_page_ns};

    c->fork_pages = GUEST_FORK_PAGES;
    c->fork_parent_pages = GUEST_PARENT_PAGES;
    c->tlb_entries = TLB_ENTRIES;
    c->tlb_contents = true;
    _Static_assert(sizeof(struct mm_cost) % sizeof(uint64_t) == 0, "an array of times");
    scale((uint64_t *)(void *)&p->mm, sizeof(p->mm) / sizeof(uint64_t), KERNEL_FACTOR_TENTHS);
    p->mm.tick_ns = tick;
    p->mm.shrink_node_ns = PASS_NS;
    p->mm.access_ns = ACCESS_NS;
    scale_codecs(p->zswap.compress_ns, p->zswap.compress_byte_ps, p->zswap.decompress_ns,
                 p->zswap.decompress_byte_ps);
    scale_codecs(p->zram.compress_ns, p->zram.compress_byte_ps, p->zram.decompress_ns,
                 p->zram.decompress_byte_ps);
    for (size_t i = 0; i < sizeof(zswap) / sizeof(zswap[0]); i++)
        scale(zswap[i], 1, KERNEL_FACTOR_TENTHS);
    for (size_t i = 0; i < sizeof(zram) / sizeof(zram[0]); i++)
        scale(zram[i], 1, KERNEL_FACTOR_TENTHS);
    p->blk = (struct blk_cost){.channels = DEVICE_THREADS,
                               .nr_requests = QUEUE_SIZE,
                               .max_segments = MAX_SEGMENTS,
                               .read_ns = READ_NS,
                               .write_ns = WRITE_NS,
                               .seq_read_ns = READ_NS,
                               .seq_write_ns = WRITE_NS,
                               .submit_ns = SUBMIT_NS,
                               .complete_ns = COMPLETE_NS,
                               .accept_ns = ACCEPT_NS};
}
