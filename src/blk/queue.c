/* SPDX-License-Identifier: Apache-2.0 */
/* From bios to requests: plugging, merging, splitting and the limit on requests in the queue. */
#include "blk_int.h"

#include <stdlib.h>

int blk_create(const struct blk_ops *ops, const struct blk_policy *policy,
               const struct blk_cost *cost, uint64_t seed, struct engine *eng, blk_end_fn end,
               void *end_ctx, struct blk_dev **out, struct rf_err *err) {
    struct blk_dev *d;

    *out = NULL;
    if (cost->channels == 0 || cost->nr_requests == 0 || cost->max_segments == 0)
        return rf_fail(err, RF_EUSAGE,
                       "block device %s: channels is %u, nr_requests is %u and max_segments is %u, "
                       "expected at least 1",
                       ops->name, cost->channels, cost->nr_requests, cost->max_segments);
    d = calloc(1, sizeof(*d));
    if (!d)
        return rf_fail(err, RF_ENOMEM, "no memory for block device %s", ops->name);
    d->plugs = calloc(engine_nr_cpus(eng), sizeof(*d->plugs));
    d->channels = calloc(cost->channels, sizeof(*d->channels));
    if (!d->plugs || !d->channels) {
        blk_destroy(d);
        return rf_fail(err, RF_ENOMEM, "no memory for the %u channels of block device %s",
                       cost->channels, ops->name);
    }
    d->ops = ops;
    d->policy = *policy;
    d->cost = *cost;
    d->eng = eng;
    d->end = end;
    d->end_ctx = end_ctx;
    d->head_off = UINT64_MAX; /* the first request follows nothing */
    rf_rng_seed(&d->thread.rng, seed);
    d->thread.armed = RF_NONE;
    *out = d;
    return RF_OK;
}

void blk_destroy(struct blk_dev *d) {
    if (!d)
        return;
    blk_pool_free(&d->bios);
    blk_pool_free(&d->frags);
    blk_pool_free(&d->requests);
    free(d->plugs);
    free(d->channels);
    free(d);
}

void blk_observe(struct blk_dev *d, const struct observer *o) {
    d->observer = o;
}

const struct blk_ops *blk_dev_ops(const struct blk_dev *d) {
    return d->ops;
}

uint32_t blk_in_flight(const struct blk_dev *d) {
    return d->in_flight;
}

const struct blk_stats *blk_stats(const struct blk_dev *d) {
    return &d->stats;
}

static void flush_list(struct blk_dev *d, struct sim_cpu *cpu, struct plug *p) {
    if (p->list.nr)
        blk_server_add(d, &p->list, cpu->now);
}

void blk_plug(struct blk_dev *d, struct sim_cpu *cpu) {
    d->plugs[cpu->id].depth++;
}

void blk_unplug(struct blk_dev *d, struct sim_cpu *cpu) {
    struct plug *p = &d->plugs[cpu->id];

    if (p->depth && --p->depth == 0)
        flush_list(d, cpu, p);
}

void blk_flush_plug(struct blk_dev *d, struct sim_cpu *cpu) {
    flush_list(d, cpu, &d->plugs[cpu->id]);
}

static void idle_until(struct sim_cpu *cpu, rf_time t) {
    if (t > cpu->now) {
        cpu->idle_ns += t - cpu->now;
        cpu->now = t;
    }
}

/*
 * With nr_requests requests outstanding the submitter sleeps for a free one. Requests in service
 * end at known times: the clock goes on to the end of as many of them as are in excess, as idle
 * time. Simplification: other tasks of the CPU do not run meanwhile.
 */
static void wait_for_request(struct blk_dev *d, struct sim_cpu *cpu, struct plug *p) {
    uint32_t excess;
    rf_time until = cpu->now;

    if (RF_LIKELY(d->outstanding + p->list.nr < d->cost.nr_requests))
        return;
    flush_list(d, cpu, p); /* as whenever the submitter sleeps */
    if (d->outstanding < d->cost.nr_requests)
        return;
    if (d->thread.held.nr) { /* reported as soon as nothing more is submitted */
        idle_until(cpu, d->thread.until[d->thread.row % THREAD_ROWS]);
        return;
    }
    excess = d->outstanding - d->cost.nr_requests + 1;
    /* The excess-th smallest end: channels are few, and this path is slow anyway. */
    for (uint32_t i = 0; i < d->cost.channels; i++) {
        uint32_t rank = 0;

        if (!d->channels[i].busy)
            continue;
        for (uint32_t j = 0; j < d->cost.channels; j++)
            if (d->channels[j].busy &&
                (d->channels[j].free_at < d->channels[i].free_at ||
                 (d->channels[j].free_at == d->channels[i].free_at && j <= i)))
                rank++;
        if (rank == RF_MIN(excess, d->serving))
            until = d->channels[i].free_at;
    }
    idle_until(cpu, until);
}

static uint32_t segments_of(uint32_t nr) {
    return (nr + SEGMENT_MAX_PAGES - 1) / SEGMENT_MAX_PAGES;
}

/* Behind or before the request, if both together stay within what a request may hold. */
static bool try_merge(struct blk_dev *d, struct request *rq, enum blk_op op, uint64_t off,
                      uint32_t nr, uint32_t frag) {
    if (rq->op != op || op == BLK_DISCARD || rq->nr + nr > REQUEST_MAX_PAGES ||
        rq->segments + segments_of(nr) > d->cost.max_segments)
        return false;
    if (off + nr == rq->off)
        rq->off = off;
    else if (rq->off + rq->nr != off)
        return false;
    rq->nr += nr;
    rq->segments += segments_of(nr);
    frag_at(d, rq->last)->next = frag;
    rq->last = frag;
    if (op == BLK_READ)
        d->stats.read_merges++;
    else
        d->stats.write_merges++;
    return true;
}

/* One fragment: into the last plugged request, or a request of its own. */
static int submit_part(struct blk_dev *d, struct sim_cpu *cpu, enum blk_op op, uint64_t off,
                       uint32_t nr, uint32_t bio) {
    struct plug *p = &d->plugs[cpu->id];
    uint32_t frag = blk_pool_get(&d->frags, sizeof(struct frag)), id;
    struct request *rq;

    if (frag == RF_NONE)
        return RF_ENOMEM;
    *frag_at(d, frag) = (struct frag){.bio = bio, .next = RF_NONE};
    bio_at(d, bio)->parts++;
    if (p->list.nr && try_merge(d, rq_at(d, p->list.tail), op, off, nr, frag))
        return RF_OK;
    id = blk_pool_get(&d->requests, sizeof(struct request));
    if (id == RF_NONE)
        return RF_ENOMEM;
    wait_for_request(d, cpu, p);
    sim_charge(cpu, d->cost.submit_ns);
    /* As in blk_add_rq_to_plug(): a full list goes out when the next request arrives, so that the
     * last one could still grow past the flush size. */
    if (p->list.nr) {
        uint32_t size_of = d->policy.plug_by_first ? p->list.head : p->list.tail;

        if (p->list.nr >= PLUG_MAX_REQUESTS || rq_at(d, size_of)->nr >= PLUG_FLUSH_PAGES)
            flush_list(d, cpu, p);
    }
    rq = rq_at(d, id);
    *rq = (struct request){.off = off,
                           .cpu = cpu,
                           .nr = nr,
                           .segments = segments_of(nr),
                           .first = frag,
                           .last = frag,
                           .next = RF_NONE,
                           .row = RF_NONE,
                           .op = (uint8_t)op,
                           .state = RQ_PLUGGED};
    blk_list_add(d, &p->list, id);
    if (!p->depth)
        flush_list(d, cpu, p);
    return d->failed;
}

static void submit_sync(struct blk_dev *d, struct sim_cpu *cpu, enum blk_op op, uint64_t off,
                        uint32_t nr) {
    uint64_t transfer, ns = blk_service_ns(d, op, off, nr, &transfer);

    sim_charge(cpu, d->cost.submit_ns + ns);
    d->head_off = off + nr;
    d->stats.busy_ns += ns;
    blk_count_request(d, op, nr);
    if (op == BLK_READ)
        d->stats.read_ns += d->cost.submit_ns + ns;
    else if (op == BLK_WRITE)
        d->stats.write_ns += d->cost.submit_ns + ns;
}

int blk_submit(struct blk_dev *d, struct sim_cpu *cpu, enum blk_op op, uint64_t off, uint32_t nr,
               uint32_t cookie) {
    uint32_t bio;
    int rc = RF_OK;

    if (d->ops->synchronous) {
        submit_sync(d, cpu, op, off, nr);
        return RF_OK;
    }
    bio = blk_pool_get(&d->bios, sizeof(struct bio));
    if (bio == RF_NONE)
        return RF_ENOMEM;
    /* The extra part keeps the bio until all of it is submitted. */
    *bio_at(d, bio) = (struct bio){.cookie = cookie, .parts = 1, .submitted = cpu->now};
    d->in_flight++;
    d->stats.max_in_flight = RF_MAX(d->stats.max_in_flight, d->in_flight);
    while (nr && rc == RF_OK) {
        uint32_t part = op == BLK_DISCARD ? nr : RF_MIN(nr, REQUEST_MAX_PAGES);

        rc = submit_part(d, cpu, op, off, part, bio);
        off += part;
        nr -= part;
    }
    bio_at(d, bio)->parts--;
    return rc;
}

static int check_list(const struct blk_dev *d, const struct rq_list *l, enum rq_state want,
                      const char *what, struct rf_err *err) {
    uint32_t n = 0;

    for (uint32_t id = l->head; n < l->nr; id = rq_at(d, id)->next, n++) {
        const struct request *rq = rq_at(d, id);

        if (rq->state != want)
            return rf_fail(err, RF_ECHECK,
                           "block device %s: request %u on the %s list has state %u", d->ops->name,
                           id, what, rq->state);
        if (rq->op != BLK_DISCARD &&
            (rq->nr > REQUEST_MAX_PAGES || rq->segments > d->cost.max_segments))
            return rf_fail(err, RF_ECHECK, "block device %s: request %u has %u pages, %u segments",
                           d->ops->name, id, rq->nr, rq->segments);
    }
    return RF_OK;
}

int blk_check(const struct blk_dev *d, struct rf_err *err) {
    uint32_t busy = 0, waiting = d->fifo[0].nr + d->fifo[1].nr + d->batch.nr, plugged = 0;
    int rc;

    if (d->failed)
        return rf_fail(err, RF_ENOMEM, "block device %s: no memory for an event", d->ops->name);
    for (uint32_t i = 0; i < engine_nr_cpus(d->eng); i++) {
        plugged += d->plugs[i].list.nr;
        rc = check_list(d, &d->plugs[i].list, RQ_PLUGGED, "plug", err);
        if (rc)
            return rc;
    }
    for (unsigned i = 0; i < 2; i++) {
        rc = check_list(d, &d->fifo[i], RQ_QUEUED, "queue", err);
        if (rc)
            return rc;
    }
    rc = check_list(d, &d->batch, RQ_QUEUED, "batch", err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < d->cost.channels; i++)
        busy += d->channels[i].busy;
    if (busy != d->serving)
        return rf_fail(err, RF_ECHECK, "block device %s: %u channels busy, %u requests in service",
                       d->ops->name, busy, d->serving);
    if (waiting && d->serving < d->cost.channels)
        return rf_fail(err, RF_ECHECK, "block device %s: %u requests wait while a channel is idle",
                       d->ops->name, waiting);
    rc = check_list(d, &d->thread.held, RQ_ENDED, "ended", err);
    if (rc)
        return rc;
    if (waiting + d->serving + d->thread.held.nr != d->outstanding)
        return rf_fail(err, RF_ECHECK,
                       "block device %s: %u waiting + %u served + %u ended != %u outstanding",
                       d->ops->name, waiting, d->serving, d->thread.held.nr, d->outstanding);
    if (d->requests.nr - d->requests.nr_free != d->outstanding + plugged)
        return rf_fail(err, RF_ECHECK, "block device %s: %u requests in use, %u accounted for",
                       d->ops->name, d->requests.nr - d->requests.nr_free,
                       d->outstanding + plugged);
    if (d->bios.nr - d->bios.nr_free != d->in_flight)
        return rf_fail(err, RF_ECHECK, "block device %s: %u bios in use, %u in flight",
                       d->ops->name, d->bios.nr - d->bios.nr_free, d->in_flight);
    return RF_OK;
}
