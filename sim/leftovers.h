/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftovers: files that are not complete yet. If a signal ends the program (SIGHUP, SIGINT,
 * SIGPIPE, SIGQUIT, SIGTERM) they are removed first. SIGKILL leaves them.
 */
#ifndef SIM_LEFTOVERS_H
#define SIM_LEFTOVERS_H

#include "refault/base.h"

/* Catches the signals, but for those that the program was started to ignore (nohup). Once. */
void leftovers_catch(void);
/* The path is kept, not copied, until leftovers_drop(). It need not exist yet, and any file that
 * has the name when the signal comes is removed. More than 16 at a time are not remembered. */
void leftovers_add(const char *path);
/* The file is complete, or gone. Of a path that was not added: nothing. */
void leftovers_drop(const char *path);

#endif
