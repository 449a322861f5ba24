/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal: results on disk as they come, one a line: 16 hexadecimal digits of XXH64 over the rest,
 * a blank, one JSON object. A line is there whole or does not count. An object has either
 *   "journal" 1, "refault", "columns" [title...], "rows" [[point, trace, cell...]...]: a plan; or
 *   "point", and "result" (as --json has it, without the trace's name) or "error" {code, message}.
 * Results are named by their point (points.h), so that they serve every plan that has the point.
 */
#ifndef SIM_SWEEP_JOURNAL_H
#define SIM_SWEEP_JOURNAL_H

#include <jansson.h>
#include "refault/error.h"
#include "refault/base.h"

struct journal;

/* Called for each intact line in its order. A code other than 0 ends the reading with it. */
typedef int (*journal_fn)(void *ctx, const json_t *line, struct rf_err *err);

/* Reads a journal. *dropped (may be NULL) counts lines that are damaged or cut off. RF_EINPUT if it
 * cannot be read or is none. */
int journal_read(const char *path, journal_fn fn, void *ctx, uint64_t *dropped,
                 struct rf_err *err) RF_MUST_CHECK;

/*
 * Opens a journal for appending, creates it if it is missing. What it holds is read first (fn);
 * without `resume` it must be empty. A line cut off at its end is removed. RF_EUSAGE if it is not
 * empty, or in use by another process; RF_EINPUT if it is no journal; RF_EIO.
 */
int journal_open(const char *path, bool resume, journal_fn fn, void *ctx, uint64_t *dropped,
                 struct journal **out, struct rf_err *err) RF_MUST_CHECK;
/* Appends a line and waits until it is on disk. On failure (RF_EIO: no space) nothing of it stays,
 * and later lines can still be appended. */
int journal_append(struct journal *j, const json_t *line, struct rf_err *err) RF_MUST_CHECK;
void journal_close(struct journal *j); /* NULL is allowed */

#endif
