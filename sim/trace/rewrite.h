/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that make a trace out of another one. Private to sim/trace. */
#ifndef REFAULT_TRACE_REWRITE_H
#define REFAULT_TRACE_REWRITE_H

#include "reader.h"

/* One trace being read and one being written. Catalogue rows are copied when first used. */
struct trace_rewrite {
    struct trace_reader *r;
    struct trace_writer *w;
    const struct trace_info *info; /* of r */
    struct content_row *rows;      /* NULL: contents are not rows of the trace */
    size_t nr_rows;
    struct rf_varr renamed; /* content id of r: id of w, 0 = not copied yet */
    uint32_t nr_renamed;
};

/* Opens `in`. rewrite_close() is due whatever it returns. */
int rewrite_open(struct trace_rewrite *t, const char *in, struct rf_err *err) RF_MUST_CHECK;
/* Begins `out` with the properties of `in`; what was done follows `in`'s provenance. */
int rewrite_begin(struct trace_rewrite *t, const char *out, const char *what,
                  uint64_t min_memory_pages, int zstd_level, struct rf_err *err) RF_MUST_CHECK;
/* The id of a content in the trace that is written. */
int rewrite_content(struct trace_rewrite *t, uint32_t *id, struct rf_err *err) RF_MUST_CHECK;
/* An operation that is not an event; *next is its content if it has one. */
int rewrite_op(struct trace_rewrite *t, uint32_t op, const uint32_t *next,
               struct rf_err *err) RF_MUST_CHECK;
/* Keeps the written file if rc is 0, removes it otherwise; closes and frees all. Returns rc, or
 * what went wrong in finishing. */
int rewrite_close(struct trace_rewrite *t, int rc, struct rf_err *err);

#endif
