/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Importers: foreign recordings into .rft. One ops table and one file each, listed in importers.c.
 */
#ifndef REFAULT_TRACE_IMPORTER_H
#define REFAULT_TRACE_IMPORTER_H

#include "refault/trace.h"

struct import_options {
    const char *bank;     /* page contents, or NULL */
    const char *contents; /* synthetic content spec used without a bank, NULL = hist:mean=1650 */
    uint64_t pages;       /* size of the one region; 0 = up to the largest page */
    bool file_pages;      /* keep file-backed pages, as anonymous ones */
    bool thp;             /* the mappings have MADV_HUGEPAGE */
    uint64_t min_memory;  /* smallest memory in pages for which the recording is valid; 0 = as the
                             format says */
    const char *note;     /* added to the provenance, or NULL */
    int zstd_level;       /* 0 = default */
};

struct importer_ops {
    const char *name, *summary;
    /* Converts `in` to the trace `out`. RF_EINPUT names the line. */
    int (*import)(const char *in, const char *out, const struct import_options *opt,
                  struct rf_err *err);
};

extern const struct importer_ops import_text, import_swtrace;

/* The i-th importer, NULL behind the last. */
const struct importer_ops *importer_at(unsigned i);
/* NULL if there is none of that name. */
const struct importer_ops *importer_find(const char *name);

/* The last part of a path. */
const char *import_basename(const char *path);

#endif
