/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zram: the compressed RAM block device, as swap device and driven directly. Pages of the device
 * ("index") hold contents by id; lengths come from the content set.
 */
#ifndef REFAULT_ZRAM_H
#define REFAULT_ZRAM_H

#include "refault/content.h"
#include "refault/engine.h"
#include "refault/zpool.h"

#define ZRAM_MAX_COMPS 4

/* What differs between kernels (drivers/block/zram/zram_drv.c). */
struct zram_policy {
    bool huge_by_class_size; /* huge = length >= zs_huge_class_size (4.18+: "zsmalloc: introduce
                                zs_huge_class_size()", March 2018); else > max_zpage_size */
    uint32_t max_zpage_size; /* 3072 (to 4.16) */
    bool own_backends;       /* 6.12+: zram's own back ends; io_stat's invalid_io is a literal 0 */
    bool recompression;      /* 6.2+ */
    bool idle_skips_same_wb; /* marking "all" skips same-filled and written-back slots (6.12) */
    bool idle_age_unmarks;   /* marking by age unmarks young slots (6.12) */
    bool wb_incompressible;  /* 6.2+ */
    bool wb_largest_first;   /* 6.13+: targets of writeback and recompression by falling size */
    bool recomp_max_pages;   /* 6.10+ */
    bool recompress_clears_ac_time; /* 6.12 */
    bool zstd_1_4;                  /* the kernel has libzstd 1.4 (to 6.1) */
};

/* Times charged to the calling CPU, per page; zram has no queue and no I/O completion. */
struct zram_cost {
    uint64_t compress_ns[NR_CODECS], compress_byte_ps[NR_CODECS];
    uint64_t decompress_ns[NR_CODECS], decompress_byte_ps[NR_CODECS];
    uint64_t same_filled_ns, write_ns, read_ns, free_ns, copy_page_ns;
    uint64_t backing_read_ns, backing_write_ns;
};

/* A device as it is after its disksize was set. */
struct zram_params {
    struct zram_policy policy;
    struct zram_cost cost;
    struct zs_policy zs;
    const char *name; /* zram0; must outlive the device */
    uint64_t disksize_pages;
    enum codec_id comp[ZRAM_MAX_COMPS]; /* by priority; NR_CODECS = none */
    uint64_t mem_limit_bytes;           /* 0 = none */
    uint64_t backing_pages;             /* 0 = no backing device */
    uint64_t writeback_limit;
    bool writeback_limit_enable;
    bool track_ac_time; /* CONFIG_ZRAM_TRACK_ENTRY_ACTIME: idle marking by age */
    struct content_set *content;
    bool verify;
    zpool_pages_fn pages;
    void *pages_ctx;
};

/* The files of the same names under /sys/block/zramN, column by column: bytes and pages as
 * Documentation/admin-guide/blockdev/zram.rst says; bd_stat in units of 4 KiB. */
struct zram_mm_stat {
    uint64_t orig_data_size, compr_data_size, mem_used_total, mem_limit, mem_used_max, same_pages,
        pages_compacted, huge_pages, huge_pages_since;
};
struct zram_io_stat {
    uint64_t failed_reads, failed_writes, invalid_io, notify_free;
};
struct zram_bd_stat {
    uint64_t bd_count, bd_reads, bd_writes;
};
struct zram_debug_stat {
    uint64_t writestall, miss_free;
};

struct zram;

/* RF_EUSAGE for a size of 0 or too large or no algorithm, RF_ENOMEM. zram_destroy() gives it back
 * (NULL is allowed). The content set is borrowed. */
int zram_create(const struct zram_params *p, struct zram **out, struct rf_err *err) RF_MUST_CHECK;
void zram_destroy(struct zram *z);
/* Writes content to page index; true on success, false = I/O error (counted). */
bool zram_write(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t content);
/* Reads page index; *content gets what is there (CONTENT_ZERO if never written). */
bool zram_read(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t *content);
/* Brings the state of page index, and then that of its object (first the object itself, with links
 * its neighbours in the pool's lists), into the processor's cache. Changes nothing. */
void zram_prefetch(const struct zram *z, uint32_t index);
void zram_prefetch_object(const struct zram *z, uint32_t index, bool links);
/* Swap layer: the slot is free (notify_free + 1). */
void zram_slot_free_notify(struct zram *z, struct sim_cpu *cpu, uint32_t index);
/*
 * Declares that somebody on another CPU holds the lock of slot index (RF_NONE: nobody does). While
 * it is held a slot-free notice only counts miss_free and the slot stays (zram_slot_free_notify(),
 * drivers/block/zram/zram_drv.c 6.12).
 */
void zram_set_locked_slot(struct zram *z, uint32_t index);
/* Discard of nr whole pages (notify_free + nr). */
void zram_discard(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t nr);
/*
 * A write to a sysfs file by name: compact, idle, writeback, writeback_limit,
 * writeback_limit_enable, recompress, mem_limit, mem_used_max, and the files that are refused as
 * busy once a disksize is set (disksize, comp_algorithm, recomp_algorithm, backing_dev, reset).
 * 0, or a positive errno value as the kernel would return (EINVAL, ENODEV, EIO, ENOSPC, EBUSY,
 * ENOENT for a file that this kernel does not have). Syntax and meaning of each text:
 * Documentation/admin-guide/blockdev/zram.rst.
 */
int zram_sysfs_write(struct zram *z, struct sim_cpu *cpu, const char *file, const char *text);

/* The present values. */
void zram_mm_stat(const struct zram *z, struct zram_mm_stat *out);
void zram_io_stat(const struct zram *z, struct zram_io_stat *out);
void zram_bd_stat(const struct zram *z, struct zram_bd_stat *out);
void zram_debug_stat(const struct zram *z, struct zram_debug_stat *out);
/* The files' text in the kernel's own shape; bytes needed as snprintf. */
size_t zram_format_mm_stat(const struct zram *z, char *buf, size_t size);
size_t zram_format_io_stat(const struct zram *z, char *buf, size_t size);
size_t zram_format_bd_stat(const struct zram *z, char *buf, size_t size);
size_t zram_format_debug_stat(const struct zram *z, char *buf, size_t size);
const struct zpool *zram_pool(const struct zram *z); /* its zsmalloc pool */
uint64_t zram_total_pages(const struct zram *z);     /* pool pages */
uint64_t zram_writeback_limit(const struct zram *z); /* what is left, in 4 KiB units */
/* Flags of slot index as the debugfs file block_state shows them, e.g. "..hi.." (same-filled,
 * written back, huge, idle, recompressed, incompressible); false if the slot is empty. */
bool zram_block_state(const struct zram *z, uint32_t index, char flags[7]);
/* With verify: pages read back and found as stored. */
uint64_t zram_verified(const struct zram *z);
/* With verify: the first failure found so far (0 or RF_ECHECK). */
int zram_verify_status(const struct zram *z, struct rf_err *err) RF_MUST_CHECK;
/* All invariants, the pool's too; 0 or RF_ECHECK. */
int zram_check(const struct zram *z, struct rf_err *err) RF_MUST_CHECK;

#endif
