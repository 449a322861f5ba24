/* SPDX-License-Identifier: Apache-2.0 */
#include "config/knobs.h"

#include <stdio.h>
#include <stdlib.h>
#include "config/limits.h"
#include "config/value.h"

static const char *const devices[] = {"null", "nvme", "ssd", "hdd", "pmem", "vdisk", "zram0", NULL};
static const char *const zswap_codecs[] = {"lzo",   "lzo-rle",     "lz4",
                                           "lz4hc", "zstd",        "deflate",
                                           "842",   "deflate-iaa", "deflate-iaa-dynamic",
                                           "null",  NULL};
static const char *const zram_codecs[] = {"lzo",     "lzo-rle", "lz4",  "lz4hc", "zstd",
                                          "deflate", "842",     "null", NULL};
static const char *const recomp_codecs[] = {"",     "lzo",     "lzo-rle", "lz4", "lz4hc",
                                            "zstd", "deflate", "842",     NULL};
static const char *const zpools[] = {"zbud", "z3fold", "zsmalloc", NULL};
static const char *const thp_modes[] = {"never", "madvise", "always", NULL};
static const char *const thp_defrag_modes[] = {"always",  "defer", "defer+madvise",
                                               "madvise", "never", NULL};

static const char *const placements[] = {"order", "spread", "bind", NULL};
static const char *const accel_models[] = {"none", "iaa", "queue", NULL};
static const char *const sync_modes[] = {"sync", "async", "async_irq", NULL};
static const char *const full_policies[] = {"block", "spin", "software", "error", NULL};

#define AT(field)                                                                                  \
    offsetof(struct machine_config, field), sizeof(((const struct machine_config *)0)->field)
#define ANY 0, 0, false
#define SINCE(v) v, 0, false
#define UNTIL(v) 0, v, false
#define BETWEEN(a, b) a, b, false

static const struct knob usual[] = {
    {"kernel", KNOB_KERNEL, AT(era), 0, 0, NULL, ANY, "kernel whose rules hold (also --kernel)"},
    {"seed", KNOB_U64, AT(seed), 0, INT64_MAX, NULL, ANY,
     "of all that is random in the model (also --seed)"},
    {"machine.ram", KNOB_AMOUNT, AT(ram), 0, 0, NULL, ANY,
     "memory of the machine; % of the trace's footprint"},
    {"machine.cpus", KNOB_U32, AT(cpus), 1, 256, NULL, ANY, "CPUs"},
    {"machine.placement", KNOB_ENUM, AT(placement), 0, 0, placements, ANY,
     "where new processes go: idle CPUs by number, idle CPUs spread out, or process N to CPU N - "
     "1"},
    {"machine.contention", KNOB_BOOL, AT(contention), 0, 1, NULL, ANY,
     "CPUs wait for each other's locks in reclaim and swap"},
    {"machine.guests", KNOB_BOOL, AT(guests), 0, 1, NULL, ANY,
     "processes are virtual machines: each page fault also leaves and enters a guest"},
    {"machine.fork_pages", KNOB_U32, AT(fork_pages), 0, 65536, NULL, ANY,
     "pages charged for a forked process beside those of its traced mappings"},
    {"machine.fork_parent_pages", KNOB_U32, AT(fork_parent_pages), 0, 65536, NULL, ANY,
     "pages charged for a process once it has forked: what it had to copy, if that is locked"},
    {"machine.stat_flush_phase", KNOB_U32, AT(stat_flush_phase), 1, 100, NULL, ANY,
     "when memory cgroup statistics are first flushed, in % of era.reclaim.stat_flush_ns"},
    {"machine.tlb_entries", KNOB_U32, AT(tlb_entries), 0, 1u << 16, NULL, ANY,
     "translations that a CPU holds, a power of two: accesses through them leave an accessed bit "
     "that reclaim cleared as it is; 0 = each access sets it"},
    {"machine.tlb_contents", KNOB_BOOL, AT(tlb_contents), 0, 1, NULL, ANY,
     "with tlb_entries: each access also reads the page's content elsewhere, as a test program "
     "does"},
    {"machine.cpu_speed", KNOB_U32, AT(cpu_speed), 1, 10000, NULL, ANY,
     "speed of the CPUs in % of the profile's; devices stay as they are"},
    {"vm.swappiness", KNOB_U32, AT(swappiness), 0, 200, NULL, ANY,
     "share of anonymous pages in reclaim"},
    {"vm.page-cluster", KNOB_U32, AT(page_cluster), 0, 31, NULL, ANY,
     "swap readahead of at most 2^N pages, 0 = none"},
    {"vm.compress-batchsize", KNOB_U32, AT(compress_batchsize), 1, SWAP_BATCH_MAX, NULL, ANY,
     "with era.zswap.store_batch: folios that reclaim compresses together"},
    {"vm.watermark_scale_factor", KNOB_U32, AT(watermark_scale_factor), 1, 3000, NULL, ANY,
     "distance of the watermarks in 1/10000 of memory"},
    {"vm.min_free_kbytes", KNOB_U64, AT(min_free_kbytes), 0, 1u << 30, NULL, ANY,
     "reserve below which only reclaim allocates, 0 = the kernel's formula"},
    {"swap.device", KNOB_NAME, AT(swap_device), 0, 0, devices, ANY, "what is swapped to"},
    {"swap.size", KNOB_AMOUNT, AT(swap_size), 0, 0, NULL, ANY,
     "size of the swap area; % of the footprint"},
    {"swap.rotational", KNOB_TRISTATE, AT(swap_rotational), 0, 1, NULL, ANY,
     "rotational flag of the device's queue; 'device' = as the device is"},
    {"swap.stable_writes", KNOB_TRISTATE, AT(swap_stable_writes), 0, 1, NULL, ANY,
     "stable_writes flag of the queue: a page must not change while it is written"},
    {"swap.vma_ra_enabled", KNOB_BOOL, AT(vma_ra_enabled), 0, 1, NULL, ANY,
     "readahead by virtual address on non-rotational devices"},
    {"swap.singlemapped_ra_enabled", KNOB_BOOL, AT(singlemapped_ra_enabled), 0, 1, NULL, ANY,
     "with era.zswap.load_batch: readahead for pages with one user on synchronous devices, too"},
    {"zswap.enabled", KNOB_BOOL, AT(zswap_enabled), 0, 1, NULL, ANY,
     "zswap in front of the device"},
    {"zswap.compressor", KNOB_NAME, AT(zswap_compressor), 0, 0, zswap_codecs, ANY,
     "compressor of zswap"},
    {"zswap.zpool", KNOB_NAME, AT(zswap_zpool), 0, 0, zpools, UNTIL(617), "allocator of zswap"},
    {"zswap.max_pool_percent", KNOB_U32, AT(max_pool_percent), 0, 100, NULL, ANY,
     "largest pool in % of machine.ram"},
    {"zswap.accept_threshold_percent", KNOB_U32, AT(accept_threshold_percent), 0, 100, NULL,
     SINCE(506), "a full pool accepts again below this % of its limit"},
    {"zswap.shrinker_enabled", KNOB_BOOL, AT(shrinker_enabled), 0, 1, NULL, SINCE(608),
     "reclaim may write cold entries back before the pool is full"},
    {"zswap.same_filled_pages_enabled", KNOB_BOOL, AT(same_filled_pages_enabled), 0, 1, NULL,
     BETWEEN(416, 609), "same-filled pages are kept as one word"},
    {"zswap.non_same_filled_pages_enabled", KNOB_BOOL, AT(non_same_filled_pages_enabled), 0, 1,
     NULL, BETWEEN(518, 609), "pages that are not same-filled are stored at all"},
    {"zswap.exclusive_loads", KNOB_BOOL, AT(exclusive_loads), 0, 1, NULL, BETWEEN(605, 608),
     "a load erases the entry"},
    {"zsmalloc.chain_size", KNOB_U32, AT(zsmalloc_chain_size), 0, ZPOOL_MAX_CHAIN, NULL, ANY,
     "pages of the longest zspage (a build option, 4 to 16), 0 = the kernel's default"},
    {"zram0.disksize", KNOB_AMOUNT, AT(zram_disksize), 0, 0, NULL, ANY,
     "size of zram0; default swap.size"},
    {"zram0.comp_algorithm", KNOB_NAME, AT(zram_comp_algorithm), 0, 0, zram_codecs, ANY,
     "compressor of zram0"},
    {"zram0.mem_limit", KNOB_AMOUNT, AT(zram_mem_limit), 0, 0, NULL, ANY,
     "largest pool of zram0, 0 = no limit"},
    {"zram0.backing_dev", KNOB_AMOUNT, AT(zram_backing_dev), 0, 0, NULL, ANY,
     "size of a device that zram0 may write back to, 0 = none"},
    {"zram0.writeback_limit", KNOB_U64, AT(zram_writeback_limit), 0, INT64_MAX, NULL, SINCE(500),
     "pages that may still be written back"},
    {"zram0.writeback_limit_enable", KNOB_BOOL, AT(zram_writeback_limit_enable), 0, 1, NULL,
     SINCE(500), "whether writeback_limit holds"},
    {"zram0.recomp_algorithm", KNOB_NAME, AT(zram_recomp_algorithm), 0, 0, recomp_codecs,
     SINCE(602), "second compressor of zram0, empty = none"},
    {"memory.max", KNOB_AMOUNT, AT(memory_max), 0, 0, NULL, ANY,
     "hard limit of the workload's cgroup; % of the footprint"},
    {"memory.high", KNOB_AMOUNT, AT(memory_high), 0, 0, NULL, ANY,
     "limit above which the cgroup reclaims and is slowed down; % of the footprint"},
    {"memory.swap.max", KNOB_AMOUNT, AT(memory_swap_max), 0, 0, NULL, ANY,
     "swap that the cgroup may use; % of the footprint"},
    {"memory.zswap.max", KNOB_AMOUNT, AT(memory_zswap_max), 0, 0, NULL, SINCE(519),
     "compressed memory that the cgroup may use; % of the footprint"},
    {"memory.zswap.writeback", KNOB_BOOL, AT(memory_zswap_writeback), 0, 1, NULL, SINCE(608),
     "zswap may write the cgroup's pages to the device"},
    {"memory.limit_in_bytes", KNOB_AMOUNT, AT(memory_limit), 0, 0, NULL, ANY,
     "cgroup v1 instead of v2: its hard limit; % of the footprint"},
    {"memory.memsw.limit_in_bytes", KNOB_AMOUNT, AT(memory_memsw_limit), 0, 0, NULL, ANY,
     "cgroup v1: limit of memory and swap together; % of the footprint"},
    {"lru_gen.enabled", KNOB_BOOL, AT(lru_gen_enabled), 0, 1, NULL, SINCE(601),
     "multi-gen LRU instead of active and inactive lists"},
    {"thp.enabled", KNOB_ENUM, AT(thp_enabled), 0, 0, thp_modes, ANY, "2 MiB pages"},
    {"thp.defrag", KNOB_ENUM, AT(thp_defrag), 0, 0, thp_defrag_modes, ANY,
     "whether a large page may be reclaimed for"},
    {"accel.model", KNOB_NAME, AT(accel.model), 0, 0, accel_models, ANY,
     "accelerator that zswap's compressor runs on"},
    {"accel.devices", KNOB_U32, AT(accel.devices), 1, ACCEL_MAX_DEVICES, NULL, ANY,
     "devices in all; each serves as many CPUs"},
    {"accel.packages", KNOB_U32, AT(accel.packages), 1, ACCEL_MAX_DEVICES, NULL, ANY,
     "packages that the devices belong to"},
    {"accel.engines", KNOB_U32, AT(accel.engines), 1, ACCEL_MAX_ENGINES, NULL, ANY,
     "engines of a device"},
    {"accel.wqs", KNOB_U32, AT(accel.wqs), 1, ACCEL_MAX_WQS, NULL, ANY,
     "iaa: work queues of a device"},
    {"accel.comp_wqs", KNOB_U32, AT(accel.comp_wqs), 0, ACCEL_MAX_WQS - 1, NULL, ANY,
     "iaa: of these, for compression alone, the others for decompression; 0 = each for both"},
    {"accel.groups", KNOB_U32, AT(accel.groups), 1, ACCEL_MAX_WQS, NULL, ANY,
     "iaa: groups that the queues and engines of a device are dealt out to"},
    {"accel.wq_size", KNOB_U32, AT(accel.wq_size), 1, 128, NULL, ANY,
     "iaa: entries of a device, dealt out to its queues"},
    {"accel.wq_shared", KNOB_BOOL, AT(accel.wq_shared), 0, 1, NULL, ANY,
     "iaa: shared work queues, else dedicated"},
    {"accel.wq_threshold", KNOB_U32, AT(accel.wq_threshold), 0, 128, NULL, ANY,
     "iaa: entries at which a shared queue refuses, 0 = its size"},
    {"accel.sync_mode", KNOB_ENUM, AT(accel.completion), 0, 0, sync_modes, ANY,
     "each job polled for, all of a batch, or an interrupt"},
    {"accel.verify_compress", KNOB_BOOL, AT(accel.verify_compress), 0, 1, NULL, ANY,
     "iaa: each result is decompressed and compared"},
    {"accel.batch", KNOB_U32, AT(accel.batch), 1, ACCEL_MAX_BATCH, NULL, ANY,
     "jobs handed over at once; iaa takes 8 at most"},
    {"accel.distribute_comps", KNOB_BOOL, AT(accel.policy[ACCEL_COMPRESS].distribute), 0, 1, NULL,
     ANY, "compressions go to all devices of the package in turn"},
    {"accel.distribute_decomps", KNOB_BOOL, AT(accel.policy[ACCEL_DECOMPRESS].distribute), 0, 1,
     NULL, ANY, "decompressions go to all devices of the package in turn"},
    {"accel.comp_full", KNOB_ENUM, AT(accel.policy[ACCEL_COMPRESS].full), 0, 0, full_policies, ANY,
     "a compression that finds no place in the queue: sleep, try for ever, or then software or "
     "failure"},
    {"accel.decomp_full", KNOB_ENUM, AT(accel.policy[ACCEL_DECOMPRESS].full), 0, 0, full_policies,
     ANY, "the same for a decompression, where failure is software, too"},
    {"accel.comp_retries", KNOB_U32, AT(accel.policy[ACCEL_COMPRESS].retries), 0, 1000000, NULL,
     ANY, "further attempts of a compression to get a place"},
    {"accel.decomp_retries", KNOB_U32, AT(accel.policy[ACCEL_DECOMPRESS].retries), 0, 1000000, NULL,
     ANY, "further attempts of a decompression to get a place"},
#define QUEUE(f) AT(accel.queue.f)
    {"accel.queue.compress", KNOB_BOOL, QUEUE(can[ACCEL_COMPRESS]), 0, 1, NULL, ANY,
     "queue: the device compresses"},
    {"accel.queue.decompress", KNOB_BOOL, QUEUE(can[ACCEL_DECOMPRESS]), 0, 1, NULL, ANY,
     "queue: the device decompresses"},
    {"accel.queue.depth", KNOB_U32, QUEUE(depth), 0, 1u << 16, NULL, ANY,
     "queue: jobs waiting or in service, a device; 0 = no bound"},
    {"accel.queue.comp_setup", KNOB_TIME, QUEUE(setup_ns[ACCEL_COMPRESS]), 0, ACCEL_MAX_NS, NULL,
     ANY, "queue: service of a compression, without its bytes"},
    {"accel.queue.decomp_setup", KNOB_TIME, QUEUE(setup_ns[ACCEL_DECOMPRESS]), 0, ACCEL_MAX_NS,
     NULL, ANY, "queue: service of a decompression, without its bytes"},
    {"accel.queue.comp_byte_ps", KNOB_U64, QUEUE(byte_ps[ACCEL_COMPRESS]), 0, ACCEL_MAX_NS, NULL,
     ANY, "queue: picoseconds on top for each byte of the page"},
    {"accel.queue.decomp_byte_ps", KNOB_U64, QUEUE(byte_ps[ACCEL_DECOMPRESS]), 0, ACCEL_MAX_NS,
     NULL, ANY, "queue: picoseconds on top for each compressed byte"},
    {"accel.queue.submit", KNOB_TIME, QUEUE(submit_ns), 0, ACCEL_MAX_NS, NULL, ANY,
     "queue: CPU time to hand a job over"},
    {"accel.queue.doorbell", KNOB_TIME, QUEUE(doorbell_ns), 0, ACCEL_MAX_NS, NULL, ANY,
     "queue: CPU time on top for a batch"},
    {"accel.queue.complete", KNOB_TIME, QUEUE(complete_ns), 0, ACCEL_MAX_NS, NULL, ANY,
     "queue: from the end of the service until it can be seen"},
    {"accel.queue.wake", KNOB_TIME, QUEUE(wake_ns), 0, ACCEL_MAX_NS, NULL, ANY,
     "queue: CPU time of a wait that slept (async_irq)"},
    {"accel.queue.min_job", KNOB_U32, QUEUE(min_job), 0, 1u << 20, NULL, ANY,
     "queue: jobs of fewer bytes are the CPU's"},
    {"accel.queue.max_out", KNOB_U32, QUEUE(max_out), 0, RF_PAGE_SIZE, NULL, ANY,
     "queue: longest compressed page in bytes, 0 = a page"},
    {"accel.queue.ordered", KNOB_BOOL, QUEUE(ordered), 0, 1, NULL, ANY,
     "queue: results are seen in the order of submission"},
    {"accel.queue.software", KNOB_BOOL, QUEUE(software), 0, 1, NULL, ANY,
     "queue: the CPU compresses what fails, else the page is rejected"},
    {"accel.queue.fail_ppm", KNOB_U32, QUEUE(fail_ppm), 0, 1000000, NULL, ANY,
     "queue: jobs in a million that the device fails"},
#define MTHP(kb, order)                                                                            \
    {                                                                                              \
        "thp.hugepages-" #kb "kB.enabled", KNOB_BIT, AT(thp_orders), order, 0, NULL, SINCE(608),   \
            "pages of " #kb " KiB"                                                                 \
    }
    MTHP(16, 2),
    MTHP(32, 3),
    MTHP(64, 4),
    MTHP(128, 5),
    MTHP(256, 6),
    MTHP(512, 7),
    MTHP(1024, 8),
};
#define NR_USUAL (sizeof(usual) / sizeof(usual[0]))

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

static void cost_knob(const struct cost_field *f, struct knob *k) {
    k->type = f->u32 ? KNOB_U32 : strstr(f->name, "_ns") ? KNOB_TIME : KNOB_U64;
    k->offset = offsetof(struct machine_config, cost) + f->offset;
    k->size = f->u32 ? sizeof(uint32_t) : sizeof(uint64_t);
    k->help = strstr(f->name, "byte_ps")        ? "picoseconds per compressed byte"
              : ends_with(f->name, "_bps")      ? "bytes per second"
              : k->type == KNOB_TIME            ? "time charged"
              : ends_with(f->name, "_percent")  ? "percent"
              : ends_with(f->name, "_compress") ? "compressions at once"
                                                : "requests";
}

static void era_knob(const struct era_field *f, struct knob *k) {
    static const struct {
        enum knob_type type;
        size_t size;
    } types[] = {
        [ERA_BOOL] = {KNOB_BOOL, sizeof(bool)},
        [ERA_U8] = {KNOB_U8, 1},
        [ERA_U16] = {KNOB_U16, 2},
        [ERA_U32] = {KNOB_U32, 4},
        [ERA_U64] = {KNOB_U64, 8},
        [ERA_ENUM8] = {KNOB_ENUM, 1},
    };

    k->type = ends_with(f->name, "_ns") ? KNOB_TIME : types[f->type].type;
    k->size = types[f->type].size;
    k->offset = offsetof(struct machine_config, era) + f->offset;
    k->values = f->values;
    k->help = f->help;
}

int knob_table_init(struct knob_table *t, struct rf_err *err) {
    size_t nr_era, nr_cost, bytes = 0, at = 0, n = NR_USUAL;
    const struct era_field *era = era_fields(&nr_era);
    const struct cost_field *cost = cost_fields(&nr_cost);

    for (size_t i = 0; i < nr_cost; i++)
        bytes += strlen(cost[i].name) + sizeof("cost.");
    for (size_t i = 0; i < nr_era; i++)
        bytes += strlen(era[i].name) + sizeof("era.");
    t->v = calloc(NR_USUAL + nr_cost + nr_era, sizeof(*t->v));
    t->names = malloc(bytes);
    if (!t->v || !t->names) {
        knob_table_free(t);
        return rf_fail(err, RF_ENOMEM, "no memory for the table of knobs");
    }
    memcpy(t->v, usual, sizeof(usual));
    for (size_t i = 0; i < nr_cost; i++, n++) {
        cost_knob(&cost[i], &t->v[n]);
        t->v[n].key = t->names + at;
        at += (size_t)sprintf(t->names + at, "cost.%s", cost[i].name) + 1;
        knob_limits(&t->v[n]);
    }
    for (size_t i = 0; i < nr_era; i++, n++) {
        era_knob(&era[i], &t->v[n]);
        t->v[n].key = t->names + at;
        at += (size_t)sprintf(t->names + at, "era.%s", era[i].name) + 1;
        if (knob_is_number(&t->v[n]))
            knob_limits(&t->v[n]);
    }
    t->n = n;
    t->nr_usual = NR_USUAL;
    return RF_OK;
}

void knob_table_free(struct knob_table *t) {
    free(t->v);
    free(t->names);
    *t = (struct knob_table){0};
}

const struct knob *knob_find(const struct knob_table *t, const char *key, struct rf_err *err) {
    const char *nearest = NULL;
    unsigned best = UINT32_MAX;

    for (size_t i = 0; i < t->n; i++) {
        unsigned d;

        if (strcmp(t->v[i].key, key) == 0)
            return &t->v[i];
        d = edit_distance(key, t->v[i].key);
        if (d < best) {
            best = d;
            nearest = t->v[i].key;
        }
    }
    if (nearest && best <= RF_MAX(3, strlen(key) / 3))
        rf_fail(err, RF_EUSAGE, "unknown knob '%s'; did you mean '%s'?", key, nearest);
    else
        rf_fail(err, RF_EUSAGE, "unknown knob '%s'; 'refault knobs' lists them all", key);
    return NULL;
}

/* A whole number of the largest unit that it is a multiple of. */
static const char *exact_time(uint64_t ns, char *buf, size_t size) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    unsigned u = 0;

    while (u < 3 && ns && ns % 1000 == 0) {
        ns /= 1000;
        u++;
    }
    snprintf(buf, size, ns ? "%llu%s" : "%llu", (unsigned long long)ns, units[u]);
    return buf;
}

bool knob_is_number(const struct knob *k) {
    return k->type == KNOB_U8 || k->type == KNOB_U16 || k->type == KNOB_U32 ||
           k->type == KNOB_U64 || k->type == KNOB_TIME;
}

const char *knob_range(const struct knob *k, char *buf, size_t size) {
    char low[32], high[32];
    size_t at = 0;

    switch (k->type) {
    case KNOB_BOOL:
    case KNOB_BIT:
        snprintf(buf, size, "0 or 1");
        break;
    case KNOB_TRISTATE:
        snprintf(buf, size, "device, 0 or 1");
        break;
    case KNOB_U8:
    case KNOB_U16:
    case KNOB_U32:
    case KNOB_U64:
        snprintf(buf, size, "integer %s%llu..%llu", k->zero ? "0 or " : "",
                 (unsigned long long)k->min, (unsigned long long)k->max);
        break;
    case KNOB_TIME:
        snprintf(buf, size, "time in ns, us, ms or s, %s%s to %s", k->zero ? "0 or " : "",
                 exact_time(k->min, low, sizeof(low)), exact_time(k->max, high, sizeof(high)));
        break;
    case KNOB_AMOUNT:
        snprintf(buf, size, "size (K M G T) up to 1024T, %% or max");
        break;
    case KNOB_KERNEL:
        at += (size_t)snprintf(buf, size, "one of");
        for (const struct kernel_era *const *e = era_table(); *e && at < size; e++)
            at += (size_t)snprintf(buf + at, size - at, "%s %s", e == era_table() ? "" : ",",
                                   (*e)->name);
        break;
    case KNOB_NAME:
    case KNOB_ENUM:
        at += (size_t)snprintf(buf, size, "one of");
        for (size_t i = 0; k->values[i] && at < size; i++)
            at += (size_t)snprintf(buf + at, size - at, "%s %s", i ? "," : "",
                                   *k->values[i] ? k->values[i] : "''");
        break;
    }
    return buf;
}

/* 6.12 -> 612. */
static unsigned version_of(const char *kernel) {
    char *dot, *end;
    unsigned long major = strtoul(kernel, &dot, 10), minor;

    if (*dot != '.')
        return 0;
    minor = strtoul(dot + 1, &end, 10);
    return *end || minor > 99 ? 0 : (unsigned)(major * 100 + minor);
}

bool knob_in_kernel(const struct knob *k, const char *kernel) {
    unsigned v = version_of(kernel);

    return (!k->since || v >= k->since) && (!k->until || v <= k->until);
}

const char *knob_kernels(const struct knob *k, char *buf, size_t size) {
    unsigned a = k->since, b = k->until;

    if (a && b)
        snprintf(buf, size, "%u.%u to %u.%u", a / 100, a % 100, b / 100, b % 100);
    else if (a)
        snprintf(buf, size, "%u.%u and later", a / 100, a % 100);
    else if (b)
        snprintf(buf, size, "to %u.%u", b / 100, b % 100);
    else
        snprintf(buf, size, "all");
    return buf;
}
