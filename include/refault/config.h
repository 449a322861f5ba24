/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: everything that defines a machine. struct kernel_era and struct cost_profile are nothing
 * but the structs of the subsystems; one row a kernel (src/machine/era.c), one file a profile.
 */
#ifndef REFAULT_CONFIG_H
#define REFAULT_CONFIG_H

#include "refault/accel.h"
#include "refault/blk.h"
#include "refault/mm.h"
#include "refault/swap.h"
#include "refault/zram.h"
#include "refault/zswap.h"

struct kernel_era {
    const char *name; /* "6.12" */
    struct zs_policy zs;
    struct zswap_policy zswap;
    struct zram_policy zram;
    struct swap_policy swap;
    struct fault_policy fault;
    struct blk_policy blk;
    struct reclaim_policy reclaim;
};

/* NULL-terminated: one row a kernel, oldest first. */
const struct kernel_era *const *era_table(void);
/* By version, "6.12"; NULL for an unknown one. */
const struct kernel_era *era_find(const char *name);

/* The codec that stands for `id` in zram and in zswap of that kernel: "zstd" is another one on a
 * kernel with libzstd 1.4, and where zram has back ends of its own. */
enum codec_id era_zram_codec(const struct kernel_era *era, enum codec_id id);
enum codec_id era_zswap_codec(const struct kernel_era *era, enum codec_id id);

enum era_field_type { ERA_BOOL, ERA_U8, ERA_U16, ERA_U32, ERA_U64, ERA_ENUM8 };
/* Every field of struct kernel_era, for era.FIELD knobs: one table feeds parser, help and JSON. */
struct era_field {
    const char *name; /* "reclaim.add_batch" */
    enum era_field_type type;
    size_t offset;             /* into struct kernel_era */
    const char *const *values; /* names of an enum, NULL-terminated */
    const char *help;
};
/* The table, *nr entries. */
const struct era_field *era_fields(size_t *nr);

struct cost_profile {
    struct mm_cost mm;
    struct zswap_cost zswap;
    struct zram_cost zram;
    struct accel_cost accel;
    struct blk_cost blk; /* of the selected swap device */
};

/* Every field of struct cost_profile, for cost.FIELD knobs and profile files. */
struct cost_field {
    const char *name; /* "mm.access_ns", "zswap.compress_ns.lz4", "blk.read_ns" */
    bool u32;         /* the field is a uint32_t, else a uint64_t */
    size_t offset;    /* into struct cost_profile */
};
/* The table, *nr entries. */
const struct cost_field *cost_fields(size_t *nr);
/* The costs on CPUs that are `percent` as fast: what a CPU does takes longer, devices do not. */
void cost_profile_at_speed(struct cost_profile *p, uint32_t percent);

/* A whole profile: the costs of every kind of block device. */
enum profile_blk {
    PROFILE_NULL,
    PROFILE_NVME,
    PROFILE_SSD,
    PROFILE_HDD,
    PROFILE_PMEM,
    PROFILE_VDISK,
    NR_PROFILE_BLK
};
struct profile {
    struct mm_cost mm;
    struct zswap_cost zswap;
    struct zram_cost zram;
    struct accel_cost accel;
    struct blk_cost blk[NR_PROFILE_BLK];
};
/* The built-in profile; profiles/default.ini has the same figures with their sources. */
const struct profile *profile_default(void);
/* Name of a device kind as in swap.device. */
const char *profile_blk_name(enum profile_blk b);
/* Sets one value by its key in a profile file ("mm.access_ns", "blk.nvme.read_ns"); false if there
 * is no such key or the value does not fit. */
bool profile_set(struct profile *p, const char *key, uint64_t value);
/* Reads one by the same keys; false if there is no such key. */
bool profile_get(const struct profile *p, const char *key, uint64_t *value);

/* An amount that may be a percentage of the trace's footprint. */
struct rf_amount {
    uint64_t value; /* bytes, or hundredths of a percent */
    uint8_t kind;   /* enum rf_amount_kind */
};
enum rf_amount_kind { AMOUNT_BYTES, AMOUNT_PERCENT, AMOUNT_MAX /* unlimited */ };

struct machine_config {
    struct kernel_era era;
    struct cost_profile cost;
    uint64_t seed;

    struct rf_amount ram; /* machine.ram, default 125 % of the footprint */
    uint32_t cpus;
    uint32_t cpu_speed; /* % of the profile's: divides all CPU time, that of the trace included */
    uint32_t swappiness, page_cluster, watermark_scale_factor;
    uint64_t min_free_kbytes;
    uint32_t fork_pages, fork_parent_pages;
    uint32_t stat_flush_phase; /* when memcg statistics are first flushed, in % of the period */
    uint32_t tlb_entries;      /* of a CPU, a power of two; 0 = each access sets the accessed bit */
    bool tlb_contents;         /* each access also reads the page's content elsewhere */
    char swap_device[16];      /* null, nvme, ssd, hdd, pmem, vdisk, zram0 */
    struct rf_amount swap_size; /* default 200 % of the footprint */
    int8_t swap_rotational;     /* -1 as the device, 0, 1 */
    int8_t swap_stable_writes;  /* likewise */
    bool vma_ra_enabled, singlemapped_ra_enabled;
    uint32_t compress_batchsize;
    bool contention;
    bool guests;       /* processes are virtual machines */
    uint8_t placement; /* enum placement_mode */

    bool zswap_enabled;
    char zswap_compressor[24], zswap_zpool[16];
    uint32_t max_pool_percent, accept_threshold_percent;
    bool shrinker_enabled, same_filled_pages_enabled, non_same_filled_pages_enabled;
    bool exclusive_loads;
    uint32_t zsmalloc_chain_size; /* 0 = the era's */

    struct rf_amount zram_disksize; /* default: swap.size */
    char zram_comp_algorithm[24];
    struct rf_amount zram_mem_limit;   /* 0 = none */
    struct rf_amount zram_backing_dev; /* size of a backing device, 0 = none */
    uint64_t zram_writeback_limit;
    bool zram_writeback_limit_enable;
    char zram_recomp_algorithm[24]; /* "" = none */

    struct rf_amount memory_max, memory_high, memory_swap_max, memory_zswap_max;
    struct rf_amount memory_limit, memory_memsw_limit; /* cgroup v1; either makes it v1 */
    bool memory_zswap_writeback;
    bool lru_gen_enabled;
    uint8_t thp_enabled; /* enum thp_mode */
    uint8_t thp_defrag;  /* enum thp_defrag_mode */
    uint32_t thp_orders; /* bit o: hugepages of order o below PMD order enabled */

    struct accel_config accel;

    bool verify, check;
    uint64_t footprint_pages; /* of the trace: what percentages are of */
    uint32_t blocks;          /* of 512 page ids that the trace uses */
};
enum placement_mode { PLACE_ORDER, PLACE_SPREAD, PLACE_BIND };
enum thp_mode { THP_NEVER, THP_MADVISE, THP_ALWAYS };

/* Takes the costs of c from a profile; those of the block device follow c->swap_device. */
void machine_config_set_profile(struct machine_config *c, const struct profile *p);
/* Fills c with the defaults for a kernel; RF_EUSAGE for an unknown one. */
int machine_config_init(struct machine_config *c, const char *kernel,
                        struct rf_err *err) RF_MUST_CHECK;
/* Pages of an amount: percentages are of c->footprint_pages; AMOUNT_MAX gives UINT64_MAX. */
uint64_t machine_amount_pages(const struct machine_config *c, struct rf_amount a);

#endif
