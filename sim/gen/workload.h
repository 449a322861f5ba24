/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic workloads as traces: a pure function of their parameters. */
#ifndef REFAULT_GEN_WORKLOAD_H
#define REFAULT_GEN_WORKLOAD_H

#include "refault/trace.h"

struct gen_params {
    uint64_t pages, ops;
    double theta;             /* zipf */
    uint32_t writes_permille; /* share of stores */
    bool fill;                /* first store to every page once, ascending; on top of ops */
    uint64_t seed;
    const char *contents; /* synthetic content spec, NULL = hist:mean=1650 */
    bool thp;             /* MADV_HUGEPAGE, else MADV_NOHUGEPAGE */
    int zstd_level;
};

struct gen_workload {
    const char *name, *summary;
    int (*run)(const struct gen_params *p, struct trace_writer *w, struct rf_err *err);
};

/* NULL behind the last / of an unknown name. */
const struct gen_workload *gen_at(unsigned i);
const struct gen_workload *gen_find(const char *name);
/* Writes the trace: one process, one anonymous mapping of p->pages, then the workload. */
int gen_write(const struct gen_workload *g, const struct gen_params *p, const char *out,
              struct rf_err *err) RF_MUST_CHECK;

#endif
