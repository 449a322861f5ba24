/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of recorded lengths: a catalogue row a content, without bytes. */
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

static int add_row(struct content_set *cs, const struct content_row *row, uint32_t id,
                   XXH64_state_t *h) {
    uint8_t le[9 + 2 * NR_CODECS];
    le[0] = row->same_filled;
    rf_store_le64(le + 1, row->same_filled ? row->word : 0);
    if (row->same_filled && fill_index_add(&cs->fills, id, row->word) != RF_OK)
        return RF_ENOMEM;
    for (size_t c = 0; c < NR_CODECS; c++) {
        uint16_t size = row->size[c];
        le[9 + 2 * c] = (uint8_t)size;
        le[10 + 2 * c] = (uint8_t)(size >> 8);
        if (size == 0)
            continue;
        _Atomic uint16_t *t = content_table(cs, (enum codec_id)c);
        if (!t)
            return RF_ENOMEM;
        atomic_store_explicit(&t[id], (uint16_t)(size | ENTRY_RECORDED), memory_order_relaxed);
        cs->recorded[c] = true;
    }
    /* A column that came later counts only where it is used: digests of older sets stay. */
    XXH64_update(h, le, row->size[CODEC_ZSTD_1_4] != 0 ? sizeof(le) : sizeof(le) - 2);
    return RF_OK;
}

int content_from_rows(const struct content_row *rows, size_t nr, struct content_set **out,
                      struct rf_err *err) {
    if (nr > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT, "content: a catalogue of %zu rows, expected %u at most", nr,
                       CONTENT_MAX);
    for (size_t i = 0; i < nr; i++) {
        int rc = check_row(&rows[i], i, err);
        if (rc != RF_OK)
            return rc;
    }
    struct content_set *cs;
    int rc = content_alloc(SET_ROWS, nr + 1, &cs, err);
    if (rc != RF_OK)
        return rc;
    XXH64_state_t h;
    XXH64_reset(&h, SET_ROWS);
    for (size_t i = 0; i < nr; i++) {
        if (add_row(cs, &rows[i], (uint32_t)i + 1, &h) != RF_OK) {
            content_free(cs);
            return rf_fail(err, RF_ENOMEM, "content: no memory for %zu catalogue rows", nr);
        }
    }
    cs->digest = XXH64_digest(&h);
    *out = cs;
    return RF_OK;
}
