/* SPDX-License-Identifier: Apache-2.0 */
/* reports: a whole page for the result of a command. */
#ifndef SIM_HTML_REPORTS_H
#define SIM_HTML_REPORTS_H

#include "activity.h"
#include "config/knobs.h"
#include "html/charts.h"

/* One run: summary, time series, map of accesses, latencies, classes, counters, knobs. */
int html_replay(FILE *f, const struct replay_result *r, const struct activity *a,
                const struct knob_table *knobs, const char *trace_name,
                struct rf_err *err) RF_MUST_CHECK;

/* Figure of replay pages: the map. */
void chart_activity(struct page *p, const struct activity *a);

#endif
