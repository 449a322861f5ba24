/* SPDX-License-Identifier: Apache-2.0 */
/* One case that drives /dev/zram0 directly: a script, compared at every snapshot. */
#include <stdlib.h>
#include "validate/validate.h"
#include "zram_script.h"

/* Size of a backing device whose size was not recorded: it was never full. */
#define BACKING_PAGES ((uint64_t)1 << 18)

struct direct_run {
    struct case_result *c;
    const struct validate_opts *o;
    const json_t *snapshots;
    size_t next;  /* of snapshots */
    double limit; /* on the lengths of our codec */
};

/* The next snapshot with statistics. */
static const json_t *next_snapshot(struct direct_run *r) {
    while (r->next < json_array_size(r->snapshots)) {
        const json_t *s = json_array_get(r->snapshots, r->next++);

        if (json_is_object(json_object_get(s, "zram")))
            return s;
    }
    return NULL;
}

static int compare_fields(struct direct_run *r, const char *label, const struct zram *z,
                          const struct zram_script_counts *n, struct rf_err *err) {
    struct zram_mm_stat mm;
    struct zram_io_stat io;
    struct zram_bd_stat bd;
    int rc = RF_OK;

    zram_mm_stat(z, &mm);
    zram_io_stat(z, &io);
    zram_bd_stat(z, &bd);
    const struct {
        const char *name;
        uint64_t value;
        bool length; /* depends on little but the codec's lengths */
    } fields[] = {
        {"orig_data_size", mm.orig_data_size, false},
        {"compr_data_size", mm.compr_data_size, true},
        {"mem_used_total", mm.mem_used_total, true},
        {"mem_limit", mm.mem_limit, false},
        {"mem_used_max", mm.mem_used_max, false},
        {"same_pages", mm.same_pages, false},
        {"pages_compacted", mm.pages_compacted, false},
        {"huge_pages", mm.huge_pages, false},
        {"huge_pages_since", mm.huge_pages_since, false},
        {"failed_reads", io.failed_reads, false},
        {"failed_writes", io.failed_writes, false},
        {"invalid_io", io.invalid_io, false},
        {"notify_free", io.notify_free, false},
        {"bd_count", bd.bd_count, false},
        {"bd_reads", bd.bd_reads, false},
        {"bd_writes", bd.bd_writes, false},
        {"verify_errors", n->verify_errors, false},
        {"io_errors", n->io_errors, false},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && rc == RF_OK; i++) {
        bool judged = r->o->kernel_sizes || fields[i].length;
        char name[VALIDATE_NAME];
        struct band b;

        snprintf(name, sizeof(name), "snap.%.60s.%s", label, fields[i].name);
        rc = golden_needs(r->c->golden, name, name, true, err);
        if (rc != RF_OK)
            return rc;
        golden_band(r->c->golden, name, &b);
        rc = case_add_row(r->c, name, &b, (int64_t)fields[i].value, judged ? ROW_JUDGED : ROW_SHOWN,
                          judged);
        /* Recovery from a full pool depends on every length. */
        if (rc == RF_OK && !r->o->kernel_sizes && judged && r->c->failure[0] == '\0' &&
            r->c->rows[r->c->nr_rows - 1].error > r->limit)
            snprintf(r->c->failure, sizeof(r->c->failure), "%s is %.2f %% off, allowed %.2f %%",
                     name, r->c->rows[r->c->nr_rows - 1].error * 100, r->limit * 100);
    }
    return rc;
}

static int on_snapshot(void *ctx, const char *label, const struct zram *z,
                       const struct zram_script_counts *n, struct rf_err *err) {
    struct direct_run *r = ctx;
    const json_t *snap = next_snapshot(r);
    const char *want = json_string_value(json_object_get(snap, "label"));
    const struct zpool *pool = zram_pool(z);
    struct zs_class_stats rows[256];
    struct class_comparison cmp;
    char name[VALIDATE_NAME];
    const json_t *table;
    int rc;

    if (!want || strcmp(want, label) != 0)
        return rf_fail(err, RF_EINPUT, "%s: snapshot '%.60s' of the script, expected '%.60s'",
                       r->c->golden->path, label, want ? want : "no more");
    rc = compare_fields(r, label, z, n, err);
    if (rc == RF_EINPUT)
        return rc;
    table = json_object_get(json_object_get(snap, "zsmalloc_classes"), "zram0");
    if (rc == RF_OK && !table)
        return rf_fail(err, RF_EINPUT,
                       "%s: snapshot '%.60s' has no \"zsmalloc_classes\" of 'zram0', expected a "
                       "class table",
                       r->c->golden->path, label);
    if (rc == RF_OK && !classes_table_good(table))
        return rf_fail(err, RF_EINPUT,
                       "%s: class table of snapshot '%.60s', expected columns and "
                       "rows of integers",
                       r->c->golden->path, label);
    if (rc == RF_OK) {
        uint32_t nr = zs_pool_stats(pool, rows);

        classes_compare(table, rows, nr, zs_pool_table(pool)->policy.fullness_12, &cmp);
        snprintf(name, sizeof(name), "snap.%.60s.", label);
        rc = case_add_classes(r->c, name, &cmp, r->o->kernel_sizes ? ROW_JUDGED : ROW_SHOWN,
                              r->o->kernel_sizes);
    }
    return rc == RF_OK ? rc
                       : rf_fail(err, rc, "%s: no memory for its counters", r->c->golden->path);
}

static int on_sizes(void *ctx, const uint16_t *size, size_t nr, struct rf_err *err) {
    struct direct_run *r = ctx;
    struct size_comparison *s = &r->c->sizes;
    const json_t *want = NULL;

    (void)err;
    for (size_t i = 0; i < json_array_size(r->snapshots) && !json_is_array(want); i++)
        want = json_object_get(json_array_get(r->snapshots, i), "sizes");
    s->pages = RF_MIN(nr, json_array_size(want));
    for (size_t i = 0; i < s->pages; i++) {
        int64_t k = (int64_t)json_integer_value(json_array_get(want, i)), d = size[i] - k;

        d = d < 0 ? -d : d;
        s->equal += d == 0;
        s->within_3 += d * 100 <= k * 3;
        s->max_difference = RF_MAX(s->max_difference, (size_t)d);
    }
    return RF_OK;
}

/* zstd is not the same on all kernels. */
static enum codec_id codec_of(const char *name, const struct kernel_era *era) {
    const struct codec_ops *codec = codec_find(name);

    if (!codec)
        return NR_CODECS;
    return era_zram_codec(era, codec->id);
}

/* The second algorithm of zr_recomp_FIRST_SECOND, which the guest does not show. */
static enum codec_id recomp_of(const struct golden *g, const struct kernel_era *era) {
    const char *p = strstr(g->name, "recomp_");
    char first[32], second[32];

    if (!p || sscanf(p, "recomp_%31[^_]_%31[^_]", first, second) != 2)
        return NR_CODECS;
    return codec_of(second, era);
}

static void judge_sizes(struct case_result *c, enum codec_id codec) {
    const struct size_comparison *s = &c->sizes;
    bool exact = codec == CODEC_LZ4 || codec == CODEC_ZSTD_ZRAM;
    double share;

    if (s->pages == 0 || c->failure[0])
        return;
    share = (double)(exact ? s->equal : s->within_3) / (double)s->pages;
    if (share < (exact ? 0.97 : 0.90))
        snprintf(c->failure, sizeof(c->failure), "only %.1f %% of the pages' sizes are %s",
                 share * 100, exact ? "equal" : "within 3 %");
}

int case_run_direct(struct case_result *c, struct dataset *d, const struct validate_opts *o,
                    struct rf_err *err) {
    static const char *const endings[] = {".zs.zst", ".zs", NULL};
    static const struct zram_script_ops ops = {.snapshot = on_snapshot, .sizes = on_sizes};
    const struct golden *g = c->golden;
    const struct kernel_era *era = era_find(g->kernel);
    struct direct_run run = {
        .c = c, .o = o, .snapshots = json_object_get(g->root, "snapshots_rep0"), .limit = 0.002};
    struct zram_params p = {.cost = profile_default()->zram,
                            .name = "zram0",
                            .comp = {NR_CODECS, NR_CODECS, NR_CODECS, NR_CODECS}};
    int64_t disksize = golden_number(g->config, "zram_disksize", 1 << 30),
            limit = golden_number(g->config, "wbl", -1);
    struct machine_config config;
    struct band mem_limit;
    char path[1024], *text = NULL;
    const char *label;
    const json_t *left;
    size_t len;
    int rc;

    if (!era)
        return rf_fail(err, RF_EINPUT, "%s: no kernel %s in the table", g->path, g->kernel);
    rc = machine_config_init(&config, g->kernel, err);
    for (size_t i = 0; i < o->nr_settings && rc == RF_OK; i++)
        rc = knob_set(o->settings[i].knob, &config, o->settings[i].value, err);
    if (rc != RF_OK)
        return rc;
    era = &config.era;
    p.policy = era->zram;
    p.zs = era->zs;
    if (config.zsmalloc_chain_size)
        p.zs.chain_size = config.zsmalloc_chain_size;
    p.disksize_pages = (uint64_t)disksize / RF_PAGE_SIZE;
    p.comp[0] = codec_of(golden_text(g, "zcomp"), era);
    p.comp[1] = recomp_of(g, era);
    if (p.comp[0] == NR_CODECS)
        return rf_fail(err, RF_EINPUT, "%s: zcomp \"%s\" is no codec", g->path,
                       golden_text(g, "zcomp"));
    if (golden_band(g, "snap.start.mem_limit", &mem_limit))
        p.mem_limit_bytes = (uint64_t)mem_limit.max;
    if (*golden_text(g, "backing"))
        p.backing_pages = BACKING_PAGES;
    if (limit >= 0) {
        p.writeback_limit = (uint64_t)limit;
        p.writeback_limit_enable = true;
    }
    if (p.comp[0] != CODEC_LZ4 && p.comp[0] != CODEC_LZ4HC && p.comp[0] != CODEC_ZSTD &&
        p.comp[0] != CODEC_ZSTD_ZRAM && p.comp[0] != CODEC_ZSTD_1_4)
        run.limit = 0.01;
    rc = dataset_find(d, "traces", g->trace, endings, path, sizeof(path), err);
    if (rc == RF_OK)
        rc = dataset_check(d, g, path, g->trace_sha256, err);
    if (rc == RF_OK)
        rc = dataset_content(d, g, true, p.comp[0], &p.content, err);
    if (rc == RF_OK && p.comp[1] != NR_CODECS)
        rc = dataset_content(d, g, true, p.comp[1], &p.content, err);
    if (rc == RF_OK)
        rc = zram_script_load(path, ZRAM_SCRIPT_LINE, &text, &len, err);
    if (rc == RF_OK)
        rc = zram_script_run(path, text, len, &p, o->check, &ops, &run, err);
    free(text);
    if (rc != RF_OK)
        return rc;
    left = next_snapshot(&run);
    if (left) {
        label = json_string_value(json_object_get(left, "label"));
        return rf_fail(err, RF_EINPUT, "%s: end of the script, expected snapshot '%.60s'", g->path,
                       label ? label : "");
    }
    if (!o->kernel_sizes)
        judge_sizes(c, p.comp[0]);
    return RF_OK;
}
