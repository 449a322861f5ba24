/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random bios against a naive model of a device without an elevator: the model keeps plain arrays
 * of everything ever submitted, merges by the rules of refault/blk.h and computes all times in one
 * pass over the requests in order of arrival. A rotational device is checked for what must hold in
 * any order: every bio ends exactly once, never before its service time, one at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "refault/blk.h"

#define BIOS 4000
#define CHANNELS 3

struct model_rq {
    enum blk_op op;
    uint64_t off;
    uint32_t nr, segments;
    rf_time queued, start, end;
};

struct model_bio {
    rf_time submitted, ended;
    uint32_t first_rq, last_rq; /* into the model's requests */
    unsigned ends;
    enum blk_op op;
};

struct model {
    struct model_rq rq[2 * BIOS];
    struct model_bio bio[BIOS];
    uint32_t nr_rq, nr_bio, plugged_from; /* requests from here on are on the plug list */
    uint32_t merges;
    bool by_first;
    uint64_t pages;
};

static const struct blk_cost cost = {.channels = CHANNELS,
                                     .nr_requests = 1u << 30,
                                     .max_segments = 128,
                                     .read_ns = 9000,
                                     .write_ns = 7000,
                                     .seq_read_ns = 500,
                                     .seq_write_ns = 400,
                                     .read_bps = 4096000000u,
                                     .write_bps = 2048000000u};

static void on_end(void *ctx, uint32_t cookie, enum blk_op op, rf_time when) {
    struct model *m = ctx;

    assert_true(cookie < m->nr_bio);
    assert_int_equal(m->bio[cookie].op, op);
    m->bio[cookie].ends++;
    m->bio[cookie].ended = when;
}

static void model_flush(struct model *m, rf_time now) {
    for (; m->plugged_from < m->nr_rq; m->plugged_from++)
        m->rq[m->plugged_from].queued = now;
}

static void model_part(struct model *m, rf_time now, enum blk_op op, uint64_t off, uint32_t nr) {
    uint32_t plugged = m->nr_rq - m->plugged_from, segments = (nr + 15) / 16;

    if (plugged) {
        struct model_rq *last = &m->rq[m->nr_rq - 1];

        if (last->op == op && last->nr + nr <= 320 && last->segments + segments <= 128 &&
            (last->off + last->nr == off || off + nr == last->off)) {
            last->off = RF_MIN(last->off, off);
            last->nr += nr;
            last->segments += segments;
            m->merges++;
            return;
        }
        if (plugged >= 32 || (m->by_first ? &m->rq[m->plugged_from] : last)->nr >= 32)
            model_flush(m, now);
    }
    m->rq[m->nr_rq++] = (struct model_rq){.op = op, .off = off, .nr = nr, .segments = segments};
}

/* First come, first served: a request starts when it is queued and a channel is free. */
static void model_serve(struct model *m) {
    rf_time chan[CHANNELS] = {0}, link[2] = {0};
    uint64_t head = UINT64_MAX;

    for (uint32_t i = 0; i < m->nr_rq; i++) {
        struct model_rq *rq = &m->rq[i];
        bool seq = rq->off == head, read = rq->op == BLK_READ;
        uint64_t bytes = rq->nr * (read ? 1000u : 2000u);
        uint64_t base = read ? (seq ? 500u : 9000u) : (seq ? 400u : 7000u);
        unsigned c = 0;

        for (unsigned k = 1; k < CHANNELS; k++)
            if (chan[k] < chan[c])
                c = k;
        rq->start = RF_MAX(rq->queued, chan[c]);
        link[read] = RF_MAX(link[read], rq->start) + bytes;
        rq->end = RF_MAX(rq->start + base + bytes, link[read]);
        chan[c] = rq->end;
        head = rq->off + rq->nr;
    }
}

static unsigned overlap(const struct model *m, rf_time t) {
    unsigned n = 0;

    for (uint32_t i = 0; i < m->nr_rq; i++)
        n += m->rq[i].start <= t && t < m->rq[i].end;
    return n;
}

static void run(const char *device, uint64_t seed, struct model *m, struct blk_stats *stats) {
    struct engine_params p = {.cpus = 1};
    const struct blk_policy policy = {.plug_by_first = seed & 1};
    struct engine *eng;
    struct blk_dev *dev;
    struct sim_cpu *cpu;
    struct rf_rng rng;
    struct rf_err err = {0};
    bool plugged = false;
    uint64_t off = 0;

    memset(m, 0, sizeof(*m));
    m->by_first = policy.plug_by_first;
    rf_rng_seed(&rng, seed);
    assert_int_equal(engine_create(&p, &eng, &err), RF_OK);
    assert_int_equal(blk_create(blk_find(device), &policy, &cost, 1, eng, on_end, m, &dev, &err),
                     RF_OK);
    cpu = engine_cpu(eng, 0);
    while (m->nr_bio < BIOS) {
        uint64_t what = rf_rng_below(&rng, 16);

        if (what == 0 && !plugged) {
            blk_plug(dev, cpu);
            plugged = true;
        } else if (what == 1 && plugged) {
            blk_unplug(dev, cpu);
            model_flush(m, cpu->now);
            plugged = false;
        } else if (what == 2) {
            blk_flush_plug(dev, cpu);
            model_flush(m, cpu->now);
        } else if (what < 5) {
            sim_charge_user(cpu, rf_rng_below(&rng, 60000));
            engine_poll(eng, cpu->now);
        } else {
            enum blk_op op = rf_rng_below(&rng, 3) ? BLK_READ : BLK_WRITE;
            uint32_t nr = rf_rng_below(&rng, 8) ? 1 : 1 + (uint32_t)rf_rng_below(&rng, 600);
            struct model_bio *b = &m->bio[m->nr_bio];
            uint32_t left = nr;

            /* Mostly forward, sometimes backward, else anywhere. */
            what = rf_rng_below(&rng, 8);
            if (what == 0)
                off = rf_rng_below(&rng, 1u << 20) + 1024;
            else if (what == 1 && off >= nr + 1024)
                off -= nr + 1; /* just before the last one, if that was a single page */
            *b = (struct model_bio){.submitted = cpu->now, .op = op};
            m->nr_bio++;
            m->pages += nr;
            assert_int_equal(blk_submit(dev, cpu, op, off, nr, m->nr_bio - 1), RF_OK);
            for (uint64_t at = off; left;) {
                uint32_t part = RF_MIN(left, 320u);

                model_part(m, cpu->now, op, at, part);
                if (at == off)
                    b->first_rq = m->nr_rq - 1;
                at += part;
                left -= part;
            }
            b->last_rq = m->nr_rq - 1;
            if (!plugged)
                model_flush(m, cpu->now);
            off += nr;
        }
        assert_int_equal(blk_check(dev, &err), RF_OK);
    }
    blk_flush_plug(dev, cpu);
    model_flush(m, cpu->now);
    engine_poll(eng, RF_TIME_MAX - 1);
    assert_int_equal(blk_check(dev, &err), RF_OK);
    assert_int_equal(blk_in_flight(dev), 0);
    *stats = *blk_stats(dev);
    blk_destroy(dev);
    engine_destroy(eng);
    assert_int_equal(stats->reads + stats->writes, m->nr_rq);
    assert_int_equal(stats->read_merges + stats->write_merges, m->merges);
    assert_int_equal(stats->read_pages + stats->write_pages, m->pages);
    for (uint32_t i = 0; i < m->nr_bio; i++)
        assert_int_equal(m->bio[i].ends, 1);
}

static void flash_matches_the_model(void **state) {
    struct model *m = malloc(sizeof(*m));
    struct blk_stats stats;

    (void)state;
    assert_non_null(m);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t busy = 0;

        run("nvme", seed, m, &stats);
        model_serve(m);
        assert_true(m->merges > 100);
        for (uint32_t i = 0; i < m->nr_bio; i++) {
            rf_time end = 0;

            for (uint32_t r = m->bio[i].first_rq; r <= m->bio[i].last_rq; r++)
                end = RF_MAX(end, m->rq[r].end);
            assert_int_equal(m->bio[i].ended, end);
        }
        for (uint32_t i = 0; i < m->nr_rq; i++) {
            busy += m->rq[i].end - m->rq[i].start;
            assert_in_range(overlap(m, m->rq[i].start), 1, CHANNELS);
        }
        assert_int_equal(stats.busy_ns, busy);
    }
    free(m);
}

static void disk_ends_every_bio_once(void **state) {
    struct model *m = malloc(sizeof(*m));
    struct blk_stats stats;

    (void)state;
    assert_non_null(m);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        run("hdd", seed, m, &stats);
        for (uint32_t i = 0; i < m->nr_bio; i++)
            assert_true(m->bio[i].ended >= m->rq[m->bio[i].last_rq].queued +
                                               (m->bio[i].op == BLK_READ ? 1500u : 2400u));
    }
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flash_matches_the_model),
        cmocka_unit_test(disk_ends_every_bio_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
