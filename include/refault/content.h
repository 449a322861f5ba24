/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content: what is in a page. A content set maps 28-bit content ids to pages (or only to their
 * compressed sizes). It is immutable but for its memo, may be shared by any number of machines and
 * threads. Every (content, codec) pair is compressed once a process, or once more by each thread
 * that asks before the first one has its answer.
 *
 * Content id 0 is always the page of zeros. A page that was never written has content 0.
 */
#ifndef REFAULT_CONTENT_H
#define REFAULT_CONTENT_H

#include <stdatomic.h>
#include "refault/codec.h"

#define CONTENT_ZERO 0u
#define CONTENT_MAX ((1u << 28) - 1)

struct content_set;

/*
 * The head of every struct content_set, public only so that content_size() can be inlined. A table
 * is NULL until its codec is first asked for; an entry is 0 until it is known, else a length with
 * flags above CONTENT_SIZE_MASK.
 */
struct content_memo {
    _Atomic(_Atomic uint16_t *) table[NR_CODECS];
    size_t nr; /* entries of each table: the largest id + 1, or 0 for synthetic sets */
};
#define CONTENT_SIZE_MASK 0x1fffu

/* One row of a recorded catalogue. */
struct content_row {
    uint64_t word;            /* fill word if same_filled */
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
int content_from_bank_file(const char *path, struct content_set **out,
                           struct rf_err *err) RF_MUST_CHECK;
/* The same from memory (copied). */
int content_from_bank(const uint8_t *pages, size_t nr, struct content_set **out,
                      struct rf_err *err) RF_MUST_CHECK;
/* A catalogue: row k has content id k + 1; rows are copied. Lengths are 0 (not recorded) to 8191,
 * and a row that is not same-filled has at least one. RF_EINPUT names the row otherwise. */
int content_from_rows(const struct content_row *rows, size_t nr, struct content_set **out,
                      struct rf_err *err) RF_MUST_CHECK;
/*
 * The same in pieces, for catalogues that are too large to lie in memory as rows: nr is how many
 * all pieces have together. content_rows_end() frees the builder in every case; with out == NULL
 * what was added is dropped. Adding more rows than announced, or ending with fewer: RF_EINPUT.
 */
struct content_rows;
int content_rows_begin(size_t nr, struct content_rows **out, struct rf_err *err) RF_MUST_CHECK;
int content_rows_add(struct content_rows *b, const struct content_row *rows, size_t n,
                     struct rf_err *err) RF_MUST_CHECK;
int content_rows_end(struct content_rows *b, struct content_set **out,
                     struct rf_err *err) RF_MUST_CHECK;
/*
 * A synthetic model by name and parameters, e.g. "hist:mean=1650", "usemem", "random-part:k=4",
 * "sizes:FILE", "mix:0.12*zero,0.55*uniform(700,1400),...": the grammar is documented in
 * docs/contents.md. The size of an id is a pure function of (spec, seed, id).
 */
int content_synthetic(const char *spec, uint64_t seed, struct content_set **out,
                      struct rf_err *err) RF_MUST_CHECK;
/* Takes a path that was found; a code other than 0 ends the search. */
typedef int (*rf_path_fn)(void *ctx, const char *path, struct rf_err *err);
/* Gives the files that a model's text names to fn(), until that returns something other than 0,
 * which is then the result. No file is read, and what is no model has none. RF_ENOMEM. */
int content_spec_files(const char *spec, rf_path_fn fn, void *ctx,
                       struct rf_err *err) RF_MUST_CHECK;
/* Overrides a codec's length of ids 1..nr, e.g. with a kernel's own recorded sizes; a 0 keeps the
 * set's own length. Lengths that a kernel shows as 4096 may only mean "stored raw": give 0 there if
 * the codec's length matters. Call it before the first lookup of that codec. RF_EINPUT if nr is
 * above content_count() or a length above 8191; RF_EUSAGE for synthetic sets. */
int content_override(struct content_set *cs, enum codec_id codec, const uint16_t *sizes, size_t nr,
                     struct rf_err *err) RF_MUST_CHECK;
/* Keeps lengths in a file beside the trace: loads what is there (a missing, stale or damaged cache
 * is ignored), content_cache_save() replaces the file with all that is known now, written to the
 * file `part` of the same folder and renamed; if it is interrupted, part is the caller's to remove.
 * Only banks have lengths worth keeping; for other sets both do nothing. The file names the set's
 * digest and the versions of the compression libraries. */
int content_cache_load(struct content_set *cs, const char *path, struct rf_err *err) RF_MUST_CHECK;
int content_cache_save(const struct content_set *cs, const char *path, const char *part,
                       struct rf_err *err) RF_MUST_CHECK;
void content_free(struct content_set *cs);

size_t content_count(const struct content_set *cs); /* largest id, 0 for synthetic sets */
bool content_is_synthetic(const struct content_set *cs);
/* xxh64 of all that defines the set, overrides included, for naming results. */
uint64_t content_digest(const struct content_set *cs);

/* content_size() for what the memo does not hold. */
uint32_t content_size_slow(struct content_set *cs, uint32_t id, enum codec_id codec);
/* Compressed length of a page; > 4096 means that the codec expands it. Thread-safe. An id above
 * content_count() of a set with a count stands for a page of random bytes. */
static inline uint32_t content_size(struct content_set *cs, uint32_t id, enum codec_id codec) {
    struct content_memo *m = (struct content_memo *)(void *)cs;
    if (RF_LIKELY(id < m->nr)) {
        _Atomic uint16_t *t = atomic_load_explicit(&m->table[codec], memory_order_acquire);
        if (RF_LIKELY(t != NULL)) {
            uint32_t v = atomic_load_explicit(&t[id], memory_order_relaxed);
            if (RF_LIKELY(v != 0))
                return v & CONTENT_SIZE_MASK;
        }
    }
    return content_size_slow(cs, id, codec);
}
/* Whether all 512 words of the page are equal; *word (may be NULL) gets the word. */
bool content_same_filled(const struct content_set *cs, uint32_t id, uint64_t *word);
/* All bytes zero. */
static inline bool content_is_zero(const struct content_set *cs, uint32_t id) {
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
