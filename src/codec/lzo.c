/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lzo and lzo-rle: an LZO1X encoder for one page, written from the description of the stream in
 * Documentation/staging/lzo.rst. To give the lengths that the kernel gives it makes the same
 * choices: a table of 8192 positions hashed by four bytes and never checked twice, steps that grow
 * by one every 32 bytes without a match, the first try at byte 5, none in the last 20 bytes.
 *
 * Instructions used, with S = literals (0 to 3) that follow the instruction, D = distance - 1:
 *   00000000..00001111          4 or more literals (as length - 3)
 *   001LLLLL  D:14 S:2 (LE16)   length 2 + L, L = 0 means 33 + extension bytes
 *   LLLDDDSS  D >> 3            length 1 + LLL (3 to 8), distance to 2 KiB
 *   00011LLL  0xfffc | S, X     (lzo-rle) (X << 3 | L) + 4 zero bytes
 *   00010001  0 0               end
 */
#include "codec_internal.h"

#define HASH_BITS 13
#define HASH_MULTIPLIER 0x1824429du
#define TAIL 20u /* bytes at the end that only matches begun earlier may cover */
#define SKIP_SHIFT 5
#define FIRST_TRY 5u
#define MIN_MATCH 4u
#define NEAR_DISTANCE 0x800u
#define NEAR_LENGTH 8u
#define FAR_LENGTH 33u /* longest in one instruction without extension bytes */
#define RUN_MIN 4u
#define RUN_MAX (2047u + RUN_MIN)

struct lzo_out {
    uint8_t *start, *at;
    uint8_t *state; /* where the last instruction keeps its S bits */
};

/* A length beyond what the instruction holds: 255 as a zero byte each, and the rest. */
static void put_extension(struct lzo_out *o, uint32_t n) {
    for (; n > 255; n -= 255)
        *o->at++ = 0;
    *o->at++ = (uint8_t)n;
}

static void put_literals(struct lzo_out *o, const uint8_t *from, uint32_t n, bool last) {
    if (n == 0)
        return;
    if (last && o->at == o->start && n <= 238) {
        *o->at++ = (uint8_t)(17 + n);
    } else if (n <= 3) {
        *o->state = (uint8_t)(*o->state | n);
    } else if (n <= 18) {
        *o->at++ = (uint8_t)(n - 3);
    } else {
        *o->at++ = 0;
        put_extension(o, n - 18);
    }
    memcpy(o->at, from, n);
    o->at += n;
}

static void put_match(struct lzo_out *o, uint32_t distance, uint32_t length) {
    uint32_t d = distance - 1;
    if (length <= NEAR_LENGTH && distance <= NEAR_DISTANCE) {
        *o->at++ = (uint8_t)((length - 1) << 5 | (d & 7) << 2);
        *o->at++ = (uint8_t)(d >> 3);
    } else {
        if (length <= FAR_LENGTH) {
            *o->at++ = (uint8_t)(32 | (length - 2));
        } else {
            *o->at++ = 32;
            put_extension(o, length - FAR_LENGTH);
        }
        *o->at++ = (uint8_t)(d << 2);
        *o->at++ = (uint8_t)(d >> 6);
    }
    o->state = o->at - 2;
}

static void put_zero_run(struct lzo_out *o, uint32_t n) {
    uint32_t v = n - RUN_MIN;
    o->at[0] = (uint8_t)(0x18 | (v & 7));
    o->at[1] = 0xfc;
    o->at[2] = 0xff;
    o->at[3] = (uint8_t)(v >> 3);
    o->state = o->at + 1;
    o->at += 4;
}

/* Compares in steps of eight and looks at the end only between steps, so a match may run up to
 * seven bytes into the tail; the kernel's lengths depend on it. */
static uint32_t match_length(const uint8_t *src, uint32_t pos, uint32_t old, uint32_t end) {
    uint32_t n = MIN_MATCH;
    for (;;) {
        uint64_t diff = rf_load_le64(src + pos + n) ^ rf_load_le64(src + old + n);
        if (diff != 0) {
            for (; (diff & 0xff) == 0; diff >>= 8)
                n++;
            return n;
        }
        n += 8;
        if (pos + n >= end)
            return n;
    }
}

static uint32_t zero_run(const uint8_t *src, uint32_t pos, uint32_t end) {
    uint32_t limit = RF_MIN(end, pos + RUN_MAX);
    uint32_t at = pos + RUN_MIN;
    while (at < limit && src[at] == 0)
        at++;
    return at - pos;
}

static int encode(uint16_t *table, const uint8_t *src, uint8_t *dst, bool rle) {
    const uint32_t end = RF_PAGE_SIZE - TAIL;
    struct lzo_out o = {.start = dst, .at = dst};
    uint32_t done = 0; /* first byte not yet written */
    uint32_t pos = FIRST_TRY;

    if (rle) {
        *o.at++ = 17;
        *o.at++ = 1;
        o.start = o.at;
    }
    o.state = o.at; /* never used: the first match follows five literals */
    memset(table, 0, sizeof(*table) << HASH_BITS);
    while (pos < end) {
        uint32_t word = rf_load_le32(src + pos);
        uint32_t length;
        if (rle && word == 0) {
            length = zero_run(src, pos, end);
            put_literals(&o, src + done, pos - done, false);
            put_zero_run(&o, length);
        } else {
            uint32_t slot = (word * HASH_MULTIPLIER) >> (32 - HASH_BITS);
            uint32_t old = table[slot];
            table[slot] = (uint16_t)pos;
            if (word != rf_load_le32(src + old)) {
                pos += 1 + ((pos - done) >> SKIP_SHIFT);
                continue;
            }
            length = match_length(src, pos, old, end);
            put_literals(&o, src + done, pos - done, false);
            put_match(&o, pos - old, length);
        }
        pos += length;
        done = pos;
    }
    put_literals(&o, src + done, RF_PAGE_SIZE - done, true);
    *o.at++ = 17;
    *o.at++ = 0;
    *o.at++ = 0;
    return (int)(o.at - dst);
}

static int lzo_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return encode(work, src, dst, false);
}

static int lzo_rle_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return encode(work, src, dst, true);
}

/* ---- decoder: reads both versions ---- */

struct lzo_in {
    const uint8_t *at, *end;
    uint8_t *out, *at_out, *out_end;
    bool bad;
};

static uint32_t get_byte(struct lzo_in *in) {
    if (in->at == in->end) {
        in->bad = true;
        return 0;
    }
    return *in->at++;
}

/* The inverse of put_extension() on top of what the instruction means by itself. */
static uint32_t get_extension(struct lzo_in *in, uint32_t base) {
    uint32_t b;
    while ((b = get_byte(in)) == 0 && !in->bad) {
        base += 255;
        if (base > RF_PAGE_SIZE)
            in->bad = true;
    }
    return base + b;
}

static void copy_literals(struct lzo_in *in, uint32_t n) {
    if (in->bad || n > (size_t)(in->end - in->at) || n > (size_t)(in->out_end - in->at_out)) {
        in->bad = true;
        return;
    }
    memcpy(in->at_out, in->at, n);
    in->at += n;
    in->at_out += n;
}

static void copy_match(struct lzo_in *in, uint32_t distance, uint32_t n) {
    if (in->bad || distance > (size_t)(in->at_out - in->out) ||
        n > (size_t)(in->out_end - in->at_out)) {
        in->bad = true;
        return;
    }
    for (; n > 0; n--, in->at_out++)
        *in->at_out = *(in->at_out - distance);
}

static void fill_zeros(struct lzo_in *in, uint32_t n) {
    if (in->bad || n > (size_t)(in->out_end - in->at_out)) {
        in->bad = true;
        return;
    }
    memset(in->at_out, 0, n);
    in->at_out += n;
}

/* One instruction. `state` is the number of literals after the one before (4 = 4 or more).
 * Returns the next state, or -1 at the end of the stream. */
static int decode_one(struct lzo_in *in, int state, bool rle) {
    uint32_t op = get_byte(in);
    uint32_t lo, d;

    if (op < 16 && state == 0) {
        uint32_t n = op != 0 ? op : get_extension(in, 15);
        copy_literals(in, n + 3);
        return 4;
    }
    if (op < 16) {
        d = (get_byte(in) << 2) + (op >> 2);
        if (state == 4)
            copy_match(in, d + 2049, 3);
        else
            copy_match(in, d + 1, 2);
        lo = op;
    } else if (op < 64) {
        uint32_t mask = op < 32 ? 7 : 31;
        uint32_t n = op & mask;
        uint32_t run = n;
        bool is_run = false;
        if (op < 32 && rle && (op & 8) != 0 && in->end - in->at >= 3)
            is_run = (in->at[0] & 0xfc) == 0xfc && in->at[1] == 0xff;
        if (n == 0 && !is_run)
            n = get_extension(in, mask);
        lo = get_byte(in);
        d = (lo >> 2) + (get_byte(in) << 6);
        if (is_run) {
            fill_zeros(in, (get_byte(in) << 3 | run) + RUN_MIN);
        } else if (op >= 32) {
            copy_match(in, d + 1, n + 2);
        } else {
            d += (op & 8) << 11;
            if (d == 0)
                return -1;
            copy_match(in, d + 16384, n + 2);
        }
    } else {
        lo = op;
        d = (get_byte(in) << 3) + ((op >> 2) & 7);
        copy_match(in, d + 1, (op >> 5) + 1);
    }
    copy_literals(in, lo & 3);
    return (int)(lo & 3);
}

static int lzo_page_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    struct lzo_in in = {
        .at = src, .end = src + len, .out = dst, .at_out = dst, .out_end = dst + RF_PAGE_SIZE};
    bool rle = false;
    int state = 0;

    (void)work;
    if (len < 3)
        return RF_ECHECK;
    if (len >= 5 && src[0] == 17) {
        if (src[1] > 1)
            return RF_ECHECK;
        rle = src[1] == 1;
        in.at += 2;
    }
    if (*in.at > 17) {
        uint32_t n = *in.at++ - 17u;
        copy_literals(&in, n);
        state = n < 4 ? (int)n : 4;
    }
    while (!in.bad && state >= 0)
        state = decode_one(&in, state, rle);
    return !in.bad && in.at == in.end && in.at_out == in.out_end ? RF_OK : RF_ECHECK;
}

const struct codec_ops codec_lzo = {
    .name = "lzo",
    .id = CODEC_LZO,
    .work_bytes = sizeof(uint16_t) << HASH_BITS,
    .compress = lzo_compress,
    .decompress = lzo_page_decompress,
};

const struct codec_ops codec_lzo_rle = {
    .name = "lzo-rle",
    .id = CODEC_LZO_RLE,
    .work_bytes = sizeof(uint16_t) << HASH_BITS,
    .compress = lzo_rle_compress,
    .decompress = lzo_page_decompress,
};
