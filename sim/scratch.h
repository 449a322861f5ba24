/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scratch: a temporary file below $TMPDIR (or /tmp) that has no name: nothing of it is left however
 * the program ends. Its path is that of the open file, so it can be opened by all who take a path.
 */
#ifndef SIM_SCRATCH_H
#define SIM_SCRATCH_H

#include "refault/error.h"

struct scratch {
    int fd;        /* valid if path is not "" */
    char path[32]; /* "" = not open */
};
/* RF_EIO if there is no place for it. A zeroed struct needs no scratch_open(). */
int scratch_open(struct scratch *s, struct rf_err *err) RF_MUST_CHECK;
void scratch_close(struct scratch *s);

#endif
