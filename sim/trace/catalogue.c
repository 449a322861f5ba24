/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catalogue blocks: rows of compressed sizes, by columns, low bytes before high bytes, and each
 * column after the first as the difference from the one before it, since the codecs of one page
 * agree more with each other than with the next page.
 */
#include <stdlib.h>

#include "format.h"
#include "reader.h"

#define BANK_PATH_MAX (4096 + RFT_SPEC_MAX + 2)

size_t rft_encode_rows(const struct content_row *rows, size_t nr, uint32_t mask, uint8_t *out) {
    uint8_t *p = out;
    int before = -1;
    for (unsigned c = 0; c < NR_CODECS; c++) {
        if (!(mask >> c & 1))
            continue;
        for (size_t i = 0; i < nr; i++) {
            uint16_t v = rows[i].size[c];
            if (before >= 0) {
                uint16_t d = (uint16_t)(v - rows[i].size[before]);
                v = (uint16_t)(d << 1 ^ (d >> 15 ? 0xffff : 0));
            }
            p[i] = (uint8_t)v;
            p[nr + i] = (uint8_t)(v >> 8);
        }
        p += 2 * nr;
        before = (int)c;
    }
    memset(p, 0, (nr + 7) / 8);
    for (size_t i = 0; i < nr; i++)
        p[i / 8] = (uint8_t)(p[i / 8] | (unsigned)rows[i].same_filled << (i % 8));
    p += (nr + 7) / 8;
    for (size_t i = 0; i < nr; i++) {
        if (rows[i].same_filled) {
            rf_store_le64(p, rows[i].word);
            p += 8;
        }
    }
    return (size_t)(p - out);
}

int rft_decode_rows(const uint8_t *raw, size_t n, size_t nr, uint32_t mask,
                    struct content_row *rows) {
    const uint8_t *p = raw;
    size_t columns = (size_t)__builtin_popcount(mask), fixed = columns * 2 * nr + (nr + 7) / 8;
    int before = -1;
    if (mask >> NR_CODECS || n < fixed)
        return -1;
    if (nr)
        memset(rows, 0, nr * sizeof(*rows));
    for (unsigned c = 0; c < NR_CODECS; c++) {
        if (!(mask >> c & 1))
            continue;
        for (size_t i = 0; i < nr; i++) {
            uint16_t v = (uint16_t)(p[i] | p[nr + i] << 8);
            if (before >= 0) {
                uint16_t d = (uint16_t)(v >> 1 ^ (v & 1 ? 0xffff : 0));
                v = (uint16_t)(d + rows[i].size[before]);
            }
            rows[i].size[c] = v;
        }
        p += 2 * nr;
        before = (int)c;
    }
    const uint8_t *words = p + (nr + 7) / 8, *end = raw + n;
    for (size_t i = 0; i < nr; i++) {
        if (!(p[i / 8] >> (i % 8) & 1))
            continue;
        if (end - words < 8)
            return -1;
        rows[i].same_filled = true;
        rows[i].word = rf_load_le64(words);
        words += 8;
    }
    return words == end ? 0 : -1;
}

/* Gives all rows to add() in their order, a block at a time; the reader is rewound. */
static int each_block(struct trace_reader *r,
                      int (*add)(void *ctx, const struct content_row *rows, size_t n,
                                 struct rf_err *err),
                      void *ctx, struct rf_err *err) {
    struct content_row *rows = malloc(RFT_ROWS_MAX * sizeof(*rows));
    struct rft_block_header h;
    const uint8_t *raw;
    size_t n = 0;
    uint64_t at;
    int rc;

    if (!rows)
        return rf_fail(err, RF_ENOMEM, "no memory for catalogue rows");
    rc = trace_rewind(r, err);
    while (!rc && (rc = rft_next_raw(r, 1u << RFT_CATALOGUE, &h, &raw, &at, err)) == 1) {
        rc = 0;
        if (h.kind != RFT_CATALOGUE)
            continue;
        if (h.first != n || n + h.count > r->rows_total)
            rc = rf_fail(err, RF_EINPUT,
                         "offset %llu: catalogue rows %llu to %llu, expected them to begin at "
                         "%zu and end by %llu",
                         (unsigned long long)at, (unsigned long long)h.first,
                         (unsigned long long)h.first + h.count, n,
                         (unsigned long long)r->rows_total);
        else if (rft_decode_rows(raw, h.raw_bytes, h.count, h.nevents, rows))
            rc = rf_fail(err, RF_EINPUT,
                         "offset %llu: catalogue block of %u bytes, expected %u rows of codecs %#x",
                         (unsigned long long)at, h.raw_bytes, h.count, h.nevents);
        else
            rc = add(ctx, rows, h.count, err);
        n += h.count;
    }
    if (!rc && n != r->rows_total)
        rc = rf_fail(err, RF_EINPUT, "offset %llu: %zu catalogue rows in the file, expected %llu",
                     (unsigned long long)r->footer_at, n, (unsigned long long)r->rows_total);
    free(rows);
    struct rf_err ignored;
    int back = trace_rewind(r, rc ? &ignored : err);
    return rc ? rc : back;
}

struct row_array {
    struct content_row *rows;
    size_t n, cap;
};

static int add_to_array(void *ctx, const struct content_row *rows, size_t n, struct rf_err *err) {
    struct row_array *a = ctx;
    if (n > a->cap - a->n) {
        size_t want = RF_MAX(a->n + n, 2 * a->cap);
        struct content_row *grown = realloc(a->rows, want * sizeof(*grown));
        if (!grown)
            return rf_fail(err, RF_ENOMEM, "no memory for %zu catalogue rows", want);
        a->rows = grown;
        a->cap = want;
    }
    memcpy(a->rows + a->n, rows, n * sizeof(*rows));
    a->n += n;
    return 0;
}

int trace_load_rows(struct trace_reader *r, struct content_row **out, size_t *nr,
                    struct rf_err *err) {
    struct row_array a = {0};
    int rc = each_block(r, add_to_array, &a, err);
    if (rc) {
        free(a.rows);
        return rc;
    }
    *out = a.rows;
    *nr = a.n;
    return 0;
}

static int add_to_set(void *ctx, const struct content_row *rows, size_t n, struct rf_err *err) {
    return content_rows_add(ctx, rows, n, err);
}

/* Block by block into the set: as rows a catalogue takes three times the memory. */
static int load_catalogue(struct trace_reader *r, struct content_set **out, struct rf_err *err) {
    struct content_rows *b;
    struct rf_err ignored;
    int rc = content_rows_begin(r->rows_total, &b, err), end;
    if (rc)
        return rc;
    rc = each_block(r, add_to_set, b, err);
    end = content_rows_end(b, rc ? NULL : out, rc ? &ignored : err);
    return rc ? rc : end;
}

/* Where the bank of a spec "bank:NAME:DIGEST" is looked for first, beside the trace; *digest
 * is its text. */
static int bank_beside(const struct trace_reader *r, char path[BANK_PATH_MAX], const char **digest,
                       struct rf_err *err) {
    const char *name = r->info.content_spec + 5, *colon = strrchr(name, ':');
    const char *slash = strrchr(r->path, '/');
    size_t dir = slash ? (size_t)(slash - r->path) + 1 : 0;
    if (!colon || colon == name || memchr(name, '/', (size_t)(colon - name)))
        return rf_fail(err, RF_EINPUT,
                       "offset %llu: content spec \"%s\", expected bank:NAME:DIGEST",
                       (unsigned long long)r->footer_at, r->info.content_spec);
    if (dir > 4096)
        return rf_fail(err, RF_EINPUT, "%s: path too long", r->path);
    memcpy(path, r->path, dir);
    memcpy(path + dir, name, (size_t)(colon - name));
    path[dir + (size_t)(colon - name)] = 0;
    *digest = colon + 1;
    return RF_OK;
}

/* The bank that a spec "bank:NAME:DIGEST" means. */
static int load_bank(struct trace_reader *r, struct content_set **out, struct rf_err *err) {
    char path[BANK_PATH_MAX], *end;
    const char *spec = r->info.content_spec + 5, *text = spec;
    int rc = bank_beside(r, path, &text, err);
    if (rc)
        return rc;
    uint64_t digest = strtoull(text, &end, 16);
    if (end == text || *end)
        return rf_fail(err, RF_EINPUT,
                       "offset %llu: bank digest \"%s\", expected a hexadecimal number",
                       (unsigned long long)r->footer_at, text);

    struct rf_err beside = {0};
    const char *found = path;
    rc = content_from_bank_file(path, out, &beside);
    if (rc && r->bank_path[0]) {
        struct rf_err recorded = {0};
        found = r->bank_path;
        rc = content_from_bank_file(r->bank_path, out, &recorded);
    }
    if (rc)
        return rf_fail(err, rc,
                       "%s: the bank of page contents \"%.*s\" was found neither at %s nor at %s "
                       "(%.200s)",
                       r->path, (int)(text - 1 - spec), spec, path,
                       r->bank_path[0] ? r->bank_path : "-", beside.msg);
    uint64_t got = content_digest(*out);
    if (got != digest) {
        content_free(*out);
        *out = NULL;
        return rf_fail(err, RF_EINPUT, "%s: bank with digest %016llx, the trace needs %016llx",
                       found, (unsigned long long)got, (unsigned long long)digest);
    }
    return 0;
}

int trace_load_content(struct trace_reader *r, struct content_set **out, struct rf_err *err) {
    const char *spec = r->info.content_spec;
    int rc;
    *out = NULL;
    if (strcmp(spec, "catalogue") == 0) {
        rc = load_catalogue(r, out, err);
    } else if (strncmp(spec, "bank:", 5) == 0) {
        rc = load_bank(r, out, err);
    } else {
        rc = content_synthetic(spec, 0, out, err);
    }
    if (rc)
        return rc;
    if (!content_is_synthetic(*out) && r->info.max_content > content_count(*out)) {
        size_t have = content_count(*out);
        content_free(*out);
        *out = NULL;
        return rf_fail(err, RF_EINPUT,
                       "%s: operations use content ids up to %llu, the trace's contents have %zu",
                       r->path, (unsigned long long)r->info.max_content, have);
    }
    return 0;
}

int trace_content_files(const struct trace_reader *r, rf_path_fn fn, void *ctx,
                        struct rf_err *err) {
    const char *spec = r->info.content_spec, *digest;
    char path[BANK_PATH_MAX];
    struct rf_err bad;
    int rc = RF_OK;

    if (strncmp(spec, "bank:", 5) != 0)
        return content_spec_files(spec, fn, ctx, err);
    if (bank_beside(r, path, &digest, &bad) == RF_OK)
        rc = fn(ctx, path, err);
    return rc == RF_OK && r->bank_path[0] ? fn(ctx, r->bank_path, err) : rc;
}
