/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages are in use, from the stream of operations alone: for the footprint (largest number
 * of pages in use at one time) and the number of distinct pages. A page is in use from its first
 * access until it is unmapped, dropped by MADV_DONTNEED, or its process execs or exits.
 */
#ifndef REFAULT_TRACE_TRACK_H
#define REFAULT_TRACE_TRACK_H

#include "refault/trace.h"

struct rft_track {
    struct rf_varr used, touched; /* a bit an id */
    struct rf_varr owner;         /* pid + 1 of each block */
    struct rf_varr next, head;    /* blocks of a process: block + 1, 0 ends */
    uint64_t in_use, peak, distinct;
};

int rft_track_init(struct rft_track *t, struct rf_err *err) RF_MUST_CHECK;
void rft_track_free(struct rft_track *t);
/* Follows an event. RF_EINPUT if a block would belong to two processes. */
int rft_track_event(struct rft_track *t, const struct trace_event *ev,
                    struct rf_err *err) RF_MUST_CHECK;
void rft_track_new_page(struct rft_track *t, uint32_t id);

static inline void rft_track_access(struct rft_track *t, uint32_t id) {
    const uint64_t *used = t->used.base;
    if (!(used[id >> 6] >> (id & 63) & 1))
        rft_track_new_page(t, id);
}

#endif
