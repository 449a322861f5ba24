/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-generational LRU, anon only (mm/vmscan.c 6.1, 6.12). */
#include "mm_internal.h"

void lru_gen_init(struct lruvec *lv) {
    lv->lru_gen = (struct lru_gen){.max_seq = 3, .min_seq = 0};
    for (int i = 0; i < LRU_GEN_MAX; i++)
        lru_list_init(&lv->lru_gen.gen[i]);
}

void lru_gen_insert(struct mm *mm, uint32_t id, bool tail) {
    (void)mm;
    (void)id;
    (void)tail;
}

void lru_gen_remove(struct mm *mm, uint32_t id) {
    (void)mm;
    (void)id;
}

void lru_gen_shrink(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, struct scan_control *sc) {
    (void)mm;
    (void)cpu;
    (void)memcg;
    (void)sc;
}
