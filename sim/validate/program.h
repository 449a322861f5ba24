/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program: what the program that played the traces of the recorded runs did beside the operations,
 * as far as the kernel counted or charged it. Its own pages are locked and charged elsewhere, but a
 * forked child is neither, and copies what it stores to.
 *
 * All figures are of stock kernels, 6.1 and 6.12, and the same of both: charges of
 * try_charge_memcg() and __memcg_kmem_charge_page() traced around the forks of the trace `fork`;
 * faults (pgfault of vmstat) of short traces that no limit made swap, see the unit test. The 12
 * forks of `fork` have 207 by this count, and had 207 when it swapped to zram under 6.1.
 */
#ifndef SIM_VALIDATE_PROGRAM_H
#define SIM_VALIDATE_PROGRAM_H

#include "trace/importers/importer.h"
#include "validate/dataset.h"

/* 44 pages are charged at once: four of the stack, two of the PGD, five of slab objects, and 33
 * page tables, of which replay has those of the trace's 8192 pages, 16, and the one of what is
 * copied. */
#define GUEST_FORK_PAGES 27
/* The parent goes on first, and copies two pages, which are locked like all of its pages; it has
 * these from then on, for at the next fork the child is left with the ones that it copies. */
#define GUEST_PARENT_PAGES 2
/* The child copies six pages. */
#define GUEST_COPIES 6
/* Page faults of a fork: the parent's two, and two on pages that nobody copies. */
#define GUEST_FORK_FAULTS 4
/* Of a child on code and read-only data that it has not mapped yet: with its first operation, its
 * first load, its first D. */
#define GUEST_CODE_FAULTS 1
#define GUEST_LOAD_FAULTS 2
#define GUEST_DONTNEED_FAULTS 1
/* What was last stored into a page of the trace is kept in an array of 32-bit numbers, so that the
 * child copies a page of that, and the parent, when the child is gone, has a fault on each. */
#define GUEST_INDEX_ENTRIES 1024
/* The first checkpoint after a fork reads the counters into two pages that were shared. */
#define GUEST_CHECKPOINT_FAULTS 2
#define GUEST_FAULTS 1 /* of the whole run */

/* What of it is part of the trace. */
static const struct import_player guest_player = {.copies = GUEST_COPIES,
                                                  .entries = GUEST_INDEX_ENTRIES};

struct guest_program;
/* For a region of so many pages; NULL without memory. To be freed with free(). */
struct guest_program *guest_program_new(uint64_t pages);
/* The program plays one more operation; returns what all so far are. */
struct trace_prefix guest_program_play(struct guest_program *g, char kind, bool child,
                                       uint64_t page);

#endif
