/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe: lets whoever drives a machine see what happens in it and when. Each floor reports to the
 * struct observer handed down to it; without one it reports nothing. Nothing is reported of
 * accesses that need no fault.
 */
#ifndef REFAULT_OBSERVE_H
#define REFAULT_OBSERVE_H

#include "refault/base.h"

/* On what something happened; index says on which of them. */
enum observe_track {
    OBSERVE_TASK,   /* a process: index is its pid, RF_NONE if none is at fault */
    OBSERVE_KSWAPD, /* index 0 */
    OBSERVE_WORKER, /* zswap's shrink worker, index 0 */
    OBSERVE_DEVICE, /* a channel of the block device */
    OBSERVE_ACCEL,  /* an engine of the accelerators */
    NR_OBSERVE_TRACKS
};

struct observed_span {
    enum observe_track track;
    uint32_t index;
    const char *name; /* of static lifetime: "fault.zswap", "reclaim", "read" */
    rf_time from, to;
    uint64_t waited_ns; /* in a queue before `from` */
    uint32_t pages;     /* moved or freed */
};

struct observer {
    /* Called when the span's end is known, not always in the order of time. Spans of one track and
     * index lie beside each other or one inside the other. */
    void (*span)(void *ctx, const struct observed_span *s);
    void *ctx;
};

#endif
