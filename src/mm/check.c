/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of mm: every page is in exactly one place, counts agree, nothing leaks. */
#include <stdlib.h>
#include "mm_internal.h"
#include "swapcache.h"

struct tally {
    uint32_t *maps;   /* PTEs that map each folio */
    uint32_t *counts; /* swap PTEs that refer to each slot */
    uint8_t *seen;    /* list or batch memberships of each folio */
    uint64_t on_lists;
};

static int check_ptes(struct mm *mm, struct tally *t, struct rf_err *err) {
    uint32_t slots = swap_slots_seen(mm->swap);

    for (uint32_t b = 0; b < mm->nr_blocks; b++) {
        if (!mm->block[b].table)
            continue;
        for (uint32_t id = b << 9; id < (b + 1) << 9; id++) {
            uint64_t p = mm->pte[id];
            if (mm->block[b].pmd &&
                (!(p & PTE_PRESENT) || pte_index(p) != pte_index(mm->pte[b << 9]) ||
                 (!(p & PTE_ZEROPAGE) && folio_order(&mm->folio[pte_index(p)]) != PMD_ORDER)))
                return rf_fail(err, RF_ECHECK, "page id %u is not part of its block's huge page",
                               id);
            if ((p & PTE_PRESENT) && (p & PTE_SWAP))
                return rf_fail(err, RF_ECHECK, "page id %u is both present and in swap", id);
            if ((p & (PTE_PRESENT | PTE_SWAP)) && !(p & PTE_MAPPED))
                return rf_fail(err, RF_ECHECK, "page id %u is in use but not mapped", id);
            if ((p & PTE_PRESENT) && !(p & PTE_ZEROPAGE)) {
                uint32_t f = pte_index(p);
                if (f >= mm->folio_end || !(mm->folio[f].flags & FOLIO_USED))
                    return rf_fail(err, RF_ECHECK, "page id %u maps folio %u, which is free", id,
                                   f);
                if (folio_order(&mm->folio[f]) == 0) {
                    t->maps[f]++;
                } else { /* counted once a block, at its first entry */
                    uint32_t base = b << 9 | (mm->folio[f].owner & 511u);
                    if (id < base || id - base >= folio_nr(&mm->folio[f]))
                        return rf_fail(err, RF_ECHECK,
                                       "page id %u maps large folio %u, which begins at %u", id, f,
                                       base);
                    uint32_t i = base;
                    while ((mm->pte[i] & (PTE_PRESENT | PTE_ZEROPAGE)) != PTE_PRESENT ||
                           pte_index(mm->pte[i]) != f)
                        i++;
                    t->maps[f] += i == id;
                }
            } else if (p & PTE_SWAP) {
                if (pte_index(p) >= slots)
                    return rf_fail(err, RF_ECHECK, "page id %u refers to slot %u of %u", id,
                                   pte_index(p), slots);
                t->counts[pte_index(p)]++;
            }
        }
    }
    return RF_OK;
}

static int walk_list(struct mm *mm, const struct lru_list *l, struct tally *t, const char *what,
                     struct rf_err *err) {
    uint64_t n = 0;
    uint32_t prev = RF_NONE;

    for (uint32_t i = l->head; i != RF_NONE; i = mm->folio[i].next) {
        const struct folio *f = &mm->folio[i];
        if (i >= mm->folio_end || !(f->flags & FOLIO_USED) || !(f->flags & FOLIO_LRU))
            return rf_fail(err, RF_ECHECK, "folio %u is on the %s list but not in use as such", i,
                           what);
        if (f->prev != prev || t->seen[i])
            return rf_fail(err, RF_ECHECK, "the %s list is broken at folio %u", what, i);
        t->seen[i] = 1;
        n += folio_nr(f);
        prev = i;
    }
    if (l->tail != prev || l->nr != n)
        return rf_fail(err, RF_ECHECK, "the %s list has %llu pages, its counter says %llu", what,
                       (unsigned long long)n, (unsigned long long)l->nr);
    t->on_lists += n;
    return RF_OK;
}

static int check_lists(struct mm *mm, struct tally *t, struct rf_err *err) {
    for (uint32_t m = 0; m < mm->nr_memcgs; m++) {
        struct lruvec *lv = &mm->memcg[m].lruvec;
        int r = walk_list(mm, &lv->list[LRU_INACTIVE_ANON], t, "inactive_anon", err);
        if (!r)
            r = walk_list(mm, &lv->list[LRU_ACTIVE_ANON], t, "active_anon", err);
        for (uint32_t g = 0; !r && g < LRU_GEN_MAX; g++)
            r = walk_list(mm, &lv->lru_gen.gen[g], t, "generation", err);
        if (r)
            return r;
    }
    for (uint32_t c = 0; c < mm->p.knobs.cpus; c++) {
        const struct folio_batch *b = &mm->cpu[c].add;
        for (uint32_t i = 0; i < b->n; i++) {
            const struct folio *f = &mm->folio[b->folio[i]];
            if (t->seen[b->folio[i]] || !(f->flags & FOLIO_IN_BATCH))
                return rf_fail(err, RF_ECHECK, "folio %u is in a batch and elsewhere", b->folio[i]);
            t->seen[b->folio[i]] = 1;
            t->on_lists += folio_nr(f);
        }
    }
    return RF_OK;
}

static int check_folios(struct mm *mm, const struct tally *t, struct rf_err *err) {
    uint64_t pages = 0;

    for (uint32_t i = 0; i < mm->folio_end; i++) {
        const struct folio *f = &mm->folio[i];
        if (!(f->flags & FOLIO_USED)) {
            if (t->maps[i])
                return rf_fail(err, RF_ECHECK, "free folio %u is mapped", i);
            continue;
        }
        pages += folio_nr(f);
        if (!t->seen[i])
            return rf_fail(err, RF_ECHECK, "folio %u is on no list: leaked", i);
        if (t->maps[i] != f->mapcount)
            return rf_fail(err, RF_ECHECK, "folio %u has mapcount %u, %u entries map it", i,
                           f->mapcount, t->maps[i]);
        for (uint32_t k = 0; (f->flags & FOLIO_SWAPCACHE) && k < folio_nr(f); k++)
            if (swapcache_lookup(mm, folio_slot(mm, f) + k) != i)
                return rf_fail(err, RF_ECHECK, "folio %u claims slot %u, which caches another", i,
                               folio_slot(mm, f) + k);
        if (!(f->flags & FOLIO_SWAPCACHE) && f->mapcount == 0)
            return rf_fail(err, RF_ECHECK, "folio %u is neither mapped nor cached", i);
    }
    if (pages != mm->nr_folios || pages != t->on_lists)
        return rf_fail(err, RF_ECHECK, "%llu pages in folios, %llu counted, %llu on lists",
                       (unsigned long long)pages, (unsigned long long)mm->nr_folios,
                       (unsigned long long)t->on_lists);
    return RF_OK;
}

static int check_slots(struct mm *mm, const struct tally *t, struct rf_err *err) {
    uint32_t n = swap_slots_seen(mm->swap);
    uint64_t zswapped = 0;

    for (uint32_t s = 0; s < n; s++) {
        const struct swap_slot_meta *m = &mm->swap->meta[s];
        bool cached = m->flags & SLOT_FOLIO;
        if (swap_slot_offset(mm->swap, s) == 0) /* the header: no slot */
            continue;
        if (swap_count(mm->swap, s) == SWAP_MAP_COUNT && t->counts[s] == 0)
            continue; /* no slot: behind the end of the area */
        if (swap_count(mm->swap, s) != t->counts[s])
            return rf_fail(err, RF_ECHECK, "slot %u has count %u, %u entries refer to it", s,
                           swap_count(mm->swap, s), t->counts[s]);
        /* A slot that waits in a per-CPU cache of free slots has the bit and no folio yet. */
        if (cached ? !(m->map & SWAP_HAS_CACHE) : (m->map & SWAP_HAS_CACHE) && t->counts[s])
            return rf_fail(err, RF_ECHECK, "slot %u: cache bit and index disagree", s);
        if (mm->zswap && zswap_has(mm->zswap, s)) {
            zswapped++;
            if (!m->map && !(m->flags & SLOT_IN_RETURN))
                return rf_fail(err, RF_ECHECK, "zswap keeps an entry of free slot %u", s);
            if (m->flags & SLOT_ZERO)
                return rf_fail(err, RF_ECHECK, "slot %u is in the zero map and in zswap", s);
        }
    }
    if (mm->zswap && zswapped != zswap_nr_entries(mm->zswap))
        return rf_fail(err, RF_ECHECK, "zswap has %llu entries, %llu slots have one",
                       (unsigned long long)zswap_nr_entries(mm->zswap),
                       (unsigned long long)zswapped);
    return RF_OK;
}

/* v1: a memcg is charged for the slots that are recorded as its own, none of which is cached. */
static int check_memsw(struct mm *mm, struct rf_err *err) {
    uint64_t recorded[MAX_MEMCGS] = {0};
    uint32_t n = swap_slots_seen(mm->swap);

    for (uint32_t s = 0; s < n; s++) {
        recorded[slot_memcg(mm, s)]++;
        if (slot_memcg(mm, s) != ROOT_MEMCG && (mm->swap->meta[s].flags & SLOT_FOLIO))
            return rf_fail(err, RF_ECHECK, "slot %u is charged beside the page that it caches", s);
    }
    for (uint32_t m = ROOT_MEMCG + 1; m < mm->nr_memcgs; m++)
        if (recorded[m] != mm->memcg[m].memsw_swap)
            return rf_fail(
                err, RF_ECHECK, "memcg %u is charged %llu pages of swap, %llu are its own", m,
                (unsigned long long)mm->memcg[m].memsw_swap, (unsigned long long)recorded[m]);
    return RF_OK;
}

static int check_memcgs(struct mm *mm, struct rf_err *err) {
    uint64_t root = 0;

    for (uint32_t m = mm->nr_memcgs; m-- > 0;) {
        const struct memcg *mc = &mm->memcg[m];
        uint64_t want = mc->folio_pages + mc->kernel_pages + mc->obj_pages;
        uint64_t obj = mc->obj_bytes + mc->nr_charged_bytes;
        for (uint32_t c = 0; c < mm->p.knobs.cpus; c++) {
            if (mm->cpu[c].stock_memcg == m)
                want += mm->cpu[c].stock_nr;
            if (mm->cpu[c].obj_memcg == m)
                obj += mm->cpu[c].obj_bytes;
        }
        if (m == ROOT_MEMCG)
            want += root;
        root += mc->usage;
        if (want != mc->usage)
            return rf_fail(err, RF_ECHECK, "memcg %u is charged %llu pages, holds %llu", m,
                           (unsigned long long)mc->usage, (unsigned long long)want);
        if (obj != mc->obj_pages << RF_PAGE_SHIFT)
            return rf_fail(err, RF_ECHECK, "memcg %u: %llu bytes of objects in %llu pages", m,
                           (unsigned long long)obj, (unsigned long long)mc->obj_pages);
    }
    return RF_OK;
}

int mm_check(struct mm *mm, struct rf_err *err) {
    uint32_t slots = swap_slots_seen(mm->swap);
    struct tally t = {
        .maps = calloc((size_t)mm->folio_end + 1, sizeof(*t.maps)),
        .counts = calloc((size_t)slots + 1, sizeof(*t.counts)),
        .seen = calloc((size_t)mm->folio_end + 1, 1),
    };
    int r = t.maps && t.counts && t.seen ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for a check");
    if (!r)
        r = check_ptes(mm, &t, err);
    if (!r)
        r = check_lists(mm, &t, err);
    if (!r)
        r = check_folios(mm, &t, err);
    if (!r)
        r = check_slots(mm, &t, err);
    if (!r)
        r = check_memcgs(mm, err);
    if (!r && mm->p.knobs.cgroup_v1)
        r = check_memsw(mm, err);
    if (!r)
        r = swap_area_check(mm->swap, err);
    if (!r && mm->zswap)
        r = zswap_check(mm->zswap, err);
    if (!r && mm->zram)
        r = zram_check(mm->zram, err);
    if (!r && mm->blk)
        r = blk_check(mm->blk, err);
    if (!r && mm->verify_err.code)
        r = rf_fail(err, mm->verify_err.code, "%s", mm->verify_err.msg);
    if (!r && mm->zswap)
        r = zswap_verify_status(mm->zswap, err);
    if (!r && mm->zram)
        r = zram_verify_status(mm->zram, err);
    free(t.maps);
    free(t.counts);
    free(t.seen);
    return r;
}
