/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-table entries, by page id. Bits 0-7 are flags, then follow 28 bits of the folio or swap slot
 * and 28 bits of the page's content.
 */
#ifndef MM_PTE_H
#define MM_PTE_H

#include <stdint.h>

#define PTE_PRESENT 0x01u
#define PTE_ACCESSED 0x02u
#define PTE_DIRTY 0x04u
#define PTE_WRITE 0x08u
#define PTE_SWAP 0x10u /* not present: index is a swap slot */
#define PTE_EXCLUSIVE 0x20u
#define PTE_MAPPED 0x40u   /* the id belongs to a mapping */
#define PTE_ZEROPAGE 0x80u /* present, maps the shared zero page: no folio */
#define PTE_INDEX_SHIFT 8
#define PTE_CONTENT_SHIFT 36
#define PTE_INDEX_MASK ((uint64_t)0x0fffffff << PTE_INDEX_SHIFT)
#define PTE_CONTENT_MASK ((uint64_t)0x0fffffff << PTE_CONTENT_SHIFT)

static inline uint32_t pte_index(uint64_t p) {
    return (uint32_t)(p >> PTE_INDEX_SHIFT) & 0x0fffffffu;
}
static inline uint32_t pte_content(uint64_t p) {
    return (uint32_t)(p >> PTE_CONTENT_SHIFT);
}
static inline uint64_t pte_set_content(uint64_t p, uint32_t content) {
    return (p & ~PTE_CONTENT_MASK) | (uint64_t)content << PTE_CONTENT_SHIFT;
}
/* The entry's content and mapping bit, with new flags and index. */
static inline uint64_t pte_make(uint64_t old, uint32_t index, uint32_t flags) {
    return (old & (PTE_CONTENT_MASK | PTE_MAPPED)) | (uint64_t)index << PTE_INDEX_SHIFT | flags;
}

#endif
