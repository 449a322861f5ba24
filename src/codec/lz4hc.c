/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lz4hc at level 9 (LZ4HC_DEFAULT_CLEVEL of include/linux/lz4.h): a coder of our own with the
 * parse that LZ4 HC (Y. Collet) had in 1.7.3, which the kernel's lib/lz4 has up to 6.12. Newer
 * libraries search and choose in other ways, so their lengths differ by a few bytes.
 *
 * Positions with the same hash form a chain; a search looks at up to 256 of them, nearest first,
 * and takes the longest match. Before a match is written, a match that begins within it and is
 * longer is looked for near its end, and one that begins within that. Where they overlap, the cut
 * is made so that the first one's length still fits its token, or the first is dropped if little is
 * left.
 */
#include "lz4_internal.h"

#define HASH_BITS 15
#define MAX_SEARCHES 256u                             /* 2^(level - 1) */
#define TOKEN_LENGTH (LZ4_NIBBLE - 1 + LZ4_MIN_MATCH) /* longest that needs no extension byte */
#define WORTH_KEEPING 3u /* a first match cut to fewer bytes is dropped */

/* Positions are kept plus one; 0 is none. */
struct chains {
    uint16_t newest[1u << HASH_BITS];
    uint16_t older[RF_PAGE_SIZE];
    uint32_t filled; /* positions below are in */
};

struct match {
    uint32_t at, from, length; /* `length` bytes at `at` repeat those at `from` */
};

struct parse {
    struct chains *chains;
    const uint8_t *src;
    uint8_t *out;
    uint32_t done; /* first byte not yet written */
};

static uint32_t slot_at(const uint8_t *p) {
    return (rf_load_le32(p) * LZ4_HASH_FACTOR) >> (32 - HASH_BITS);
}

static uint32_t end_of(const struct match *m) {
    return m->at + m->length;
}

/* Moves the start forward by n and keeps the end. */
static void trim(struct match *m, uint32_t n) {
    m->at += n;
    m->from += n;
    m->length -= n;
}

/* The longest match that covers pos, starts at `low` or behind and is longer than `longest`; its
 * length is `longest` if there is none. */
static struct match search(const struct parse *p, uint32_t pos, uint32_t low, uint32_t longest) {
    struct chains *c = p->chains;
    const uint8_t *src = p->src;
    struct match best = {.at = pos, .from = pos, .length = longest};
    uint32_t word = rf_load_le32(src + pos), back_most = pos - low;

    for (; c->filled < pos; c->filled++) {
        uint16_t *newest = &c->newest[slot_at(src + c->filled)];
        c->older[c->filled] = *newest;
        *newest = (uint16_t)(c->filled + 1);
    }
    uint32_t link = c->newest[slot_at(src + pos)];
    for (uint32_t n = 0; link != 0 && n < MAX_SEARCHES; n++, link = c->older[link - 1]) {
        uint32_t from = link - 1, back = 0;
        /* A longer match has to cover the byte that would be the first too many. */
        if (src[from + best.length - back_most] != src[low + best.length])
            continue;
        if (rf_load_le32(src + from) != word)
            continue;
        while (back < back_most && back < from && src[pos - back - 1] == src[from - back - 1])
            back++;
        uint32_t length =
            back + LZ4_MIN_MATCH + lz4_common(src, pos + LZ4_MIN_MATCH, from + LZ4_MIN_MATCH);
        if (length > best.length)
            best = (struct match){.at = pos - back, .from = from - back, .length = length};
    }
    return best;
}

static void put(struct parse *p, const struct match *m) {
    p->out = lz4_put_sequence(p->out, p->src, p->done, m->at, m->at - m->from, m->length);
    p->done = end_of(m);
}

/* Looks for a match that starts within m, by its last `overlap` bytes. */
static bool search_behind(const struct parse *p, const struct match *m, uint32_t overlap,
                          struct match *found) {
    if (end_of(m) >= LZ4_LAST_START)
        return false;
    *found = search(p, end_of(m) - overlap, m->at, m->length);
    return found->length > m->length;
}

/* Lets b start where a is as long as its token holds, or as leaves b its minimum. */
static void cut_at_token(const struct match *a, struct match *b) {
    uint32_t gap = b->at - a->at;
    uint32_t keep = RF_MIN(RF_MIN(a->length, TOKEN_LENGTH), gap + b->length - LZ4_MIN_MATCH);
    if (keep > gap)
        trim(b, keep - gap);
}

/* Writes matches from `a` on until two in a row do not overlap any more. */
static void put_overlapping(struct parse *p, struct match a) {
    struct match first = a; /* what `a` was before it gave way to a longer one */
    struct match b, c;

    for (;;) {
        if (!search_behind(p, &a, 2, &b)) {
            put(p, &a);
            return;
        }
        /* The second try starts again from the first match unless the two are apart. */
        if (first.at < a.at && b.at < a.at + first.length)
            a = first;
        if (b.at - a.at < WORTH_KEEPING) {
            a = b;
            continue;
        }
        for (;;) {
            if (b.at - a.at < TOKEN_LENGTH)
                cut_at_token(&a, &b);
            if (!search_behind(p, &b, 3, &c)) {
                a.length = RF_MIN(a.length, b.at - a.at);
                put(p, &a);
                put(p, &b);
                return;
            }
            if (c.at >= end_of(&a) + WORTH_KEEPING) {
                /* Three in a row: the first is settled. */
                if (b.at < end_of(&a)) {
                    if (b.at - a.at < LZ4_NIBBLE) {
                        a.length = RF_MIN(RF_MIN(a.length, TOKEN_LENGTH),
                                          b.at - a.at + b.length - LZ4_MIN_MATCH);
                        if (end_of(&a) > b.at)
                            trim(&b, end_of(&a) - b.at);
                    } else {
                        a.length = b.at - a.at;
                    }
                }
                put(p, &a);
                a = b;
                b = c;
            } else if (c.at >= end_of(&a)) {
                /* The third follows the first at once, so the second may go. */
                if (b.at < end_of(&a)) {
                    uint32_t n = end_of(&a) - b.at;
                    if (b.length < n + LZ4_MIN_MATCH)
                        b = c;
                    else
                        trim(&b, n);
                }
                put(p, &a);
                first = b;
                a = c;
                break;
            } else {
                b = c;
            }
        }
    }
}

static int lz4hc_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    struct parse p = {.chains = work, .src = src, .out = dst};
    uint32_t pos = 1;

    memset(p.chains->newest, 0, sizeof(p.chains->newest));
    p.chains->filled = 0;
    while (pos < LZ4_LAST_START) {
        struct match m = search(&p, pos, pos, 0);
        if (m.length == 0) {
            pos++;
            continue;
        }
        put_overlapping(&p, m);
        pos = p.done;
    }
    return (int)(lz4_put_last(p.out, src, p.done) - dst);
}

const struct codec_ops codec_lz4hc = {
    .name = "lz4hc",
    .id = CODEC_LZ4HC,
    .work_bytes = sizeof(struct chains),
    .compress = lz4hc_page_compress,
    .decompress = lz4_page_decompress,
};
