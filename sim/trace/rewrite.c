/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite.h"

#include <stdio.h>
#include <stdlib.h>

int rewrite_open(struct trace_rewrite *t, const char *in, struct rf_err *err) {
    int rc;

    *t = (struct trace_rewrite){0};
    rc = trace_open(in, &t->r, err);
    if (rc)
        return rc;
    t->info = trace_reader_info(t->r);
    if (strcmp(t->info->content_spec, "catalogue") != 0)
        return 0;
    if ((rc = trace_load_rows(t->r, &t->rows, &t->nr_rows, err)))
        return rc;
    return rf_varr_init(&t->renamed, t->nr_rows + 1, 4, err);
}

int rewrite_begin(struct trace_rewrite *t, const char *out, const char *what,
                  uint64_t min_memory_pages, int zstd_level, struct rf_err *err) {
    char provenance[1024];

    snprintf(provenance, sizeof(provenance), "%.900s; %.100s", t->info->provenance, what);
    struct trace_writer_params p = {.pacing = t->info->pacing,
                                    .implicit_content = t->info->implicit_content,
                                    .min_memory_pages = min_memory_pages,
                                    .provenance = provenance,
                                    .content_spec = t->info->content_spec,
                                    .bank_path = t->r->bank_path,
                                    .dropped_file_pages = t->info->dropped_file_pages,
                                    .zstd_level = zstd_level};
    return trace_writer_open(out, &p, &t->w, err);
}

int rewrite_content(struct trace_rewrite *t, uint32_t *id, struct rf_err *err) {
    uint32_t *renamed = t->renamed.base;

    if (!t->rows || *id == CONTENT_ZERO)
        return 0;
    if (*id > t->nr_rows)
        return rf_fail(err, RF_EINPUT, "content id %u, expected at most %zu rows", *id, t->nr_rows);
    if (!renamed[*id]) {
        int rc = trace_write_row(t->w, &t->rows[*id - 1], err);
        if (rc)
            return rc;
        renamed[*id] = ++t->nr_renamed;
    }
    *id = renamed[*id];
    return 0;
}

int rewrite_op(struct trace_rewrite *t, uint32_t op, const uint32_t *next, struct rf_err *err) {
    uint32_t id = op & TRACE_ID_MASK;

    if (!(op & OP_CONTENT))
        return trace_write_access(t->w, id, (op & OP_WRITE) != 0, err);
    uint32_t content = *next;
    int rc = rewrite_content(t, &content, err);
    if (rc)
        return rc;
    return op & OP_WRITE ? trace_write_store(t->w, id, content, err)
                         : trace_write_content(t->w, id, content, err);
}

int rewrite_close(struct trace_rewrite *t, int rc, struct rf_err *err) {
    if (t->w && rc)
        trace_writer_abort(t->w);
    else if (t->w)
        rc = trace_writer_close(t->w, err);
    if (t->r)
        trace_close(t->r);
    free(t->rows);
    rf_varr_free(&t->renamed);
    *t = (struct trace_rewrite){0};
    return rc;
}
