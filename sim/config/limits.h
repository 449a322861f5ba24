/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits: the ranges of cost.* and era.* knobs, which follow from tables of the library that know
 * types only. They keep out what is a slip of the unit and what would simulate practically for
 * ever; every real machine lies well within.
 */
#ifndef SIM_CONFIG_LIMITS_H
#define SIM_CONFIG_LIMITS_H

#include "config/knobs.h"

/* Sets min, max and zero of a knob whose key and type are known. */
void knob_limits(struct knob *k);

#endif
