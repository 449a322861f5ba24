/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity: what a report draws of one run. The trace is cut into columns of equally many
 * accesses and its page ids into rows, so that the size is bounded whatever the trace; at the end
 * of each column everything that can be read from the machine is sampled. It looks at the blocks
 * of the trace and at the machine between two runs of operations, never inside of them.
 */
#ifndef SIM_ACTIVITY_H
#define SIM_ACTIVITY_H

#include "replay.h"

#define ACTIVITY_COLUMNS 160u
#define ACTIVITY_ROWS 96u
/* No page of the row is in use. */
#define ACTIVITY_UNUSED 255u

/* Whose pages a row begins with. */
struct activity_origin {
    uint32_t pid; /* RF_NONE: nothing was ever mapped there */
    uint64_t vpn;
};

struct activity_hist {
    char name[32]; /* "fault.zswap" */
    struct rf_hist h;
};

struct activity {
    uint32_t columns, rows;
    uint32_t ids_per_row;
    uint64_t ops;       /* accesses of the trace */
    uint32_t taken;     /* samples: column c lies between sample c and c + 1 */
    uint32_t *accesses; /* columns * rows, column by column */
    uint8_t *resident;  /* percent of the row's used pages that are resident at the column's end */
    struct series series;           /* a row a sample */
    struct activity_origin *origin; /* rows */
    char (*process)[16];            /* names by pid */
    uint32_t processes;
    struct activity_hist *hists;
    size_t nr_hists;
};

/* Takes the sizes from info. RF_ENOMEM. The caller frees it in any case. */
int activity_begin(struct activity *a, const struct trace_info *info,
                   struct rf_err *err) RF_MUST_CHECK;
void activity_free(struct activity *a);

/* The access before which the next sample is due, UINT64_MAX after the last. */
uint64_t activity_next(const struct activity *a);
int activity_sample(struct activity *a, const struct machine *m, uint64_t op,
                    struct rf_err *err) RF_MUST_CHECK;
/* Operation words that were run since the last sample. */
void activity_count(struct activity *a, const uint32_t *ops, size_t n);
void activity_event(struct activity *a, const struct trace_event *e);
/* The last sample, and the latencies. */
int activity_end(struct activity *a, const struct machine *m, uint64_t op,
                 struct rf_err *err) RF_MUST_CHECK;

#endif
