/* SPDX-License-Identifier: Apache-2.0 */
/* complete: what can follow on a command line, from the tables of commands, options and knobs. */
#ifndef SIM_CLI_COMPLETE_H
#define SIM_CLI_COMPLETE_H

#include "cli/cli.h"

/*
 * Prints to f what the last of the words (n >= 1, without the program's name) can become: one
 * candidate a line, a tab, and what it means. ":files [SUFFIX]" stands for the names of files that
 * end in SUFFIX, and of folders; ":open" says that more can follow what comes after it. The kind of
 * a value is told by what the table calls it: FILE, KEY=VALUE, VERSION, a|b|c.
 */
void complete_words(FILE *f, const struct knob_table *knobs, char *const *words, size_t n);

#endif
