/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory a machine takes per simulated page: all pages are stored to in ascending order,
 * and memory.max is such that half of them end up in zswap (zsmalloc, lz4, lengths of mean 1,650
 * bytes). Prints the peak of this process above what it held before the machine existed.
 *
 *   memory [PAGES [KERNEL]]     default 8388608, 6.12
 *
 * Kernel 5.10 does not charge the pool to the cgroup, so memory.max is half of the pages. Where the
 * pool is charged (5.19 and later), memory.max is larger by the pool's size; before the pool has
 * grown, that much more of the pages is resident.
 */
#include <inttypes.h>
#include <sys/resource.h>

#include "refault/machine.h"
#include "refault/trace_ops.h"
#include "bench/bench.h"

#define PIECE 65536u
/* memory.max in hundredths of a percent: half of the pages, and with the pool charged also the
 * other half compressed, 0.5 + 0.5 * 0.42. */
#define LIMIT_ALONE 5000u
#define LIMIT_WITH_POOL 7100u

static uint64_t peak_bytes(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}

static void keep_value(void *ctx, enum machine_value_kind kind, const char *name, uint64_t value) {
    uint64_t *swapped = ctx;
    (void)kind;
    if (strcmp(name, "zswap.stored_pages") == 0)
        *swapped = value;
}

int main(int argc, char **argv) {
    uint64_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 8u << 20, stored = 0;
    struct machine_config c;
    struct content_set *cs = NULL;
    struct machine *m;
    struct rf_err err = {0};
    static uint32_t ops[PIECE];

    if (pages < 512 || pages > 1u << 27 || pages % PIECE) {
        fprintf(stderr, "memory: pages: a multiple of %u up to 2^27\n", PIECE);
        return 2;
    }
    if (machine_config_init(&c, argc > 2 ? argv[2] : "6.12", &err) ||
        content_synthetic("hist:mean=1650", 1, &cs, &err))
        bench_fail(&err);
    c.era.reclaim.stat_flush_ns = 0;
    c.footprint_pages = pages;
    c.blocks = (uint32_t)(pages / 512);
    c.zswap_enabled = true;
    c.max_pool_percent = 50;
    memcpy(c.zswap_compressor, "lz4", sizeof("lz4"));
    memcpy(c.zswap_zpool, "zsmalloc", sizeof("zsmalloc"));
    c.memory_max = (struct rf_amount){
        .value = c.era.zswap.memcg_zswap ? LIMIT_WITH_POOL : LIMIT_ALONE, .kind = AMOUNT_PERCENT};
    memset(ops, 0xff, sizeof(ops)); /* so that the buffer itself is not counted */
    uint64_t before = peak_bytes();
    if (machine_create(&c, cs, &m, &err) || machine_process(m, 0, RF_NONE, &err) ||
        machine_map(m, 0, 0, 0, (uint32_t)pages, 0x7f0000000ull, TMAP_ANON | TMAP_WRITE, &err) ||
        machine_switch(m, 0, &err))
        bench_fail(&err);
    machine_set_implicit_content(m, true);
    for (uint64_t p = 0; p < pages; p += PIECE) {
        size_t done;
        for (uint32_t i = 0; i < PIECE; i++)
            ops[i] = (uint32_t)(p + i) | OP_WRITE;
        if (machine_run(m, ops, PIECE, &done, &err))
            bench_fail(&err);
        if (machine_outcome(m) != MACHINE_DONE) {
            fprintf(stderr, "memory: out of memory after %" PRIu64 " pages\n", p + done);
            return 3;
        }
    }
    uint64_t peak = peak_bytes() - before;
    machine_values(m, keep_value, &stored);
    printf("{\"pages\":%" PRIu64 ",\"zswap_stored_pages\":%" PRIu64 ",\"peak_bytes\":%" PRIu64
           ",\"bytes_per_page\":%.2f}\n",
           pages, stored, peak, (double)peak / (double)pages);
    machine_destroy(m);
    content_free(cs);
    return 0;
}
