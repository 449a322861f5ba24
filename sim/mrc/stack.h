/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack: LRU stack distances in one pass. The distance of an access is the smallest number of
 * pages that an LRU memory must hold for it to be a hit (Mattson, Gecsei, Slutz, Traiger:
 * "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970). A binary
 * indexed tree over the times of last accesses counts the pages in between, as Bennett and
 * Kruskal: "LRU stack processing", IBM J. Res. Dev. 19(4), 1975.
 *
 * Freed pages. A page that is unmapped leaves a hole where it stood: every memory large enough to
 * have held it has a free frame from then on. The next page that comes in from below the topmost
 * hole, or from outside, fills it, and leaves a hole where it came from itself. So distances stay
 * exact for every size though pages die.
 */
#ifndef SIM_MRC_STACK_H
#define SIM_MRC_STACK_H

#include "refault/base.h"

#define STACK_COLD RF_NONE /* distance of a page that is in no memory, however large */

struct lru_stack {
    struct rf_varr last; /* page: time of its last access, 0 = not in the stack */
    uint32_t *tree;      /* binary indexed tree over times 1..cap: pages and holes */
    uint32_t *at;        /* time: page + 1, 0 = nothing, STACK_HOLE */
    uint32_t cap, now, marks;
    uint32_t *holes; /* binary heap of times, latest first */
    uint32_t nr_holes, cap_holes;
};
/* For page ids below max_pages. */
int lru_stack_init(struct lru_stack *s, uint32_t max_pages, struct rf_err *err) RF_MUST_CHECK;
void lru_stack_free(struct lru_stack *s);
/* Accesses a page; *distance gets 1 for the page accessed last, and so on, or STACK_COLD.
 * RF_ENOMEM if the tree cannot grow. */
int lru_stack_access(struct lru_stack *s, uint32_t page, uint32_t *distance,
                     struct rf_err *err) RF_MUST_CHECK;
/* The page is freed; nothing happens if it is not in the stack. */
int lru_stack_remove(struct lru_stack *s, uint32_t page, struct rf_err *err) RF_MUST_CHECK;

#endif
