/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle: knobs that were set but that nothing reads, because another one switches off what they
 * belong to. Over several configurations (the points of a sweep) a knob is idle if it is in all.
 */
#ifndef SIM_CONFIG_IDLE_H
#define SIM_CONFIG_IDLE_H

#include "config/settings.h"

struct idle_knobs {
    const struct knob_table *knobs;
    uint8_t *state; /* of each knob of the table */
};
/* RF_ENOMEM. A zeroed struct may be freed. */
int idle_init(struct idle_knobs *k, const struct knob_table *knobs,
              struct rf_err *err) RF_MUST_CHECK;
void idle_free(struct idle_knobs *k);
/* Knobs that were set. */
void idle_add(struct idle_knobs *k, const struct setting *v, size_t n);
/* A configuration in which they were. Whether any may still be idle. */
bool idle_see(struct idle_knobs *k, const struct machine_config *c);
/* Whether every configuration seen left a knob idle. */
bool idle_is(const struct idle_knobs *k, const struct knob *knob);
/* "KEY, KEY (without KEY=VALUE); ..." of those that every configuration seen left idle, cut to the
 * buffer; NULL if there are none. */
const char *idle_text(const struct idle_knobs *k, char *buf, size_t size);

#endif
