/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic models: what page an id stands for, as a pure function of (spec, seed, id). */
#include <stdlib.h>
#include "synth_internal.h"

/* An id's place in the model. */
struct pick {
    struct synth_part *part;
    uint32_t draw; /* 32 further hash bits */
};

static struct pick pick(const struct synth *s, uint32_t id) {
    uint64_t h = rf_mix64(s->seed + (uint64_t)id * 0x9e3779b97f4a7c15u);
    uint32_t low = (uint32_t)h;
    struct synth_part *p = s->part;
    while (low >= p->upto)
        p++;
    return (struct pick){.part = p, .draw = (uint32_t)(h >> 32)};
}

/* 0..n-1 from 32 hash bits. */
static uint32_t scale(uint32_t draw, size_t n) {
    return (uint32_t)(((uint64_t)draw * n) >> 32);
}

static uint32_t drawn_length(const struct pick *k) {
    if (k->part->kind == SYNTH_RANGE)
        return k->part->lo + scale(k->draw, k->part->span);
    return k->part->draw[scale(k->draw, k->part->nr_draw)];
}

static void make_page(const struct synth *s, const struct synth_part *p, uint32_t nr,
                      uint8_t *page) {
    uint64_t h = rf_mix64(s->seed ^ (nr + 1));
    if (p->kind == SYNTH_FILL) {
        page_fill(page, p->word);
    } else if (p->kind == SYNTH_USEMEM) {
        /* As if page `h` of a buffer below 64 GiB that holds its own word numbers. */
        uint64_t first = (h >> 40) * (RF_PAGE_SIZE / 8);
        for (size_t i = 0; i < RF_PAGE_SIZE / 8; i++)
            rf_store_le64(page + 8 * i, first + i);
    } else {
        size_t random = (size_t)p->k * (RF_PAGE_SIZE / 8);
        fill_random(page, random, h);
        memset(page + random, 0, RF_PAGE_SIZE - random);
    }
}

/* *memo, or the length of page nr of the part (NULL: the page of zeros), which it then keeps. */
static uint32_t known_size(struct content_set *cs, _Atomic uint16_t *memo,
                           const struct synth_part *p, uint32_t nr, enum codec_id codec) {
    uint32_t size = atomic_load_explicit(memo, memory_order_relaxed);
    if (size == 0) {
        uint8_t page[RF_PAGE_SIZE];
        if (p)
            make_page(cs->synth, p, nr, page);
        else
            page_fill(page, 0);
        size = content_measure(cs, codec, page);
        atomic_store_explicit(memo, (uint16_t)size, memory_order_relaxed);
    }
    return size;
}

uint32_t synth_size(struct content_set *cs, uint32_t id, enum codec_id codec) {
    struct synth *s = cs->synth;
    if (id != CONTENT_ZERO) {
        struct pick k = pick(s, id);
        if (k.part->kind == SYNTH_DRAW || k.part->kind == SYNTH_RANGE) {
            uint32_t length = drawn_length(&k);
            if (length != 0)
                return s->map[codec][length];
        } else {
            uint32_t nr = k.part->kind == SYNTH_FILL ? 0 : scale(k.draw, SYNTH_PAGES);
            return known_size(cs, &k.part->known[codec][nr], k.part, nr, codec);
        }
    }
    return known_size(cs, &s->zero[codec], NULL, 0, codec);
}

bool synth_same_filled(const struct synth *s, uint32_t id, uint64_t *word) {
    struct pick k = pick(s, id);
    if (k.part->kind == SYNTH_FILL) {
        *word = k.part->word;
        return true;
    }
    if (k.part->kind == SYNTH_DRAW && drawn_length(&k) == 0) {
        *word = 0;
        return true;
    }
    return false;
}

bool synth_bytes(const struct synth *s, uint32_t id, uint8_t *page) {
    struct pick k = pick(s, id);
    if (k.part->kind == SYNTH_RANGE || (k.part->kind == SYNTH_DRAW && drawn_length(&k) != 0))
        return false;
    if (page && k.part->kind == SYNTH_DRAW)
        page_fill(page, 0);
    else if (page)
        make_page(s, k.part, scale(k.draw, SYNTH_PAGES), page);
    return true;
}

void synth_free(struct synth *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->nr; i++)
        free(s->part[i].draw);
    free(s->part);
    free(s);
}
