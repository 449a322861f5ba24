/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device: parallel channels, each serving one request at a time, behind one link a direction
 * whose rate they share. Flash and network devices take requests in order of arrival; a rotational
 * one has an elevator in front of it.
 */
#include "blk_int.h"

static void request_end(void *ctx, uint64_t arg, rf_time when);

uint64_t blk_service_ns(const struct blk_dev *d, enum blk_op op, uint64_t off, uint32_t nr,
                        uint64_t *transfer) {
    const struct blk_cost *c = &d->cost;
    bool seq = off == d->head_off;
    uint64_t bytes = (uint64_t)nr * RF_PAGE_SIZE;

    *transfer = 0;
    if (op == BLK_READ) {
        if (c->read_bps)
            *transfer = bytes * 1000000000u / c->read_bps;
        return (seq ? c->seq_read_ns : c->read_ns) + *transfer;
    }
    /* A discard moves no data. */
    if (op == BLK_WRITE && c->write_bps)
        *transfer = bytes * 1000000000u / c->write_bps;
    return (seq ? c->seq_write_ns : c->write_ns) + *transfer;
}

void blk_count_request(struct blk_dev *d, enum blk_op op, uint32_t nr) {
    switch (op) {
    case BLK_READ:
        d->stats.reads++;
        d->stats.read_pages += nr;
        break;
    case BLK_WRITE:
        d->stats.writes++;
        d->stats.write_pages += nr;
        break;
    case BLK_DISCARD:
        d->stats.discards++;
        d->stats.discard_pages += nr;
        break;
    }
}

/*
 * Fills the elevator's batch: the oldest requests of one direction, in ascending order of their
 * offsets. Reads go first until writes have been passed over WRITES_STARVED times.
 */
static void fill_batch(struct blk_dev *d) {
    uint32_t ids[ELEVATOR_BATCH];
    uint32_t dir = 1, n = 0;

    if (d->fifo[0].nr && (!d->fifo[1].nr || d->starved < WRITES_STARVED)) {
        dir = 0;
        if (d->fifo[1].nr)
            d->starved++;
    } else {
        d->starved = 0;
    }
    while (n < ELEVATOR_BATCH && d->fifo[dir].nr) {
        uint32_t id = blk_list_pop(d, &d->fifo[dir]), i;

        for (i = n++; i > 0 && rq_at(d, ids[i - 1])->off > rq_at(d, id)->off; i--)
            ids[i] = ids[i - 1];
        ids[i] = id;
    }
    for (uint32_t i = 0; i < n; i++)
        blk_list_add(d, &d->batch, ids[i]);
}

/* The next request for the device, RF_NONE if none waits. */
static uint32_t next_request(struct blk_dev *d) {
    if (!d->ops->rotational)
        return d->fifo[0].nr ? blk_list_pop(d, &d->fifo[0]) : RF_NONE;
    if (!d->batch.nr && (d->fifo[0].nr || d->fifo[1].nr))
        fill_batch(d);
    return d->batch.nr ? blk_list_pop(d, &d->batch) : RF_NONE;
}

static void report(const struct blk_dev *d, const struct request *rq) {
    static const char *const names[] = {
        [BLK_READ] = "read", [BLK_WRITE] = "write", [BLK_DISCARD] = "discard"};
    const struct observed_span span = {
        .track = OBSERVE_DEVICE,
        .index = rq->channel,
        .name = names[rq->op],
        .from = rq->start,
        .to = rq->end,
        .waited_ns = rq->start - rq->queued,
        .pages = rq->nr,
    };

    d->observer->span(d->observer->ctx, &span);
}

static void start_request(struct blk_dev *d, uint32_t id, rf_time t) {
    struct request *rq = rq_at(d, id);
    uint32_t dir = rq->op == BLK_READ ? 0 : 1, chan = RF_NONE;
    uint64_t transfer, service;

    for (uint32_t i = 0; i < d->cost.channels; i++)
        if (!d->channels[i].busy &&
            (chan == RF_NONE || d->channels[i].free_at < d->channels[chan].free_at))
            chan = i;
    /* CPU clocks differ by up to the quantum: a submitter may lag behind an end already seen. */
    t = RF_MAX(t, d->channels[chan].free_at);
    t = RF_MAX(t, rq->queued);
    service = blk_service_ns(d, (enum blk_op)rq->op, rq->off, rq->nr, &transfer);
    d->link_free[dir] = RF_MAX(d->link_free[dir], t) + transfer;
    rq->start = t;
    rq->end = RF_MAX(t + service, d->link_free[dir]);
    rq->channel = chan;
    rq->state = RQ_SERVED;
    d->channels[chan].busy = true;
    d->channels[chan].free_at = rq->end;
    d->serving++;
    d->head_off = rq->off + rq->nr;
    d->stats.busy_ns += rq->end - t;
    blk_count_request(d, (enum blk_op)rq->op, rq->nr);
    if (d->observer)
        report(d, rq);
    if (engine_at(d->eng, rq->end, request_end, d, id) != RF_OK)
        d->failed = RF_ENOMEM;
}

static void run_queue(struct blk_dev *d, rf_time t) {
    while (d->serving < d->cost.channels) {
        uint32_t id = next_request(d);

        if (id == RF_NONE)
            break;
        start_request(d, id, t);
    }
}

void blk_server_add(struct blk_dev *d, struct rq_list *l, rf_time t) {
    rf_time at = blk_thread_accept(d, l, t);

    while (l->nr) {
        uint32_t id = blk_list_pop(d, l);
        struct request *rq = rq_at(d, id);

        rq->queued = at;
        rq->state = RQ_QUEUED;
        d->outstanding++;
        blk_list_add(d, &d->fifo[d->ops->rotational && rq->op != BLK_READ ? 1 : 0], id);
    }
    run_queue(d, at);
}

static void request_end(void *ctx, uint64_t arg, rf_time when) {
    struct blk_dev *d = ctx;
    uint32_t id = (uint32_t)arg;

    d->channels[rq_at(d, id)->channel].busy = false;
    d->serving--;
    if (blk_thread_hold(d, id, when))
        run_queue(d, when);
    else
        blk_report(d, id, when);
}

void blk_report(struct blk_dev *d, uint32_t id, rf_time when) {
    struct request *rq = rq_at(d, id);
    enum blk_op op = (enum blk_op)rq->op;
    uint32_t f = rq->first;
    rf_time end = when + d->cost.complete_ns;

    d->outstanding--;
    sim_charge(rq->cpu, d->cost.complete_ns);
    rq->state = RQ_FREE;
    blk_pool_put(&d->requests, id);
    /* The channel goes on before the submitters hear of it: they may submit more. */
    run_queue(d, when);
    while (f != RF_NONE) {
        uint32_t next = frag_at(d, f)->next, b = frag_at(d, f)->bio;
        struct bio *bio = bio_at(d, b);

        blk_pool_put(&d->frags, f);
        if (--bio->parts == 0) {
            uint32_t cookie = bio->cookie;

            if (op == BLK_READ)
                d->stats.read_ns += end - bio->submitted;
            else if (op == BLK_WRITE)
                d->stats.write_ns += end - bio->submitted;
            blk_pool_put(&d->bios, b);
            d->in_flight--;
            d->end(d->end_ctx, cookie, op, end);
        }
        f = next;
    }
}
