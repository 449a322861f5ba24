/* SPDX-License-Identifier: Apache-2.0 */
/* What an observer is told, and the trace-event file made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report.h"
#include "report/timeline.h"
#include "small_replay.h"

#define PAGES 3000u

struct fixture {
    struct small_replay s;
    struct activity activity;
    struct timeline timeline;
    struct replay_result result;
    char *text;
    size_t size;
};

static int setup(void **state) {
    struct fixture *f = calloc(1, sizeof(*f));

    if (!f || !small_replay_begin(&f->s, PAGES, 3))
        return -1;
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    free(f->text);
    replay_result_free(&f->result);
    activity_free(&f->activity);
    timeline_free(&f->timeline);
    small_replay_end(&f->s);
    free(f);
    return 0;
}

/* Runs the trace with the knobs and gives the parsed file. */
static json_t *record(struct fixture *f, const char *const *pairs, size_t limit) {
    struct replay_opts opts = {.activity = &f->activity, .observer = &f->timeline.observer};
    struct machine_config c;
    json_t *j;
    FILE *out;

    small_replay_config(&f->s, pairs, &c);
    timeline_init(&f->timeline, limit);
    assert_int_equal(activity_begin(&f->activity, trace_reader_info(f->s.trace), NULL), RF_OK);
    assert_int_equal(replay_run(f->s.trace, f->s.contents, &c, &opts, &f->result, NULL), RF_OK);
    /* A name that no JSON string may hold as it is. */
    memcpy(f->activity.process[0], "a\"\\\n\xff</x>", 10);
    out = open_memstream(&f->text, &f->size);
    assert_non_null(out);
    assert_int_equal(
        timeline_write(&f->timeline, out, &f->result, &f->activity, "\x01 trace", NULL), RF_OK);
    fclose(out);
    j = json_loadb(f->text, f->size, 0, NULL);
    assert_non_null(j);
    return j;
}

static uint64_t value(const struct fixture *f, enum machine_value_kind kind, const char *name) {
    const struct value *v = value_list_find(&f->result.values, kind, name);

    return v ? v->value : 0;
}

static uint64_t whole_ns(const json_t *event, const char *key) {
    const json_t *v = json_object_get(event, key);

    assert_true(json_is_number(v));
    assert_true(json_number_value(v) >= 0);
    return (uint64_t)(json_number_value(v) * 1000 + 0.5);
}

/* Whether a metadata event names what e belongs to: its process, or its track. */
static bool is_named(const json_t *file, const json_t *e, const char *kind) {
    bool track = strcmp(kind, "thread_name") == 0;
    const json_t *m;
    size_t i;

    json_array_foreach(json_object_get(file, "traceEvents"), i, m) {
        if (strcmp(json_string_value(json_object_get(m, "name")), kind) == 0 &&
            json_equal(json_object_get(m, "pid"), json_object_get(e, "pid")) &&
            (!track || json_equal(json_object_get(m, "tid"), json_object_get(e, "tid"))))
            return true;
    }
    return false;
}

/* Counters are numbers, one at least; metadata are of the two kinds that are used. */
static void check_args(const json_t *e, const char *ph) {
    json_t *args = json_object_get(e, "args"), *v;
    const char *key, *name = json_string_value(json_object_get(e, "name"));

    assert_true(json_is_object(args));
    assert_true(json_object_size(args) > 0);
    if (*ph == 'M') {
        assert_true(strcmp(name, "process_name") == 0 || strcmp(name, "thread_name") == 0);
        assert_true(json_is_string(json_object_get(args, "name")));
    }
    json_object_foreach(args, key, v) {
        assert_true(*ph != 'C' || json_is_number(v));
    }
}

/*
 * What "Trace Event Format" (Duca and Sinclair, 2016) requires and Perfetto's importer of it reads:
 * ph, pid, tid, ts and name in every event, dur in spans, times in microseconds, numbers as values
 * of counters. Times ascend on a track, and spans lie inside one another: those that overlap in
 * part are dropped there.
 */
static void check_structure(const json_t *file) {
    const json_t *events = json_object_get(file, "traceEvents"), *e;
    const char *unit = json_string_value(json_object_get(file, "displayTimeUnit"));
    uint64_t open[16], last = 0;
    json_int_t pid = -1, tid = -1;
    const char *counter = "";
    size_t i, depth = 0;

    assert_non_null(unit);
    assert_true(strcmp(unit, "ms") == 0 || strcmp(unit, "ns") == 0);
    assert_true(json_array_size(events) > 10);
    json_array_foreach(events, i, e) {
        const char *ph = json_string_value(json_object_get(e, "ph"));
        const char *name = json_string_value(json_object_get(e, "name"));
        uint64_t from = whole_ns(e, "ts"), to;

        assert_non_null(ph);
        assert_non_null(name);
        assert_true(json_is_integer(json_object_get(e, "pid")));
        assert_true(json_is_integer(json_object_get(e, "tid")));
        check_args(e, ph);
        if (strcmp(ph, "C") == 0) {
            if (strcmp(name, counter) == 0)
                assert_true(from >= last);
            counter = name;
            last = from;
        } else if (strcmp(ph, "M") != 0) {
            assert_string_equal(ph, "X");
            assert_true(json_is_string(json_object_get(e, "cat")));
            to = from + whole_ns(e, "dur");
            if (json_integer_value(json_object_get(e, "pid")) != pid ||
                json_integer_value(json_object_get(e, "tid")) != tid) {
                pid = json_integer_value(json_object_get(e, "pid"));
                tid = json_integer_value(json_object_get(e, "tid"));
                depth = 0;
                last = 0;
                assert_true(is_named(file, e, "process_name"));
                assert_true(is_named(file, e, "thread_name"));
            }
            assert_true(from >= last);
            last = from;
            while (depth && open[depth - 1] <= from)
                depth--;
            assert_true(depth == 0 || to <= open[depth - 1]);
            assert_true(depth < 16);
            open[depth++] = to;
        }
    }
}

/* Events of that name, and the sum of their pages and durations. */
static size_t sum(const json_t *file, const char *name, uint64_t *pages, uint64_t *ns) {
    const json_t *e;
    size_t i, n = 0;

    *pages = *ns = 0;
    json_array_foreach(json_object_get(file, "traceEvents"), i, e) {
        const char *have = json_string_value(json_object_get(e, "name"));

        if (strcmp(have, name) != 0 || strcmp(json_string_value(json_object_get(e, "ph")), "X"))
            continue;
        n++;
        *pages +=
            (uint64_t)json_integer_value(json_object_get(json_object_get(e, "args"), "pages"));
        *ns += whole_ns(e, "dur");
    }
    return n;
}

/* Every fault that was counted is there, with the same total of time; every page of a request. */
static void test_complete(void **state) {
    static const char *const pairs[] = {"memory.max=50%", "zswap.enabled=1",
                                        "zswap.max_pool_percent=5", "swap.device=nvme", NULL};
    static const char *const kinds[] = {"minor", "wp",    "cow",  "cache_hit",
                                        "zero",  "zswap", "zram", "device"};
    struct fixture *f = *state;
    json_t *file = record(f, pairs, TIMELINE_DEFAULT_LIMIT);
    uint64_t pages, ns, total = 0;
    size_t faults = 0;

    check_structure(file);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char name[64], key[64];

        snprintf(name, sizeof(name), "fault.%s", kinds[i]);
        snprintf(key, sizeof(key), "fault.%s.count", kinds[i]);
        assert_int_equal(sum(file, name, &pages, &ns), value(f, MV_TIME, key));
        faults += value(f, MV_TIME, key);
        total += ns;
    }
    assert_true(faults > PAGES);
    assert_int_equal(total, value(f, MV_TIME, "stall_ns"));
    assert_int_equal(sum(file, "read", &pages, &ns), value(f, MV_X, "blk.reads"));
    assert_int_equal(pages, value(f, MV_X, "blk.read_pages"));
    assert_true(pages > 0);
    assert_int_equal(sum(file, "write", &pages, &ns), value(f, MV_X, "blk.writes"));
    assert_int_equal(pages, value(f, MV_X, "blk.write_pages"));
    assert_int_equal(sum(file, "cgroup reclaim", &pages, &ns), value(f, MV_X, "reclaim_calls"));
    assert_int_equal(pages, value(f, MV_COUNTER, "vmstat.pgsteal_anon"));
    assert_int_equal(f->timeline.dropped, 0);
    json_decref(file);
}

/* kswapd frees what it says. */
static void test_kswapd(void **state) {
    static const char *const pairs[] = {"machine.ram=60%", "swap.device=zram0",
                                        "vm.min_free_kbytes=128", NULL};
    struct fixture *f = *state;
    json_t *file = record(f, pairs, TIMELINE_DEFAULT_LIMIT);
    uint64_t pages, ns;

    check_structure(file);
    assert_true(sum(file, "kswapd", &pages, &ns) > 0);
    assert_int_equal(pages, value(f, MV_COUNTER, "vmstat.pgsteal_kswapd"));
    assert_true(pages > 0);
    json_decref(file);
}

/* Beyond the limit nothing is kept, and the file says how much that was. */
static void test_limit(void **state) {
    static const char *const pairs[] = {"memory.max=50%", "swap.device=zram0", NULL};
    struct fixture *f = *state;
    json_t *file = record(f, pairs, 100), *e;
    size_t i, n = 0;

    check_structure(file);
    json_array_foreach(json_object_get(file, "traceEvents"), i, e) {
        n += strcmp(json_string_value(json_object_get(e, "ph")), "X") == 0;
    }
    assert_int_equal(n, 100);
    assert_true(f->timeline.dropped > 0);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(file, "otherData"), "events_left_out")),
        f->timeline.dropped);
    json_decref(file);
}

/* An observer changes nothing. */
static void test_same_result(void **state) {
    static const char *const pairs[] = {"memory.max=50%", "zswap.enabled=1", NULL};
    struct fixture *f = *state;
    struct replay_result other;
    json_t *file = record(f, pairs, 10);

    assert_int_equal(replay_run(f->s.trace, f->s.contents, &f->result.config, NULL, &other, NULL),
                     RF_OK);
    assert_int_equal(other.values.n, f->result.values.n);
    for (size_t i = 0; i < other.values.n; i++) {
        assert_string_equal(other.values.v[i].name, f->result.values.v[i].name);
        assert_int_equal(other.values.v[i].value, f->result.values.v[i].value);
    }
    replay_result_free(&other);
    json_decref(file);
}

/* Every access is in the map once: each page is accessed four times, page 0 once more. */
static void test_activity(void **state) {
    static const char *const pairs[] = {"machine.ram=64M", NULL};
    struct fixture *f = *state;
    const struct activity *a = &f->activity;
    json_t *file = record(f, pairs, 10);

    assert_int_equal(a->taken, a->columns + 1);
    assert_int_equal(a->series.nr, a->columns + 1);
    for (uint32_t row = 0; row < a->rows; row++) {
        uint32_t first = RF_MIN(row * a->ids_per_row, PAGES);
        uint32_t pages = RF_MIN((row + 1) * a->ids_per_row, PAGES) - first, n = 0;

        for (uint32_t c = 0; c < a->columns; c++)
            n += a->accesses[(size_t)c * a->rows + row];
        assert_int_equal(n, pages * 4 + (row == 0));
        if (pages) {
            /* Everything fits: what is in use is resident, and nothing is before the first store.
             */
            assert_int_equal(a->resident[(size_t)(a->columns - 1) * a->rows + row], 100);
            assert_int_equal(a->origin[row].pid, 0);
            assert_int_equal(a->origin[row].vpn, row * a->ids_per_row);
        } else {
            assert_int_equal(a->resident[(size_t)(a->columns - 1) * a->rows + row],
                             ACTIVITY_UNUSED);
        }
        if (first >= (PAGES * 4 + 1) / a->columns + 1)
            assert_int_equal(a->resident[row], ACTIVITY_UNUSED);
    }
    json_decref(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_complete, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kswapd, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_result, setup, teardown),
        cmocka_unit_test_setup_teardown(test_activity, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
