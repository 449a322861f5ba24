/* SPDX-License-Identifier: Apache-2.0 */
/* unmoved: axes of a sweep that changed nothing that was measured. */
#ifndef SIM_SWEEP_UNMOVED_H
#define SIM_SWEEP_UNMOVED_H

#include "sweep/results.h"

/* moved[i] of each axis of the plan's grid: whether any two rows that differ in nothing but this
 * axis, with what goes along with it, have different results; or there are no two such rows. All
 * are true if a row was not run, or failed. r has the plan's rows. RF_ENOMEM. */
int results_moved(const struct results *r, const struct plan *p, bool *moved,
                  struct rf_err *err) RF_MUST_CHECK;

#endif
