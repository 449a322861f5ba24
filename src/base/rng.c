/* SPDX-License-Identifier: Apache-2.0 */
#include "refault/base.h"

static uint64_t rotl(uint64_t x, unsigned k) {
    return x << k | x >> (64 - k);
}

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014), the seeder that xoshiro's authors advise: it
 * never leaves the all-zero state. */
void rf_rng_seed(struct rf_rng *r, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        r->s[i] = rf_mix64(seed);
    }
}

/* xoshiro256** 1.0 (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018).
 */
uint64_t rf_rng_next(struct rf_rng *r) {
    uint64_t *s = r->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

/* High and low half of a 64 x 64 bit product, in C11 without a 128-bit type. */
static uint64_t mul_wide(uint64_t a, uint64_t b, uint64_t *lo) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t p0 = al * bl, p1 = al * bh, p2 = ah * bl, p3 = ah * bh;
    uint64_t mid = (p0 >> 32) + (uint32_t)p1 + (uint32_t)p2;

    *lo = mid << 32 | (uint32_t)p0;
    return p3 + (p1 >> 32) + (p2 >> 32) + (mid >> 32);
}

/* Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 29(1), 2019, algorithm 5. */
uint64_t rf_rng_below(struct rf_rng *r, uint64_t n) {
    uint64_t lo, hi = mul_wide(rf_rng_next(r), n, &lo);

    if (RF_UNLIKELY(lo < n)) {
        uint64_t floor = (0 - n) % n;

        while (lo < floor)
            hi = mul_wide(rf_rng_next(r), n, &lo);
    }
    return hi;
}

double rf_rng_unit(struct rf_rng *r) {
    return (double)(rf_rng_next(r) >> 11) * 0x1.0p-53;
}
