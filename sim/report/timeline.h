/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: what an observer is told, as trace-event JSON ("Trace Event Format", Google, 2016; the
 * form that ui.perfetto.dev and chrome://tracing read). Complete events ("X") for faults, reclaim,
 * requests and jobs on one track each, counters ("C") from the samples of an activity.
 */
#ifndef SIM_REPORT_TIMELINE_H
#define SIM_REPORT_TIMELINE_H

#include <stdio.h>
#include "activity.h"
#include "refault/observe.h"

#define TIMELINE_DEFAULT_LIMIT 1000000u

struct timeline {
    struct observer observer; /* to be given to the machine */
    struct observed_span *spans;
    size_t n, cap, limit;
    uint64_t dropped; /* spans beyond the limit */
    bool failed;      /* out of memory */
};

/* At most `limit` spans are kept, those that end first. The struct must not move while a machine
 * has its observer. */
void timeline_init(struct timeline *t, size_t limit);
void timeline_free(struct timeline *t);
/* Writes the events in the order of their tracks and times. RF_ENOMEM. Sorts t's spans. */
int timeline_write(struct timeline *t, FILE *f, const struct replay_result *r,
                   const struct activity *a, const char *trace_name,
                   struct rf_err *err) RF_MUST_CHECK;

#endif
