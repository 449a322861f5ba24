/* SPDX-License-Identifier: Apache-2.0 */
/* Same-filled pages, and the bytes of pages that have no recorded ones. */
#include <stdlib.h>
#include "content_internal.h"

bool page_same_filled(const uint8_t *page, uint64_t *word) {
    /* Every byte equals the one eight before it: the test needs no words and no alignment. */
    if (memcmp(page, page + 8, RF_PAGE_SIZE - 8) != 0)
        return false;
    *word = rf_load_le64(page);
    return true;
}

void page_fill(uint8_t *page, uint64_t word) {
    for (size_t i = 0; i < RF_PAGE_SIZE; i += 8)
        rf_store_le64(page + i, word);
}

void fill_random(uint8_t *to, size_t n, uint64_t seed) {
    struct rf_rng r;
    rf_rng_seed(&r, seed);
    for (; n >= 8; n -= 8, to += 8)
        rf_store_le64(to, rf_rng_next(&r));
    if (n > 0) {
        uint8_t last[8];
        rf_store_le64(last, rf_rng_next(&r));
        memcpy(to, last, n);
    }
}

int fill_index_init(struct fill_index *f, size_t nr_ids) {
    f->bits = calloc(nr_ids / 64 + 1, sizeof(*f->bits));
    return f->bits ? RF_OK : RF_ENOMEM;
}

void fill_index_free(struct fill_index *f) {
    free(f->bits);
    free(f->list);
}

int fill_index_add(struct fill_index *f, uint32_t id, uint64_t word) {
    if (f->nr == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 64;
        struct fill *list = realloc(f->list, cap * sizeof(*list));
        if (!list)
            return RF_ENOMEM;
        f->list = list;
        f->cap = cap;
    }
    f->list[f->nr++] = (struct fill){.id = id, .word = word};
    f->bits[id / 64] |= (uint64_t)1 << (id % 64);
    return RF_OK;
}

uint64_t fill_index_word(const struct fill_index *f, uint32_t id) {
    size_t lo = 0, hi = f->nr;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->list[mid].id <= id)
            lo = mid;
        else
            hi = mid;
    }
    return f->list[lo].word;
}
