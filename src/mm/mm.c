/* SPDX-License-Identifier: Apache-2.0 */
/* Creation and teardown of the memory-management state, and the counters' names. */
#include <stdlib.h>
#include "mm_internal.h"
#include "reclaim.h"

const char *vm_counter_name(enum vm_counter c) {
    static const char *const names[NR_VM_COUNTERS] = {
#define X(name) #name,
        VM_COUNTERS(X)
#undef X
    };
    return names[c];
}

/* A ring for each list, with room for the marks of all folios. */
static int marks_init(struct mm *mm, struct rf_err *err) {
    while (mm->mark_mask < mm->folio_cap >> LRU_MARK_SHIFT)
        mm->mark_mask = mm->mark_mask << 1 | 1;
    return rf_varr_init(&mm->mark_arr, MAX_MEMCGS * NR_LRU * ((size_t)mm->mark_mask + 1),
                        sizeof(uint32_t), err);
}

int mm_create(const struct mm_params *p, struct mm **out, struct rf_err *err) {
    struct mm *mm = calloc(1, sizeof(*mm));
    int r;

    if (!mm)
        return rf_fail(err, RF_ENOMEM, "no memory for a machine");
    mm->p = *p;
    mm->folio_free = mm->free_piece = RF_NONE;
    /* Every id resident, and as many again in the swap cache or in flight. */
    uint64_t folios = RF_MIN(p->knobs.ram_pages, (uint64_t)p->max_ids * 2 + 65536);
    mm->folio_cap = (uint32_t)RF_MIN(folios + 1024, (uint64_t)1 << 28);
    for (mm->id_mask = 511; mm->id_mask < p->max_ids - 1;)
        mm->id_mask = mm->id_mask << 1 | 1;
    mm->nr_blocks = p->max_ids >> 9;
    mm->block = malloc(RF_MAX(mm->nr_blocks, 1u) * sizeof(*mm->block));
    mm->cpu = calloc(p->knobs.cpus, sizeof(*mm->cpu));
    if (p->knobs.lru_gen_enabled)
        mm->pmd_young = calloc(RF_MAX(mm->nr_blocks, 1u), 1);
    bool batches = p->zswap_store_batch && p->knobs.compress_batchsize > 1;
    if (batches)
        mm->batch_content = malloc(SWAP_BATCH_MAX * PMD_NR * sizeof(uint32_t));
    bool enough = mm->block && mm->cpu && (mm->pmd_young || !p->knobs.lru_gen_enabled) &&
                  (mm->batch_content || !batches);
    r = enough ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for a machine");
    if (!r)
        r = rf_varr_init(&mm->pte_arr, (size_t)mm->id_mask + 1, sizeof(uint64_t), err);
    if (!r)
        r = rf_varr_init(&mm->folio_arr, mm->folio_cap, sizeof(struct folio), err);
    if (!r)
        r = rf_varr_init(&mm->listed_slot_arr, mm->folio_cap, sizeof(uint32_t), err);
    if (!r && p->knobs.lru_gen_enabled)
        r = rf_varr_init(&mm->gen_arr, mm->folio_cap, 1, err);
    if (!r && !p->knobs.lru_gen_enabled)
        r = marks_init(mm, err);
    if (r) {
        mm_destroy(mm);
        return r;
    }
    rf_varr_hint_dense(&mm->pte_arr);
    rf_varr_hint_dense(&mm->folio_arr);
    mm->pte = mm->pte_arr.base;
    mm->folio = mm->folio_arr.base;
    mm->listed_slot = mm->listed_slot_arr.base;
    mm->gen = mm->gen_arr.base;
    for (uint32_t i = 0; i < mm->nr_blocks; i++)
        mm->block[i] = (struct block){
            .pieces = RF_NONE, .parent = RF_NONE, .child = RF_NONE, .sibling = RF_NONE};
    mm->held = RF_NONE;
    memcg_init(mm);
    for (uint32_t i = 0; mm->mark_arr.base && i < MAX_MEMCGS * NR_LRU; i++)
        mm->memcg[i / NR_LRU].lruvec.list[i % NR_LRU].mark =
            (uint32_t *)mm->mark_arr.base + (size_t)i * (mm->mark_mask + 1);
    watermarks_init(mm);
    swap_cluster_ra_init(&mm->cluster_ra);
    *out = mm;
    return RF_OK;
}

void mm_destroy(struct mm *mm) {
    if (!mm)
        return;
    for (uint32_t i = 0; i < mm->nr_procs; i++)
        free(mm->proc[i].blocks);
    free(mm->proc);
    for (uint32_t i = 0; i < MAX_MEMCGS; i++)
        free(mm->memcg[i].split_queue);
    free(mm->vma);
    free(mm->piece);
    free(mm->block);
    free(mm->pmd_young);
    free(mm->cpu);
    free(mm->batch_content);
    sim_calendar_free(&mm->lru_lock.busy);
    sim_calendar_free(&mm->swap_lock.busy);
    rf_varr_free(&mm->pte_arr);
    rf_varr_free(&mm->folio_arr);
    rf_varr_free(&mm->listed_slot_arr);
    rf_varr_free(&mm->gen_arr);
    rf_varr_free(&mm->mark_arr);
    swap_age_free(&mm->age);
    free(mm);
}
