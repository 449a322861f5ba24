/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of recorded lengths: a catalogue row a content, without bytes. */
#include <stdlib.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "content_internal.h"

static int check_row(const struct content_row *row, size_t i, struct rf_err *err) {
    bool any = row->same_filled;
    for (size_t c = 0; c < NR_CODECS; c++) {
        if (row->size[c] > CONTENT_SIZE_MAX)
            return rf_fail(
                err, RF_EINPUT, "content: %s length %u of catalogue row %zu, expected 0 to %u",
                codec_by_id((enum codec_id)c)->name, row->size[c], i + 1, CONTENT_SIZE_MAX);
        any |= row->size[c] != 0;
    }
    if (!any)
        return rf_fail(err, RF_EINPUT,
                       "content: catalogue row %zu has no length, expected one at least", i + 1);
    return RF_OK;
}

struct content_rows {
    struct content_set *cs;
    size_t nr, next; /* rows announced, and rows added */
    XXH64_state_t hash;
};

/* Column by column: a table is written in one go. */
static int add_sizes(struct content_set *cs, const struct content_row *rows, size_t n,
                     size_t first_id) {
    for (size_t c = 0; c < NR_CODECS; c++) {
        _Atomic uint16_t *t = NULL;
        for (size_t i = 0; i < n; i++) {
            uint16_t size = rows[i].size[c];
            if (size == 0)
                continue;
            if (!t && !(t = content_table(cs, (enum codec_id)c)))
                return RF_ENOMEM;
            atomic_store_explicit(&t[first_id + i], (uint16_t)(size | ENTRY_RECORDED),
                                  memory_order_relaxed);
        }
        cs->recorded[c] |= t != NULL;
    }
    return RF_OK;
}

static void hash_row(XXH64_state_t *h, const struct content_row *row) {
    uint8_t le[9 + 2 * NR_CODECS];
    le[0] = row->same_filled;
    rf_store_le64(le + 1, row->same_filled ? row->word : 0);
    for (size_t c = 0; c < NR_CODECS; c++) {
        le[9 + 2 * c] = (uint8_t)row->size[c];
        le[10 + 2 * c] = (uint8_t)(row->size[c] >> 8);
    }
    /* A column that came later counts only where it is used: digests of older sets stay. */
    XXH64_update(h, le, row->size[CODEC_ZSTD_1_4] != 0 ? sizeof(le) : sizeof(le) - 2);
}

int content_rows_begin(size_t nr, struct content_rows **out, struct rf_err *err) {
    if (nr > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT, "content: a catalogue of %zu rows, expected %u at most", nr,
                       CONTENT_MAX);
    struct content_rows *b = calloc(1, sizeof(*b));
    if (!b)
        return rf_fail(err, RF_ENOMEM, "content: no memory for a catalogue");
    int rc = content_alloc(SET_ROWS, nr + 1, &b->cs, err);
    if (rc != RF_OK) {
        free(b);
        return rc;
    }
    b->nr = nr;
    XXH64_reset(&b->hash, SET_ROWS);
    *out = b;
    return RF_OK;
}

int content_rows_add(struct content_rows *b, const struct content_row *rows, size_t n,
                     struct rf_err *err) {
    if (n > b->nr - b->next)
        return rf_fail(err, RF_EINPUT, "content: more than %zu catalogue rows", b->nr);
    for (size_t i = 0; i < n; i++) {
        int rc = check_row(&rows[i], b->next + i, err);
        if (rc != RF_OK)
            return rc;
    }
    int rc = add_sizes(b->cs, rows, n, b->next + 1);
    for (size_t i = 0; i < n && rc == RF_OK; i++) {
        if (rows[i].same_filled)
            rc = fill_index_add(&b->cs->fills, (uint32_t)(b->next + 1 + i), rows[i].word);
        hash_row(&b->hash, &rows[i]);
    }
    b->next += n;
    return rc == RF_OK
               ? RF_OK
               : rf_fail(err, RF_ENOMEM, "content: no memory for %zu catalogue rows", b->nr);
}

int content_rows_end(struct content_rows *b, struct content_set **out, struct rf_err *err) {
    int rc = RF_OK;
    if (out && b->next != b->nr)
        rc = rf_fail(err, RF_EINPUT, "content: %zu catalogue rows, expected %zu", b->next, b->nr);
    if (out && rc == RF_OK) {
        b->cs->digest = XXH64_digest(&b->hash);
        *out = b->cs;
    } else {
        content_free(b->cs);
    }
    free(b);
    return rc;
}

int content_from_rows(const struct content_row *rows, size_t nr, struct content_set **out,
                      struct rf_err *err) {
    struct content_rows *b;
    int rc = content_rows_begin(nr, &b, err);
    if (rc != RF_OK)
        return rc;
    rc = content_rows_add(b, rows, nr, err);
    struct rf_err ignored;
    int end = content_rows_end(b, rc == RF_OK ? out : NULL, rc == RF_OK ? err : &ignored);
    return rc == RF_OK ? end : rc;
}
