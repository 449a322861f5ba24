/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one thread of a virtual disk. It sleeps until it is notified of a request, takes what there
 * is, and goes on as long as more comes in time. Only then it reports what has ended. A CPU that
 * writes one page after the other, as the shrinker of zswap does, and once comes before the thread
 * is done, thus hears of none of its writes until it pauses.
 */
#include "blk_int.h"

bool blk_thread_busy(const struct blk_dev *d, rf_time t) {
    return t > d->thread.since && t < d->thread.until;
}

/* Exponential: log2 of a random fraction, taken as linear between powers of two. */
static uint64_t time_to_wake(struct blk_dev *d) {
    const double ln2 = 0.69314718055994531;
    uint64_t r = rf_rng_next(&d->thread.rng) | 1;
    unsigned zeros = 0;

    while (!(r >> 63)) {
        r <<= 1;
        zeros++;
    }
    return (uint64_t)((double)d->cost.wake_ns * ln2 *
                      (zeros + 1 - (double)(r << 1 >> 32) * 0x1.0p-32));
}

rf_time blk_thread_accept(struct blk_dev *d, const struct rq_list *l, rf_time t) {
    struct device_thread *th = &d->thread;
    uint32_t writes = 0;

    if (!d->cost.accept_ns)
        return t;
    for (uint32_t n = l->nr, id = l->head; n; n--, id = rq_at(d, id)->next)
        writes += rq_at(d, id)->op != BLK_READ;
    if (t >= th->until) {
        if (!writes)
            return t;
        th->since = t;
        th->until = t - RF_MIN(t, d->cost.kick_ns) + time_to_wake(d);
    }
    th->until += writes * d->cost.accept_ns;
    return RF_MAX(t, th->until);
}

void blk_thread_release(struct blk_dev *d, rf_time when) {
    for (uint32_t n = d->thread.held.nr; n; n--)
        blk_report(d, blk_list_pop(d, &d->thread.held), when);
}

static void went_idle(void *ctx, uint64_t arg, rf_time when);

static void call_when_idle(struct blk_dev *d) {
    d->thread.armed = engine_at(d->eng, d->thread.until, went_idle, d, 0) == RF_OK;
    if (!d->thread.armed)
        d->failed = RF_ENOMEM;
}

static void went_idle(void *ctx, uint64_t arg, rf_time when) {
    struct blk_dev *d = ctx;

    (void)arg;
    d->thread.armed = false;
    if (blk_thread_busy(d, when)) { /* more has come meanwhile */
        call_when_idle(d);
        return;
    }
    blk_thread_release(d, when);
}

void blk_thread_hold(struct blk_dev *d, uint32_t id) {
    rq_at(d, id)->state = RQ_ENDED;
    blk_list_add(d, &d->thread.held, id);
    if (!d->thread.armed)
        call_when_idle(d);
}
