/* SPDX-License-Identifier: Apache-2.0 */
/* INI files: [section], key = value, # and ; comments. */
#ifndef SIM_CONFIG_INI_H
#define SIM_CONFIG_INI_H

#include "refault/error.h"

/* Called for each value with its full key ("section.name", or "name" before any section). A code
 * other than 0 ends the reading; its message is prefixed with file and line. */
typedef int (*ini_fn)(void *ctx, const char *key, const char *value, unsigned line,
                      struct rf_err *err);
/* Reads a file. RF_EUSAGE if it is not well-formed, RF_EINPUT if it cannot be read. */
int ini_read(const char *path, ini_fn fn, void *ctx, struct rf_err *err) RF_MUST_CHECK;

#endif
