/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of a machine: those of the kernel, and of the program where the kernel has none. */
#include "refault/config.h"

#include <stdio.h>

#define PERCENT 100u /* hundredths of a percent */

/*
 * zswap's default backend is a build option: zbud up to 6.2, zsmalloc later (mm/Kconfig 6.1, 6.12).
 * Kernels that let the backend evict are the older ones of the table.
 */
static const char *default_zpool(const struct kernel_era *era) {
    return era->zswap.backend_evicts ? "zbud" : "zsmalloc";
}

static struct rf_amount percent(uint32_t p) {
    return (struct rf_amount){.value = (uint64_t)p * PERCENT, .kind = AMOUNT_PERCENT};
}

void machine_config_set_profile(struct machine_config *c, const struct profile *p) {
    enum profile_blk dev = PROFILE_NULL;

    c->cost.mm = p->mm;
    c->cost.zswap = p->zswap;
    c->cost.zram = p->zram;
    c->cost.accel = p->accel;
    for (unsigned b = 0; b < NR_PROFILE_BLK; b++) {
        if (strcmp(profile_blk_name((enum profile_blk)b), c->swap_device) == 0)
            dev = (enum profile_blk)b;
    }
    c->cost.blk = p->blk[dev];
}

/* The set-up that the iaa_crypto driver makes of itself (drivers/crypto/intel/iaa/iaa_crypto_main.c
 * and drivers/dma/idxd/defaults.c 6.12) on one package of a Sapphire Rapids server; retries and the
 * distribution are those of its batching series. */
static void accel_config_init(struct accel_config *a) {
    *a = (struct accel_config){.model = "none",
                               .devices = 4,
                               .packages = 1,
                               .engines = 1,
                               .wqs = 1,
                               .groups = 1,
                               .wq_size = 128,
                               .completion = ACCEL_SYNC,
                               .verify_compress = true,
                               .batch = 8};
    a->policy[ACCEL_COMPRESS] =
        (struct accel_queue_policy){.full = ACCEL_FULL_BLOCK, .retries = 1000};
    a->policy[ACCEL_DECOMPRESS] =
        (struct accel_queue_policy){.full = ACCEL_FULL_BLOCK, .retries = 500};
    a->queue = (struct accel_queue_desc){.can = {true, true}, .software = true};
}

int machine_config_init(struct machine_config *c, const char *kernel, struct rf_err *err) {
    const struct kernel_era *era = era_find(kernel);
    const struct rf_amount unlimited = {.kind = AMOUNT_MAX};

    if (!era) {
        char names[128];
        size_t at = 0;

        for (const struct kernel_era *const *e = era_table(); *e; e++) {
            int n = snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "", (*e)->name);

            if (n < 0 || (size_t)n >= sizeof(names) - at)
                break;
            at += (size_t)n;
        }
        return rf_fail(err, RF_EUSAGE, "unknown kernel '%s': there are %s", kernel, names);
    }
    memset(c, 0, sizeof(*c));
    c->era = *era;
    c->seed = 1;

    c->ram = percent(125);
    c->cpus = 1;
    c->cpu_speed = 100;
    c->swappiness = 60;
    c->page_cluster = 3;
    c->watermark_scale_factor = 10;
    c->fork_pages = FORK_PAGES_DEFAULT;
    c->stat_flush_phase = 100;
    memcpy(c->swap_device, "nvme", sizeof("nvme"));
    c->swap_size = percent(200);
    c->swap_rotational = c->swap_stable_writes = -1;
    c->vma_ra_enabled = true;
    c->compress_batchsize = 1;

    memcpy(c->zswap_compressor, "lzo", sizeof("lzo"));
    snprintf(c->zswap_zpool, sizeof(c->zswap_zpool), "%s", default_zpool(era));
    c->max_pool_percent = 20;
    c->accept_threshold_percent = 90;
    c->same_filled_pages_enabled = true;
    c->non_same_filled_pages_enabled = true;

    c->zram_disksize = percent(200);
    memcpy(c->zram_comp_algorithm, "lzo-rle", sizeof("lzo-rle"));

    c->memory_max = unlimited;
    c->memory_high = unlimited;
    c->memory_swap_max = unlimited;
    c->memory_zswap_max = unlimited;
    c->memory_limit = unlimited;
    c->memory_memsw_limit = unlimited;
    c->memory_zswap_writeback = true;
    c->thp_enabled = THP_NEVER;
    c->thp_defrag = THP_DEFRAG_MADVISE;

    accel_config_init(&c->accel);

    machine_config_set_profile(c, profile_default());
    return RF_OK;
}

uint64_t machine_amount_pages(const struct machine_config *c, struct rf_amount a) {
    switch ((enum rf_amount_kind)a.kind) {
    case AMOUNT_MAX:
        return UINT64_MAX;
    case AMOUNT_PERCENT: {
        /* In parts, so that no footprint overflows. */
        uint64_t whole = c->footprint_pages / (100 * PERCENT),
                 rest = c->footprint_pages % (100 * PERCENT);

        return whole * a.value + rest * a.value / (100 * PERCENT);
    }
    case AMOUNT_BYTES:
        break;
    }
    return a.value / RF_PAGE_SIZE;
}
