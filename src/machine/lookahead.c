/* SPDX-License-Identifier: Apache-2.0 */
/* What a swap fault will look at. */
#include "lookahead.h"

void lookahead_slot(const struct mm *mm, uint32_t slot) {
    RF_PREFETCH(&mm->swap->meta[slot]);
    RF_PREFETCH(&mm->swap->word[slot]);
    if (mm->zram)
        zram_prefetch(mm->zram, (uint32_t)swap_slot_offset(mm->swap, slot));
    else if (mm->zswap)
        zswap_prefetch(mm->zswap, slot);
}

void lookahead_object(const struct mm *mm, uint32_t slot, bool links) {
    if (mm->zram)
        zram_prefetch_object(mm->zram, (uint32_t)swap_slot_offset(mm->swap, slot), links);
    else if (mm->zswap)
        zswap_prefetch_object(mm->zswap, slot, links);
}
