/* SPDX-License-Identifier: Apache-2.0 */
/* Readahead windows of swap-in (mm/swap_state.c 6.1 and 6.12). */
#include "refault/swap.h"

#define PAGES_PER_TABLE 512u
#define VMA_RA_ORDER_MAX 5u /* SWAP_RA_ORDER_CEILING */
#define VMA_RA_HITS_MAX 63u /* SWAP_RA_HITS_MAX */
#define RA_INITIAL_HITS 4u  /* of swapin_readahead_hits, and of a VMA's swap_readahead_info */

uint32_t swap_ra_pages(uint64_t prev, uint64_t cur, uint32_t hits, uint32_t max,
                       uint32_t prev_win) {
    uint32_t pages = hits + 2, roundup = 4;

    if (hits == 0) {
        if (cur != prev + 1 && cur + 1 != prev)
            pages = 1;
    } else {
        while (roundup < pages)
            roundup <<= 1;
        pages = roundup;
    }
    pages = RF_MIN(pages, max);
    return RF_MAX(pages, prev_win / 2);
}

void swap_cluster_ra_init(struct swap_cluster_ra *ra) {
    ra->prev_offset = 0;
    ra->hits = RA_INITIAL_HITS;
    ra->last_win = 0;
}

uint32_t swap_cluster_ra_miss(struct swap_cluster_ra *ra, uint64_t offset, uint32_t page_cluster,
                              uint64_t area_pages, uint64_t *start, uint64_t *end) {
    uint32_t max = 1u << RF_MIN(page_cluster, 31u), win = 1, hits;

    if (max > 1) {
        hits = ra->hits;
        ra->hits = 0;
        win = swap_ra_pages(ra->prev_offset, offset, hits, max, ra->last_win);
        if (!hits)
            ra->prev_offset = offset;
        ra->last_win = win;
    }
    if (win <= 1) {
        *start = offset;
        *end = offset + 1;
        return 1;
    }
    /* a window is a power of two: max is one, and halving one keeps it so */
    *start = offset & ~((uint64_t)win - 1);
    *end = (offset | ((uint64_t)win - 1)) + 1;
    if (*start == 0)
        *start = 1;
    if (*end > area_pages)
        *end = area_pages;
    return win;
}

uint32_t swap_vma_ra_miss(struct swap_vma_ra *ra, uint64_t vpn, uint64_t lo, uint64_t hi,
                          uint32_t page_cluster, uint64_t *start, uint64_t *end) {
    uint32_t max = 1u << RF_MIN(page_cluster, VMA_RA_ORDER_MAX), win, hits;
    uint64_t prev, table = vpn & ~(uint64_t)(PAGES_PER_TABLE - 1), back;

    *start = vpn;
    *end = vpn + 1;
    if (max <= 1)
        return 1;
    prev = ra->set ? ra->addr : 0;
    hits = ra->set ? ra->hits : RA_INITIAL_HITS;
    win = swap_ra_pages(prev, vpn, hits, max, ra->set ? ra->win : 0);
    ra->addr = vpn;
    ra->win = (uint8_t)win;
    ra->hits = 0;
    ra->set = true;
    if (win <= 1)
        return 1;
    if (vpn == prev + 1)
        back = 0;
    else if (vpn + 1 == prev)
        back = win - 1;
    else
        back = (win - 1) / 2;
    *start = vpn >= back ? vpn - back : 0;
    *end = vpn - back + win; /* modulo 2^64, so right even where start was cut at 0 */
    *start = RF_MAX(*start, RF_MAX(lo, table));
    *end = RF_MIN(*end, RF_MIN(hi, table + PAGES_PER_TABLE));
    return win;
}

void swap_vma_ra_hit(struct swap_vma_ra *ra, uint64_t vpn, bool flagged) {
    uint32_t hits = ra->set ? ra->hits : RA_INITIAL_HITS;

    if (!ra->set)
        ra->win = 0;
    if (flagged && hits < VMA_RA_HITS_MAX)
        hits++;
    ra->hits = (uint8_t)hits;
    ra->addr = vpn;
    ra->set = true;
}
