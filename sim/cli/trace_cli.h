/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands import, trace and gen share. */
#ifndef REFAULT_CLI_TRACE_CLI_H
#define REFAULT_CLI_TRACE_CLI_H

#include "cli/cli.h"
#include "refault/trace.h"

/* "trace sample"; argv[0] is "sample". */
extern const struct cli_option trace_sample_options[];
int trace_cli_sample(int argc, char **argv, struct rf_err *err);
/* The help of refault trace on stdout. */
void trace_cli_help(void);

/* Prints the one line of an error and gives the exit status for it. */
int trace_cli_error(const struct rf_err *err);
/* cli_getopt_error() at the present word; the exit status for it. */
int trace_cli_bad_option(const char *command, const struct option *longs, int c, char **argv);
/* A count with K M G T for powers of 1024. */
bool trace_cli_count(const char *option, const char *text, uint64_t *out, struct rf_err *err);
/* The same, from 1 on. */
bool trace_cli_positive(const char *option, const char *text, uint64_t *out, struct rf_err *err);
/* A level of zstd, 1 to 22. */
bool trace_cli_level(const char *text, int *out, struct rf_err *err);
/* Whether --contents names a synthetic model. */
bool trace_cli_contents(const char *spec, struct rf_err *err);
/* While a trace is written: what there is of it is removed if a signal ends the program. RF_EUSAGE
 * if that would destroy one of the inputs, a list that ends with NULL, or a file that the synthetic
 * contents name (NULL: none). *part is NULL after an error, and is freed by trace_cli_written(). */
int trace_cli_writing(const char *path, const char *const *inputs, const char *contents,
                      char **part, struct rf_err *err) RF_MUST_CHECK;
void trace_cli_written(char *part);

#endif
