/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translations that a CPU holds (machine.tlb_entries). x86 clears the accessed bit of a page
 * without a flush (ptep_clear_flush_young(), arch/x86/mm/pgtable.c 6.1): as long as the CPU
 * still holds the translation, further accesses do not walk the page table and leave the bit clear,
 * so that reclaim takes a used page for an unused one. Without this model each access sets the bit.
 *
 * Direct-mapped, with a few victims beside: the shape of the TLB that QEMU emulates (8 victims,
 * CPU_VTLB_SIZE), and near enough to a large set-associative one. An entry needs no flush when its
 * page is unmapped: the page can only come back by a fault, which renews the entry. What reclaim
 * flushes of other CPUs with it (try_to_unmap_flush(), mm/rmap.c 6.1) is left out: docs/model.md.
 */
#ifndef MACHINE_TLB_H
#define MACHINE_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "refault/base.h"

#define TLB_VICTIMS 8u
#define TLB_NONE UINT64_MAX
#define TLB_DIRTY ((uint64_t)1 << 63) /* the entry allows stores without a walk */
/* Keys beside those of page ids: what a program that checks its pages reads with each access. */
#define TLB_CONTENT ((uint64_t)1 << 32)
#define TLB_INDEX ((uint64_t)1 << 33)
#define TLB_INDEX_SHIFT 10 /* numbers of 4 bytes: 1,024 in a page */
/* A range of more pages is flushed whole (tlb_single_page_flush_ceiling, arch/x86/mm/tlb.c). */
#define TLB_FLUSH_CEILING 33u

struct tlb {
    uint64_t *entry; /* key, TLB_DIRTY; by the low bits of the page number */
    uint64_t victim[TLB_VICTIMS];
    uint32_t mask;
    unsigned next_victim;
    uint32_t pid;        /* whose translations these are */
    uint32_t content_at; /* page number of the first content, modulo the size */
    bool reads_contents; /* each access also reads the page's content elsewhere */
};

/* `entries` is a power of two. RF_ENOMEM if there is no memory. */
int tlb_create(struct tlb *t, uint32_t entries, bool reads_contents, uint64_t seed,
               struct rf_err *err) RF_MUST_CHECK;
void tlb_destroy(struct tlb *t);
void tlb_flush(struct tlb *t);

/* Whether an access to the page of this key and number has to walk the page table, which sets the
 * accessed bit. A first store through an entry that loads made walks, too, for the dirty bit. */
static inline bool tlb_walks(struct tlb *t, uint64_t key, uint32_t number, bool write) {
    uint64_t *e = &t->entry[number & t->mask], old = *e;

    if ((old & ~TLB_DIRTY) != key) {
        unsigned v = 0;

        while (v < TLB_VICTIMS && (t->victim[v] & ~TLB_DIRTY) != key)
            v++;
        if (v == TLB_VICTIMS) {
            if (old != TLB_NONE)
                t->victim[t->next_victim++ % TLB_VICTIMS] = old;
            *e = key | (write ? TLB_DIRTY : 0);
            return true;
        }
        *e = t->victim[v];
        t->victim[v] = old;
    }
    if (!write || (*e & TLB_DIRTY))
        return false;
    *e |= TLB_DIRTY;
    return true;
}

/* An access to page `id`, which holds `content`. */
static inline bool tlb_access(struct tlb *t, uint32_t id, uint32_t content, bool write) {
    if (t->reads_contents) {
        uint32_t index = id >> TLB_INDEX_SHIFT;

        (void)tlb_walks(t, TLB_CONTENT | content, content + t->content_at, false);
        (void)tlb_walks(t, TLB_INDEX | index, index + (t->content_at >> 1), false);
    }
    return tlb_walks(t, id, id, write);
}

#endif
