/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup v1: memory and swap are limited together (memory.memsw.*, mm/memcontrol.c 5.10). A page is
 * charged once, as memory, or as swap while it is out. So a slot has a charge of its own only while
 * nobody caches its page: from the page's removal by reclaim until it is read back and charged, or
 * until the slot is free.
 */
#include "mm_internal.h"

void memcg_v1_swapout(struct mm *mm, uint32_t slot, uint32_t memcg) {
    set_slot_memcg(mm, slot, memcg);
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        mm->memcg[i].memsw_swap++;
}

void memcg_v1_swapin(struct mm *mm, uint32_t slot) {
    uint32_t memcg = slot_memcg(mm, slot);

    if (!mm->p.knobs.cgroup_v1 || memcg == ROOT_MEMCG)
        return;
    set_slot_memcg(mm, slot, ROOT_MEMCG);
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        mm->memcg[i].memsw_swap--;
}
