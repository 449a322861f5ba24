/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged traces: 1,000 cuts and 1,000 changed bytes of a trace with every kind of record. With
 * file names as arguments the same for each of those, e.g. under AddressSanitizer:
 *   tests/unit/test_trace_damage traces/redis.rft
 */
#include <pthread.h>
#include "trace_util.h"
#include "trace_damage.h"

static struct rf_err err;

#define MUST(call) assert_int_equal((call), 0)

static void make(const char *path) {
    struct trace_writer_params p = {.content_spec = "catalogue", .pacing = TRACE_PACE_NS};
    struct trace_event ev = {.kind = TEV_PROCESS, .parent = RF_NONE, .name = "damage"};
    struct trace_writer *w;
    struct rf_rng rng;
    rf_rng_seed(&rng, 1);
    MUST(trace_writer_open(path, &p, &w, &err));
    MUST(trace_write_event(w, &ev, &err));
    ev = (struct trace_event){.kind = TEV_MMAP, .n = 4096, .vpn = 512, .flags = 5};
    MUST(trace_write_event(w, &ev, &err));
    for (uint32_t i = 0; i < 600; i++) {
        struct content_row row = {.same_filled = i % 9 == 0, .word = i % 9 == 0 ? i : 0};
        row.size[CODEC_LZ4] = (uint16_t)rf_rng_below(&rng, 4097);
        MUST(trace_write_row(w, &row, &err));
    }
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t id = (uint32_t)rf_rng_below(&rng, 4096);
        ev = (struct trace_event){.kind = TEV_PACE, .value = i};
        if (i % 50 == 0)
            MUST(trace_write_event(w, &ev, &err));
        if (i % 3 == 0)
            MUST(trace_write_store(w, id, 1 + i % 600, &err));
        else if (i % 7 == 0)
            MUST(trace_write_content(w, id, 1 + i % 600, &err));
        else
            MUST(trace_write_access(w, id, i % 2, &err));
        for (uint32_t k = 0; i % 100 == 0 && k < 1000; k++)
            MUST(trace_write_access(w, k, true, &err));
    }
    MUST(trace_writer_close(w, &err));
}

#define MAX_SHARES 16

struct share {
    pthread_t thread;
    const uint8_t *file;
    size_t n;
    unsigned index, shares;
    char path[512];
    struct damage_result d;
    int rc;
};

static void *run_share(void *arg) {
    struct share *s = arg;
    s->rc = damage_file(s->path, s->file, s->n, 1000, 1000, 2, s->index, s->shares, &s->d);
    return NULL;
}

/* All damage to one file, on as many threads as there are processors. */
static void damage(const char *path, struct damage_result *d) {
    static struct share s[MAX_SHARES];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned shares = (unsigned)RF_MAX(1, RF_MIN(cpus, MAX_SHARES));
    size_t n;
    uint8_t *file = get_file(path, &n);

    assert_int_equal(decode_all(path, &err), 0);
    *d = (struct damage_result){0};
    for (unsigned i = 0; i < shares; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "damaged%u.rft", i);
        s[i] = (struct share){.file = file, .n = n, .index = i, .shares = shares};
        (void)snprintf(s[i].path, sizeof(s[i].path), "%s", in_scratch(name));
        assert_int_equal(pthread_create(&s[i].thread, NULL, run_share, &s[i]), 0);
    }
    for (unsigned i = 0; i < shares; i++) {
        assert_int_equal(pthread_join(s[i].thread, NULL), 0);
        assert_int_equal(s[i].rc, 0);
        if (s[i].d.wrong && !d->wrong)
            memcpy(d->first_wrong, s[i].d.first_wrong, sizeof(d->first_wrong));
        d->opened += s[i].d.opened;
        d->refused += s[i].d.refused;
        d->wrong += s[i].d.wrong;
        (void)remove(s[i].path);
    }
    free(file);
}

static void small_trace(void **state) {
    (void)state;
    struct damage_result d;
    make(in_scratch("whole.rft"));
    damage(in_scratch("whole.rft"), &d);
    if (d.wrong)
        fail_msg("%u wrong ends, the first: %s", d.wrong, d.first_wrong);
    /* every byte is under a checksum, so nothing damaged is taken for whole */
    assert_int_equal(d.opened, 0);
    assert_int_equal(d.refused, 2000);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_trace)};
    if (argc == 1)
        return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    if (scratch_make(NULL))
        return 3;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct damage_result d;
        damage(argv[i], &d);
        printf("%s: %u damaged files refused, %u taken, %u wrong ends %s\n", argv[i], d.refused,
               d.opened, d.wrong, d.first_wrong);
        failed |= d.wrong != 0;
    }
    return scratch_remove(NULL) || failed;
}
