/* SPDX-License-Identifier: Apache-2.0 */
/* metric: one number out of a result, by the name under which the result shows it, or a short name
 * for what people ask for most; and bounds on such numbers. */
#ifndef SIM_TUNE_METRIC_H
#define SIM_TUNE_METRIC_H

#include "replay.h"

enum metric_unit { METRIC_TIME, METRIC_BYTES, METRIC_COUNT };

struct metric {
    char name[64]; /* as the user gave it */
    char key[64];  /* in the result, or "" for the sums below */
    enum machine_value_kind kind;
    enum metric_unit unit;
    bool extensive; /* grows with the number of pages, so that a sample's is a part of it */
    bool written, memory;
};

/*
 * A short name, "time.KEY", "x.KEY" or a counter's key. `written` is what was written to the swap
 * device in bytes, 0 on a device without a queue; `memory` the cgroup's peak and what zram held at
 * most. RF_EUSAGE if the name is too long; whether a result has it is known later.
 */
int metric_parse(struct metric *m, const char *text, struct rf_err *err) RF_MUST_CHECK;
/* The i-th short name and what it means, NULL behind the last. */
const char *metric_short_name(size_t i, const char **meaning);
/* Whether both read one value, whatever they are called. */
bool metric_same(const struct metric *a, const struct metric *b);
/* RF_EUSAGE if the result has no such value. */
int metric_read(const struct metric *m, const struct replay_result *r, double *out,
                struct rf_err *err) RF_MUST_CHECK;
/* "time", "bytes" or "count". */
const char *metric_unit_name(const struct metric *m);
/* For people, with its unit; returns buf. */
const char *metric_format(const struct metric *m, double value, char *buf, size_t size);

struct bound {
    struct metric metric;
    bool at_least; /* else at most */
    double value;
};
/* "METRIC<=VALUE" or "METRIC>=VALUE", the value with a unit of its kind. */
int bound_parse(struct bound *b, const char *text, struct rf_err *err) RF_MUST_CHECK;
/* By what share of the bound it is missed, 0 if it holds. */
double bound_violation(const struct bound *b, double value);

#endif
