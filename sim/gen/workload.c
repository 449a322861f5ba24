/* SPDX-License-Identifier: Apache-2.0 */
/* The list of workloads, and what they have in common. */
#include "workload.h"

#include <stdio.h>

#define MiB ((uint64_t)1 << 20)

static const struct gen_workload *const workloads[] = {&gen_zipf, &gen_scan, &gen_usemem,
                                                       &gen_kbuild_lite, &gen_redis_memtier};

const struct gen_workload *gen_at(unsigned i) {
    return i < sizeof(workloads) / sizeof(workloads[0]) ? workloads[i] : NULL;
}

const struct gen_workload *gen_find(const char *name) {
    for (unsigned i = 0; gen_at(i); i++)
        if (strcmp(gen_at(i)->name, name) == 0)
            return gen_at(i);
    return NULL;
}

void gen_params_init(struct gen_params *p) {
    *p = (struct gen_params){
        .theta = 0.9,
        .writes_permille = 250,
        .seed = 1,
        .scale = 1,
        .usemem = {.tasks = 1, .word = 6},
        .kbuild = {.jobs = 200,
                   .parallel = 22,
                   .rss = 55 * MiB,
                   .rss_cap = 250 * MiB,
                   .rss_sigma = 0.5,
                   .skew = 0.9,
                   .sweeps = 5,
                   .cpu_ns = 4000000000,
                   .think_ns = 10000,
                   .long_lived = 120 * MiB,
                   .link = 700 * MiB},
        .redis = {.servers = 16,
                  .keys = 30000000,
                  .sets = 1,
                  .gets = 10,
                  .pipeline = 256,
                  .data_size = 2048,
                  .passes = 2,
                  .guest = 835 * MiB,
                  .op_ns = 5500},
    };
}

int gen_check_accesses(double n, struct rf_err *err) {
    if (n > (double)((uint64_t)1 << 40))
        return rf_fail(err, RF_EUSAGE, "%.4g accesses, expected no more than 2^40", n);
    return RF_OK;
}

int gen_write(const struct gen_workload *g, const struct gen_params *p, const char *out,
              struct rf_err *err) {
    char what[400], provenance[512];
    struct trace_writer *w;
    int rc = g->check(p, err);

    if (rc)
        return rc;
    g->describe(p, what, sizeof(what));
    snprintf(provenance, sizeof(provenance), "synthetic: %s, %s, seed %llu", g->name, what,
             (unsigned long long)p->seed);
    struct trace_writer_params wp = {.pacing = g->pacing,
                                     .implicit_content = true,
                                     .provenance = provenance,
                                     .content_spec = p->contents ? p->contents : g->contents,
                                     .zstd_level = p->zstd_level};
    rc = trace_writer_open(out, &wp, &w, err);
    if (rc)
        return rc;
    rc = g->run(p, w, err);
    if (rc) {
        trace_writer_abort(w);
        return rc;
    }
    return trace_writer_close(w, err);
}
