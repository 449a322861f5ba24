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

bool zswap_load(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, bool in_swapcache,
                uint32_t content, bool *dirty) {
    struct zswap_entry *e;

    *dirty = false;
    zswap_tree_hold(z, cpu, slot, 1);
    if (!entry_live(z, slot))
        return false;
    e = &z->entry[slot];
    sim_charge(cpu, z->cost.load_ns);
    zswap_charge_decompress(z, cpu, slot);
    zswap_verify_read(z, slot, content, "load");
    z->c.x_loads++;
    if (z->policy.count_vm && z->host->count_vm)
        z->host->count_vm(z->host_ctx, e->memcg, ZSWAP_VM_IN, 1);
    /* reference counts kept the entry over the decompression: the lock is taken again to drop it */
    if (z->policy.shrink_mode != ZSWAP_SHRINK_MEMCG)
        zswap_tree_hold(z, cpu, slot, 1);
    if (load_erases(z, in_swapcache)) {
        zswap_entry_free(z, slot);
        z->c.x_erased_on_load++;
        *dirty = true;
    } else if (z->policy.shrink_mode != ZSWAP_SHRINK_MEMCG && (e->flags & ENTRY_ON_LRU)) {
        zswap_lru_rotate(z, slot);
    }
    return true;
}
