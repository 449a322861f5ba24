/* SPDX-License-Identifier: Apache-2.0 */
/* Loads: who keeps the entry afterwards differs most between kernels (mm/zswap.c 6.1, 6.6, 6.12).
 */
#include "zswap_internal.h"

static bool load_erases(const struct zswap *z, bool in_swapcache) {
    switch (z->policy.exclusive) {
    case ZSWAP_EXCL_ALWAYS:
        /* without a swap-cache folio the entry stays the owner until the slot is freed */
        return in_swapcache;
    case ZSWAP_EXCL_KNOB:
        return z->knobs.exclusive_loads;
    default:
        return false;
    }
}

/* After the decompression: counts, and who keeps the entry. */
static void loaded(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, bool in_swapcache,
                   uint32_t content, bool *dirty) {
    struct zswap_entry *e = &z->entry[slot];

    zswap_verify_read(z, slot, content, "load");
    z->c.x_loads++;
    if (z->policy.count_vm && z->host->count_vm)
        z->host->count_vm(z->host_ctx, e->memcg, ZSWAP_VM_IN, 1);
    /* reference counts kept the entry over the decompression: the lock is taken again to drop it */
    if (z->policy.shrink_mode != ZSWAP_SHRINK_MEMCG)
        zswap_tree_hold(z, cpu, slot, 1);
    if (load_erases(z, in_swapcache)) {
        zswap_entry_free(z, cpu, slot);
        z->c.x_erased_on_load++;
        *dirty = true;
    } else if (z->policy.shrink_mode != ZSWAP_SHRINK_MEMCG && (e->flags & ENTRY_ON_LRU)) {
        zswap_lru_hold(z, cpu, e->memcg, true);
        zswap_lru_rotate(z, slot);
    }
}

bool zswap_load(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, bool in_swapcache,
                uint32_t content, bool *dirty) {
    *dirty = false;
    zswap_tree_hold(z, cpu, slot, 1);
    if (!entry_live(z, slot))
        return false;
    sim_charge(cpu, z->cost.load_ns);
    if (!(z->entry[slot].flags & ENTRY_SAME))
        zswap_map_hold(z, cpu, slot);
    zswap_charge_decompress(z, cpu, slot);
    loaded(z, cpu, slot, in_swapcache, content, dirty);
    return true;
}

void zswap_load_batch(struct zswap *z, struct sim_cpu *cpu, const uint32_t *slot,
                      const uint32_t *content, uint32_t nr, bool *dirty) {
    struct accel_job job[ZSWAP_MAX_LOAD_BATCH];
    uint32_t step = RF_MAX(accel_batch(z->accel), 1u);

    /* By order of arrival: an entry that needs no decompression takes a place all the same. */
    for (uint32_t from = 0; from < nr; from += step) {
        uint32_t n = RF_MIN(step, nr - from), jobs = 0;

        for (uint32_t i = from; i < from + n; i++) {
            zswap_tree_hold(z, cpu, slot[i], 1);
            sim_charge(cpu, z->cost.load_ns);
            if (!(z->entry[slot[i]].flags & ENTRY_SAME))
                zswap_map_hold(z, cpu, slot[i]);
            if (z->entry[slot[i]].flags & (ENTRY_SAME | ENTRY_RAW))
                zswap_charge_decompress(z, cpu, slot[i]);
            else
                job[jobs++] = zswap_decompress_job(z, slot[i]);
        }
        if (jobs)
            zswap_run_jobs(z, cpu, job, jobs);
        for (uint32_t i = from; i < from + n; i++) {
            dirty[i] = false;
            loaded(z, cpu, slot[i], true, content[i], &dirty[i]);
        }
    }
}

bool zswap_batches_loads(const struct zswap *z) {
    return z->policy.load_batch && accel_offloads(z->accel, ACCEL_DECOMPRESS) &&
           accel_batch(z->accel) > 1;
}
