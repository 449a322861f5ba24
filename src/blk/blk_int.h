/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of blk: queue.c turns bios into requests, server.c gives requests to the device's channels
 * and ends them. Requests and bios live in arrays and are linked by 32-bit ids.
 */
#ifndef REFAULT_BLK_INT_H
#define REFAULT_BLK_INT_H

#include "refault/blk.h"

/* BLK_MAX_REQUEST_COUNT and BLK_PLUG_FLUSH_SIZE (block/blk.h, block/blk-mq.c, 6.12). */
#define PLUG_MAX_REQUESTS 32u
#define PLUG_FLUSH_PAGES (128u * 1024 / RF_PAGE_SIZE)
/* BLK_DEF_MAX_SECTORS_CAP and BLK_MAX_SEGMENT_SIZE (include/linux/blkdev.h and
 * block/blk-settings.c, 6.12). */
#define REQUEST_MAX_PAGES (1280u * 1024 / RF_PAGE_SIZE)
#define SEGMENT_MAX_PAGES (64u * 1024 / RF_PAGE_SIZE)
/* fifo_batch and writes_starved (block/mq-deadline.c, 6.12). */
#define ELEVATOR_BATCH 16u
#define WRITES_STARVED 2u

struct bio {
    uint32_t cookie;
    uint32_t parts; /* fragments in requests that have not ended */
    rf_time submitted;
};

/* A bio's share of a request; more than one where the bio exceeds what a request may hold. */
struct frag {
    uint32_t bio, next;
};

enum rq_state { RQ_FREE, RQ_PLUGGED, RQ_QUEUED, RQ_SERVED, RQ_ENDED };

struct request {
    uint64_t off;
    rf_time queued, start, end;
    struct sim_cpu *cpu; /* takes the completion interrupt */
    uint32_t nr, segments;
    uint32_t first, last; /* fragments, in the order of submission */
    uint32_t next;
    uint32_t channel;
    uint32_t row; /* of the device's thread that it came in; RF_NONE: in none */
    uint8_t op, state;
};

/* A growing array with a free list; ids stay, addresses do not. */
struct pool {
    void *base;
    uint32_t nr, cap;
    uint32_t *free_ids;
    uint32_t nr_free;
};

struct rq_list {
    uint32_t head, tail, nr;
};

struct plug {
    uint32_t depth;
    struct rq_list list;
};

struct channel {
    rf_time free_at;
    bool busy;
};

#define THREAD_ROWS 64u
/* Of a device with blk_cost.accept_ns. A row is a time in which the thread runs without a break.
 * CPUs may begin new ones before events of those before have come. */
struct device_thread {
    rf_time until[THREAD_ROWS]; /* the end of row i at [i % THREAD_ROWS] */
    uint32_t row;               /* the last one */
    uint32_t armed;             /* an event at the end of this row is pending; RF_NONE: of none */
    struct rq_list held; /* requests that have ended, to be reported at the end of their row */
    struct rf_rng rng;
};

struct blk_dev {
    const struct blk_ops *ops;
    struct blk_policy policy;
    struct blk_cost cost;
    struct engine *eng;
    blk_end_fn end;
    void *end_ctx;
    struct blk_stats stats;
    const struct observer *observer; /* NULL: nobody looks */

    struct pool bios, frags, requests;
    struct plug *plugs; /* one a CPU */

    struct rq_list fifo[2]; /* waiting requests; a rotational device keeps writes in [1] */
    struct rq_list batch;   /* rotational: what the elevator has sorted and serves next */
    uint32_t starved;       /* read batches chosen while writes waited */

    struct device_thread thread;
    struct channel *channels;
    uint32_t serving;
    uint64_t head_off;    /* where the last request given to the device ended */
    rf_time link_free[2]; /* when the bytes of everything started so far are through; read, write */
    uint32_t in_flight;   /* bios */
    uint32_t outstanding; /* requests queued or served */
    int failed;           /* sticky: an event could not be scheduled */
};

static inline struct bio *bio_at(const struct blk_dev *d, uint32_t id) {
    return (struct bio *)d->bios.base + id;
}
static inline struct frag *frag_at(const struct blk_dev *d, uint32_t id) {
    return (struct frag *)d->frags.base + id;
}
static inline struct request *rq_at(const struct blk_dev *d, uint32_t id) {
    return (struct request *)d->requests.base + id;
}

/* pool.c. An id of a slot with undefined content, RF_NONE if the host has no memory. */
uint32_t blk_pool_get(struct pool *p, size_t elem);
void blk_pool_put(struct pool *p, uint32_t id);
void blk_pool_free(struct pool *p);
void blk_list_add(const struct blk_dev *d, struct rq_list *l, uint32_t id);
uint32_t blk_list_pop(const struct blk_dev *d, struct rq_list *l);

/* server.c */
/* Queues every request of the list at time t, then starts what the channels can take. */
void blk_server_add(struct blk_dev *d, struct rq_list *l, rf_time t);
/* Service time without queueing and without a share in the link; *transfer is its rate part. */
uint64_t blk_service_ns(const struct blk_dev *d, enum blk_op op, uint64_t off, uint32_t nr,
                        uint64_t *transfer);
/* Moves the counters of one request that the device takes on. */
void blk_count_request(struct blk_dev *d, enum blk_op op, uint32_t nr);

/* Tells the submitters of a request that it has ended. */
void blk_report(struct blk_dev *d, uint32_t id, rf_time when);

/* thread.c; without such a thread all requests are in no row. */
/* The requests of the list come at time t: when the thread has taken them. */
rf_time blk_thread_accept(struct blk_dev *d, const struct rq_list *l, rf_time t);
/* Keeps a request that has ended while the thread runs; false if it does not. */
bool blk_thread_hold(struct blk_dev *d, uint32_t id, rf_time when);
/* Reports those of the row. */
void blk_thread_release(struct blk_dev *d, uint32_t row, rf_time when);

extern const struct blk_ops blk_null, blk_nvme, blk_ssd, blk_hdd, blk_pmem, blk_vdisk;

#endif
