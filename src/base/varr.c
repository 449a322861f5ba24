/* SPDX-License-Identifier: Apache-2.0 */
/* Reserved arrays: address space now, memory when it is written; small ones from the heap. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#endif
#include "refault/base.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Below this a huge page saves too little address translation to be worth asking for. */
#define DENSE_MIN ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
/* Up to this the heap is cheaper: it keeps what machines of a sweep give back and may be of huge
 * pages, while a mapping is faulted in page by page, and its end interrupts the other threads'
 * CPUs. */
#define SMALL_MAX ((size_t)1 << 20)

static int init_small(struct rf_varr *v, size_t bytes, struct rf_err *err) {
    v->base = aligned_alloc(RF_PAGE_SIZE, bytes);
    if (!v->base)
        return rf_fail(err, RF_ENOMEM, "no memory for an array of %zu bytes", bytes);
    memset(v->base, 0, bytes);
    v->bytes = bytes;
    return RF_OK;
}

int rf_varr_init(struct rf_varr *v, size_t count, size_t elem, struct rf_err *err) {
    size_t bytes, spare;
    void *p;

    v->base = NULL;
    v->bytes = 0;
    if (elem != 0 && count > (SIZE_MAX - RF_PAGE_SIZE) / elem)
        return rf_fail(err, RF_ELIMIT,
                       "array of %zu elements of %zu bytes exceeds the address space", count, elem);
    bytes = count * elem;
    bytes = (bytes + RF_PAGE_SIZE - 1) & ~((size_t)RF_PAGE_SIZE - 1);
    if (bytes == 0)
        bytes = RF_PAGE_SIZE;
    if (bytes <= SMALL_MAX)
        return init_small(v, bytes, err);
    /* Large arrays consist of whole huge pages; what is left over on both sides goes back. */
    if (bytes > HUGE_PAGE && bytes <= SIZE_MAX - HUGE_PAGE)
        bytes = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    spare = bytes >= DENSE_MIN && bytes <= SIZE_MAX - HUGE_PAGE ? HUGE_PAGE : 0;
    p = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return rf_fail(err, RF_ENOMEM, "cannot reserve %zu bytes of address space: %s",
                       bytes + spare, strerror(errno));
    if (spare) {
        size_t before = (HUGE_PAGE - ((uintptr_t)p & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
        if (before)
            (void)munmap(p, before);
        p = (char *)p + before;
        if (before < spare)
            (void)munmap((char *)p + bytes, spare - before);
    }
    v->base = p;
    v->bytes = bytes;
    return RF_OK;
}

void rf_varr_hint_dense(struct rf_varr *v) {
#ifdef MADV_HUGEPAGE
    /* Advice only: a host without transparent huge pages refuses it, which changes no result. */
    if (v->base && v->bytes >= DENSE_MIN)
        (void)madvise(v->base, v->bytes, MADV_HUGEPAGE);
#else
    (void)v;
#endif
}

void rf_varr_free(struct rf_varr *v) {
    if (v->base && v->bytes <= SMALL_MAX)
        free(v->base);
    else if (v->base)
        (void)munmap(v->base, v->bytes);
    v->base = NULL;
    v->bytes = 0;
}
