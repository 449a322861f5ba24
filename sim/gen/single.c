/* SPDX-License-Identifier: Apache-2.0 */
/* zipf and scan: one process with one mapping. */
#include <stdio.h>

#include "emit.h"
#include "workload.h"
#include "zipf.h"

static int zipf_accesses(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    struct rf_rng page_rng, write_rng;
    struct zipf z;
    int rc = zipf_init(&z, (uint32_t)p->pages, p->theta, err);
    if (rc)
        return rc;
    /* a stream each, so that the share of stores does not change which pages are drawn */
    rf_rng_seed(&page_rng, p->seed);
    rf_rng_seed(&write_rng, p->seed ^ 0x77726974u);
    for (uint64_t i = 0; i < p->ops && !rc; i++)
        rc = trace_write_access(w, zipf_next(&z, &page_rng),
                                rf_rng_below(&write_rng, 1000) < p->writes_permille, err);
    zipf_free(&z);
    return rc;
}

static int scan_accesses(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    struct rf_rng rng;
    int rc = 0;
    rf_rng_seed(&rng, p->seed);
    for (uint64_t i = 0; i < p->ops && !rc; i++)
        rc = trace_write_access(w, (uint32_t)(i % p->pages),
                                rf_rng_below(&rng, 1000) < p->writes_permille, err);
    return rc;
}

static int check(const struct gen_params *p, struct rf_err *err) {
    if (p->pages == 0 || p->pages > 1u << 27 || p->ops == 0 || p->writes_permille > 1000)
        return rf_fail(err, RF_EUSAGE,
                       "%llu pages, %llu accesses, %u per mille stores, expected 1 to 2^27 pages, "
                       "at least one access and at most 1000",
                       (unsigned long long)p->pages, (unsigned long long)p->ops,
                       p->writes_permille);
    return gen_check_accesses((double)p->ops, err);
}

static void describe(const struct gen_params *p, char *buf, size_t size) {
    snprintf(buf, size, "%llu pages, %llu accesses, theta %.6g, stores %u/1000%s",
             (unsigned long long)p->pages, (unsigned long long)p->ops, p->theta, p->writes_permille,
             p->fill ? ", filled first" : "");
}

static int start(const char *name, const struct gen_params *p, struct trace_writer *w,
                 struct rf_err *err) {
    struct emit e;

    emit_init(&e, w, err);
    emit_map(&e, emit_process(&e, RF_NONE, name), EMIT_BASE_VPN, p->pages,
             p->thp ? TMAP_HUGEPAGE : TMAP_NOHUGEPAGE);
    emit_switch(&e, 0);
    for (uint32_t i = 0; p->fill && i < p->pages && !e.rc; i++)
        emit_access(&e, i, true);
    return e.rc;
}

static int zipf_run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    int rc = start("zipf", p, w, err);
    return rc ? rc : zipf_accesses(p, w, err);
}

static int scan_run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    int rc = start("scan", p, w, err);
    return rc ? rc : scan_accesses(p, w, err);
}

#define SINGLE(id, text)                                                                           \
    const struct gen_workload gen_##id = {.name = #id,                                             \
                                          .summary = text,                                         \
                                          .pacing = TRACE_PACE_RECORDS,                            \
                                          .contents = "hist:mean=1650",                            \
                                          .single = true,                                          \
                                          .check = check,                                          \
                                          .describe = describe,                                    \
                                          .run = id##_run}
SINGLE(zipf, "pages drawn by Zipf's law, spread by a fixed permutation");
SINGLE(scan, "ascending over all pages, again and again");
