/* SPDX-License-Identifier: Apache-2.0 */
/* Circular lists of small page ids in one array; the heads are the first nodes of the array. */
#ifndef REFAULT_PAGE_LIST_H
#define REFAULT_PAGE_LIST_H

#include "refault/base.h"

struct pl_node {
    uint32_t next, prev;
};

static inline void pl_init(struct pl_node *n, uint32_t i) {
    n[i].next = n[i].prev = i;
}

static inline bool pl_empty(const struct pl_node *n, uint32_t i) {
    return n[i].next == i;
}

/* Puts node i right behind head. */
static inline void pl_add(struct pl_node *n, uint32_t head, uint32_t i) {
    n[i].next = n[head].next;
    n[i].prev = head;
    n[n[head].next].prev = i;
    n[head].next = i;
}

/* Takes node i off whatever list it is on; harmless if it is on none. */
static inline void pl_del(struct pl_node *n, uint32_t i) {
    n[n[i].prev].next = n[i].next;
    n[n[i].next].prev = n[i].prev;
    n[i].next = n[i].prev = i;
}

#endif
