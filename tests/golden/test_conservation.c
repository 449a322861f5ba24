/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes in must come out: identities between the counters of whole runs over the recorded
 * traces, in several configurations. They follow from what each counter means
 * (Documentation/admin-guide/cgroup-v2.rst, /proc/vmstat) and hold exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include "config/knobs.h"
#include "replay.h"

#define TRACES REFAULT_SOURCE_DIR "/traces/"

struct setup {
    const char *kernel;
    const char *set[8][2]; /* knob, value */
};

static const struct setup setups[] = {
    {"6.12", {{"zswap.enabled", "1"}, {"zswap.compressor", "lz4"}}},
    {"6.12", {{"swap.device", "ssd"}, {"machine.cpus", "4"}}},
    {"6.12", {{"swap.device", "zram0"}, {"zram0.comp_algorithm", "lzo-rle"}}},
    {"6.12",
     {{"zswap.enabled", "1"},
      {"zswap.max_pool_percent", "2"},
      {"zswap.shrinker_enabled", "1"},
      {"machine.cpus", "2"}}},
    {"6.1", {{"zswap.enabled", "1"}, {"zswap.compressor", "zstd"}, {"zswap.zpool", "zsmalloc"}}},
    {"6.1", {{"zswap.enabled", "1"}, {"zswap.max_pool_percent", "3"}, {"zswap.zpool", "zbud"}}},
    {"6.18", {{"zswap.enabled", "1"}, {"zswap.max_pool_percent", "4"}, {"swap.device", "pmem"}}},
    {"5.10", {{"swap.device", "hdd"}, {"vm.page-cluster", "4"}}},
};

struct seen {
    const struct value_list *l;
    const char *what;
};

static uint64_t get(const struct seen *s, enum machine_value_kind kind, const char *name) {
    const struct value *v = value_list_find(s->l, kind, name);

    if (!v)
        fail_msg("%s: no value %s", s->what, name);
    return v->value;
}
#define C(name) get(s, MV_COUNTER, name)
#define X(name) get(s, MV_X, name)
#define T(name) get(s, MV_TIME, name)
#define EQUAL(a, b)                                                                                \
    do {                                                                                           \
        uint64_t a_ = (a), b_ = (b);                                                               \
        if (a_ != b_)                                                                              \
            fail_msg("%s: %s is %" PRIu64 ", %s is %" PRIu64, s->what, #a, a_, #b, b_);            \
    } while (0)
#define AT_MOST(a, b)                                                                              \
    do {                                                                                           \
        uint64_t a_ = (a), b_ = (b);                                                               \
        if (a_ > b_)                                                                               \
            fail_msg("%s: %s is %" PRIu64 ", %s only %" PRIu64, s->what, #a, a_, #b, b_);          \
    } while (0)

static void check_zswap(const struct seen *s, const struct machine *m) {
    const struct zswap_counters *c = zswap_counters(machine_zswap(m));
    uint64_t refused = c->x_reject_hysteresis + c->x_reject_memcg + c->x_reject_stillfull +
                       c->x_reject_disabled + c->x_reject_full + c->x_reject_reclaim +
                       c->x_reject_unsame + c->x_reject_compress + c->x_reject_poor +
                       c->x_reject_alloc + c->x_reject_large + c->x_reject_folio +
                       c->reject_kmemcache_fail;

    /* Every store ends in an entry, and an entry ends in one of these ways. */
    EQUAL(C("vmstat.zswpout"), C("zswap.stored_pages") + X("zswap.erased_on_load") +
                                   X("zswap.invalidated") + C("zswap.written_back_pages") +
                                   X("zswap.replaced") + X("zswap.erased_on_refuse"));
    EQUAL(X("zswap.attempts"), C("vmstat.zswpout") + refused);
    EQUAL(C("vmstat.zswpin"), X("zswap.loads"));
    if (machine_config_of(m)->era.zswap.shrinker) /* the event came with the shrinker, in 6.8 */
        EQUAL(C("vmstat.zswpwb"), C("zswap.written_back_pages"));
    /* Nothing reaches the device that zswap was not offered: refused, or written back later. */
    EQUAL(C("vmstat.pswpout"), refused + C("zswap.written_back_pages"));
    AT_MOST(C("memcg.zswapped"), C("zswap.stored_pages") * RF_PAGE_SIZE);
    AT_MOST(C("memory.zswap.current"), C("zswap.pool_total_size"));
}

static void check_mm(const struct seen *s, const struct machine *m, const struct trace_info *info) {
    const struct machine_config *c = machine_config_of(m);
    uint64_t swapped_in = C("vmstat.pswpin") + C("vmstat.zswpin") + C("vmstat.swpin_zero");
    uint64_t faults = 0, per_cpu = T("user_ns") + T("sys_ns") + T("idle_ns");

    EQUAL(X("accesses"), info->ops);
    /* vmstat counts global reclaim only by its kind, and memory.max is not global. */
    EQUAL(C("vmstat.pgscan_anon"), C("memcg.pgscan_kswapd") + C("memcg.pgscan_direct"));
    EQUAL(C("vmstat.pgsteal_anon"), C("memcg.pgsteal_kswapd") + C("memcg.pgsteal_direct"));
    AT_MOST(C("vmstat.pgsteal_anon"), C("vmstat.pgscan_anon"));
    AT_MOST(C("vmstat.pgactivate") > 0, C("vmstat.pgscan_anon"));
    /* All processes are in the one cgroup, and only its pages are swapped. */
    EQUAL(C("memcg.pswpin"), C("vmstat.pswpin"));
    EQUAL(C("memcg.pswpout"), C("vmstat.pswpout"));
    EQUAL(C("memcg.pgfault"), C("vmstat.pgfault"));
    /* A major fault reads the page that it is about, if writeback of its zswap entry did not bring
     * it into the swap cache while the fault was waiting for memory; readahead may read more. */
    AT_MOST(C("vmstat.pgmajfault"), swapped_in + C("vmstat.zswpwb"));
    AT_MOST(C("vmstat.pgmajfault"), C("vmstat.pgfault"));
    AT_MOST(C("vmstat.pgreuse") + X("cow_copies"), C("vmstat.pgfault"));
    /* A refault is the reading of a page that reclaim had evicted. */
    if (!machine_zswap(m)) /* writebacks that are given up count too */
        AT_MOST(C("vmstat.workingset_refault_anon"), swapped_in);
    /* A page in swap has a slot; more are taken by copies in the swap cache and per-CPU caches. */
    AT_MOST(C("memory.swap.current"), X("swap_slots_in_use") * RF_PAGE_SIZE);
    AT_MOST(C("memory.current"), C("memory.peak"));
    AT_MOST(C("memory.peak"), RF_PAGE_SIZE * machine_amount_pages(c, c->memory_max) +
                                  64 * RF_PAGE_SIZE * c->cpus + C("memory.zswap.current") +
                                  512 * RF_PAGE_SIZE);

    static const char *const kinds[] = {"minor", "wp",    "cow",  "cache_hit",
                                        "zero",  "zswap", "zram", "device"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char name[64];

        snprintf(name, sizeof(name), "fault.%s.count", kinds[i]);
        faults += T(name);
    }
    if (c->era.fault.count_retries)
        AT_MOST(faults, C("vmstat.pgfault"));
    else
        EQUAL(faults, C("vmstat.pgfault"));
    AT_MOST(T("elapsed_ns"), per_cpu);
    AT_MOST(per_cpu, T("elapsed_ns") * c->cpus);
    if (machine_blk(m)) {
        EQUAL(X("blk.read_pages"), C("vmstat.pswpin"));
        EQUAL(X("blk.write_pages"), C("vmstat.pswpout"));
        AT_MOST(X("blk.reads") + X("blk.read_merges"), X("blk.read_pages"));
        AT_MOST(X("blk.writes") + X("blk.write_merges"), X("blk.write_pages"));
        EQUAL(blk_in_flight(machine_blk(m)), 0);
    }
    if (machine_zram(m)) {
        EQUAL(C("zram.failed_reads") + C("zram.failed_writes"), 0);
        AT_MOST(C("zram.compr_data_size"), C("zram.mem_used_total"));
        AT_MOST(C("zram.mem_used_total"), C("zram.mem_used_max"));
        /* What was written and not freed since. */
        AT_MOST(C("zram.orig_data_size") / RF_PAGE_SIZE, X("swap_slots_in_use"));
        AT_MOST(C("zram.orig_data_size") / RF_PAGE_SIZE, C("vmstat.pswpout"));
    }
}

struct end {
    const struct trace_info *info;
    const char *what;
};

static int at_end(void *ctx, struct machine *m, struct rf_err *err) {
    const struct end *e = ctx;
    struct value_list l;
    struct seen s = {.l = &l, .what = e->what};
    int r = value_list_read(&l, m, err);

    if (r)
        return r;
    check_mm(&s, m, e->info);
    if (machine_zswap(m))
        check_zswap(&s, m);
    value_list_free(&l);
    return RF_OK;
}

static void run(struct trace_reader *trace, struct content_set *cs, const char *name,
                const struct setup *s) {
    const struct trace_info *info = trace_reader_info(trace);
    struct knob_table t;
    struct machine_config c;
    struct replay_result out;
    struct rf_err err = {0};
    char what[160];
    struct end e = {.info = info, .what = what};
    struct replay_opts o = {.at_end = at_end, .ctx = &e};
    int at = snprintf(what, sizeof(what), "%s on %s", name, s->kernel);

    if (machine_config_init(&c, s->kernel, &err) || knob_table_init(&t, &err))
        fail_msg("%s", err.msg);
    c.footprint_pages = info->footprint_pages;
    c.blocks = info->blocks;
    c.check = true;
    c.memory_max = (struct rf_amount){.value = 4000, .kind = AMOUNT_PERCENT};
    for (size_t i = 0; i < 8 && s->set[i][0]; i++) {
        const struct knob *k = knob_find(&t, s->set[i][0], &err);

        at += snprintf(what + at, sizeof(what) - (size_t)at, " %s=%s", s->set[i][0], s->set[i][1]);
        if (!k || knob_set(k, &c, s->set[i][1], &err))
            fail_msg("%s: %s", what, err.msg);
    }
    machine_config_set_profile(&c, profile_default());
    if (replay_run(trace, cs, &c, &o, &out, &err))
        fail_msg("%s: %s", what, err.msg);
    assert_int_equal(out.outcome, MACHINE_DONE);
    replay_result_free(&out);
    knob_table_free(&t);
}

/* One trace in the setups from first on, by steps. */
static void run_trace(const char *name, size_t first, size_t step) {
    struct trace_reader *trace;
    struct content_set *cs;
    struct rf_err err = {0};
    char path[512];

    snprintf(path, sizeof(path), TRACES "%s.rft", name);
    if (trace_open(path, &trace, &err) || trace_load_content(trace, &cs, &err))
        fail_msg("%s", err.msg);
    for (size_t i = first; i < sizeof(setups) / sizeof(setups[0]); i += step)
        run(trace, cs, name, &setups[i]);
    content_free(cs);
    trace_close(trace);
}

static void redis_in_all_setups(void **state) {
    (void)state;
    run_trace("redis", 0, 1);
}

/* The longer ones take each setup once, and are left out where everything is slow. */
static void others(void **state) {
    (void)state;
    if (getenv("REFAULT_SANITIZED"))
        skip();
    run_trace("gcc-tree", 0, 3);
    run_trace("python", 1, 3);
    run_trace("sqlite", 2, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(redis_in_all_setups),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
