/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zram against a naive map from page to content: random writes, reads, discards, notices, idle
 * marks, writeback, recompression and compaction, with real bytes stored and compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "refault/zram.h"

#define PAGES 1500
#define CONTENTS 300

/* Pages of mixed kinds: same-filled, text-like, and random from some offset on. */
static struct content_set *bank(uint64_t seed) {
    uint8_t *pages = calloc(CONTENTS, RF_PAGE_SIZE);
    struct content_set *cs = NULL;
    struct rf_rng r;
    struct rf_err err;
    assert_non_null(pages);
    rf_rng_seed(&r, seed);
    for (uint32_t k = 0; k < CONTENTS; k++) {
        uint8_t *p = pages + (size_t)k * RF_PAGE_SIZE;
        uint32_t random = (uint32_t)rf_rng_below(&r, RF_PAGE_SIZE + 1);
        if (k % 10 == 0) {
            memset(p, (int)k, RF_PAGE_SIZE);
            continue;
        }
        for (uint32_t i = 0; i < RF_PAGE_SIZE; i++)
            p[i] = i < random ? (uint8_t)rf_rng_next(&r) : (uint8_t)(k + i / 32 % 7);
    }
    assert_int_equal(content_from_bank(pages, CONTENTS, &cs, &err), 0);
    free(pages);
    return cs;
}

struct naive {
    uint32_t content[PAGES]; /* 0: nothing stored */
    bool wb[PAGES];
    uint64_t notify_free;
};

static void compare(const struct zram *z, const struct naive *n) {
    struct zram_mm_stat mm;
    struct zram_io_stat io;
    struct zram_bd_stat bd;
    struct rf_err err = {0, ""};
    uint64_t stored = 0, wb = 0;
    if (zram_check(z, &err) != 0)
        fail_msg("%s", err.msg);
    zram_mm_stat(z, &mm);
    zram_io_stat(z, &io);
    zram_bd_stat(z, &bd);
    for (uint32_t i = 0; i < PAGES; i++) {
        char flags[7];
        bool is = zram_block_state(z, i, flags);
        assert_int_equal(is, n->content[i] != 0);
        stored += is;
        wb += is && flags[1] == 'w';
    }
    assert_int_equal(mm.orig_data_size, stored * RF_PAGE_SIZE);
    assert_int_equal(bd.bd_count, wb);
    assert_int_equal(io.notify_free, n->notify_free);
    assert_true(mm.huge_pages_since >= mm.huge_pages);
    assert_true(mm.compr_data_size <= mm.mem_used_total);
    assert_int_equal(mm.mem_used_total % RF_PAGE_SIZE, 0);
    /* Objects in use + same-filled + written back make all that is stored. */
    assert_int_equal(stored, zram_pool(z)->ops->live_objects(zram_pool(z)) + mm.same_pages + wb);
}

static void sysfs(struct zram *z, struct sim_cpu *cpu, struct rf_rng *r) {
    static const struct {
        const char *file, *text;
    } writes[] = {{"compact", "1"},
                  {"idle", "all"},
                  {"idle", "1"},
                  {"writeback", "idle"},
                  {"writeback", "huge"},
                  {"writeback", "huge_idle"},
                  {"writeback", "incompressible"},
                  {"writeback", "page_index=7"},
                  {"recompress", "type=huge"},
                  {"recompress", "type=idle threshold=1000"},
                  {"recompress", "max_pages=50"},
                  {"mem_used_max", "0"}};
    uint64_t k = rf_rng_below(r, sizeof(writes) / sizeof(writes[0]));
    int rc = zram_sysfs_write(z, cpu, writes[k].file, writes[k].text);
    /* A full backing device and a file of another era are the only refusals possible here. */
    assert_true(rc == 0 || rc == ENOSPC || rc == ENOENT || rc == EINVAL);
}

static void run(bool new_era, bool sorted, uint64_t seed) {
    struct content_set *cs = bank(seed);
    struct zram_params p = {
        .policy = {.huge_by_class_size = true,
                   .own_backends = new_era,
                   .recompression = new_era,
                   .idle_skips_same_wb = new_era,
                   .idle_age_unmarks = new_era,
                   .wb_incompressible = new_era,
                   .wb_largest_first = sorted,
                   .recomp_max_pages = new_era},
        .zs = {new_era ? 8 : 4, new_era, new_era, !new_era, false},
        .name = "zram0",
        .disksize_pages = PAGES,
        .comp = {CODEC_LZ4, CODEC_ZSTD, NR_CODECS, NR_CODECS},
        .backing_pages = 400,
        .track_ac_time = true,
        .content = cs,
        .verify = true,
    };
    struct naive *n = calloc(1, sizeof(*n));
    struct zram *z = NULL;
    struct rf_err err;
    struct rf_rng r;
    struct sim_cpu cpu = {.now = 0};
    assert_non_null(n);
    if (zram_create(&p, &z, &err) != 0)
        fail_msg("%s", err.msg);
    rf_rng_seed(&r, seed);
    for (uint32_t op = 0; op < 20000; op++) {
        uint32_t i = (uint32_t)rf_rng_below(&r, PAGES), what = (uint32_t)rf_rng_below(&r, 100), got;
        cpu.now += 1000000;
        if (what < 45) {
            uint32_t c = 1 + (uint32_t)rf_rng_below(&r, CONTENTS);
            assert_true(zram_write(z, &cpu, i, c));
            n->content[i] = c;
        } else if (what < 80) {
            assert_true(zram_read(z, &cpu, i, &got));
            assert_int_equal(got, n->content[i]);
        } else if (what < 95) {
            zram_slot_free_notify(z, &cpu, i);
            n->content[i] = 0;
            n->notify_free++;
        } else if (what < 97) {
            uint32_t nr = 1 + (uint32_t)rf_rng_below(&r, RF_MIN(64u, PAGES - i));
            zram_discard(z, &cpu, i, nr);
            memset(n->content + i, 0, nr * sizeof(n->content[0]));
            n->notify_free += nr;
        } else if (what == 97) {
            sysfs(z, &cpu, &r);
        }
        if (op % 1000 == 0)
            compare(z, n);
    }
    compare(z, n);
    zram_discard(z, &cpu, 0, PAGES);
    assert_int_equal(zram_total_pages(z), 0);
    zram_destroy(z);
    content_free(cs);
    free(n);
}

static void test_6_1(void **state) {
    (void)state;
    run(false, false, 11);
}

static void test_6_12(void **state) {
    (void)state;
    run(true, false, 12);
}

static void test_6_13(void **state) {
    (void)state;
    run(true, true, 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_6_1),
        cmocka_unit_test(test_6_12),
        cmocka_unit_test(test_6_13),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
