/* SPDX-License-Identifier: Apache-2.0 */
/* The content set: lengths by memo, same-filled pages, payloads and overrides. */
#include <stdlib.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "content_internal.h"

int content_alloc(enum set_kind kind, size_t nr, struct content_set **out, struct rf_err *err) {
    struct content_set *cs = calloc(1, sizeof(*cs));
    if (!cs)
        return rf_fail(err, RF_ENOMEM, "content: no memory for a content set");
    cs->kind = kind;
    cs->memo.nr = nr;
    int rc = work_pool_init(&cs->pool, err);
    if (rc == RF_OK && fill_index_init(&cs->fills, nr) != RF_OK)
        rc = rf_fail(err, RF_ENOMEM, "content: no memory for %zu page contents", nr);
    if (rc == RF_OK && nr > 0 && fill_index_add(&cs->fills, CONTENT_ZERO, 0) != RF_OK)
        rc = rf_fail(err, RF_ENOMEM, "content: no memory for %zu page contents", nr);
    if (rc != RF_OK) {
        content_free(cs);
        return rc;
    }
    *out = cs;
    return RF_OK;
}

void content_free(struct content_set *cs) {
    if (!cs)
        return;
    for (size_t c = 0; c < NR_CODECS; c++)
        free((void *)atomic_load(&cs->memo.table[c]));
    work_pool_destroy(&cs->pool);
    fill_index_free(&cs->fills);
    synth_free(cs->synth);
    rf_varr_free(&cs->bank);
    free(cs);
}

size_t content_count(const struct content_set *cs) {
    return cs->memo.nr > 0 ? cs->memo.nr - 1 : 0;
}

bool content_is_synthetic(const struct content_set *cs) {
    return cs->kind == SET_SYNTHETIC;
}

uint64_t content_digest(const struct content_set *cs) {
    return cs->overrides == 0 ? cs->digest : rf_mix64(cs->digest ^ rf_mix64(cs->overrides));
}

_Atomic uint16_t *content_table(struct content_set *cs, enum codec_id codec) {
    _Atomic uint16_t *t = atomic_load_explicit(&cs->memo.table[codec], memory_order_acquire);
    if (t || cs->memo.nr == 0)
        return t;
    _Atomic uint16_t *mine = calloc(cs->memo.nr, sizeof(*mine));
    if (!mine)
        return NULL;
    if (atomic_compare_exchange_strong(&cs->memo.table[codec], &t, mine))
        return mine;
    free((void *)mine);
    return t;
}

uint32_t content_measure(struct content_set *cs, enum codec_id codec, const uint8_t *page) {
    const struct codec_ops *ops = codec_by_id(codec);
    struct work *w = work_get(&cs->pool);
    int n = ops->compress(w->mem, page, w->out);
    work_put(&cs->pool, w);
    return n <= 0 ? CONTENT_SIZE_MAX : RF_MIN((uint32_t)n, CONTENT_SIZE_MAX);
}

/* The memo's entry with its flags, 0 if there is none. */
static uint32_t entry(const struct content_set *cs, uint32_t id, enum codec_id codec) {
    if (id >= cs->memo.nr)
        return 0;
    _Atomic uint16_t *t = atomic_load_explicit(&cs->memo.table[codec], memory_order_acquire);
    return t ? atomic_load_explicit(&t[id], memory_order_relaxed) : 0;
}

/* Whether the set knows the page's real bytes, rather than its length only. */
static bool has_bytes(const struct content_set *cs, uint32_t id) {
    if (id == CONTENT_ZERO)
        return true;
    if (cs->kind == SET_SYNTHETIC)
        return synth_bytes(cs->synth, id, NULL);
    return id >= cs->memo.nr || cs->kind == SET_BANK || fill_index_has(&cs->fills, id);
}

static uint32_t derived_size(struct content_set *cs, uint32_t id, enum codec_id codec) {
    uint16_t known[NR_CODECS];
    if (codec == CODEC_NULL)
        return RF_PAGE_SIZE;
    for (size_t c = 0; c < NR_CODECS; c++) {
        uint32_t e = entry(cs, id, (enum codec_id)c);
        known[c] = (e & ENTRY_RECORDED) != 0 ? (uint16_t)(e & CONTENT_SIZE_MASK) : 0;
    }
    enum codec_id from = derive_source(codec, known);
    return from == NR_CODECS ? RF_PAGE_SIZE : derive_size(codec, from, known[from]);
}

uint32_t content_size_slow(struct content_set *cs, uint32_t id, enum codec_id codec) {
    if (cs->kind == SET_SYNTHETIC)
        return synth_size(cs, id, codec);
    uint32_t e = entry(cs, id, codec);
    if (e != 0)
        return e & CONTENT_SIZE_MASK;
    uint32_t size;
    if (has_bytes(cs, id)) {
        uint8_t page[RF_PAGE_SIZE];
        content_bytes(cs, id, page);
        size = content_measure(cs, codec, page);
    } else {
        size = derived_size(cs, id, codec);
    }
    _Atomic uint16_t *t = id < cs->memo.nr ? content_table(cs, codec) : NULL;
    if (t)
        atomic_store_explicit(&t[id], (uint16_t)size, memory_order_relaxed);
    return size;
}

bool content_same_filled(const struct content_set *cs, uint32_t id, uint64_t *word) {
    uint64_t w = 0;
    bool same;
    if (id == CONTENT_ZERO) {
        same = true;
    } else if (cs->kind == SET_SYNTHETIC) {
        same = synth_same_filled(cs->synth, id, &w);
    } else {
        same = id < cs->memo.nr && fill_index_has(&cs->fills, id);
        if (same && word)
            w = fill_index_word(&cs->fills, id);
    }
    if (same && word)
        *word = w;
    return same;
}

void content_bytes(const struct content_set *cs, uint32_t id, uint8_t page[4096]) {
    uint64_t word;
    if (content_same_filled(cs, id, &word))
        page_fill(page, word);
    else if (cs->kind == SET_BANK && id < cs->memo.nr)
        memcpy(page, (const uint8_t *)cs->bank.base + (size_t)(id - 1) * RF_PAGE_SIZE,
               RF_PAGE_SIZE);
    else if (cs->kind != SET_SYNTHETIC || !synth_bytes(cs->synth, id, page))
        fill_random(page, RF_PAGE_SIZE, id);
}

enum content_source content_source(const struct content_set *cs, enum codec_id codec) {
    if (cs->kind == SET_SYNTHETIC)
        return CONTENT_SYNTHETIC;
    if (cs->overridden[codec] || cs->recorded[codec])
        return CONTENT_RECORDED;
    return cs->kind == SET_BANK || codec == CODEC_NULL ? CONTENT_REAL : CONTENT_DERIVED;
}

/* Whether the payload is the codec's own output and not a stand-in of the right length. */
static bool payload_is_real(const struct content_set *cs, uint32_t id, enum codec_id codec) {
    if ((entry(cs, id, codec) & (ENTRY_RECORDED | ENTRY_OVERRIDDEN)) != 0)
        return false;
    return has_bytes(cs, id);
}

static void stand_in(uint32_t id, enum codec_id codec, uint8_t *dst, uint32_t len) {
    fill_random(dst, len, (uint64_t)codec << 32 | id);
}

uint32_t content_payload(struct content_set *cs, uint32_t id, enum codec_id codec, uint8_t *dst) {
    uint32_t len = content_size(cs, id, codec);
    if (payload_is_real(cs, id, codec)) {
        struct work *w = work_get(&cs->pool);
        content_bytes(cs, id, w->page);
        int n = codec_by_id(codec)->compress(w->mem, w->page, dst);
        work_put(&cs->pool, w);
        if (n == (int)len)
            return len;
    }
    stand_in(id, codec, dst, len);
    return len;
}

int content_verify(struct content_set *cs, uint32_t id, enum codec_id codec, const uint8_t *payload,
                   uint32_t len) {
    if (len != content_size(cs, id, codec))
        return RF_ECHECK;
    struct work *w = work_get(&cs->pool);
    int rc = RF_OK;
    if (payload_is_real(cs, id, codec)) {
        rc = codec_by_id(codec)->decompress(w->mem, payload, len, w->out);
        content_bytes(cs, id, w->page);
        if (rc == RF_OK && memcmp(w->out, w->page, RF_PAGE_SIZE) != 0)
            rc = RF_ECHECK;
    } else {
        stand_in(id, codec, w->out, len);
        if (memcmp(w->out, payload, len) != 0)
            rc = RF_ECHECK;
    }
    work_put(&cs->pool, w);
    return rc;
}

int content_override(struct content_set *cs, enum codec_id codec, const uint16_t *sizes, size_t nr,
                     struct rf_err *err) {
    const char *name = codec_by_id(codec)->name;
    if (cs->kind == SET_SYNTHETIC)
        return rf_fail(err, RF_EUSAGE,
                       "content: lengths of a synthetic model cannot be overridden (%s)", name);
    if (nr > content_count(cs))
        return rf_fail(err, RF_EINPUT,
                       "content: %zu %s lengths given, but the set has %zu contents", nr, name,
                       content_count(cs));
    for (size_t i = 0; i < nr; i++) {
        if (sizes[i] > CONTENT_SIZE_MAX)
            return rf_fail(err, RF_EINPUT, "content: %s length %u of content %zu, expected 0 to %u",
                           name, sizes[i], i + 1, CONTENT_SIZE_MAX);
    }
    _Atomic uint16_t *t = content_table(cs, codec);
    if (!t)
        return rf_fail(err, RF_ENOMEM, "content: no memory for %zu lengths", nr);
    XXH64_state_t h;
    XXH64_reset(&h, (XXH64_hash_t)codec);
    for (size_t i = 0; i < nr; i++) {
        uint8_t le[2] = {(uint8_t)sizes[i], (uint8_t)(sizes[i] >> 8)};
        XXH64_update(&h, le, sizeof(le));
        if (sizes[i] != 0)
            atomic_store_explicit(&t[i + 1], (uint16_t)(sizes[i] | ENTRY_OVERRIDDEN),
                                  memory_order_relaxed);
    }
    /* A sum, so that the order of the codecs does not matter. */
    cs->overrides += rf_mix64(XXH64_digest(&h));
    cs->overridden[codec] = true;
    return RF_OK;
}
