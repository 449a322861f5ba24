/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content: what is in a page. A content set maps 28-bit content ids to pages (or only to their
 * compressed sizes). It is immutable but for its memo, may be shared by any number of machines and
 * threads, and every (content, codec) pair is compressed at most once a process.
 *
 * Content id 0 is always the page of zeros. A page that was never written has content 0.
 */
#ifndef REFAULT_CONTENT_H
#define REFAULT_CONTENT_H

#include "refault/codec.h"

#define CONTENT_ZERO 0u
#define CONTENT_MAX ((1u << 28) - 1)

struct content_set;

/* One row of a recorded catalogue. */
struct content_row {
    uint64_t word;           /* fill word if same_filled */
    uint16_t size[NR_CODECS]; /* 0 = not recorded */
    bool same_filled;
};

/* Where lengths come from, for the result's honesty. */
enum content_source {
    CONTENT_REAL,      /* the page's bytes were compressed by the codec itself */
    CONTENT_RECORDED,  /* the catalogue has this codec */
    CONTENT_DERIVED,   /* the catalogue lacks it; derived from a recorded one by a stated rule */
    CONTENT_SYNTHETIC, /* drawn from a model */
};

/* A bank: a file of nr 4 KiB pages (raw, or zstd-compressed); page k has content id k + 1. */
int content_from_bank_file(const char *path, struct content_set **out, struct rf_err *err)
    RF_MUST_CHECK;
/* The same from memory (copied). */
int content_from_bank(const uint8_t *pages, size_t nr, struct content_set **out,
                      struct rf_err *err) RF_MUST_CHECK;
/* A catalogue: row k has content id k + 1; rows are copied. */
int content_from_rows(const struct content_row *rows, size_t nr, struct content_set **out,
                      struct rf_err *err) RF_MUST_CHECK;
/*
 * A synthetic model by name and parameters, e.g. "hist:mean=1650", "usemem", "random-part:k=4",
 * "sizes:FILE", "mix:0.12*zero,0.55*uniform(700,1400),...": the grammar is documented in
 * docs/contents.md. The size of an id is a pure function of (spec, seed, id).
 */
int content_synthetic(const char *spec, uint64_t seed, struct content_set **out,
                      struct rf_err *err) RF_MUST_CHECK;
/* Overrides a codec's length of ids 1..nr, e.g. with a kernel's own recorded sizes. */
int content_override(struct content_set *cs, enum codec_id codec, const uint16_t *sizes, size_t nr,
                     struct rf_err *err) RF_MUST_CHECK;
/* Keeps lengths in a file beside the trace: loads what is there (a stale or damaged cache is
 * ignored), content_cache_save() writes what was computed since. */
int content_cache_load(struct content_set *cs, const char *path, struct rf_err *err) RF_MUST_CHECK;
int content_cache_save(const struct content_set *cs, const char *path, struct rf_err *err)
    RF_MUST_CHECK;
void content_free(struct content_set *cs);

size_t content_count(const struct content_set *cs); /* largest id, 0 for synthetic sets */
bool content_is_synthetic(const struct content_set *cs);
/* xxh64 of all that defines the set, for naming results. */
uint64_t content_digest(const struct content_set *cs);

/* Compressed length of a page; > 4096 means that the codec expands it. Thread-safe. */
uint32_t content_size(struct content_set *cs, uint32_t id, enum codec_id codec);
/* Whether all 512 words of the page are equal; *word (may be NULL) gets the word. */
bool content_same_filled(const struct content_set *cs, uint32_t id, uint64_t *word);
/* All bytes zero. */
static inline bool content_is_zero(const struct content_set *cs, uint32_t id)
{
    uint64_t w = 1;
    return id == CONTENT_ZERO || (content_same_filled(cs, id, &w) && w == 0);
}
/* The page's bytes; where only sizes are known, a pseudo-random page named by the id stands in
 * (same-filled ids get their real fill). */
void content_bytes(const struct content_set *cs, uint32_t id, uint8_t page[4096]);
enum content_source content_source(const struct content_set *cs, enum codec_id codec);
/*
 * --verify: the compressed payload of a page as it would be stored, exactly content_size() bytes
 * into dst (CODEC_MAX_OUT); real bytes where the set has bytes, else pseudo-random ones named by
 * (id, codec). Returns the length. content_verify() decompresses or compares it back: 0 if it is
 * this content's payload, else RF_ECHECK.
 */
uint32_t content_payload(struct content_set *cs, uint32_t id, enum codec_id codec, uint8_t *dst);
int content_verify(struct content_set *cs, uint32_t id, enum codec_id codec, const uint8_t *payload,
                   uint32_t len) RF_MUST_CHECK;

#endif
