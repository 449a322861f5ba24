/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one thread of a virtual disk. It sleeps until it is notified of a request, takes what there
 * is, and goes on as long as more comes in time. Only then it reports what has ended. A CPU that
 * writes one page after the other, as the shrinker of zswap does, and once comes before the thread
 * is done, thus hears of none of its writes until it pauses.
 */
#include "blk_int.h"

static rf_time *end_of(struct blk_dev *d, uint32_t row) {
    return &d->thread.until[row % THREAD_ROWS];
}

/* Exponential: log2 of a random fraction, taken as linear between powers of two. */
static uint64_t time_to_accept(struct blk_dev *d) {
    const double ln2 = 0.69314718055994531;
    uint64_t r = rf_rng_next(&d->thread.rng) | 1;
    unsigned zeros = 0;

    while (!(r >> 63)) {
        r <<= 1;
        zeros++;
    }
    return (uint64_t)((double)d->cost.accept_ns * ln2 *
                      (zeros + 1 - (double)(r << 1 >> 32) * 0x1.0p-32));
}

rf_time blk_thread_accept(struct blk_dev *d, const struct rq_list *l, rf_time t) {
    struct device_thread *th = &d->thread;
    uint32_t writes = 0;
    bool idle;

    if (!d->cost.accept_ns)
        return t;
    for (uint32_t n = l->nr, id = l->head; n; n--, id = rq_at(d, id)->next)
        writes += rq_at(d, id)->op != BLK_READ;
    idle = t >= *end_of(d, th->row);
    if (idle && !writes)
        return t;
    if (idle)
        *end_of(d, ++th->row) = t;
    while (writes--)
        *end_of(d, th->row) += time_to_accept(d);
    for (uint32_t n = l->nr, id = l->head; n; n--, id = rq_at(d, id)->next)
        rq_at(d, id)->row = th->row;
    return RF_MAX(t, *end_of(d, th->row));
}

void blk_thread_release(struct blk_dev *d, uint32_t row, rf_time when) {
    struct rq_list *held = &d->thread.held;

    while (held->nr && rq_at(d, held->head)->row == row)
        blk_report(d, blk_list_pop(d, held), when);
}

static void row_ends(void *ctx, uint64_t row, rf_time when);

static void arm(struct blk_dev *d, uint32_t row) {
    d->thread.armed = row;
    if (engine_at(d->eng, *end_of(d, row), row_ends, d, row) != RF_OK)
        d->failed = RF_ENOMEM;
}

static void row_ends(void *ctx, uint64_t row, rf_time when) {
    struct blk_dev *d = ctx;

    if (when < *end_of(d, (uint32_t)row)) /* more has come meanwhile */
        arm(d, (uint32_t)row);
    else
        blk_thread_release(d, (uint32_t)row, when);
}

bool blk_thread_hold(struct blk_dev *d, uint32_t id, rf_time when) {
    struct request *rq = rq_at(d, id);

    if (rq->row == RF_NONE)
        return false;
    if (when >= *end_of(d, rq->row)) {
        blk_thread_release(d, rq->row, when);
        return false;
    }
    rq->state = RQ_ENDED;
    blk_list_add(d, &d->thread.held, id);
    if (d->thread.armed != rq->row)
        arm(d, rq->row);
    return true;
}
