/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic models: what page an id stands for, as a pure function of (spec, seed, id). */
#include <stdlib.h>
#include "synth_internal.h"

static struct synth_part *pick(const struct synth *s, uint32_t id, uint32_t *nr) {
    uint64_t h = rf_mix64(s->seed + (uint64_t)id * 0x9e3779b97f4a7c15u);
    uint64_t low = (uint32_t)h;
    /* Counting rather than searching: which part it is cannot be predicted. */
    size_t k = 0;
    for (size_t i = 0; i + 1 < s->nr; i++)
        k += low >= s->upto[i];
    *nr = (uint32_t)(((h >> 32) * s->part[k].nr) >> 32);
    return &s->part[k];
}

/* The lz4 length of a case without bytes; 0 if the case has bytes. */
static uint32_t given_length(const struct synth_part *p, uint32_t nr) {
    if (p->kind == SYNTH_RANGE)
        return p->lo + nr;
    return p->kind == SYNTH_DRAW ? p->draw[nr] : 0;
}

static void make_page(const struct synth *s, const struct synth_part *p, uint32_t nr,
                      uint8_t *page) {
    uint64_t h = rf_mix64(s->seed ^ (nr + 1));
    if (p->kind == SYNTH_USEMEM) {
        /* As if some page of a buffer below 64 GiB that holds its own word numbers. */
        uint64_t first = (h >> 40) * (RF_PAGE_SIZE / 8);
        for (size_t i = 0; i < RF_PAGE_SIZE / 8; i++)
            rf_store_le64(page + 8 * i, first + i);
    } else if (p->kind == SYNTH_RANDOM) {
        size_t random = (size_t)p->k * (RF_PAGE_SIZE / 8);
        fill_random(page, random, h);
        memset(page + random, 0, RF_PAGE_SIZE - random);
    } else {
        page_fill(page, p->word);
    }
}

static uint32_t measure(struct content_set *cs, const struct synth_part *p, uint32_t nr,
                        enum codec_id codec) {
    uint8_t page[RF_PAGE_SIZE];
    uint32_t length = given_length(p, nr);
    if (length != 0)
        return derive_size(codec, CODEC_LZ4, length);
    make_page(cs->synth, p, nr, page);
    return content_measure(cs, codec, page);
}

/* The part's table for the codec, made at the first call; NULL if the host has no memory. */
static _Atomic uint16_t *part_table(struct synth_part *p, enum codec_id codec) {
    _Atomic uint16_t *t = atomic_load_explicit(&p->known[codec], memory_order_acquire);
    if (RF_LIKELY(t != NULL))
        return t;
    _Atomic uint16_t *mine = calloc(p->nr, sizeof(*mine));
    if (!mine)
        return NULL;
    if (atomic_compare_exchange_strong(&p->known[codec], &t, mine))
        return mine;
    free((void *)mine);
    return t;
}

uint32_t synth_size(struct content_set *cs, uint32_t id, enum codec_id codec) {
    uint32_t nr = 0;
    struct synth *s = cs->synth;
    struct synth_part *p = id == CONTENT_ZERO ? &s->zero : pick(s, id, &nr);
    _Atomic uint16_t *t = part_table(p, codec);
    if (RF_UNLIKELY(!t))
        return measure(cs, p, nr, codec);
    uint32_t size = atomic_load_explicit(&t[nr], memory_order_relaxed);
    if (RF_UNLIKELY(size == 0)) {
        size = measure(cs, p, nr, codec);
        atomic_store_explicit(&t[nr], (uint16_t)size, memory_order_relaxed);
    }
    return size;
}

bool synth_same_filled(const struct synth *s, uint32_t id, uint64_t *word) {
    uint32_t nr;
    if (!s->fills) /* asked at every store: most models have no such pages */
        return false;
    const struct synth_part *p = pick(s, id, &nr);
    *word = p->word; /* 0 but for SYNTH_FILL */
    return p->kind == SYNTH_FILL || (p->kind == SYNTH_DRAW && p->draw[nr] == 0);
}

bool synth_bytes(const struct synth *s, uint32_t id, uint8_t *page) {
    uint32_t nr;
    const struct synth_part *p = pick(s, id, &nr);
    if (given_length(p, nr) != 0)
        return false;
    if (page)
        make_page(s, p, nr, page);
    return true;
}

static void free_tables(struct synth_part *p) {
    for (size_t c = 0; c < NR_CODECS; c++)
        free((void *)atomic_load(&p->known[c]));
    free(p->draw);
}

void synth_free(struct synth *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->nr; i++)
        free_tables(&s->part[i]);
    free_tables(&s->zero);
    free(s->part);
    free(s->upto);
    free(s);
}
