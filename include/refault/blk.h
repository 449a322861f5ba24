/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk: simulated block devices. A request queue with plugging and merging in front of a server
 * with parallel channels; completion is an event. Addresses and lengths are in 4 KiB pages.
 */
#ifndef REFAULT_BLK_H
#define REFAULT_BLK_H

#include "refault/engine.h"
#include "refault/observe.h"

enum blk_op { BLK_READ, BLK_WRITE, BLK_DISCARD };

/* End of one submitted bio: cookie is the submitter's (a folio id). Called from an event. */
typedef void (*blk_end_fn)(void *ctx, uint32_t cookie, enum blk_op op, rf_time when);

/*
 * What a device costs; one struct a profile section [blk.NAME]. Times in ns, rates in bytes/s
 * (0: no limit). A request takes a channel for its base time plus its bytes at the device's rate;
 * the rate is shared by all requests of a direction, so that many channels do not multiply it.
 */
struct blk_cost {
    uint32_t channels;                  /* requests in service at once */
    uint32_t nr_requests;               /* queue depth beyond which a submitter waits */
    uint32_t max_segments;              /* of a request, of up to 64 KiB each */
    uint64_t read_ns, write_ns;         /* base service time of a random request */
    uint64_t seq_read_ns, seq_write_ns; /* base when it follows the previous request's end */
    uint64_t read_bps, write_bps;
    uint64_t submit_ns;   /* CPU time of the submitter for a request */
    uint64_t complete_ns; /* CPU time of the completion of a request */
    /*
     * A virtual disk whose one thread takes requests and reports their ends, as QEMU's virtio-blk
     * without an iothread: virtio_blk_handle_vq() (hw/block/virtio-blk.c, 7.2) goes on as long as
     * it finds requests, and nothing is reported meanwhile. accept_ns 0: there is no such thread.
     */
    uint64_t accept_ns; /* the thread's time for a write: mean, exponential; what reads take is all
                           in read_ns */
};

struct blk_policy {
    bool plug_by_first; /* the size that flushes a plug is that of its first request ("block: don't
                           reorder requests in blk_add_rq_to_plug", Nov 2024, 6.13), else of its
                           last. Debian's 6.12.117 goes by the first too, the 6.12.117 on which the
                           reference runs were recorded does not. */
};

struct blk_stats {
    uint64_t reads, writes, discards; /* requests that the device served */
    uint64_t read_pages, write_pages, discard_pages;
    uint64_t read_merges, write_merges; /* bios merged into another request */
    uint64_t read_ns, write_ns;         /* sum of time from submit to completion, per bio */
    uint64_t busy_ns;                   /* channel-time in service */
    uint64_t max_in_flight;
};

struct blk_ops {
    const char *name; /* null, nvme, ssd, hdd, pmem, vdisk */
    bool rotational;
    bool synchronous;   /* completes inside the call, as CPU time of the caller */
    bool stable_writes; /* a page under writeback must not change */
};

struct blk_dev;

/* NULL for an unknown name. */
const struct blk_ops *blk_find(const char *name);
/* NULL-terminated registry, for listings. */
const struct blk_ops *const *blk_registry(void);

/* end(end_ctx, ...) is called for each bio that ends. Policy and cost are copied, the engine is
 * borrowed; seed is that of the times of a thread. RF_EUSAGE for a device without channels, queue
 * or segments; RF_ENOMEM. blk_destroy() takes NULL, too. */
int blk_create(const struct blk_ops *ops, const struct blk_policy *policy,
               const struct blk_cost *cost, uint64_t seed, struct engine *eng, blk_end_fn end,
               void *end_ctx, struct blk_dev **out, struct rf_err *err) RF_MUST_CHECK;
void blk_destroy(struct blk_dev *d);
const struct blk_ops *blk_dev_ops(const struct blk_dev *d);
/* Reports every request that a channel serves; o outlives the device. */
void blk_observe(struct blk_dev *d, const struct observer *o);

/*
 * One plug a CPU. Plugging nests; requests collect (a bio joins the last one when adjacent to its
 * end or start and of the same direction, up to 1280 KiB and max_segments of 64 KiB) and go to the
 * device when the outermost plug ends, or when a new request comes and there are 32 already or the
 * last, or by policy the first, has reached 128 KiB (blk_add_rq_to_plug(), block/blk-mq.c 6.1,
 * 6.12). A bio of more than 1280 KiB is split and ends with its last part.
 */
void blk_plug(struct blk_dev *d, struct sim_cpu *cpu);
void blk_unplug(struct blk_dev *d, struct sim_cpu *cpu);
/* Forces the plug list out (the task is about to sleep). */
void blk_flush_plug(struct blk_dev *d, struct sim_cpu *cpu);

/*
 * Submits one bio of nr pages at page offset off. For a synchronous device the time is charged to
 * cpu and end is NOT called: the transfer is over on return. Otherwise submit_ns a new request is
 * charged now, complete_ns at its end, to the same CPU; end is called with the time after that.
 * With nr_requests outstanding the CPU first idles until one in service ends.
 * Returns 0 or RF_ENOMEM.
 */
int blk_submit(struct blk_dev *d, struct sim_cpu *cpu, enum blk_op op, uint64_t off, uint32_t nr,
               uint32_t cookie) RF_MUST_CHECK;
uint32_t blk_in_flight(const struct blk_dev *d); /* bios submitted and not ended */
const struct blk_stats *blk_stats(const struct blk_dev *d);
/* Invariants; 0 or RF_ECHECK. */
int blk_check(const struct blk_dev *d, struct rf_err *err) RF_MUST_CHECK;

#endif
