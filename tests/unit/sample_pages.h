/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of many kinds for the tests of codecs and contents, the same on every machine. */
#ifndef TEST_SAMPLE_PAGES_H
#define TEST_SAMPLE_PAGES_H

#include "refault/base.h"

#define NR_SAMPLES 96u

/* One of a few shapes with lengths and distances drawn from the number: runs, short and long
 * matches near and far, pointers, text, sparse and dense noise. */
static inline void sample_page(uint32_t nr, uint8_t *page) {
    static const char words[] = "swap page fault zpool entry shadow cluster folio reclaim ";
    struct rf_rng r;
    rf_rng_seed(&r, nr);
    memset(page, 0, RF_PAGE_SIZE);
    switch (nr % 12) {
    case 0: /* one byte value, zero first */
        memset(page, (int)(nr / 12), RF_PAGE_SIZE);
        break;
    case 1: /* noise */
        for (size_t i = 0; i < RF_PAGE_SIZE; i++)
            page[i] = (uint8_t)rf_rng_next(&r);
        break;
    case 2: /* noise, then zeros */
        for (size_t i = 0; i < (nr / 12 % 8 + 1) * 500; i++)
            page[i] = (uint8_t)rf_rng_next(&r);
        break;
    case 3: /* zeros, then noise: ends matter */
        for (size_t i = RF_PAGE_SIZE - (nr / 12) * 7 - 1; i < RF_PAGE_SIZE; i++)
            page[i] = (uint8_t)rf_rng_next(&r);
        break;
    case 4: /* increasing 64-bit numbers */
        for (size_t i = 0; i < RF_PAGE_SIZE / 8; i++)
            rf_store_le64(page + 8 * i, nr * 512 + i);
        break;
    case 5: /* pointers into one area, some null */
        for (size_t i = 0; i < RF_PAGE_SIZE / 8; i++)
            rf_store_le64(page + 8 * i, rf_rng_below(&r, 3) == 0
                                            ? 0
                                            : 0x00007f1234000000u + rf_rng_below(&r, 4096) * 16);
        break;
    case 6: /* words of text */
        for (size_t i = 0; i < RF_PAGE_SIZE; i++)
            page[i] =
                (uint8_t)words[(i * (nr | 1) / 7 + rf_rng_below(&r, 3)) % (sizeof(words) - 1)];
        break;
    case 7: /* copies of earlier bytes, of every length and distance */
        for (size_t i = 0; i < RF_PAGE_SIZE;) {
            size_t n = 1 + rf_rng_below(&r, 60), d = 1 + rf_rng_below(&r, i + 1);
            bool copy = d <= i && rf_rng_below(&r, 4) != 0;
            for (; n > 0 && i < RF_PAGE_SIZE; n--, i++)
                page[i] = copy ? page[i - d] : (uint8_t)rf_rng_next(&r);
        }
        break;
    case 8: /* runs of zeros of every length between noise */
        for (size_t i = 0; i < RF_PAGE_SIZE; i += 1 + rf_rng_below(&r, 8 + nr))
            page[i] = (uint8_t)rf_rng_next(&r);
        break;
    case 9: /* a block repeated at a fixed distance */
        for (size_t i = 0; i < RF_PAGE_SIZE; i++)
            page[i] = (uint8_t)rf_mix64(i % (3 + nr * 17));
        break;
    case 10: /* few symbols */
        for (size_t i = 0; i < RF_PAGE_SIZE; i++)
            page[i] = (uint8_t)rf_rng_below(&r, 2 + nr / 12);
        break;
    default: /* 16-bit samples of a slow wave */
        for (size_t i = 0; i < RF_PAGE_SIZE; i += 2)
            page[i] = (uint8_t)(128 + (i * (nr + 1) / 64) % 50 + rf_rng_below(&r, 3));
        break;
    }
}

#endif
