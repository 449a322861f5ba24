/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd as Linux had it up to 6.1: libzstd 1.4.10 ("lib: zstd: Upgrade to latest upstream zstd
 * version 1.4.10", N. Terrell, November 2021; 1.5.2 came with 6.2). The libraries differ in how the
 * double-hash parse ("dfast") walks: since 1.5.1 it looks at two positions at a time. So the older
 * parse is here, and the library codes the sequences that it finds.
 *
 * The parse: two tables of the last position of each hash, one of eight bytes (2^13 slots), one of
 * five (2^12), the sizes that level 3 comes to for 4096 bytes. At each position, in this order: the
 * last distance again one byte further on; a repeat of eight bytes; a repeat of four, for which a
 * repeat of eight one byte further on is preferred. The step grows by one every 256 bytes
 * without a match. Behind a match the distance before the last is tried until it fails.
 */
#include "zstd_internal.h"

#if ZSTD_VERSION_NUMBER >= 10504

#define FAR_BITS 13 /* hash of eight bytes */
#define NEAR_BITS 12
#define FAR_FACTOR 0xcf1bbcdcb7a56463u
#define NEAR_FACTOR 889523592379u
#define STEP_SHIFT 8
#define LAST_START (RF_PAGE_SIZE - 8u)
#define MIN_MATCH 4u
#define MAX_SEQUENCES (RF_PAGE_SIZE / MIN_MATCH + 1)

/* The format codes a distance as its value plus three; one to three repeat an earlier distance. The
 * library lets its caller give distances only, and adds the three in 32 bits without a look at the
 * sum. So this "distance" comes out as the first repeat code. zstd_1_4_compress() makes sure. */
#define REPEAT_LAST ((uint32_t)1 - 3)

/* Position 0 is never matched; in the tables it is none. */
struct work_1_4 {
    uint64_t context[ZSTD_WORK_BYTES / 8];
    ZSTD_Sequence seq[MAX_SEQUENCES];
    uint16_t far[1u << FAR_BITS], near[1u << NEAR_BITS];
    uint8_t back[RF_PAGE_SIZE];
};

struct parse {
    struct work_1_4 *w;
    const uint8_t *src;
    uint32_t done; /* first byte not in a sequence yet */
    size_t nr;
};

struct match {
    uint32_t at, from, length;
};

static uint16_t *far_slot(const struct parse *p, uint32_t pos) {
    return &p->w->far[(rf_load_le64(p->src + pos) * FAR_FACTOR) >> (64 - FAR_BITS)];
}

static uint16_t *near_slot(const struct parse *p, uint32_t pos) {
    return &p->w->near[((rf_load_le64(p->src + pos) << 24) * NEAR_FACTOR) >> (64 - NEAR_BITS)];
}

static bool same4(const uint8_t *src, uint32_t a, uint32_t b) {
    return rf_load_le32(src + a) == rf_load_le32(src + b);
}

static bool same8(const uint8_t *src, uint32_t a, uint32_t b) {
    return rf_load_le64(src + a) == rf_load_le64(src + b);
}

/* How many bytes from a (the later) and b on are equal. */
static uint32_t common(const uint8_t *src, uint32_t a, uint32_t b) {
    uint32_t n = 0;
    for (; a + n + 8 <= RF_PAGE_SIZE; n += 8) {
        uint64_t diff = rf_load_le64(src + a + n) ^ rf_load_le64(src + b + n);
        if (diff != 0)
            return n + (uint32_t)__builtin_ctzll(diff) / 8;
    }
    while (a + n < RF_PAGE_SIZE && src[a + n] == src[b + n])
        n++;
    return n;
}

/* The whole match that goes through `at` and `from`. */
static struct match grow(const struct parse *p, uint32_t at, uint32_t from) {
    uint32_t end = at + common(p->src, at, from);
    while (at > p->done && from > 0 && p->src[at - 1] == p->src[from - 1]) {
        at--;
        from--;
    }
    return (struct match){at, from, end - at};
}

/* The match that the tables know at pos or one byte further on. */
static bool find(const struct parse *p, uint32_t pos, uint32_t far, uint32_t near,
                 struct match *found) {
    if (far != 0 && same8(p->src, far, pos)) {
        *found = grow(p, pos, far);
        return true;
    }
    if (near == 0 || !same4(p->src, near, pos))
        return false;
    uint16_t *slot = far_slot(p, pos + 1);
    uint32_t next = *slot;
    *slot = (uint16_t)(pos + 1);
    *found = next != 0 && same8(p->src, next, pos + 1) ? grow(p, pos + 1, next) //
                                                       : grow(p, pos, near);
    return true;
}

static void put(struct parse *p, uint32_t at, uint32_t distance, uint32_t length) {
    p->w->seq[p->nr++] = (ZSTD_Sequence){
        .offset = distance, .litLength = at - p->done, .matchLength = length, .rep = 0};
    p->done = at + length;
}

static void parse_page(struct parse *p) {
    uint32_t pos = 1, last = 1, before = 0; /* the format's second distance, 4, reaches too far */

    memset(p->w->far, 0, sizeof(p->w->far));
    memset(p->w->near, 0, sizeof(p->w->near));
    while (pos < LAST_START) {
        uint16_t *far = far_slot(p, pos), *near = near_slot(p, pos);
        uint32_t old_far = *far, old_near = *near;
        struct match m;

        *far = *near = (uint16_t)pos;
        if (same4(p->src, pos + 1, pos + 1 - last)) {
            put(p, pos + 1, REPEAT_LAST, common(p->src, pos + 1, pos + 1 - last));
        } else if (find(p, pos, old_far, old_near, &m)) {
            before = last;
            last = m.at - m.from;
            put(p, m.at, last, m.length);
        } else {
            pos += 1 + ((pos - p->done) >> STEP_SHIFT);
            continue;
        }
        if (p->done <= LAST_START) {
            *far_slot(p, pos + 2) = *near_slot(p, pos + 2) = (uint16_t)(pos + 2);
            *far_slot(p, p->done - 2) = (uint16_t)(p->done - 2);
            *near_slot(p, p->done - 1) = (uint16_t)(p->done - 1);
        }
        while (p->done <= LAST_START && before != 0 && same4(p->src, p->done, p->done - before)) {
            uint32_t distance = before;
            before = last;
            last = distance;
            *far_slot(p, p->done) = *near_slot(p, p->done) = (uint16_t)p->done;
            /* Without literals the first repeat code means the distance before the last. */
            put(p, p->done, REPEAT_LAST, common(p->src, p->done, p->done - distance));
        }
        pos = p->done;
    }
    /* A distance of 0 ends the block: the rest is literals. */
    p->w->seq[p->nr++] = (ZSTD_Sequence){.litLength = RF_PAGE_SIZE - p->done};
}

static int code_sequences(struct work_1_4 *w, size_t nr, const uint8_t *src, uint8_t *dst) {
    ZSTD_CCtx *ctx = zstd_crypto_context(w->context);
    if (!ctx ||
        ZSTD_isError(
            ZSTD_CCtx_setParameter(ctx, ZSTD_c_blockDelimiters, ZSTD_sf_explicitBlockDelimiters)) ||
        ZSTD_isError(
            ZSTD_CCtx_setParameter(ctx, ZSTD_c_searchForExternalRepcodes, ZSTD_ps_disable)))
        return RF_ECHECK;
    size_t n = ZSTD_compressSequences(ctx, dst, CODEC_MAX_OUT, w->seq, nr, src, RF_PAGE_SIZE);
    return ZSTD_isError(n) ? RF_ECHECK : (int)n;
}

static int zstd_1_4_compress(void *work, const uint8_t *src, uint8_t *dst) {
    struct work_1_4 *w = work;
    struct parse p = {.w = w, .src = src};

    parse_page(&p);
    int n = code_sequences(w, p.nr, src, dst);
    if (n > 0 && zstd_page_decompress(w->context, dst, (size_t)n, w->back) == RF_OK &&
        memcmp(w->back, src, RF_PAGE_SIZE) == 0)
        return n;
    /* A library that takes the sequences otherwise; its own parse is near enough. */
    return zstd_crypto_compress(w->context, src, dst);
}

#define WORK_BYTES sizeof(struct work_1_4)

#else /* a library that takes no sequences as they are */

#define WORK_BYTES ZSTD_WORK_BYTES
#define zstd_1_4_compress zstd_crypto_compress

#endif

const struct codec_ops codec_zstd_1_4 = {
    .name = "zstd-1.4",
    .id = CODEC_ZSTD_1_4,
    .work_bytes = WORK_BYTES,
    .compress = zstd_1_4_compress,
    .decompress = zstd_page_decompress,
};
