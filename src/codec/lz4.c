/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lz4: a coder of our own; liblz4 decodes. Linux has LZ4 1.7.3's coder (lib/lz4, "Update LZ4
 * compressor module", S. Schmidt, February 2017; the same up to 6.12), and liblz4 since 1.9 tries
 * one position more at the end of a page, so its lengths differ on some pages by a few bytes.
 *
 * The greedy parse of the LZ4 project (Y. Collet): a table of the last position of each hash of
 * four bytes, 2^13 slots of 16 bits for inputs below 64 KiB, without a second candidate; the step
 * grows by one every 64 positions without a match (acceleration 1 in crypto/lz4.c and in zram's
 * backend_lz4.c); a match is extended backwards, and where it ends a next one is tried at once.
 */
#include <lz4.h>
#include "lz4_internal.h"

#define HASH_BITS 13
#define SKIP_TRIGGER 6

static uint32_t slot_at(const uint8_t *p) {
    return (rf_load_le32(p) * LZ4_HASH_FACTOR) >> (32 - HASH_BITS);
}

/* Goes through the page from *pos on until a position repeats what the table remembers. False if
 * the position *after* the one to be tried would be too near the end, which is the older rule. */
static bool find_match(uint16_t *table, const uint8_t *src, uint32_t *pos, uint32_t *match) {
    uint32_t next = *pos, next_slot = slot_at(src + next);
    uint32_t step = 1, tries = 1u << SKIP_TRIGGER;
    do {
        uint32_t slot = next_slot;
        *pos = next;
        next += step;
        step = tries++ >> SKIP_TRIGGER;
        if (next > LZ4_LAST_START)
            return false;
        next_slot = slot_at(src + next);
        *match = table[slot];
        table[slot] = (uint16_t)*pos;
    } while (rf_load_le32(src + *match) != rf_load_le32(src + *pos));
    return true;
}

static int lz4_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    uint16_t *table = work; /* all zero: every slot remembers position 0 */
    uint8_t *at = dst;
    uint32_t done = 0; /* first byte not yet written */
    uint32_t pos = 1, match;

    memset(table, 0, sizeof(*table) << HASH_BITS);
    while (pos <= LZ4_LAST_START && find_match(table, src, &pos, &match)) {
        for (; pos > done && match > 0 && src[pos - 1] == src[match - 1]; pos--)
            match--;
        for (;;) {
            uint32_t length = LZ4_MIN_MATCH + lz4_common(src, pos + LZ4_MIN_MATCH, //
                                                         match + LZ4_MIN_MATCH);
            at = lz4_put_sequence(at, src, done, pos, pos - match, length);
            pos += length;
            done = pos;
            if (pos > LZ4_LAST_START)
                break;
            table[slot_at(src + pos - 2)] = (uint16_t)(pos - 2);
            uint32_t slot = slot_at(src + pos);
            match = table[slot];
            table[slot] = (uint16_t)pos;
            if (rf_load_le32(src + match) != rf_load_le32(src + pos))
                break;
        }
        pos++;
    }
    return (int)(lz4_put_last(at, src, done) - dst);
}

int lz4_page_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    (void)work;
    if (len > CODEC_MAX_OUT)
        return RF_ECHECK;
    int n = LZ4_decompress_safe((const char *)src, (char *)dst, (int)len, (int)RF_PAGE_SIZE);
    return n == (int)RF_PAGE_SIZE ? RF_OK : RF_ECHECK;
}

const struct codec_ops codec_lz4 = {
    .name = "lz4",
    .id = CODEC_LZ4,
    .work_bytes = sizeof(uint16_t) << HASH_BITS,
    .compress = lz4_page_compress,
    .decompress = lz4_page_decompress,
};
