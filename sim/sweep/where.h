/* SPDX-License-Identifier: Apache-2.0 */
/* where: conditions on knobs, which pick points of a sweep. */
#ifndef SIM_SWEEP_WHERE_H
#define SIM_SWEEP_WHERE_H

#include "config/knobs.h"

enum where_op { WHERE_LT, WHERE_LE, WHERE_EQ, WHERE_NE, WHERE_GE, WHERE_GT };

struct where {
    const struct knob *left;
    enum where_op op;
    const struct knob *right; /* NULL: compare with `text` */
    char text[128];
};

/* "KEY OP VALUE" or "KEY OP KEY" with < <= = != >= >; blanks are allowed. Order is that of numbers,
 * of sizes in bytes, and of kernel versions; names know = and != only. RF_EUSAGE. */
int where_parse(struct where *w, const struct knob_table *knobs, const char *text,
                struct rf_err *err) RF_MUST_CHECK;
/* Whether it holds for effective values. */
bool where_holds(const struct where *w, const struct machine_config *c);

#endif
