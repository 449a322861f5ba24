/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_page: one page of a process that forks, and then stores to it. The child shares the page in
 * memory, or by a swap entry of its own while the parent has read the page back.
 */
#ifndef SIM_REPRO_FORK_PAGE_H
#define SIM_REPRO_FORK_PAGE_H

#include "refault/base.h"
#include "refault/mm.h"

struct fork_page {
    uint64_t copies;     /* x.cow_copies: the parent must have got a copy */
    uint64_t violations; /* x.shared_page_violations: it writes to what is the child's, too */
};

/* Kernel 5.10 with that enum wp_rule. */
int fork_page_run(uint8_t rule, bool swapped, struct fork_page *out,
                  struct rf_err *err) RF_MUST_CHECK;

#endif
