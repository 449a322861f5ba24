/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two lz4 coders share: the limits of the block format (lz4_Block_format.md of the LZ4
 * project), the length of a match and the writing of a sequence.
 *
 * A block is a row of sequences: a token with two lengths of four bits, extension bytes of the
 * first, literals, the distance (LE16), extension bytes of the second. The last sequence is
 * literals only; the last five bytes are always literals, and no match starts in the last twelve.
 */
#ifndef REFAULT_CODEC_LZ4_INTERNAL_H
#define REFAULT_CODEC_LZ4_INTERNAL_H

#include "codec_internal.h"

#define LZ4_MIN_MATCH 4u
#define LZ4_LAST_START (RF_PAGE_SIZE - 12u) /* a match may start here, not behind */
#define LZ4_MATCH_END (RF_PAGE_SIZE - 5u)   /* matches end here or before */
#define LZ4_NIBBLE 15u                      /* a length in the token from which bytes follow */
#define LZ4_HASH_FACTOR 2654435761u         /* the prime next to 2^32 divided by the golden ratio */

/* How many bytes at a and b are equal, a being the later; a stays below LZ4_MATCH_END. */
static inline uint32_t lz4_common(const uint8_t *src, uint32_t a, uint32_t b) {
    uint32_t start = a;
    for (; a + 8 <= LZ4_MATCH_END; a += 8, b += 8) {
        uint64_t diff = rf_load_le64(src + a) ^ rf_load_le64(src + b);
        if (diff != 0)
            return a - start + (uint32_t)__builtin_ctzll(diff) / 8;
    }
    for (; a < LZ4_MATCH_END && src[a] == src[b]; a++)
        b++;
    return a - start;
}

/* What of a length the token did not hold: 255 as a byte each, and the rest. */
static inline uint8_t *lz4_put_extension(uint8_t *at, uint32_t n) {
    for (; n >= 255; n -= 255)
        *at++ = 255;
    *at++ = (uint8_t)n;
    return at;
}

static inline uint8_t *lz4_put_literal_length(uint8_t *at, uint32_t n) {
    *at++ = (uint8_t)(RF_MIN(n, LZ4_NIBBLE) << 4);
    return n < LZ4_NIBBLE ? at : lz4_put_extension(at, n - LZ4_NIBBLE);
}

/* Writes the literals from `from` to `start` and the match there; returns the end of the output.
 * Literals are copied eight bytes at a time: both the page and the output go on behind them. */
static inline uint8_t *lz4_put_sequence(uint8_t *at, const uint8_t *src, uint32_t from,
                                        uint32_t start, uint32_t distance, uint32_t length) {
    uint8_t *token = at;
    at = lz4_put_literal_length(at, start - from);
    for (uint32_t i = from; i < start; i += 8)
        memcpy(at + (i - from), src + i, 8);
    at += start - from;
    *at++ = (uint8_t)distance;
    *at++ = (uint8_t)(distance >> 8);
    length -= LZ4_MIN_MATCH;
    *token = (uint8_t)(*token | RF_MIN(length, LZ4_NIBBLE));
    return length < LZ4_NIBBLE ? at : lz4_put_extension(at, length - LZ4_NIBBLE);
}

/* Writes the last sequence: all that is left of the page. */
static inline uint8_t *lz4_put_last(uint8_t *at, const uint8_t *src, uint32_t from) {
    at = lz4_put_literal_length(at, RF_PAGE_SIZE - from);
    memcpy(at, src + from, RF_PAGE_SIZE - from);
    return at + (RF_PAGE_SIZE - from);
}

/* Decompresses with liblz4. */
int lz4_page_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst);

#endif
