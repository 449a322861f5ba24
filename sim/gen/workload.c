/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "workload.h"
#include "zipf.h"

#define BASE_VPN 0x7f0000000ull

static int zipf_run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
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

static int scan_run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    struct rf_rng rng;
    int rc = 0;
    rf_rng_seed(&rng, p->seed);
    for (uint64_t i = 0; i < p->ops && !rc; i++)
        rc = trace_write_access(w, (uint32_t)(i % p->pages),
                                rf_rng_below(&rng, 1000) < p->writes_permille, err);
    return rc;
}

static const struct gen_workload workloads[] = {
    {"zipf", "pages drawn by Zipf's law, spread by a fixed permutation", zipf_run},
    {"scan", "ascending over all pages, again and again", scan_run},
};

const struct gen_workload *gen_at(unsigned i) {
    return i < sizeof(workloads) / sizeof(workloads[0]) ? &workloads[i] : NULL;
}

const struct gen_workload *gen_find(const char *name) {
    for (unsigned i = 0; gen_at(i); i++)
        if (strcmp(gen_at(i)->name, name) == 0)
            return gen_at(i);
    return NULL;
}

static int run(const struct gen_workload *g, const struct gen_params *p, struct trace_writer *w,
               struct rf_err *err) {
    struct trace_event ev = {.kind = TEV_PROCESS, .parent = RF_NONE};
    int rc;
    snprintf(ev.name, sizeof(ev.name), "%s", g->name);
    if ((rc = trace_write_event(w, &ev, err)))
        return rc;
    ev = (struct trace_event){
        .kind = TEV_MMAP,
        .flags = (uint8_t)(TMAP_ANON | TMAP_WRITE | (p->thp ? TMAP_HUGEPAGE : TMAP_NOHUGEPAGE)),
        .n = (uint32_t)p->pages,
        .vpn = BASE_VPN};
    if ((rc = trace_write_event(w, &ev, err)))
        return rc;
    ev = (struct trace_event){.kind = TEV_SWITCH};
    if ((rc = trace_write_event(w, &ev, err)))
        return rc;
    for (uint32_t i = 0; p->fill && i < p->pages; i++)
        if ((rc = trace_write_access(w, i, true, err)))
            return rc;
    return g->run(p, w, err);
}

int gen_write(const struct gen_workload *g, const struct gen_params *p, const char *out,
              struct rf_err *err) {
    char provenance[256];
    if (p->pages == 0 || p->pages > 1u << 27 || p->ops == 0 || p->writes_permille > 1000)
        return rf_fail(err, RF_EUSAGE,
                       "%llu pages, %llu accesses, %u per mille stores, expected 1 to 2^27 pages, "
                       "at least one access and at most 1000",
                       (unsigned long long)p->pages, (unsigned long long)p->ops,
                       p->writes_permille);
    snprintf(provenance, sizeof(provenance),
             "synthetic: %s, %llu pages, %llu accesses, theta %.6g, stores %u/1000, seed %llu%s",
             g->name, (unsigned long long)p->pages, (unsigned long long)p->ops, p->theta,
             p->writes_permille, (unsigned long long)p->seed, p->fill ? ", filled first" : "");
    struct trace_writer_params wp = {.pacing = TRACE_PACE_RECORDS,
                                     .implicit_content = true,
                                     .provenance = provenance,
                                     .content_spec = p->contents ? p->contents : "hist:mean=1650",
                                     .zstd_level = p->zstd_level};
    struct trace_writer *w;
    int rc = trace_writer_open(out, &wp, &w, err);
    if (rc)
        return rc;
    rc = run(g, p, w, err);
    if (rc) {
        trace_writer_abort(w);
        return rc;
    }
    return trace_writer_close(w, err);
}
