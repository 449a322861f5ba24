/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of content/ share. */
#ifndef REFAULT_CONTENT_INTERNAL_H
#define REFAULT_CONTENT_INTERNAL_H

#include <pthread.h>
#include "refault/content.h"

/* Flags of a memo entry beside the length. */
#define ENTRY_RECORDED 0x8000u   /* from the catalogue: others may be derived from it */
#define ENTRY_OVERRIDDEN 0x4000u /* from content_override() */

#define CONTENT_SIZE_MAX CONTENT_SIZE_MASK

enum set_kind { SET_BANK, SET_ROWS, SET_SYNTHETIC };

/* Scratch for one codec call. */
struct work {
    struct work *next;
    uint8_t out[CODEC_MAX_OUT];
    uint8_t page[RF_PAGE_SIZE];
    _Alignas(max_align_t) uint8_t mem[];
};

/* Idle scratch, one made at the start and more when several threads compress at once. If the host
 * refuses more, a thread waits for another's. */
struct work_pool {
    pthread_mutex_t lock;
    pthread_cond_t back;
    struct work *idle;
    bool ready; /* lock and back are initialised */
};

int work_pool_init(struct work_pool *p, struct rf_err *err) RF_MUST_CHECK;
void work_pool_destroy(struct work_pool *p);
struct work *work_get(struct work_pool *p);
void work_put(struct work_pool *p, struct work *w);

/* The same-filled ids among 0..nr-1: a bit each, and the words of those that have one. */
struct fill {
    uint32_t id;
    uint64_t word;
};
struct fill_index {
    uint64_t *bits;
    struct fill *list; /* ascending ids */
    size_t nr, cap;
};

int fill_index_init(struct fill_index *f, size_t nr_ids) RF_MUST_CHECK;
void fill_index_free(struct fill_index *f);
/* Ids must come in ascending order. RF_ENOMEM. */
int fill_index_add(struct fill_index *f, uint32_t id, uint64_t word) RF_MUST_CHECK;
static inline bool fill_index_has(const struct fill_index *f, uint32_t id) {
    return ((f->bits[id / 64] >> (id % 64)) & 1) != 0;
}
uint64_t fill_index_word(const struct fill_index *f, uint32_t id);

struct synth;

struct content_set {
    struct content_memo memo; /* first: content_size() reads it inline */
    enum set_kind kind;
    uint64_t digest;     /* without overrides */
    uint64_t overrides;  /* digest of the overrides, 0 = none */
    struct rf_varr bank; /* SET_BANK: (memo.nr - 1) pages */
    struct fill_index fills;
    bool recorded[NR_CODECS];   /* SET_ROWS: some row has this codec */
    bool overridden[NR_CODECS]; /* any kind: content_override() gave lengths */
    struct synth *synth;        /* SET_SYNTHETIC */
    struct work_pool pool;
};

/* A new set with an empty memo for ids 0..nr-1 (nr 0: none). */
int content_alloc(enum set_kind kind, size_t nr, struct content_set **out,
                  struct rf_err *err) RF_MUST_CHECK;
/* The codec's table, made at the first call; NULL if the host has no memory or nr is 0. */
_Atomic uint16_t *content_table(struct content_set *cs, enum codec_id codec);
/* The codec's own length of a page, 1..CONTENT_SIZE_MAX. */
uint32_t content_measure(struct content_set *cs, enum codec_id codec, const uint8_t *page);

/* True if all 512 words of the page are equal; *word gets the first. */
bool page_same_filled(const uint8_t *page, uint64_t *word);
void page_fill(uint8_t *page, uint64_t word);
/* n pseudo-random bytes, a pure function of the seed. */
void fill_random(uint8_t *to, size_t n, uint64_t seed);

/* ---- derive.c: one codec's length from another's ---- */

/* Length by `to` of a page whose length by `from` is `size`. */
uint32_t derive_size(enum codec_id to, enum codec_id from, uint32_t size);
/* The codec from which to derive `to`, given which lengths are known (0 = not); NR_CODECS if
 * none is. */
enum codec_id derive_source(enum codec_id to, const uint16_t known[NR_CODECS]);

/* ---- synth.c ---- */

int synth_parse(const char *spec, uint64_t seed, struct synth **out, uint64_t *digest,
                struct rf_err *err) RF_MUST_CHECK;
void synth_free(struct synth *s);
uint32_t synth_size(struct content_set *cs, uint32_t id, enum codec_id codec);
bool synth_same_filled(const struct synth *s, uint32_t id, uint64_t *word);
/* False if only the length of this id is known; page may be NULL. */
bool synth_bytes(const struct synth *s, uint32_t id, uint8_t *page);

#endif
