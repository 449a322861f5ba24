/* SPDX-License-Identifier: Apache-2.0 */
#include "mrc/miniature.h"

static int read_info(const char *path, struct trace_info *out, struct rf_err *err) {
    struct trace_reader *r;
    int rc = trace_open(path, &r, err);

    if (rc == RF_OK) {
        *out = *trace_reader_info(r);
        trace_close(r);
    }
    return rc;
}

int miniature_make(struct miniature *m, const char *trace, double rate, uint32_t group,
                   uint64_t seed, struct rf_err *err) {
    const struct trace_sample_params p = {
        .rate = rate, .group = group, .seed = seed, .zstd_level = 1};
    struct trace_sample_tables tables;
    struct trace_info info;
    int rc;

    *m = (struct miniature){.ratio = 1.0};
    rc = read_info(trace, &m->whole, err);
    if (rc != RF_OK || rate >= 1.0)
        return rc;
    rc = scratch_open(&m->sample, err);
    if (rc != RF_OK)
        return rc;
    rc = trace_sample(trace, m->sample.path, &p, &tables, err);
    if (rc == RF_EIO)
        rf_fail_prefix(err, "a sample of %s", trace);
    if (rc == RF_OK)
        rc = read_info(m->sample.path, &info, err);
    if (rc == RF_OK && info.ops == 0)
        rc = rf_fail(err, RF_EUSAGE, "%s: a sample at rate %g has none of its %llu pages", trace,
                     rate, (unsigned long long)m->whole.footprint_pages);
    if (rc == RF_OK) {
        m->ratio = (double)info.footprint_pages / (double)m->whole.footprint_pages;
        m->extra_tables = (uint64_t)((double)tables.sampled - (double)tables.whole * m->ratio);
    }
    return rc;
}

void miniature_free(struct miniature *m) {
    scratch_close(&m->sample);
    *m = (struct miniature){0};
}

const char *miniature_path(const struct miniature *m, const char *trace) {
    return m->sample.path[0] ? m->sample.path : trace;
}

static void scale_amount(struct rf_amount *a, double ratio) {
    if (a->kind == AMOUNT_BYTES && a->value)
        a->value = RF_MAX((uint64_t)((double)a->value * ratio), RF_PAGE_SIZE);
}

static void add_pages(const struct machine_config *c, struct rf_amount *a, uint64_t pages) {
    if (a->kind != AMOUNT_MAX)
        *a = (struct rf_amount){.kind = AMOUNT_BYTES,
                                .value = (machine_amount_pages(c, *a) + pages) * RF_PAGE_SIZE};
}

void miniature_scale(const struct miniature *m, struct machine_config *c) {
    struct rf_amount *const amounts[] = {
        &c->ram,         &c->swap_size,       &c->zram_disksize,
        &c->memory_max,  &c->zram_mem_limit,  &c->zram_backing_dev,
        &c->memory_high, &c->memory_swap_max, &c->memory_zswap_max,
    };

    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
        scale_amount(amounts[i], m->ratio);
    add_pages(c, &c->ram, m->extra_tables);
    add_pages(c, &c->memory_max, m->extra_tables);
    add_pages(c, &c->memory_high, m->extra_tables);
    c->min_free_kbytes = (uint64_t)((double)c->min_free_kbytes * m->ratio);
    c->zram_writeback_limit = (uint64_t)((double)c->zram_writeback_limit * m->ratio);
    c->era.reclaim.stat_flush_ns = (uint64_t)((double)c->era.reclaim.stat_flush_ns * m->ratio);
}

uint32_t miniature_group(const struct machine_config *c) {
    if (c->thp_enabled != THP_NEVER)
        return SAMPLE_MAX_GROUP;
    return RF_MIN(1u << c->page_cluster, SAMPLE_MAX_GROUP);
}
