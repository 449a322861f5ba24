/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 842: the format of IBM's NX engine (POWER), as a table of templates. The input is taken eight
 * bytes at a time, and each eight are written as a five-bit opcode that says how they are cut into
 * data of 2, 4 or 8 bytes and indexes of values of 2, 4 or 8 bytes seen before. Bits go most
 * significant first. Three rings remember the last 256 values of 2 bytes, 512 of 4 and 256 of 8,
 * at addresses that are multiples of their size. A CRC-32 (polynomial 0x04c11db7, most significant
 * bit first, start 0) follows the end code and the whole is padded to a multiple of eight bytes.
 */
#include "codec_internal.h"

#define GROUP 8u
#define OP_BITS 5
#define OP_REPEAT 0x1bu /* 6 bits: n + 1 more copies of the last eight bytes */
#define OP_ZEROS 0x1cu
#define OP_END 0x1eu
#define REPEAT_BITS 6
#define REPEAT_MAX (1u << REPEAT_BITS)
#define CRC_POLY 0x04c11db7u

/* The parts of a template in order: D = data, I = index, then the bytes it stands for. */
enum part { END, D2, D4, D8, I2, I4, I8 };
#define PARTS 4

static const uint8_t templates[26][PARTS] = {
    {D8, END, END, END}, {D4, D2, I2, END},   {D4, I2, D2, END}, {D4, I2, I2, END},
    {D4, I4, END, END},  {D2, I2, D4, END},   {D2, I2, D2, I2},  {D2, I2, I2, D2},
    {D2, I2, I2, I2},    {D2, I2, I4, END},   {I2, D2, D4, END}, {I2, D4, I2, END},
    {I2, D2, I2, D2},    {I2, D2, I2, I2},    {I2, D2, I4, END}, {I2, I2, D4, END},
    {I2, I2, D2, I2},    {I2, I2, I2, D2},    {I2, I2, I2, I2},  {I2, I2, I4, END},
    {I4, D4, END, END},  {I4, D2, I2, END},   {I4, I2, D2, END}, {I4, I2, I2, END},
    {I4, I4, END, END},  {I8, END, END, END},
};

static const uint8_t part_bits[] = {
    [END] = 0, [D2] = 16, [D4] = 32, [D8] = 64, [I2] = 8, [I4] = 9, [I8] = 8};
static const uint8_t part_bytes[] = {
    [END] = 0, [D2] = 2, [D4] = 4, [D8] = 8, [I2] = 2, [I4] = 4, [I8] = 8};

static uint64_t load_be(const uint8_t *p, unsigned n) {
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

static uint32_t crc32_be(const uint8_t *p, size_t n) {
    uint32_t table[16];
    uint32_t crc = 0;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t c = i << 28;
        for (int k = 0; k < 4; k++)
            c = (c << 1) ^ ((c & 0x80000000u) != 0 ? CRC_POLY : 0);
        table[i] = c;
    }
    for (size_t i = 0; i < n; i++) {
        crc ^= (uint32_t)p[i] << 24;
        crc = (crc << 4) ^ table[crc >> 28];
        crc = (crc << 4) ^ table[crc >> 28];
    }
    return crc;
}

/* ---- the values seen, found by hash ---- */

#define BUCKET_BITS 9
#define BUCKETS (1u << BUCKET_BITS)

/* A ring of the last `size` values with chains through it; links are ring index + 1, 0 = none. */
struct ring {
    uint64_t value[512];
    uint16_t next[512], prev[512]; /* prev: index + 1, or 0x8000 | bucket at the head */
    uint16_t head[BUCKETS];
    uint32_t size, pushed;
};

struct work842 {
    struct ring r2, r4, r8;
};

static uint32_t bucket_of(uint64_t v) {
    return (uint32_t)((v * 0x9e3779b97f4a7c15u) >> (64 - BUCKET_BITS));
}

/* Ring index of the value, or -1. */
static int ring_find(const struct ring *r, uint64_t v) {
    for (uint32_t i = r->head[bucket_of(v)]; i != 0; i = r->next[i - 1]) {
        if (r->value[i - 1] == v)
            return (int)i - 1;
    }
    return -1;
}

static void ring_unlink(struct ring *r, uint32_t i) {
    uint32_t p = r->prev[i], n = r->next[i];
    if ((p & 0x8000u) != 0)
        r->head[p & 0x7fffu] = (uint16_t)n;
    else
        r->next[p - 1] = (uint16_t)n;
    if (n != 0)
        r->prev[n - 1] = (uint16_t)p;
}

static void ring_push(struct ring *r, uint64_t v) {
    uint32_t i = r->pushed % r->size, b = bucket_of(v);
    if (r->pushed >= r->size)
        ring_unlink(r, i);
    r->pushed++;
    r->value[i] = v;
    r->next[i] = r->head[b];
    r->prev[i] = (uint16_t)(0x8000u | b);
    if (r->head[b] != 0)
        r->prev[r->head[b] - 1] = (uint16_t)(i + 1);
    r->head[b] = (uint16_t)(i + 1);
}

static void ring_clear(struct ring *r, uint32_t size) {
    memset(r->head, 0, sizeof(r->head));
    r->size = size;
    r->pushed = 0;
}

/* ---- encoder ---- */

struct bits_out {
    uint8_t *at;
    uint64_t acc;
    unsigned n; /* bits in acc, below 8 between calls */
};

static void put_bits(struct bits_out *o, uint64_t v, unsigned n) {
    if (n > 32) {
        put_bits(o, v >> 32, n - 32);
        n = 32;
        v &= 0xffffffffu;
    }
    o->acc = o->acc << n | v;
    for (o->n += n; o->n >= 8; o->n -= 8)
        *o->at++ = (uint8_t)(o->acc >> (o->n - 8));
}

/* The index for each of the seven places where one may stand (8, 2 x 4, 4 x 2 bytes), or -1. */
struct places {
    int i8, i4[2], i2[4];
};

static int place_index(const struct places *p, enum part part, unsigned offset) {
    switch (part) {
    case I2:
        return p->i2[offset / 2];
    case I4:
        return p->i4[offset / 4];
    case I8:
        return p->i8;
    default:
        return 0; /* data always fits */
    }
}

/* Bits of the template's parts, or UINT32_MAX if one of its indexes was not found. */
static unsigned template_bits(const uint8_t *t, const struct places *p) {
    unsigned bits = 0, offset = 0;
    for (int k = 0; k < PARTS && t[k] != END; k++) {
        if (place_index(p, t[k], offset) < 0)
            return UINT32_MAX;
        bits += part_bits[t[k]];
        offset += part_bytes[t[k]];
    }
    return bits;
}

static void put_group(struct bits_out *o, const uint8_t *group, const struct places *p) {
    unsigned best = 0, best_bits = UINT32_MAX, offset = 0;
    for (unsigned t = 0; t < sizeof(templates) / sizeof(templates[0]); t++) {
        unsigned bits = template_bits(templates[t], p);
        if (bits < best_bits) {
            best = t;
            best_bits = bits;
        }
    }
    put_bits(o, best, OP_BITS);
    for (int k = 0; k < PARTS && templates[best][k] != END; k++) {
        enum part part = templates[best][k];
        uint64_t v = part >= I2 ? (uint64_t)place_index(p, part, offset)
                                : load_be(group + offset, part_bytes[part]);
        put_bits(o, v, part_bits[part]);
        offset += part_bytes[part];
    }
}

static void put_repeat(struct bits_out *o, uint32_t n) {
    put_bits(o, OP_REPEAT, OP_BITS);
    put_bits(o, n - 1, REPEAT_BITS);
}

static int sw842_compress(void *work, const uint8_t *src, uint8_t *dst) {
    struct work842 *w = work;
    struct bits_out o = {.at = dst};
    uint64_t last = ~load_be(src, GROUP);
    uint32_t repeats = 0;

    ring_clear(&w->r2, 256);
    ring_clear(&w->r4, 512);
    ring_clear(&w->r8, 256);
    for (const uint8_t *g = src; g < src + RF_PAGE_SIZE; g += GROUP) {
        uint64_t v = load_be(g, GROUP);
        if (repeats != 0 && (v != last || repeats == REPEAT_MAX)) {
            put_repeat(&o, repeats);
            repeats = 0;
        }
        if (v == last) {
            repeats++;
        } else if (v == 0) {
            put_bits(&o, OP_ZEROS, OP_BITS);
        } else {
            struct places p = {.i8 = ring_find(&w->r8, v)};
            for (unsigned i = 0; i < 2; i++)
                p.i4[i] = ring_find(&w->r4, load_be(g + 4 * (size_t)i, 4));
            for (unsigned i = 0; i < 4; i++)
                p.i2[i] = ring_find(&w->r2, load_be(g + 2 * (size_t)i, 2));
            put_group(&o, g, &p);
        }
        last = v;
        ring_push(&w->r8, v);
        for (unsigned i = 0; i < 2; i++)
            ring_push(&w->r4, load_be(g + 4 * (size_t)i, 4));
        for (unsigned i = 0; i < 4; i++)
            ring_push(&w->r2, load_be(g + 2 * (size_t)i, 2));
    }
    if (repeats != 0)
        put_repeat(&o, repeats);
    put_bits(&o, OP_END, OP_BITS);
    put_bits(&o, crc32_be(src, RF_PAGE_SIZE), 32);
    if (o.n != 0)
        put_bits(&o, 0, 8 - o.n);
    while ((o.at - dst) % (ptrdiff_t)GROUP != 0)
        *o.at++ = 0;
    return (int)(o.at - dst);
}

/* ---- decoder ---- */

struct bits_in {
    const uint8_t *src;
    size_t bit, bits;
    bool bad;
};

static uint64_t get_bits(struct bits_in *in, unsigned n) {
    uint64_t v = 0;
    if (n > in->bits - in->bit) {
        in->bad = true;
        return 0;
    }
    for (; n > 0; n--, in->bit++)
        v = v << 1 | (((uint32_t)in->src[in->bit >> 3] >> (7 - (in->bit & 7))) & 1u);
    return v;
}

/* Copies the value that an index names: slot `index` of a ring of `slots` values that was filled
 * from address 0 on and holds the newest. */
static bool copy_indexed(uint8_t *dst, size_t at, size_t index, unsigned bytes, unsigned slots) {
    size_t group = at & ~(size_t)(GROUP - 1); /* values of the group itself are not in the ring */
    size_t ring = (size_t)bytes * slots;
    size_t base = group - group % ring, from = index * bytes;
    if (from >= group % ring) {
        if (base == 0)
            return false;
        base -= ring;
    }
    memcpy(dst + at, dst + base + from, bytes);
    return true;
}

static void store_be(uint8_t *p, uint64_t v, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> (8 * (n - 1 - i)));
}

static bool get_group(struct bits_in *in, const uint8_t *t, uint8_t *dst, size_t at) {
    if (at > RF_PAGE_SIZE - GROUP)
        return false;
    for (int k = 0; k < PARTS && t[k] != END; k++) {
        unsigned bytes = part_bytes[t[k]];
        uint64_t v = get_bits(in, part_bits[t[k]]);
        if (in->bad)
            return false;
        if (t[k] < I2)
            store_be(dst + at, v, bytes);
        else if (!copy_indexed(dst, at, (size_t)v, bytes, 1u << part_bits[t[k]]))
            return false;
        at += bytes;
    }
    return true;
}

static bool get_repeat(struct bits_in *in, uint8_t *dst, size_t *at) {
    size_t n = (size_t)get_bits(in, REPEAT_BITS) + 1;
    if (in->bad || *at < GROUP || n * GROUP > RF_PAGE_SIZE - *at)
        return false;
    for (; n > 0; n--, *at += GROUP)
        memcpy(dst + *at, dst + *at - GROUP, GROUP);
    return true;
}

static int sw842_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    struct bits_in in = {.src = src, .bits = len * 8};
    size_t at = 0;

    (void)work;
    for (;;) {
        size_t op = (size_t)get_bits(&in, OP_BITS);
        if (in.bad)
            return RF_ECHECK;
        if (op < sizeof(templates) / sizeof(templates[0])) {
            if (!get_group(&in, templates[op], dst, at))
                return RF_ECHECK;
            at += GROUP;
        } else if (op == OP_REPEAT) {
            if (!get_repeat(&in, dst, &at))
                return RF_ECHECK;
        } else if (op == OP_ZEROS) {
            if (at > RF_PAGE_SIZE - GROUP)
                return RF_ECHECK;
            memset(dst + at, 0, GROUP);
            at += GROUP;
        } else if (op == OP_END) {
            break;
        } else {
            return RF_ECHECK; /* 0x1d, a rest of single bytes, never occurs in a whole page */
        }
    }
    uint32_t crc = (uint32_t)get_bits(&in, 32);
    if (in.bad || at != RF_PAGE_SIZE || crc != crc32_be(dst, RF_PAGE_SIZE))
        return RF_ECHECK;
    return RF_OK;
}

const struct codec_ops codec_842 = {
    .name = "842",
    .id = CODEC_842,
    .work_bytes = sizeof(struct work842),
    .compress = sw842_compress,
    .decompress = sw842_decompress,
};
