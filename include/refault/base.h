/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base: what every other module stands on. Reserved arrays, a PRNG, latency histograms and
 * little-endian loads and stores. Nothing here knows about pages or kernels.
 */
#ifndef REFAULT_BASE_H
#define REFAULT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "refault/error.h"

#define RF_PAGE_SIZE 4096u
#define RF_PAGE_SHIFT 12u
#define RF_NONE UINT32_MAX /* "no such index" for every 32-bit id */

#define RF_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RF_MAX(a, b) ((a) > (b) ? (a) : (b))

#if defined(__GNUC__)
#define RF_LIKELY(x) __builtin_expect(!!(x), 1)
#define RF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RF_PREFETCH(p) __builtin_prefetch(p)
#else
#define RF_LIKELY(x) (x)
#define RF_UNLIKELY(x) (x)
#define RF_PREFETCH(p) ((void)(p))
#endif

typedef uint64_t rf_time; /* virtual nanoseconds since the start of the run */
#define RF_TIME_MAX UINT64_MAX

/*
 * An array in reserved address space: its base never moves, untouched parts cost no memory, and
 * everything reads as zero until written. Growing is writing further.
 */
struct rf_varr {
    void *base;
    size_t bytes; /* reserved */
};

/* Reserves count * elem bytes (rounded up to a page) of zeros, above 1 MiB without memory for
 * what is never written. RF_ENOMEM if the address space is refused, RF_ELIMIT on overflow. */
int rf_varr_init(struct rf_varr *v, size_t count, size_t elem, struct rf_err *err) RF_MUST_CHECK;
/* Says that nearly all of the array will be written: ranges of more than 2 MiB then ask for huge
 * pages. Not for sparse use, where each touched 4 KiB would cost 2 MiB. Changes no result. */
void rf_varr_hint_dense(struct rf_varr *v);
/* Gives the memory back; a zeroed struct is allowed. */
void rf_varr_free(struct rf_varr *v);

/* xoshiro256** seeded by splitmix64 (Blackman and Vigna, public domain). */
struct rf_rng {
    uint64_t s[4];
};
/* Any seed is as good as another. rf_rng_next(): 64 random bits. */
void rf_rng_seed(struct rf_rng *r, uint64_t seed);
uint64_t rf_rng_next(struct rf_rng *r);
/* Uniform in [0, n), n > 0, without modulo bias (Lemire's multiply-shift rejection). */
uint64_t rf_rng_below(struct rf_rng *r, uint64_t n);
/* Uniform in [0, 1) with 53 bits. */
double rf_rng_unit(struct rf_rng *r);

/* Bytes of the printable character of UTF-8 that the string begins with; 0: it is empty, or begins
 * with a control character, a mark of direction, or a byte that is no UTF-8. */
unsigned rf_utf8_length(const char *text);
/* Copies text of others so that it can be shown on one line of a terminal: printable UTF-8 stays,
 * any other byte becomes \xNN. What does not fit into size bytes (> 0) is left out. */
void rf_quote(char *dst, size_t size, const char *src);

/* A fixed integer mixer (splitmix64's finaliser): same value on every machine. */
static inline uint64_t rf_mix64(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Log-linear histogram of nanoseconds: 16 sub-buckets a power of two, so quantiles are exact to
 * 1/16. Counts, sum and max are exact. */
#define RF_HIST_BUCKETS 976
struct rf_hist {
    uint64_t n, sum, max;
    uint64_t bucket[RF_HIST_BUCKETS];
};
void rf_hist_add(struct rf_hist *h, uint64_t v);
void rf_hist_merge(struct rf_hist *into, const struct rf_hist *from);
/* The upper bound of the bucket that holds quantile q (0..1], never above max; 0 if empty. */
uint64_t rf_hist_quantile(const struct rf_hist *h, double q);

/* Little-endian integers at any address. */
static inline uint32_t rf_load_le32(const void *p) {
    const uint8_t *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t rf_load_le64(const void *p) {
    return (uint64_t)rf_load_le32(p) | (uint64_t)rf_load_le32((const uint8_t *)p + 4) << 32;
}
static inline void rf_store_le32(void *p, uint32_t v) {
    uint8_t *b = p;
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
    b[2] = (uint8_t)(v >> 16);
    b[3] = (uint8_t)(v >> 24);
}
static inline void rf_store_le64(void *p, uint64_t v) {
    rf_store_le32(p, (uint32_t)v);
    rf_store_le32((uint8_t *)p + 4, (uint32_t)(v >> 32));
}

#endif
