/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The histogram behind "hist": lz4 lengths of real pages, stretched to a wanted mean.
 *
 * It is given as 65 quantiles of the same 3,990 pages as derive.c (lz4 1.9.4; same-filled pages
 * left out; mean 1763). Stretching multiplies every length by one factor and cuts at the lengths
 * of the best and worst page; the factor is found by bisection in integers.
 */
#include <stdlib.h>
#include "synth_internal.h"

#define NR_DRAW 4096u
#define SHORTEST 30u
#define LONGEST 4114u
#define ONE 65536u /* the factor 1 */

static const uint16_t quantile[65] = {
    30,   58,   167,  407,  557,  650,  686,  717,  771,  820,  858,  894,  927,
    954,  981,  1006, 1031, 1058, 1076, 1106, 1177, 1247, 1297, 1334, 1355, 1388,
    1447, 1501, 1516, 1617, 1679, 1694, 1806, 1860, 1873, 1884, 1904, 1955, 1993,
    2052, 2079, 2171, 2201, 2251, 2341, 2369, 2386, 2396, 2408, 2418, 2429, 2438,
    2445, 2453, 2467, 2481, 2497, 2643, 2885, 3045, 3095, 3423, 3982, 4094, 4114};

/* Length at (i + 1/2) / NR_DRAW of the unstretched distribution. */
static uint32_t base_length(uint32_t i) {
    const uint32_t steps = NR_DRAW / 64; /* draws between two quantiles */
    uint32_t k = i / steps, f = 2 * (i % steps) + 1;
    return (quantile[k] * (2 * steps - f) + quantile[k + 1] * f) / (2 * steps);
}

static uint32_t stretched(uint32_t i, uint64_t factor) {
    uint64_t v = (base_length(i) * factor + ONE / 2) / ONE;
    return (uint32_t)RF_MAX(SHORTEST, RF_MIN(v, LONGEST));
}

static uint64_t sum_at(uint64_t factor) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < NR_DRAW; i++)
        sum += stretched(i, factor);
    return sum;
}

uint16_t *synth_histogram(uint32_t mean, uint32_t *nr) {
    uint64_t want = (uint64_t)mean * NR_DRAW, lo = 0, hi = (uint64_t)ONE * 1024;
    uint16_t *draw = malloc(NR_DRAW * sizeof(*draw));
    if (!draw)
        return NULL;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (sum_at(mid) <= want)
            lo = mid;
        else
            hi = mid;
    }
    for (uint32_t i = 0; i < NR_DRAW; i++)
        draw[i] = (uint16_t)stretched(i, lo);
    *nr = NR_DRAW;
    return draw;
}
