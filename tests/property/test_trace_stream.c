/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random streams of accesses, stores, contents, events and rows are written and read back equal,
 * and the totals equal those that a naive model (one byte a page) counts.
 */
#include "../unit/trace_util.h"
#include "trace/reader.h"

enum { PROCS = 3, BLOCKS = 12, IDS = BLOCKS * 512 };

static struct rf_err err;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            fail_msg("%s", err.msg);                                                               \
    } while (0)

struct model {
    uint32_t *words;
    size_t nwords;
    struct trace_event *events;
    size_t nevents;
    bool used[IDS], touched[IDS], mapped[IDS];
    uint64_t in_use, peak, distinct, ops, writes, contents;
    uint32_t running;
};

static void use(struct model *m, uint32_t id, bool write) {
    m->ops++;
    m->writes += write;
    m->distinct += !m->touched[id];
    m->touched[id] = true;
    m->in_use += !m->used[id];
    m->used[id] = true;
    m->peak = RF_MAX(m->peak, m->in_use);
}

static void forget(struct model *m, uint32_t first, uint32_t n) {
    for (uint32_t id = first; id < first + n; id++) {
        m->in_use -= m->used[id];
        m->used[id] = false;
    }
}

static void event(struct model *m, struct trace_writer *w, struct trace_event e) {
    MUST(trace_write_event(w, &e, &err));
    m->words[m->nwords++] = OP_EVENT;
    m->events[m->nevents++] = e;
}

/* Block b belongs to process b % PROCS, so that ids of a process are not neighbours. */
static void random_event(struct model *m, struct trace_writer *w, struct rf_rng *rng) {
    uint32_t b = (uint32_t)rf_rng_below(rng, BLOCKS), lo = (uint32_t)rf_rng_below(rng, 512);
    uint32_t n = 1 + (uint32_t)rf_rng_below(rng, 512 - lo);
    struct trace_event e = {.pid = b % PROCS, .first = b << 9 | lo, .n = n};
    switch (rf_rng_below(rng, 5)) {
    case 0:
        e.kind = TEV_DONTNEED;
        forget(m, e.first, n);
        break;
    case 1: /* unmap and map again */
        e.first = b << 9;
        e.n = 512;
        e.kind = TEV_MUNMAP;
        forget(m, e.first, 512);
        event(m, w, e);
        e.kind = TEV_MMAP;
        e.vma = (uint32_t)rf_rng_below(rng, 100);
        e.vpn = rf_rng_below(rng, 1ull << 43) << 9;
        e.flags = (uint8_t)rf_rng_below(rng, 32);
        break;
    case 2:
        e = (struct trace_event){.kind = TEV_PACE, .pid = e.pid, .value = rf_rng_next(rng)};
        break;
    default:
        e = (struct trace_event){.kind = TEV_SWITCH, .pid = e.pid};
        m->running = e.pid;
        break;
    }
    event(m, w, e);
}

static void random_op(struct model *m, struct trace_writer *w, struct rf_rng *rng, uint32_t *id) {
    uint32_t content = (uint32_t)rf_rng_below(rng, 2000);
    bool write = rf_rng_below(rng, 3) == 0;
    uint64_t dice = rf_rng_below(rng, 100);
    /* runs, jumps, and both within the blocks of the process that runs */
    if (dice < 40 && (*id & 511) != 511)
        ++*id;
    else
        *id = (m->running + PROCS * (uint32_t)rf_rng_below(rng, BLOCKS / PROCS)) << 9 |
              (uint32_t)rf_rng_below(rng, 512);
    if (*id >> 9 >= BLOCKS || (*id >> 9) % PROCS != m->running)
        *id = m->running << 9;
    if (dice < 80) {
        MUST(trace_write_access(w, *id, write, &err));
        m->words[m->nwords++] = *id | (write ? OP_WRITE : 0);
        use(m, *id, write);
    } else {
        bool store = dice < 92;
        MUST(store ? trace_write_store(w, *id, content, &err)
                   : trace_write_content(w, *id, content, &err));
        m->words[m->nwords++] = *id | OP_CONTENT | (store ? OP_WRITE : 0);
        m->words[m->nwords++] = content;
        m->contents++;
        if (store)
            use(m, *id, true);
    }
}

static void compare(const char *path, const struct model *m) {
    struct trace_reader *r;
    struct trace_block b;
    size_t w = 0, e = 0;
    int rc;
    MUST(trace_open(path, &r, &err));
    while ((rc = trace_next(r, &b, &err)) == 1) {
        assert_true(w + b.nops <= m->nwords && e + b.nevents <= m->nevents);
        for (size_t i = 0; i < b.nops; i++, w++) {
            if (m->words[w] == OP_EVENT && b.ops[i] & OP_EVENT) {
                uint32_t k = b.ops[i] & TRACE_ID_MASK;
                char got[160], want[160];
                (void)event_text(got, sizeof(got), &b.events[k]);
                (void)event_text(want, sizeof(want), &m->events[e + k]);
                assert_string_equal(got, want);
            } else {
                assert_int_equal(b.ops[i], m->words[w]);
            }
        }
        e += b.nevents;
    }
    MUST(rc);
    assert_int_equal(w, m->nwords);
    assert_int_equal(e, m->nevents);
    const struct trace_info *i = trace_reader_info(r);
    assert_int_equal(i->ops, m->ops);
    assert_int_equal(i->writes, m->writes);
    assert_int_equal(i->events, m->nevents);
    assert_int_equal(i->content_changes, m->contents);
    assert_int_equal(i->pages_touched, m->distinct);
    assert_int_equal(i->footprint_pages, m->peak);
    MUST(trace_verify(r, &err));
    trace_close(r);
}

static void one_stream(uint64_t seed, uint32_t n) {
    struct trace_writer_params p = {.content_spec = "catalogue"};
    struct model *m = calloc(1, sizeof(*m));
    struct trace_writer *w;
    struct rf_rng rng;
    uint32_t id = 0;
    assert_non_null(m);
    m->words = calloc(2 * n + 64, sizeof(*m->words));
    m->events = calloc(2 * n + 64, sizeof(*m->events));
    assert_non_null(m->words);
    assert_non_null(m->events);
    rf_rng_seed(&rng, seed);
    MUST(trace_writer_open(in_scratch("stream.rft"), &p, &w, &err));
    for (uint32_t i = 0; i < PROCS; i++) {
        struct trace_event e = {.kind = TEV_PROCESS, .pid = i, .parent = i ? i - 1 : RF_NONE};
        (void)snprintf(e.name, sizeof(e.name), "p%u", i);
        event(m, w, e);
    }
    for (uint32_t b = 0; b < BLOCKS; b++)
        event(m, w,
              (struct trace_event){
                  .kind = TEV_MMAP, .pid = b % PROCS, .first = b << 9, .n = 512, .vpn = b << 9});
    event(m, w, (struct trace_event){.kind = TEV_SWITCH});
    for (uint32_t i = 0; i < 2000; i++) {
        struct content_row row = {.size = {[CODEC_LZ4] = 1}};
        MUST(trace_write_row(w, &row, &err));
    }
    uint64_t event_share = 1 + rf_rng_below(&rng, 40);
    for (uint32_t i = 0; i < n; i++) {
        if (rf_rng_below(&rng, 100) < event_share)
            random_event(m, w, &rng);
        else
            random_op(m, w, &rng, &id);
    }
    MUST(trace_writer_close(w, &err));
    compare(in_scratch("stream.rft"), m);
    free(m->words);
    free(m->events);
    free(m);
}

static void short_streams(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++)
        one_stream(seed, (uint32_t)(1 + seed * seed));
}

/* Several blocks, and more events than one block may have. */
static void long_streams(void **state) {
    (void)state;
    one_stream(1000, 700000);
    one_stream(1001, 300000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_streams),
        cmocka_unit_test(long_streams),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
