/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a text file, plain or zstd-compressed (told by its first bytes), read as a stream that
 * can be started again. For importers, which need two passes.
 */
#ifndef REFAULT_TRACE_LINES_H
#define REFAULT_TRACE_LINES_H

#include "refault/base.h"

#define RFT_LINE_MAX 65535u

struct rft_lines;

int rft_lines_open(const char *path, struct rft_lines **out, struct rf_err *err) RF_MUST_CHECK;
void rft_lines_close(struct rft_lines *l);
int rft_lines_rewind(struct rft_lines *l, struct rf_err *err) RF_MUST_CHECK;
/* The next line without its newline (nor a carriage return before it), NUL-terminated; valid until
 * the next call. 1, 0 at the end, < 0. */
int rft_lines_next(struct rft_lines *l, char **line, size_t *len, struct rf_err *err) RF_MUST_CHECK;
/* Number of the line that was returned last, from 1. */
uint64_t rft_lines_number(const struct rft_lines *l);
const char *rft_lines_path(const struct rft_lines *l);

/*
 * Numbers within a line: skips blanks, then reads digits of `base` (10 or 16) and moves *p behind
 * them. False if there is no digit, the number passes `max`, or something other than a blank or the
 * end follows.
 */
bool rft_number(const char **p, unsigned base, uint64_t max, uint64_t *out);
/* Only blanks up to the end? */
bool rft_rest_blank(const char *p);

#endif
