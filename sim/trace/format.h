/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of the file format that docs/trace-format.md specifies, and the integer codings that
 * the writer, the reader and the catalogue share. Private to sim/trace.
 */
#ifndef REFAULT_TRACE_FORMAT_H
#define REFAULT_TRACE_FORMAT_H

#include "refault/trace.h"

#define RFT_VERSION 1u
#define RFT_HEADER_BYTES 64u
#define RFT_BLOCK_HEADER_BYTES 64u
#define RFT_BLOCK_MAGIC 0x42544652u  /* "RFTB" */
#define RFT_FOOTER_MAGIC 0x46544652u /* "RFTF" */
#define RFT_INDEX_ENTRY_BYTES 16u
#define RFT_FOOTER_FIXED_BYTES 128u
#define RFT_SPEC_MAX 255u
#define RFT_PROVENANCE_MAX 1023u
#define RFT_PATH_MAX 1023u

/* Limits of one block: what a reader must be ready to hold. */
#define RFT_RAW_MAX (1u << 20)
#define RFT_COMP_MAX (RFT_RAW_MAX + (RFT_RAW_MAX >> 8) + 64u) /* at least ZSTD_compressBound */
#define RFT_WORDS_MAX (1u << 20)
#define RFT_EVENTS_MAX (1u << 16)
#define RFT_ROWS_MAX (1u << 15)
#define RFT_PROCESSES_MAX (1u << 20)
#define RFT_VMAS_MAX (1u << 24)
#define RFT_BLOCKS_MAX (1u << (TRACE_ID_BITS - 9))

enum rft_block_kind { RFT_RECORDS = 1, RFT_CATALOGUE = 2 };

/* A record's nibble: bit 3 = store, bit 2 = special. Plain: bits 0-1 = bytes of the delta less 1.
 * Special: the other three bits name the kind. */
#define RFT_N_WRITE 0x8u
#define RFT_N_SPECIAL 0x4u
enum rft_special {
    RFT_S_RUN_READ = 0x4,
    RFT_S_CONTENT = 0x5,
    RFT_S_EVENT = 0x6,
    RFT_S_RUN_WRITE = 0xc,
    RFT_S_STORE = 0xd,
};

extern const uint8_t rft_magic[8];

struct rft_block_header {
    uint8_t kind;
    uint32_t comp_bytes, raw_bytes;
    uint32_t count;   /* records: operation words; catalogue: rows */
    uint32_t records; /* nibbles; catalogue: 0 */
    uint32_t data_bytes, args_bytes, event_bytes;
    uint32_t nevents; /* catalogue: the mask of codecs */
    uint64_t first;   /* accesses or rows before this block */
    uint64_t raw_hash, check;
};

static inline uint32_t rft_zigzag(uint32_t d) {
    return (d << 1) ^ (0u - (d >> 31));
}
static inline uint32_t rft_unzigzag(uint32_t z) {
    return (z >> 1) ^ (0u - (z & 1));
}

/* LEB128; returns the bytes written (at most 10). */
static inline size_t rft_put_varint(uint8_t *p, uint64_t v) {
    size_t n = 0;
    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    return n;
}
/* Reads a LEB128 number from [*p, end); false if it is cut off or longer than 64 bits. */
static inline bool rft_get_varint(const uint8_t **p, const uint8_t *end, uint64_t *out) {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (*p >= end)
            return false;
        uint8_t b = *(*p)++;
        if (shift == 63 && b > 1)
            return false;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* Replaces control characters within n bytes by '?'. */
void rft_printable(char *text, size_t n);
void rft_store_block_header(uint8_t out[RFT_BLOCK_HEADER_BYTES], const struct rft_block_header *h);
void rft_load_block_header(const uint8_t in[RFT_BLOCK_HEADER_BYTES], struct rft_block_header *h);
/* Checksum of a block at file offset `at`: its header up to the check field, then its payload. */
uint64_t rft_block_check(const uint8_t header[RFT_BLOCK_HEADER_BYTES], const uint8_t *payload,
                         size_t n, uint64_t at);

/* ---- decode.c ---- */
struct rft_limits {
    uint32_t blocks, processes, vmas;
    uint64_t max_content;
};
struct rft_decoded {
    uint64_t accesses, contents; /* found in the block */
};
/*
 * Decodes the raw bytes of a record block. raw must be readable 16 bytes beyond h->raw_bytes; ops
 * must have room for h->count + 2 words, events for h->nevents. `at` is the block's offset in the
 * file, for messages.
 */
int rft_decode(const struct rft_block_header *h, const uint8_t *raw, const struct rft_limits *lim,
               uint64_t at, uint32_t *ops, struct trace_event *events, struct rft_decoded *found,
               struct rf_err *err) RF_MUST_CHECK;
/* Encodes one event; returns the bytes written, at most RFT_EVENT_BYTES_MAX. */
#define RFT_EVENT_BYTES_MAX 96u
size_t rft_encode_event(const struct trace_event *ev, uint8_t *out);

/* ---- catalogue.c ---- */
/* Encodes nr rows with the codecs of `mask` into out (RFT_RAW_MAX); returns the bytes. */
size_t rft_encode_rows(const struct content_row *rows, size_t nr, uint32_t mask, uint8_t *out);
/* The reverse; -1 if n is not the length that (nr, mask) asks for. */
int rft_decode_rows(const uint8_t *raw, size_t n, size_t nr, uint32_t mask,
                    struct content_row *rows);

/* ---- reader.c: for catalogue.c and verify ---- */
/* Reads the next block of any kind into the reader's buffers. 1, 0 = end, < 0. The raw bytes are
 * at *raw; skips the payload (raw = NULL) of kinds not in `kinds`. */
int rft_next_raw(struct trace_reader *r, unsigned kinds, struct rft_block_header *h,
                 const uint8_t **raw, uint64_t *at, struct rf_err *err) RF_MUST_CHECK;

#endif
