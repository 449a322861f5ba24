/* SPDX-License-Identifier: Apache-2.0 */
/* A small trace in a temporary file, for tests of the program's parts. */
#ifndef TESTS_UNIT_SMALL_TRACE_H
#define TESTS_UNIT_SMALL_TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "refault/trace.h"

/*
 * One process, one mapping of `pages` pages: a store to each in order, then `rounds` passes of
 * loads, then MADV_DONTNEED of the first 10 pages and one more load of page 0.
 * Accesses: pages * (1 + rounds) + 1. Returns false if it could not be written.
 */
static inline bool small_trace(char path[64], uint32_t pages, unsigned rounds, struct rf_err *err) {
    const struct trace_writer_params params = {.pacing = TRACE_PACE_RECORDS,
                                               .implicit_content = true,
                                               .provenance = "unit test",
                                               .content_spec = "hist:mean=1650"};
    struct trace_event e = {.kind = TEV_PROCESS, .parent = RF_NONE, .name = "test"};
    struct trace_writer *w;
    int rc, fd;

    snprintf(path, 64, "/tmp/refault-test-XXXXXX");
    fd = mkstemp(path);
    if (fd < 0)
        return false;
    close(fd);
    rc = trace_writer_open(path, &params, &w, err);
    if (rc != RF_OK)
        return false;
    rc = trace_write_event(w, &e, err);
    e = (struct trace_event){.kind = TEV_MMAP, .flags = TMAP_ANON | TMAP_WRITE, .n = pages};
    if (rc == RF_OK)
        rc = trace_write_event(w, &e, err);
    for (uint32_t i = 0; i < pages && rc == RF_OK; i++)
        rc = trace_write_access(w, i, true, err);
    for (unsigned r = 0; r < rounds; r++) {
        for (uint32_t i = 0; i < pages && rc == RF_OK; i++)
            rc = trace_write_access(w, i, false, err);
    }
    e = (struct trace_event){.kind = TEV_DONTNEED, .first = 0, .n = 10};
    if (rc == RF_OK)
        rc = trace_write_event(w, &e, err);
    if (rc == RF_OK)
        rc = trace_write_access(w, 0, false, err);
    if (rc != RF_OK) {
        trace_writer_abort(w);
        return false;
    }
    return trace_writer_close(w, err) == RF_OK;
}

#endif
