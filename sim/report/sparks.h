/* SPDX-License-Identifier: Apache-2.0 */
/* sparks: what happened along a run in a few lines of a terminal. */
#ifndef SIM_REPORT_SPARKS_H
#define SIM_REPORT_SPARKS_H

#include <stdio.h>
#include "activity.h"

/* Whether the environment's locale writes UTF-8: LC_ALL, LC_CTYPE or LANG, the first that is set.
 */
bool sparks_utf8(void);
/* A line for each series that is not always 0, and a map of accesses (address upwards, the trace
 * from left to right). Without utf8 in plain ASCII. */
void report_sparks(FILE *f, const struct activity *a, bool utf8);

#endif
