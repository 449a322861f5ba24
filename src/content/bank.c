/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of real pages, from memory or from a raw or zstd-compressed file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>
#include "content_internal.h"

#define CHUNK (128u * 1024)
#define ZSTD_FRAME_MAGIC 0xfd2fb528u

/* Takes over `pages` (malloc'ed), also when it fails. */
static int adopt(uint8_t *pages, size_t nr, struct content_set **out, struct rf_err *err) {
    struct content_set *cs;
    int rc = content_alloc(SET_BANK, nr + 1, &cs, err);
    if (rc != RF_OK) {
        free(pages);
        return rc;
    }
    cs->pages = pages;
    for (size_t i = 0; i < nr; i++) {
        uint64_t word;
        if (!page_same_filled(pages + i * RF_PAGE_SIZE, &word))
            continue;
        if (fill_index_add(&cs->fills, (uint32_t)i + 1, word) != RF_OK) {
            content_free(cs);
            return rf_fail(err, RF_ENOMEM, "content: no memory for %zu bank pages", nr);
        }
    }
    cs->digest = XXH64(pages, nr * RF_PAGE_SIZE, SET_BANK);
    *out = cs;
    return RF_OK;
}

int content_from_bank(const uint8_t *pages, size_t nr, struct content_set **out,
                      struct rf_err *err) {
    if (nr == 0 || nr > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT, "content: a bank of %zu pages, expected 1 to %u", nr,
                       CONTENT_MAX);
    uint8_t *copy = malloc(nr * RF_PAGE_SIZE);
    if (!copy)
        return rf_fail(err, RF_ENOMEM, "content: no memory for %zu bank pages", nr);
    memcpy(copy, pages, nr * RF_PAGE_SIZE);
    return adopt(copy, nr, out, err);
}

/* A byte array that grows. */
struct bytes {
    uint8_t *at;
    size_t len, cap;
};

static bool bytes_room(struct bytes *b, size_t more) {
    if (b->cap - b->len >= more)
        return true;
    size_t cap = RF_MAX(2 * b->cap, b->len + more);
    uint8_t *at = realloc(b->at, cap);
    if (!at)
        return false;
    b->at = at;
    b->cap = cap;
    return true;
}

static int read_all(const char *path, struct bytes *b, struct rf_err *err) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot open the bank: %s", path, strerror(errno));
    int rc = RF_OK;
    for (;;) {
        if (!bytes_room(b, CHUNK)) {
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the bank", path);
            break;
        }
        size_t n = fread(b->at + b->len, 1, CHUNK, f);
        b->len += n;
        if (n < CHUNK) {
            if (ferror(f))
                rc = rf_fail(err, RF_EINPUT, "%s: read error at byte %zu", path, b->len);
            break;
        }
    }
    (void)fclose(f);
    return rc;
}

static int unpack(const char *path, const struct bytes *from, struct bytes *to,
                  struct rf_err *err) {
    ZSTD_DStream *z = ZSTD_createDStream();
    ZSTD_inBuffer in = {.src = from->at, .size = from->len};
    size_t hint = 1;
    int rc = RF_OK;
    while (rc == RF_OK) {
        if (!z || !bytes_room(to, CHUNK)) {
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the bank", path);
            break;
        }
        ZSTD_outBuffer o = {.dst = to->at + to->len, .size = to->cap - to->len};
        hint = ZSTD_decompressStream(z, &o, &in);
        if (ZSTD_isError(hint)) {
            rc = rf_fail(err, RF_EINPUT, "%s: damaged zstd data before byte %zu: %s", path, in.pos,
                         ZSTD_getErrorName(hint));
        } else {
            to->len += o.pos;
            if (in.pos == in.size && (hint == 0 || o.pos < o.size))
                break;
        }
    }
    if (rc == RF_OK && hint != 0)
        rc = rf_fail(err, RF_EINPUT, "%s: zstd data cut off at byte %zu", path, in.pos);
    ZSTD_freeDStream(z);
    return rc;
}

int content_from_bank_file(const char *path, struct content_set **out, struct rf_err *err) {
    struct bytes raw = {0}, packed = {0};
    int rc = read_all(path, &raw, err);
    if (rc == RF_OK && raw.len >= 4 && rf_load_le32(raw.at) == ZSTD_FRAME_MAGIC) {
        packed = raw;
        raw = (struct bytes){0};
        rc = unpack(path, &packed, &raw, err);
    }
    free(packed.at);
    size_t nr = raw.len / RF_PAGE_SIZE;
    if (rc == RF_OK && (nr == 0 || nr > CONTENT_MAX || raw.len % RF_PAGE_SIZE != 0))
        rc = rf_fail(err, RF_EINPUT, "%s: a bank of %zu bytes, expected a multiple of %u", path,
                     raw.len, RF_PAGE_SIZE);
    if (rc != RF_OK) {
        free(raw.at);
        return rc;
    }
    return adopt(raw.at, nr, out, err);
}
