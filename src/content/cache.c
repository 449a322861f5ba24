/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a bank's lengths: a header of eight 32-bit words (magic, digest low and high, entries
 * of a column, version of our own coders, versions of libzstd and zlib, and a bit for each codec
 * that has a column), the columns as 16-bit lengths with 0 for unknown, and the xxh64 of all before
 * it. Everything is little-endian.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>
#include "content_internal.h"

#define CACHE_MAGIC 0x31435352u /* "RSC1" */
#define CODERS_VERSION 2u       /* change it when a codec of our own gives other lengths */
#define HEADER_BYTES 32u

static void make_header(const struct content_set *cs, uint32_t columns, uint8_t *h) {
    const uint32_t word[HEADER_BYTES / 4] = {
        CACHE_MAGIC,
        (uint32_t)cs->digest,
        (uint32_t)(cs->digest >> 32),
        (uint32_t)cs->memo.nr,
        CODERS_VERSION,
        (uint32_t)ZSTD_versionNumber(),
        (uint32_t)XXH64(zlibVersion(), strlen(zlibVersion()), 0),
        columns,
    };
    for (size_t i = 0; i < HEADER_BYTES / 4; i++)
        rf_store_le32(h + 4 * i, word[i]);
}

static size_t count_bits(uint32_t v) {
    size_t n = 0;
    for (; v != 0; v &= v - 1)
        n++;
    return n;
}

static size_t file_bytes(const struct content_set *cs, uint32_t columns) {
    return HEADER_BYTES + 2 * cs->memo.nr * count_bits(columns) + 8;
}

/* Takes the lengths of a file that proved whole and of this set. */
static int adopt_columns(struct content_set *cs, const uint8_t *at, uint32_t columns,
                         struct rf_err *err) {
    for (size_t c = 0; c < NR_CODECS; c++) {
        if ((columns >> c & 1) == 0)
            continue;
        _Atomic uint16_t *t = content_table(cs, (enum codec_id)c);
        if (!t)
            return rf_fail(err, RF_ENOMEM, "content: no memory for cached lengths");
        for (size_t i = 0; i < cs->memo.nr; i++, at += 2) {
            uint32_t size = (uint32_t)at[0] | (uint32_t)at[1] << 8;
            if (size != 0 && size <= CONTENT_SIZE_MAX &&
                atomic_load_explicit(&t[i], memory_order_relaxed) == 0)
                atomic_store_explicit(&t[i], (uint16_t)size, memory_order_relaxed);
        }
    }
    return RF_OK;
}

int content_cache_load(struct content_set *cs, const char *path, struct rf_err *err) {
    uint8_t head[HEADER_BYTES], want[HEADER_BYTES];
    if (cs->kind != SET_BANK)
        return RF_OK;
    FILE *f = fopen(path, "rb");
    if (!f)
        return RF_OK;
    int rc = RF_OK;
    if (fread(head, 1, sizeof(head), f) == sizeof(head)) {
        uint32_t columns = rf_load_le32(head + HEADER_BYTES - 4);
        make_header(cs, columns, want);
        if (memcmp(head, want, sizeof(head)) == 0 && columns >> NR_CODECS == 0) {
            size_t len = file_bytes(cs, columns);
            uint8_t *all = malloc(len);
            if (!all) {
                rc = rf_fail(err, RF_ENOMEM, "%s: no memory for cached lengths", path);
            } else {
                memcpy(all, head, sizeof(head));
                if (fread(all + HEADER_BYTES, 1, len - HEADER_BYTES, f) == len - HEADER_BYTES &&
                    rf_load_le64(all + len - 8) == XXH64(all, len - 8, 0))
                    rc = adopt_columns(cs, all + HEADER_BYTES, columns, err);
                free(all);
            }
        }
    }
    (void)fclose(f);
    return rc;
}

static uint8_t *serialise(const struct content_set *cs, size_t *len) {
    uint32_t columns = 0;
    for (size_t c = 0; c < NR_CODECS; c++) {
        if (atomic_load(&cs->memo.table[c]) != NULL)
            columns |= (uint32_t)1 << c;
    }
    *len = file_bytes(cs, columns);
    uint8_t *all = malloc(*len), *at = all;
    if (!all)
        return NULL;
    make_header(cs, columns, at);
    at += HEADER_BYTES;
    for (size_t c = 0; c < NR_CODECS; c++) {
        if ((columns >> c & 1) == 0)
            continue;
        _Atomic uint16_t *t = atomic_load(&cs->memo.table[c]);
        for (size_t i = 0; i < cs->memo.nr; i++, at += 2) {
            uint32_t v = atomic_load_explicit(&t[i], memory_order_relaxed);
            v = v > CONTENT_SIZE_MAX ? 0 : v; /* an override is not the bank's own */
            at[0] = (uint8_t)v;
            at[1] = (uint8_t)(v >> 8);
        }
    }
    rf_store_le64(at, XXH64(all, *len - 8, 0));
    return all;
}

int content_cache_save(const struct content_set *cs, const char *path, const char *part,
                       struct rf_err *err) {
    size_t len;
    if (cs->kind != SET_BANK)
        return RF_OK;
    uint8_t *all = serialise(cs, &len);
    if (!all)
        return rf_fail(err, RF_ENOMEM, "%s: no memory to write cached lengths", path);
    int rc = RF_OK;
    FILE *f = fopen(part, "wb");
    bool ok = f && fwrite(all, 1, len, f) == len;
    if (f && fclose(f) != 0)
        ok = false;
    if (!ok || rename(part, path) != 0) {
        rc = rf_fail(err, RF_EIO, "%s: cannot write cached lengths: %s", path, strerror(errno));
        if (f)
            (void)remove(part);
    }
    free(all);
    return rc;
}
