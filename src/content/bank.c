/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of real pages, from memory or from a raw or zstd-compressed file. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* fileno */
#endif
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>
#include "content_internal.h"

#define CHUNK (128u * 1024)
#define ZSTD_FRAME_MAGIC 0xfd2fb528u

/* A byte array that grows, in huge pages where it is large: banks are, and nearly all is touched.
 */
struct bytes {
    struct rf_varr mem;
    size_t len;
};

static bool bytes_reserve(struct bytes *b, size_t room) {
    struct rf_varr mem;
    struct rf_err ignored;
    if (room <= b->mem.bytes)
        return true;
    if (rf_varr_init(&mem, room, 1, &ignored) != RF_OK)
        return false;
    rf_varr_hint_dense(&mem);
    if (b->len > 0)
        memcpy(mem.base, b->mem.base, b->len);
    rf_varr_free(&b->mem);
    b->mem = mem;
    return true;
}

static bool bytes_room(struct bytes *b, size_t more) {
    return b->mem.bytes - b->len >= more ||
           bytes_reserve(b, RF_MAX(2 * b->mem.bytes, b->len + more));
}

static uint8_t *bytes_at(const struct bytes *b, size_t offset) {
    return (uint8_t *)b->mem.base + offset;
}

/* Takes over the memory, also when it fails. */
static int adopt(struct bytes *b, size_t nr, struct content_set **out, struct rf_err *err) {
    struct content_set *cs;
    int rc = content_alloc(SET_BANK, nr + 1, &cs, err);
    if (rc != RF_OK) {
        rf_varr_free(&b->mem);
        return rc;
    }
    cs->bank = b->mem;
    for (size_t i = 0; i < nr; i++) {
        uint64_t word;
        if (!page_same_filled(bytes_at(b, i * RF_PAGE_SIZE), &word))
            continue;
        if (fill_index_add(&cs->fills, (uint32_t)i + 1, word) != RF_OK) {
            content_free(cs);
            return rf_fail(err, RF_ENOMEM, "content: no memory for %zu bank pages", nr);
        }
    }
    cs->digest = XXH64(b->mem.base, nr * RF_PAGE_SIZE, SET_BANK);
    *out = cs;
    return RF_OK;
}

int content_from_bank(const uint8_t *pages, size_t nr, struct content_set **out,
                      struct rf_err *err) {
    struct bytes copy = {0};
    if (nr == 0 || nr > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT, "content: a bank of %zu pages, expected 1 to %u", nr,
                       CONTENT_MAX);
    if (!bytes_reserve(&copy, nr * RF_PAGE_SIZE) || !copy.mem.base)
        return rf_fail(err, RF_ENOMEM, "content: no memory for %zu bank pages", nr);
    memcpy(copy.mem.base, pages, nr * RF_PAGE_SIZE);
    return adopt(&copy, nr, out, err);
}

static int read_all(const char *path, struct bytes *b, struct rf_err *err) {
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    int rc = RF_OK;
    bool known = fstat(fileno(f), &st) == 0;
    if (known && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) /* it may have no end */
        rc = rf_fail(err, RF_EINPUT, "%s: is a device, expected a file of pages", path);
    else if (known && S_ISREG(st.st_mode) && !bytes_reserve(b, (size_t)st.st_size + CHUNK))
        rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the bank", path);
    while (rc == RF_OK) {
        if (!bytes_room(b, CHUNK)) {
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the bank", path);
            break;
        }
        size_t n = fread(bytes_at(b, b->len), 1, CHUNK, f);
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
    ZSTD_inBuffer in = {.src = from->mem.base, .size = from->len};
    size_t hint = 1;
    int rc = RF_OK;
    while (rc == RF_OK) {
        if (!z || !bytes_room(to, CHUNK)) {
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the bank", path);
            break;
        }
        ZSTD_outBuffer o = {.dst = bytes_at(to, to->len), .size = to->mem.bytes - to->len};
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
    if (rc == RF_OK && raw.len >= 4 && rf_load_le32(raw.mem.base) == ZSTD_FRAME_MAGIC) {
        packed = raw;
        raw = (struct bytes){0};
        rc = unpack(path, &packed, &raw, err);
    }
    rf_varr_free(&packed.mem);
    size_t nr = raw.len / RF_PAGE_SIZE;
    if (rc == RF_OK && (nr == 0 || nr > CONTENT_MAX || raw.len % RF_PAGE_SIZE != 0))
        rc = rf_fail(err, RF_EINPUT, "%s: a bank of %zu bytes, expected a multiple of %u", path,
                     raw.len, RF_PAGE_SIZE);
    if (rc != RF_OK) {
        rf_varr_free(&raw.mem);
        return rc;
    }
    return adopt(&raw, nr, out, err);
}
