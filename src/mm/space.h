/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces. A page id is block << 9 | index in a 2 MiB-aligned range of one process, so one
 * flat array is every process' page table.
 */
#ifndef MM_SPACE_H
#define MM_SPACE_H

#include "refault/error.h"
#include "refault/swap.h"

struct mm;
struct sim_cpu;

/* Slab objects charged for a task's mapping besides its page tables, x86-64: VMA 200, maple node
 * 256, anon_vma 88, anon_vma_chain 64 bytes (vm_area_struct, maple_node, anon_vma and
 * anon_vma_chain of /proc/slabinfo, 6.1); these make the sum. */
#define TASK_SLAB_BYTES 608u

struct vma {
    uint32_t pid;
    uint64_t lo, hi; /* virtual pages covered by its pieces so far */
    uint32_t flags;
    struct swap_vma_ra ra;
};
/* The part of one VMA that lies in one block. */
struct vma_piece {
    uint32_t vma;
    uint16_t lo, hi; /* indexes within the block, [lo, hi) */
    uint32_t next;   /* further piece of the same block */
};
struct block {
    uint64_t vpn; /* of index 0 */
    uint32_t pid, pieces;
    uint32_t parent, child, sibling; /* fork family, for reverse mapping */
    bool table;                      /* a page table page is allocated and charged */
    bool listed;                     /* in its process' list of blocks */
    uint8_t lru_filter;              /* MGLRU: filters that contain the block's page table */
    bool pmd;                        /* mapped by one huge entry: a PMD-sized folio or the huge zero
                                        page. Its PTEs are filled in all the same. */
};
struct process {
    bool alive;
    bool forked; /* has a child, or had */
    uint32_t memcg, kernel_pages;
    uint64_t lru_walked; /* MGLRU: when it was last walked, see gen_age(); 0 = not yet */
    uint32_t *blocks;
    uint32_t nblocks, cap;
};

/* ---- space.c ---- */
int space_process(struct mm *mm, struct sim_cpu *cpu, uint32_t pid, uint32_t memcg, bool forked,
                  struct rf_err *err) RF_MUST_CHECK;
int space_map(struct mm *mm, uint32_t pid, uint32_t vma, uint32_t first, uint32_t n, uint64_t vpn,
              uint32_t flags, struct rf_err *err) RF_MUST_CHECK;
int space_zap(struct mm *mm, struct sim_cpu *cpu, uint32_t first, uint32_t n, bool unmap,
              struct rf_err *err) RF_MUST_CHECK;
int space_fork_block(struct mm *mm, struct sim_cpu *cpu, uint32_t child_block,
                     uint32_t parent_block, struct rf_err *err) RF_MUST_CHECK;
int space_exit(struct mm *mm, struct sim_cpu *cpu, uint32_t pid, bool exec,
               struct rf_err *err) RF_MUST_CHECK;
/* The table page of a block, allocated at its first fault. */
void block_touch(struct mm *mm, struct sim_cpu *cpu, uint32_t block);

#endif
