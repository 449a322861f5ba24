/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb.h"

#include <stdlib.h>

/* Any mixing will do: where the contents lie is not known. */
static uint32_t place_of(uint64_t seed) {
    return (uint32_t)((seed * 0x9e3779b97f4a7c15u) >> 32);
}

int tlb_create(struct tlb *t, uint32_t entries, bool reads_contents, uint64_t seed,
               struct rf_err *err) {
    t->entry = malloc(entries * sizeof(*t->entry));
    if (!t->entry)
        return rf_fail(err, RF_ENOMEM, "no memory for a TLB of %u entries", entries);
    t->mask = entries - 1;
    t->pid = UINT32_MAX;
    t->reads_contents = reads_contents;
    t->content_at = place_of(seed);
    tlb_flush(t);
    return RF_OK;
}

void tlb_destroy(struct tlb *t) {
    free(t->entry);
}

void tlb_flush(struct tlb *t) {
    for (uint32_t i = 0; i <= t->mask; i++)
        t->entry[i] = TLB_NONE;
    for (unsigned i = 0; i < TLB_VICTIMS; i++)
        t->victim[i] = TLB_NONE;
}
