/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis-memtier: what a trace consists of follows from the parameters. Shares are those of uniform
 * draws: n SETs over k keys leave k (1 - exp(-n/k)) of them, which is what a GET of the next pass
 * finds.
 */
#include <math.h>
#include "trace_util.h"
#include "gen/workload.h"
#include "trace/reader.h"

enum { KEYS = 22000, SERVERS = 2, PASSES = 3, GUEST = 50 };

static struct rf_err err;

static void params(struct gen_params *p, struct gen_redis_pass *pass) {
    gen_params_init(p);
    p->redis.servers = SERVERS;
    p->redis.keys = KEYS;
    p->redis.passes = PASSES;
    p->redis.guest = GUEST * RF_PAGE_SIZE;
    p->redis.pass = pass;
}

static void write_to(const struct gen_params *p, const char *path) {
    if (gen_write(gen_find("redis-memtier"), p, path, &err))
        fail_msg("%s", err.msg);
}

static void shares(void **state) {
    struct gen_redis_pass pass[PASSES];
    struct gen_params p;

    (void)state;
    params(&p, pass);
    write_to(&p, in_scratch("a.rft"));
    struct trace_info i = info_of(in_scratch("a.rft"));
    assert_int_equal(i.processes, SERVERS);
    assert_int_equal(i.vmas, SERVERS);
    assert_int_equal(i.pacing, TRACE_PACE_NS);
    assert_int_equal(pass[0].first_access, SERVERS * GUEST);
    for (int k = 0; k < PASSES; k++) {
        assert_int_equal(pass[k].sets, SERVERS * KEYS / 11);
        assert_int_equal(pass[k].hits + pass[k].misses, SERVERS * KEYS / 11 * 10);
    }
    /* Passes are equal but for the first, which finds less. */
    assert_int_equal(pass[1].hits, pass[2].hits);
    assert_true(pass[0].hits < pass[1].hits);
    /* 40000 GETs of probability 0.0869: 6 standard deviations are 0.0085. */
    double hit = (double)pass[1].hits / (SERVERS * KEYS / 11 * 10);
    assert_true(fabs(hit - (1 - exp(-1.0 / 11))) < 0.0085);
    /* Values of 2054 bytes in slots of 2560: eight in five pages; 97 bytes of objects, and buckets
     * of 8 bytes for the next power of two. */
    double keys = KEYS * (1 - exp(-1.0 / 11));
    double pages = SERVERS * (GUEST + keys * (2560.0 + 97) / 4096 + 4096.0 * 8 / 4096);
    assert_true(fabs((double)i.pages_touched - pages) < 0.05 * pages);
}

/*
 * SETs only, of every key in turn again and again: a SET writes to the slot that the SET before
 * freed, and the old value that it then frees it reads in one page.
 */
static void set_reuses_the_freed_slot(void **state) {
    struct gen_redis_pass pass[PASSES];
    struct gen_params p;
    struct trace_reader *r;
    struct trace_block b;
    uint64_t ops = 0, reads = 0, matched = 0;
    uint32_t last_read = RF_NONE, run_first = RF_NONE, highest = 0;
    int rc;

    (void)state;
    params(&p, pass);
    p.redis.servers = 1;
    p.redis.keys = 1000;
    p.redis.gets = 0;
    p.redis.guest = 0;
    write_to(&p, in_scratch("s.rft"));
    assert_int_equal(trace_open(in_scratch("s.rft"), &r, &err), 0);
    while ((rc = trace_next(r, &b, &err)) == 1) {
        for (size_t k = 0; k < b.nops; k++) {
            if (b.ops[k] & OP_EVENT)
                continue;
            uint32_t id = b.ops[k] & TRACE_ID_MASK;
            if (ops++ < pass[1].first_access)
                continue;
            if (b.ops[k] & OP_WRITE) {
                /* the first page of the value that is written: behind the reading of a header */
                if (last_read != RF_NONE && run_first == RF_NONE) {
                    run_first = id;
                    matched += id == last_read;
                }
            } else if (id >=
                       2) { /* a header: buckets are the first two pages, objects are written */
                reads++;
                highest = RF_MAX(highest, id);
                last_read = id;
                run_first = RF_NONE;
            }
        }
    }
    assert_int_equal(rc, 0);
    trace_close(r);
    assert_int_equal(reads, (PASSES - 1) * 1000); /* every SET of a later pass replaces a value */
    assert_int_equal(matched, reads - 1);         /* and the next writes where it lay */
    /* About 632 values of 0.625 pages, behind 17 pages. */
    assert_true(highest > 380 && highest < 440);
}

static void gaussian_keys(void **state) {
    struct gen_redis_pass pass[PASSES];
    struct gen_params p;
    double want = 0;

    (void)state;
    params(&p, pass);
    p.redis.gaussian = true;
    write_to(&p, in_scratch("g.rft"));
    /* A key x sigma from the middle is drawn with density phi(x) / sigma; a SET is a tenth of a
     * GET, and there are KEYS / 11 of them. */
    for (double x = -5; x < 5; x += 0.001) {
        double phi = exp(-x * x / 2) / sqrt(2 * 3.14159265358979);
        want += phi * (1 - exp(-phi * 10 / 11)) * 0.001;
    }
    double hit = (double)pass[1].hits / (SERVERS * KEYS / 11 * 10);
    assert_true(fabs(hit - want) < 0.015);
}

static void deterministic(void **state) {
    struct gen_redis_pass pass[PASSES];
    struct gen_params p;
    struct trace_reader *r;

    (void)state;
    params(&p, pass);
    write_to(&p, in_scratch("a.rft"));
    write_to(&p, in_scratch("b.rft"));
    uint64_t digest = info_of(in_scratch("a.rft")).digest;
    assert_int_equal(digest, info_of(in_scratch("b.rft")).digest);
    p.seed = 2;
    write_to(&p, in_scratch("b.rft"));
    assert_int_not_equal(digest, info_of(in_scratch("b.rft")).digest);
    assert_int_equal(trace_open(in_scratch("b.rft"), &r, &err), 0);
    assert_int_equal(trace_verify(r, &err), 0);
    trace_close(r);
    p.redis.keys = 10;
    assert_int_equal(gen_write(gen_find("redis-memtier"), &p, in_scratch("c.rft"), &err),
                     RF_EUSAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(set_reuses_the_freed_slot),
        cmocka_unit_test(gaussian_keys),
        cmocka_unit_test(deterministic),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
