/* SPDX-License-Identifier: Apache-2.0 */
/* One case that swaps: a trace on a machine. */
#include <inttypes.h>
#include <stdlib.h>
#include "validate/program.h"
#include "validate/validate.h"

struct counter {
    const char *name;
    bool judged, bounded;
};

static const struct counter counters[] = {
    {"vmstat.pgfault", true, false},
    {"vmstat.pgmajfault", true, true},
    {"vmstat.pswpin", true, true},
    {"vmstat.pswpout", true, true},
    {"vmstat.zswpin", true, true},
    {"vmstat.zswpout", true, true},
    {"vmstat.zswpwb", true, false},
    {"vmstat.swpin_zero", true, false},
    {"vmstat.swpout_zero", true, false},
    {"vmstat.swap_ra", true, false},
    {"vmstat.swap_ra_hit", true, false},
    {"vmstat.pgscan_anon", true, false},
    {"vmstat.pgsteal_anon", true, true},
    {"vmstat.pgactivate", true, false},
    {"vmstat.workingset_refault_anon", true, false},
    {"vmstat.workingset_activate_anon", true, false},
    {"final_present", true, false},
    {"final_swapped", true, false},
    {"memory.swap.current", true, false},
    {"vmstat.pgdeactivate", false, false},
    {"vmstat.pgrotated", false, false},
    {"vmstat.pgreuse", false, false},
    {"vmstat.workingset_restore_anon", false, false},
    {"vmstat.thp_fault_alloc", false, false},
    {"vmstat.thp_fault_fallback", false, false},
    {"vmstat.thp_fault_fallback_charge", false, false},
    {"vmstat.thp_split_pmd", false, false},
    {"vmstat.thp_swpout", false, false},
    {"memcg.zswap", false, false},
    {"memcg.zswapped", false, false},
    {"memory.current", false, false},
    {"memory.events.max", false, false},
};
#define NR_COUNTERS (sizeof(counters) / sizeof(counters[0]))

/* Names of the checkpoints' counters that are not simply vmstat.NAME. */
static const struct {
    const char *golden, *ours;
} checkpoint_names[] = {
    {"zswap_stored_pages", "zswap.stored_pages"},
    {"zswap_pool_total_size", "zswap.pool_total_size"},
};

struct swap_run {
    struct case_result *c;
    uint64_t pages;
    uint64_t ops;
    const struct trace_prefix *prefix;
    struct replay_result results[MAX_REPS]; /* of those that did not end by OOM */
    unsigned reps;                          /* how many these are */
    int64_t (*stops)[MAX_REPS];             /* of checkpoint i of row r at r * checkpoints + i */
};

/* What the test program's own page faults were after so many operations, and after the first
 * `checkpoints` checkpoints. */
static int64_t own_faults(const struct swap_run *run, uint64_t ops, size_t checkpoints) {
    const uint64_t *at = run->c->checkpoint_ops;
    const struct trace_prefix *prefix = run->prefix;
    int64_t n = GUEST_FAULTS + prefix[ops].own_faults;
    uint32_t forks = 0;

    for (size_t i = 0; i < checkpoints; i++) {
        uint32_t now = prefix[at[i]].forks;

        n += now > forks ? GUEST_CHECKPOINT_FAULTS : 0;
        forks = now;
    }
    return n;
}

/* A counter, with the test program's own share. */
static int64_t value_of(const struct value_list *l, const char *name, int64_t own) {
    const struct value *v = value_list_find(l, MV_COUNTER, name);

    return (strcmp(name, "vmstat.pgfault") == 0 ? own : 0) + (v ? (int64_t)v->value : 0);
}

static int64_t median_of(const struct swap_run *run, const char *name, int64_t own) {
    int64_t v[MAX_REPS];

    for (unsigned i = 0; i < run->reps; i++)
        v[i] = value_of(&run->results[i].values, name, own);
    return lower_median(v, run->reps);
}

/* ---- checkpoints ---- */

/* The band of one checkpoint over the repetitions (a list a repetition). */
static struct band checkpoint_band(const json_t *reps, size_t at) {
    int64_t v[64];
    size_t n = 0;

    for (size_t r = 0; r < json_array_size(reps) && n < 64; r++) {
        const json_t *x = json_array_get(json_array_get(reps, r), at);

        if (json_is_number(x))
            v[n++] = golden_integer(x);
    }
    if (n == 0)
        return (struct band){0};
    int64_t middle = lower_median(v, n);
    return (struct band){v[0], middle, v[n - 1]};
}

/* A counter has a list a repetition, with a number a checkpoint. */
static int check_row(const char *path, const char *name, const json_t *reps, size_t n,
                     struct rf_err *err) {
    if (strlen(name) >= VALIDATE_NAME || !json_is_array(reps))
        return rf_fail(err, RF_EINPUT, "%s: checkpoints.%.60s, expected a list a repetition", path,
                       name);
    for (size_t r = 0; r < json_array_size(reps); r++) {
        const json_t *list = json_array_get(reps, r);
        size_t k = 0;

        while (k < n && json_is_number(json_array_get(list, k)))
            k++;
        if (k != n || json_array_size(list) != n)
            return rf_fail(err, RF_EINPUT,
                           "%s: checkpoints.%s: repetition %zu is no list of %zu numbers, as there "
                           "are checkpoints",
                           path, name, r + 1, n);
    }
    return RF_OK;
}

static int load_checkpoints(struct case_result *c, uint64_t trace_ops, struct rf_err *err) {
    json_t *all = json_object_get(c->golden->root, "checkpoints"), *reps;
    const json_t *ops = json_object_get(all, "ops");
    size_t n = json_array_size(ops);
    const char *name;

    if (all && !json_is_object(all))
        return rf_fail(err, RF_EINPUT, "%s: \"checkpoints\", expected an object", c->golden->path);
    if (json_object_size(all) == 0)
        return RF_OK;
    if (n == 0 || n > MAX_CHECKPOINTS)
        return rf_fail(err, RF_EINPUT, "%s: %zu checkpoints.ops, expected 1 to %d", c->golden->path,
                       n, MAX_CHECKPOINTS);
    c->checkpoint_ops = calloc(n, sizeof(*c->checkpoint_ops));
    c->checkpoints = calloc(json_object_size(all), sizeof(*c->checkpoints));
    if (!c->checkpoint_ops || !c->checkpoints)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for its checkpoints", c->golden->path);
    for (size_t i = 0; i < n; i++) {
        json_int_t at = json_integer_value(json_array_get(ops, i));

        if (at <= 0 || (i && (uint64_t)at <= c->checkpoint_ops[i - 1]))
            return rf_fail(err, RF_EINPUT, "%s: checkpoints.ops, expected rising integers",
                           c->golden->path);
        c->checkpoint_ops[i] = (uint64_t)at;
    }
    if (c->checkpoint_ops[n - 1] > trace_ops)
        return rf_fail(err, RF_EINPUT,
                       "%s: a checkpoint after %" PRIu64 " operations, but trace '%s' has %" PRIu64,
                       c->golden->path, c->checkpoint_ops[n - 1], c->golden->trace, trace_ops);
    json_object_foreach(all, name, reps) {
        struct checkpoint_row *r = &c->checkpoints[c->nr_checkpoints];

        int rc;

        if (strcmp(name, "ops") == 0)
            continue;
        rc = check_row(c->golden->path, name, reps, n, err);
        if (rc != RF_OK)
            return rc;
        snprintf(r->name, sizeof(r->name), "%s", name);
        r->n = n;
        for (size_t i = 0; i < n; i++)
            r->kernel[i] = checkpoint_band(reps, i);
        c->nr_checkpoints++;
    }
    return RF_OK;
}

static int at_stop(void *ctx, struct machine *m, size_t index, struct rf_err *err) {
    struct swap_run *run = ctx;
    struct case_result *c = run->c;
    int64_t own = own_faults(run, c->checkpoint_ops[index], index);
    struct value_list values;
    int rc = value_list_read(&values, m, err);

    if (rc != RF_OK)
        return rc;
    for (size_t i = 0; i < c->nr_checkpoints; i++) {
        struct checkpoint_row *r = &c->checkpoints[i];
        char name[VALIDATE_NAME + 8];

        snprintf(name, sizeof(name), "vmstat.%s", r->name);
        for (size_t k = 0; k < sizeof(checkpoint_names) / sizeof(checkpoint_names[0]); k++) {
            if (strcmp(r->name, checkpoint_names[k].golden) == 0)
                snprintf(name, sizeof(name), "%s", checkpoint_names[k].ours);
        }
        run->stops[i * r->n + index][run->reps] = value_of(&values, name, own);
    }
    value_list_free(&values);
    return RF_OK;
}

static void take_checkpoints(struct swap_run *run) {
    struct case_result *c = run->c;

    for (size_t i = 0; i < c->nr_checkpoints && run->reps; i++) {
        struct checkpoint_row *r = &c->checkpoints[i];

        for (size_t k = 0; k < r->n; k++) {
            r->value[k] = lower_median(run->stops[i * r->n + k], run->reps);
            r->error[k] = band_error(&r->kernel[k], r->value[k]);
        }
    }
}

/* A counter that was recorded as 0, and one that was lost, look alike unless others tell. */
static int check_recorded(const struct golden *g, const struct machine_config *m, bool zram,
                          struct rf_err *err) {
    static const char *const of_zram[] = {"zram.orig_data_size", "zram.compr_data_size",
                                          "zram.mem_used_total"};
    int rc = RF_OK;

    for (size_t i = 0; i < NR_COUNTERS && rc == RF_OK; i++) {
        const char *name = counters[i].name;
        bool vmstat = strncmp(name, "vmstat.", 7) == 0;

        rc = golden_needs(g, name, vmstat ? name + 7 : name,
                          counters[i].judged && (!vmstat || strcmp(name, "vmstat.pgfault") == 0),
                          err);
    }
    for (size_t i = 0; i < sizeof(checkpoint_names) / sizeof(checkpoint_names[0]) && rc == RF_OK;
         i++)
        rc = golden_needs(g, checkpoint_names[i].ours, checkpoint_names[i].golden, m->zswap_enabled,
                          err);
    for (size_t i = 0; zram && i < sizeof(of_zram) / sizeof(of_zram[0]) && rc == RF_OK; i++)
        rc = golden_needs(g, of_zram[i], of_zram[i], true, err);
    return rc;
}

/* ---- residency ---- */

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

static int at_end(void *ctx, struct machine *m, struct rf_err *err) {
    struct swap_run *run = ctx;
    const json_t *root = run->c->golden->root;
    const char *map = json_string_value(json_object_get(root, "final_present_bitmap_rep0"));
    int64_t noise = golden_number(root, "final_present_bitmap_pages_that_differ_between_reps", -1);
    size_t n = map ? RF_MIN(strlen(map) * 4, run->pages) : 0, equal = 0;

    (void)err;
    if (n == 0 || run->reps > 0) /* one repetition of the kernel, one of ours */
        return RF_OK;
    for (size_t i = 0; i < n; i++) {
        int byte = hex(map[i / 8 * 2]) << 4 | hex(map[i / 8 * 2 + 1]);
        bool present = byte >> (i % 8) & 1;

        equal += present == (machine_page_state(m, (uint32_t)i) == 1);
    }
    run->c->present_equal = (double)equal / (double)n;
    if (noise >= 0)
        run->c->present_noise = 1 - (double)noise / (double)n;
    return RF_OK;
}

/* ---- the comparison ---- */

static bool starts(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

/* Whether the stored pages are the same ones in every repetition, so that the class table of the
 * one repetition that was recorded is that of all. */
static bool repeats(const struct golden *g) {
    struct band b;

    return golden_band(g, "vmstat.pgsteal_anon", &b) && b.min == b.max &&
           golden_band(g, "vmstat.pgscan_anon", &b) && b.min == b.max;
}

static int compare_classes(struct case_result *c, const struct class_table *t, struct rf_err *err) {
    json_t *pools = json_object_get(c->golden->root, "zsmalloc_classes_rep0"), *table;
    const char *prefix = t->pool && strcmp(t->pool, "zram0") == 0 ? "zram" : "zswap", *name;
    enum row_state state = repeats(c->golden) ? ROW_JUDGED : ROW_SHOWN;
    struct class_comparison cmp;
    int rc = RF_OK;

    json_object_foreach(pools, name, table) {
        const json_t *rows = json_object_get(table, "rows");

        if (!starts(name, prefix) || (json_is_array(rows) && json_array_size(rows) == 0))
            continue;
        if (!classes_table_good(table))
            return rf_fail(err, RF_EINPUT,
                           "%s: class table of '%.60s', expected columns and rows of integers",
                           c->golden->path, name);
        classes_compare(table, t->rows, t->pool ? t->nr : 0, t->fullness_12, &cmp);
        rc = case_add_row(c, "classes.pages_used",
                          &(struct band){cmp.kernel_pages, cmp.kernel_pages, cmp.kernel_pages},
                          cmp.pages, state, false);
        if (rc == RF_OK)
            rc = case_add_classes(c, "", &cmp, state, false);
        break;
    }
    return rc;
}

static int64_t elapsed_of(const struct replay_result *r) {
    const struct value *v = value_list_find(&r->values, MV_TIME, "elapsed_ns");

    return v ? (int64_t)v->value : 0;
}

static int compare(const struct swap_run *run, struct rf_err *err) {
    struct case_result *c = run->c;
    const struct golden *g = c->golden;
    int64_t own = own_faults(run, run->ops, c->nr_checkpoints ? c->checkpoints[0].n : 0);
    int64_t time[MAX_REPS];
    const char *name;
    json_t *value;
    struct band b;
    int rc = RF_OK;

    for (size_t i = 0; i < NR_COUNTERS && rc == RF_OK; i++) {
        golden_band(g, counters[i].name, &b);
        rc = case_add_row(c, counters[i].name, &b, median_of(run, counters[i].name, own),
                          counters[i].judged ? ROW_JUDGED : ROW_SHOWN, counters[i].bounded);
    }
    json_object_foreach(g->counters, name, value) {
        if (rc != RF_OK || !(starts(name, "zswap.") || starts(name, "zram.")))
            continue;
        golden_band(g, name, &b);
        rc = case_add_row(c, name, &b, median_of(run, name, own), ROW_JUDGED, false);
    }
    if (rc == RF_OK && golden_band(g, "elapsed_ns", &b)) {
        for (unsigned i = 0; i < run->reps; i++)
            time[i] = elapsed_of(&run->results[i]);
        rc = case_add_row(c, "elapsed_ns", &b, lower_median(time, run->reps), ROW_SHOWN, false);
    }
    if (rc == RF_OK)
        rc = compare_classes(c, &run->results[0].classes, err);
    return rc == RF_OK || rc == RF_EINPUT
               ? rc
               : rf_fail(err, rc, "%s: no memory for its counters", g->path);
}

/* The codec whose lengths the case depends on; NR_CODECS if none. */
static enum codec_id codec_of(const struct machine_config *m, bool zram) {
    const struct codec_ops *codec = NULL;

    if (zram)
        codec = codec_find(m->zram_comp_algorithm);
    else if (m->zswap_enabled)
        codec = codec_find(m->zswap_compressor);
    if (!codec)
        return NR_CODECS;
    if (codec->id == CODEC_ZSTD && !zram && m->era.zram.own_backends)
        return NR_CODECS; /* its lengths were not measured */
    return zram ? era_zram_codec(&m->era, codec->id) : era_zswap_codec(&m->era, codec->id);
}

static int contents_suffice(const struct golden *g, const struct trace_info *info,
                            struct content_set *contents, struct rf_err *err) {
    if (!content_is_synthetic(contents) && info->max_content > content_count(contents))
        return rf_fail(err, RF_EINPUT, "%s: bank page %llu, but the bank has only %zu", g->path,
                       (unsigned long long)info->max_content - 1, content_count(contents));
    return RF_OK;
}

/* A recorded time that is out of all proportion must not make flushes countless. */
#define SLOWEST_RATIO 0.001
#define FASTEST_RATIO 100.0

/*
 * The period of the flushes in the model's time, so that as many fall into a replay as fell into
 * the recorded run: the guest also waited for its disk and for its host, which the model's costs
 * leave out. One replay finds how long the model takes.
 */
static int pace_flushes(const struct swap_run *run, struct trace_reader *trace,
                        struct content_set *contents, struct machine_config *config,
                        struct rf_err *err) {
    const struct replay_opts plain = {0};
    struct replay_result r;
    struct band recorded;
    double ratio;
    int rc;

    if (!golden_band(run->c->golden, "elapsed_ns", &recorded) || recorded.median <= 0)
        return RF_OK;
    rc = replay_run(trace, contents, config, &plain, &r, err);
    if (rc != RF_OK)
        return rc;
    ratio = (double)elapsed_of(&r) / (double)recorded.median;
    ratio = RF_MIN(RF_MAX(ratio, SLOWEST_RATIO), FASTEST_RATIO);
    if (r.outcome != MACHINE_OOM)
        config->era.reclaim.stat_flush_ns =
            (uint64_t)((double)config->era.reclaim.stat_flush_ns * ratio);
    replay_result_free(&r);
    return RF_OK;
}

/* Number `rep` of `reps` replays: the first flush comes in the middle of its part of the period,
 * and the test program's contents lie somewhere else. */
static int replay_once(struct swap_run *run, struct trace_reader *trace,
                       struct content_set *contents, struct machine_config *config,
                       const struct replay_opts *opts, unsigned rep, struct rf_err *err) {
    struct replay_result *out = &run->results[run->reps];
    int rc;

    if (run->c->reps > 1)
        config->stat_flush_phase = (2 * rep + 1) * 100 / (2 * run->c->reps);
    config->seed = rep + 1;
    rc = replay_run(trace, contents, config, opts, out, err);
    if (rc != RF_OK)
        return rc;
    if (out->outcome == MACHINE_OOM)
        replay_result_free(out);
    else
        run->reps++;
    return RF_OK;
}

static int replay_all(struct swap_run *run, struct dataset *d, const struct validate_opts *o,
                      const struct dataset_trace *dt, struct trace_reader *trace,
                      struct rf_err *err) {
    struct case_result *c = run->c;
    struct replay_opts opts = {.at_stop = at_stop, .at_end = at_end, .ctx = run};
    const struct trace_info *info = trace_reader_info(trace);
    struct machine_config config;
    struct content_set *contents;
    uint64_t stops[MAX_CHECKPOINTS];
    int rc = golden_machine(c->golden, info, o, &config, err);
    bool zram = rc == RF_OK && strcmp(config.swap_device, "zram0") == 0;

    if (rc == RF_OK)
        rc = dataset_content(d, c->golden, zram, codec_of(&config, zram), &contents, err);
    if (rc == RF_OK)
        rc = contents_suffice(c->golden, info, contents, err);
    if (rc == RF_OK)
        rc = load_checkpoints(c, dt->ops, err);
    if (rc == RF_OK && !c->golden->always_oom)
        rc = check_recorded(c->golden, &config, zram, err);
    if (rc != RF_OK)
        return rc;
    for (size_t i = 0; c->nr_checkpoints && i < c->checkpoints[0].n; i++) {
        stops[i] = dt->prefix[c->checkpoint_ops[i]].accesses;
        opts.nr_stops++;
    }
    opts.stops = stops;
    run->stops = calloc(c->nr_checkpoints * opts.nr_stops + 1, sizeof(*run->stops));
    if (!run->stops)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for its checkpoints", c->golden->path);
    c->reps = config.era.reclaim.stat_flush_ns ? RF_MAX(o->reps, 1u) : 1;
    if (config.era.reclaim.stat_flush_ns)
        rc = pace_flushes(run, trace, contents, &config, err);
    for (unsigned i = 0; i < c->reps && rc == RF_OK; i++)
        rc = replay_once(run, trace, contents, &config, &opts, i, err);
    if (rc != RF_OK)
        return rc;
    c->oom = run->reps <= c->reps / 2;
    if (c->golden->always_oom != c->oom)
        snprintf(c->failure, sizeof(c->failure), "%s, but the kernel %s",
                 c->oom ? "ended by OOM" : "did not end by OOM",
                 c->golden->always_oom ? "always did" : "did not");
    take_checkpoints(run);
    if (!c->golden->always_oom && run->reps)
        rc = compare(run, err);
    return rc;
}

int case_run_swap(struct case_result *c, struct dataset *d, const struct validate_opts *o,
                  struct rf_err *err) {
    struct dataset_trace dt;
    struct trace_reader *trace = NULL;
    struct swap_run *run = calloc(1, sizeof(*run));
    int rc = run ? dataset_trace(d, c->golden, &dt, err)
                 : rf_fail(err, RF_ENOMEM, "%s: no memory for its replays", c->golden->path);

    if (rc == RF_OK && c->golden->ops && c->golden->ops != dt.ops)
        rc = rf_fail(err, RF_EINPUT, "%s: %" PRIu64 " trace_ops, but trace '%s' has %" PRIu64,
                     c->golden->path, c->golden->ops, c->golden->trace, dt.ops);
    if (rc == RF_OK)
        rc = trace_open(dt.path, &trace, err);
    if (rc == RF_OK) {
        *run = (struct swap_run){
            .c = c, .pages = c->golden->region_pages, .ops = dt.ops, .prefix = dt.prefix};
        rc = replay_all(run, d, o, &dt, trace, err);
    }
    if (trace)
        trace_close(trace);
    for (unsigned i = 0; run && i < run->reps; i++)
        replay_result_free(&run->results[i]);
    if (run)
        free(run->stops);
    free(run);
    return rc;
}
