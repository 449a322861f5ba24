/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Importers: foreign recordings into .rft. One ops table and one file each, listed in importers.c.
 */
#ifndef REFAULT_TRACE_IMPORTER_H
#define REFAULT_TRACE_IMPORTER_H

#include "refault/trace.h"

/*
 * A program that plays a text trace has pages of its own, which a child shares with it until it
 * stores to them. Pages of the parent are none of the trace, what a child copies is: so many pages
 * as soon as it runs, and with its first W or D of some pages the page of an index that has their
 * entries. They lie behind the region. All 0: nothing is copied.
 */
struct import_player {
    uint32_t copies;
    uint32_t entries; /* of the pages of a region in one page of the index; 0 = no index */
};
/* Of the index of a region of so many pages. */
static inline uint64_t player_index_pages(const struct import_player *p, uint64_t pages) {
    return p->entries ? (pages + p->entries - 1) / p->entries : 0;
}

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
    struct import_player player;
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
