/* SPDX-License-Identifier: Apache-2.0 */
/* INI files: [section], key = value, # and ; comments. */
#ifndef SIM_CONFIG_INI_H
#define SIM_CONFIG_INI_H

#include "refault/error.h"

/* Called for each value with its full key ("section.name", or "name" before any section). A code
 * other than 0 ends the reading; its message is prefixed with file and line. */
typedef int (*ini_fn)(void *ctx, const char *key, const char *value, unsigned line,
                      struct rf_err *err);
/* Called for each section header, before the values of the section. */
typedef int (*ini_section_fn)(void *ctx, const char *name, unsigned line, struct rf_err *err);
/* ini_read() that tells of sections, even of empty ones; keys then come without the section. */
int ini_read_sections(const char *path, ini_section_fn section, ini_fn fn, void *ctx,
                      struct rf_err *err) RF_MUST_CHECK;
/* Reads a file. RF_EUSAGE if it is not well-formed or a key stands twice (in ini_read_sections():
 * in one section), RF_EINPUT if it cannot be read. */
int ini_read(const char *path, ini_fn fn, void *ctx, struct rf_err *err) RF_MUST_CHECK;

#endif
