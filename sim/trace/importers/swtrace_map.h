/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the swtrace importer remembers: the pages of every process, and its address space as a
 * sorted list of pieces. Both passes over the file drive these in the same way, so that a piece's
 * generation means the same in both.
 */
#ifndef REFAULT_TRACE_SWTRACE_MAP_H
#define REFAULT_TRACE_SWTRACE_MAP_H

#include "refault/trace.h"

#define SW_VPN_END (1ull << 52)
#define SW_PIECES_MAX 65530u /* as many as vm.max_map_count lets a process have */
#define SW_GAP 16u           /* untouched pages that an implicit mapping may bridge */

/* A range of one process that was mapped or unmapped by one line of the file. */
struct sw_piece {
    uint64_t start, end;
    uint32_t gen;      /* number of the line's m or u; contents do not outlive it. 0: implicit */
    uint32_t vma;      /* RF_NONE while the trace has no mapping for it */
    uint32_t unmapped; /* number of the u that covered it last, RF_NONE if none */
    bool file;
};

struct sw_page {
    uint64_t vpn;
    uint32_t proc, id;
    uint32_t gen;     /* generation + 1 in which it was first stored to; 0 never */
    uint32_t slot;    /* of that store: index into the first contents */
    uint32_t content; /* second pass: what it has now */
    bool accessed, written, orphan, emitted;
};

struct sw_block {
    uint64_t number; /* vpn >> 9 */
    uint32_t block;  /* RF_NONE until it has ids */
};

struct sw_proc {
    uint64_t pid, last_line, accesses;
    uint32_t parent;
    char name[16];
    bool started;
    struct sw_piece *pieces;
    uint32_t npieces, cap_pieces;
    struct sw_block *blocks; /* sorted; those that hold pages which are kept */
    uint32_t nblocks, cap_blocks;
    uint64_t *orphans; /* sorted vpns of kept pages that were accessed outside all mappings */
    uint32_t norphans, cap_orphans;
};

struct sw_state {
    struct sw_proc *procs;
    uint32_t nprocs, cap_procs;
    struct sw_page *pages;
    uint32_t npages, cap_pages;
    uint32_t *table; /* hash of (proc, vpn) to page + 1 */
    uint32_t table_size;
};

/* Makes *array, of elements of `elem` bytes, hold one more than n. */
int sw_grow(void *array, uint32_t *cap, uint32_t n, size_t elem, struct rf_err *err) RF_MUST_CHECK;
void sw_free(struct sw_state *s);
/* RF_NONE if the pid is new. */
uint32_t sw_find_proc(const struct sw_state *s, uint64_t pid);
int sw_add_proc(struct sw_state *s, uint64_t pid, uint32_t *out, struct rf_err *err) RF_MUST_CHECK;
struct sw_page *sw_find_page(const struct sw_state *s, uint32_t proc, uint64_t vpn);
int sw_get_page(struct sw_state *s, uint32_t proc, uint64_t vpn, struct sw_page **out,
                struct rf_err *err) RF_MUST_CHECK;
/* The index of the piece that holds vpn, or ~ of the index where one would be inserted. */
int64_t sw_find_piece(const struct sw_proc *p, uint64_t vpn);
int sw_insert_piece(struct sw_proc *p, uint32_t at, const struct sw_piece *piece,
                    struct rf_err *err) RF_MUST_CHECK;
/* Splits pieces so that none crosses start or end; [*from, *to) are then those within. */
int sw_isolate(struct sw_proc *p, uint64_t start, uint64_t end, uint32_t *from, uint32_t *to,
               struct rf_err *err) RF_MUST_CHECK;
void sw_remove_pieces(struct sw_proc *p, uint32_t from, uint32_t to);
/* Between the passes: forgets the pieces and builds blocks and orphans of the pages that stay. */
int sw_second_pass(struct sw_state *s, bool file_pages, struct rf_err *err) RF_MUST_CHECK;
/* The maximal run of orphans around vpn without gaps over SW_GAP, clipped to lie between the pieces
 * before and behind `at` (where vpn would be inserted). */
void sw_orphan_run(const struct sw_proc *p, uint64_t vpn, uint32_t at, uint64_t *start,
                   uint64_t *end);
/* Index of the first block with number >= number. */
uint32_t sw_lower_block(const struct sw_proc *p, uint64_t number);

#endif
