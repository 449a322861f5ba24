/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, mappings, fork and exit: what changes page tables other than faults and reclaim. */
#include <stdlib.h>
#include "mm_internal.h"
#include "rmap.h"
#include "swapcache.h"
#include "thp.h"

/* Grows *arr to hold index n. */
static int grow(void **arr, uint32_t *cap, uint32_t n, size_t elem, struct rf_err *err) {
    if (n < *cap)
        return RF_OK;
    uint32_t want = *cap ? *cap * 2 : 16;
    while (want <= n)
        want *= 2;
    void *p = realloc(*arr, (size_t)want * elem);
    if (!p)
        return rf_fail(err, RF_ENOMEM, "no memory for %u process or mapping records", want);
    memset((char *)p + (size_t)*cap * elem, 0, (size_t)(want - *cap) * elem);
    *arr = p;
    *cap = want;
    return RF_OK;
}

#define MAX_PIDS (1u << 22) /* PID_MAX_LIMIT (include/linux/threads.h 6.1) */

/* Pages that stay charged as long as the process lives, in no list. */
static void charge_task(struct mm *mm, struct sim_cpu *cpu, struct process *p, uint32_t nr) {
    p->kernel_pages += nr;
    for (uint32_t i = 0; i < nr; i++)
        memcg_charge_kernel(mm, cpu, p->memcg, 1);
}

int space_process(struct mm *mm, struct sim_cpu *cpu, uint32_t pid, uint32_t memcg, bool forked,
                  struct rf_err *err) {
    mm->cur = cpu;
    if (pid >= MAX_PIDS)
        return rf_fail(err, RF_EINPUT, "process number %u, expected less than %u", pid, MAX_PIDS);
    int r = grow((void **)&mm->proc, &mm->cap_procs, pid, sizeof(*mm->proc), err);
    if (r)
        return r;
    if (pid >= mm->nr_procs)
        mm->nr_procs = pid + 1;
    struct process *p = &mm->proc[pid];
    if (p->alive)
        return rf_fail(err, RF_EINPUT, "process %u starts twice", pid);
    p->alive = true;
    p->lru_walked = 0;
    p->memcg = memcg;
    p->nblocks = 0;
    memcg_charge_obj(mm, cpu, memcg, TASK_SLAB_BYTES);
    p->forked = false;
    p->kernel_pages = 0;
    if (forked)
        charge_task(mm, cpu, p, mm->p.knobs.fork_pages);
    return RF_OK;
}

static int add_piece(struct mm *mm, uint32_t block, uint32_t vma, uint32_t lo, uint32_t hi,
                     struct rf_err *err) {
    uint32_t i = mm->free_piece;
    if (i != RF_NONE) {
        mm->free_piece = mm->piece[i].next;
    } else {
        int r = grow((void **)&mm->piece, &mm->cap_pieces, mm->nr_pieces, sizeof(*mm->piece), err);
        if (r)
            return r;
        i = mm->nr_pieces++;
    }
    mm->piece[i] = (struct vma_piece){
        .vma = vma, .lo = (uint16_t)lo, .hi = (uint16_t)hi, .next = mm->block[block].pieces};
    mm->block[block].pieces = i;
    return RF_OK;
}

static int own_block(struct mm *mm, uint32_t pid, uint32_t block, uint64_t vpn,
                     struct rf_err *err) {
    struct block *b = &mm->block[block];
    struct process *p = &mm->proc[pid];

    if (b->pid == pid && b->vpn == vpn && b->listed)
        return RF_OK;
    if (b->pieces != RF_NONE)
        return rf_fail(err, RF_EINPUT,
                       "block %u of page ids is mapped by process %u at page %llu already, process "
                       "%u maps it at %llu",
                       block, b->pid, (unsigned long long)b->vpn, pid, (unsigned long long)vpn);
    int r = grow((void **)&p->blocks, &p->cap, p->nblocks, sizeof(*p->blocks), err);
    if (r)
        return r;
    p->blocks[p->nblocks++] = block;
    b->pid = pid;
    b->vpn = vpn;
    b->listed = true;
    return RF_OK;
}

int space_map(struct mm *mm, uint32_t pid, uint32_t vma, uint32_t first, uint32_t n, uint64_t vpn,
              uint32_t flags, struct rf_err *err) {
    if (pid >= mm->nr_procs || !mm->proc[pid].alive)
        return rf_fail(err, RF_EINPUT, "mapping for process %u, which does not exist", pid);
    if (n == 0 || first >= mm->p.max_ids || n > mm->p.max_ids - first)
        return rf_fail(err, RF_EINPUT, "mapping of %u pages at id %u, expected ids below %u", n,
                       first, mm->p.max_ids);
    if ((vpn & 511u) != (first & 511u))
        return rf_fail(err, RF_EINPUT, "page id %u does not match virtual page %llu modulo 512",
                       first, (unsigned long long)vpn);
    if (vma >= MAX_PIDS)
        return rf_fail(err, RF_EINPUT, "VMA number %u, expected less than %u", vma, MAX_PIDS);
    int r = grow((void **)&mm->vma, &mm->cap_vmas, vma, sizeof(*mm->vma), err);
    if (r)
        return r;
    struct vma *v = &mm->vma[vma];
    if (vma >= mm->nr_vmas)
        mm->nr_vmas = vma + 1;
    if (v->hi == 0)
        *v = (struct vma){.pid = pid, .lo = vpn, .hi = vpn + n, .flags = flags};
    v->lo = RF_MIN(v->lo, vpn);
    v->hi = RF_MAX(v->hi, vpn + n);
    for (uint32_t id = first, end = first + n; id < end;) {
        uint32_t block = id >> 9, stop = RF_MIN(end, (block + 1) << 9);
        r = own_block(mm, pid, block, (vpn + (id - first)) & ~(uint64_t)511, err);
        if (r)
            return r;
        for (uint32_t i = id; i < stop; i++) {
            if (mm->pte[i] & PTE_MAPPED)
                return rf_fail(err, RF_EINPUT, "page id %u is mapped already", i);
            mm->pte[i] = PTE_MAPPED;
        }
        r = add_piece(mm, block, vma, id & 511u, ((stop - 1) & 511u) + 1, err);
        if (r)
            return r;
        id = stop;
    }
    return RF_OK;
}

void block_touch(struct mm *mm, struct sim_cpu *cpu, uint32_t block) {
    struct block *b = &mm->block[block];
    if (mm->pmd_young)
        mm->pmd_young[block] = 1;
    if (RF_LIKELY(b->table))
        return;
    b->table = true;
    memcg_charge_kernel(mm, cpu, mm->proc[b->pid].memcg, 1);
}

static void zap_pte(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t end) {
    uint64_t p = mm->pte[id];

    if (p & PTE_PRESENT) {
        if (!(p & PTE_ZEROPAGE)) {
            uint32_t folio = pte_index(p);
            if (RF_UNLIKELY(folio_order(&mm->folio[folio]))) {
                large_zap(mm, cpu, folio, id, end);
                return;
            }
            folio_remove_rmap(mm, folio, id, pte_content(p));
            mm->pte[id] = PTE_MAPPED;
            sim_charge(cpu, mm->p.cost.zap_folio_ns);
            folio_free_if_idle(mm, cpu, folio);
        }
    } else if (p & PTE_SWAP) {
        uint32_t slot = pte_index(p);
        uint32_t folio = swapcache_lookup(mm, slot);
        swap_free(mm->swap, cpu->id, slot);
        if (folio != RF_NONE && swap_count(mm->swap, slot) == 0)
            folio_free_if_idle(mm, cpu, folio);
    }
    mm->pte[id] = PTE_MAPPED;
}

static void trim_pieces(struct mm *mm, uint32_t block, uint32_t lo, uint32_t hi) {
    struct block *b = &mm->block[block];
    uint32_t *link = &b->pieces, i;

    while ((i = *link) != RF_NONE) {
        struct vma_piece *p = &mm->piece[i];
        if (p->lo >= hi || p->hi <= lo) {
            link = &p->next;
        } else if (p->lo >= lo && p->hi <= hi) {
            *link = p->next;
            p->next = mm->free_piece;
            mm->free_piece = i;
        } else if (p->lo < lo && p->hi > hi) {
            uint32_t vma = p->vma, end = p->hi;
            p->hi = (uint16_t)lo;
            /* Without memory for the second half that half has no readahead. */
            (void)!add_piece(mm, block, vma, hi, end, NULL);
            return;
        } else {
            if (p->lo < lo)
                p->hi = (uint16_t)lo;
            else
                p->lo = (uint16_t)hi;
            link = &p->next;
        }
    }
}

static void drop_table(struct mm *mm, struct block *b) {
    if (b->table) {
        b->table = false;
        memcg_uncharge_kernel(mm, mm->proc[b->pid].memcg, 1);
    }
}

int space_zap(struct mm *mm, struct sim_cpu *cpu, uint32_t first, uint32_t n, bool unmap,
              struct rf_err *err) {
    mm->cur = cpu;
    if (n == 0 || first >= mm->p.max_ids || n > mm->p.max_ids - first)
        return rf_fail(err, RF_EINPUT, "range of %u pages at id %u, expected ids below %u", n,
                       first, mm->p.max_ids);
    lru_add_drain(mm, cpu);
    for (uint32_t id = first, end = first + n; id < end;) {
        uint32_t block = id >> 9, stop = RF_MIN(end, (block + 1) << 9), lo = id & 511u;
        bool huge = mm->block[block].pmd && lo == 0 && stop == (block + 1) << 9;
        if (mm->block[block].pmd && !huge)
            block_split_pmd(mm, block);
        for (; id < stop; id++) {
            if (!(mm->pte[id] & PTE_MAPPED))
                continue;
            if (mm->pte[id] != PTE_MAPPED)
                zap_pte(mm, cpu, id, stop);
            if (unmap)
                mm->pte[id] = 0;
        }
        sim_charge(cpu, mm->p.cost.zap_pte_ns * (huge ? 1 : ((stop - 1) & 511u) + 1 - lo));
        if (huge) { /* its page table was only held in reserve */
            mm->block[block].pmd = false;
            drop_table(mm, &mm->block[block]);
        }
        if (unmap) {
            trim_pieces(mm, block, lo, ((stop - 1) & 511u) + 1);
            if (mm->block[block].pieces == RF_NONE)
                drop_table(mm, &mm->block[block]);
        }
    }
    return RF_OK;
}

int space_fork_block(struct mm *mm, struct sim_cpu *cpu, uint32_t child_block,
                     uint32_t parent_block, struct rf_err *err) {
    uint32_t nb = mm->p.max_ids >> 9, copied = 0;

    mm->cur = cpu;
    if (child_block >= nb || parent_block >= nb || child_block == parent_block)
        return rf_fail(err, RF_EINPUT, "fork copies block %u to %u, expected two blocks below %u",
                       parent_block, child_block, nb);
    struct block *c = &mm->block[child_block], *p = &mm->block[parent_block];
    if (c->parent == RF_NONE && c->child == RF_NONE) {
        c->parent = parent_block;
        c->sibling = p->child;
        p->child = child_block;
    } else if (c->parent != parent_block) {
        return rf_fail(err, RF_EINPUT, "block %u is copied by a second fork", child_block);
    }
    if (p->listed && !mm->proc[p->pid].forked) {
        mm->proc[p->pid].forked = true;
        charge_task(mm, cpu, &mm->proc[p->pid], mm->p.knobs.fork_parent_pages);
    }
    for (uint32_t i = 0; i < 512; i++) {
        uint32_t from = parent_block << 9 | i, to = child_block << 9 | i;
        uint64_t v = mm->pte[from];
        if (!(v & (PTE_PRESENT | PTE_SWAP)))
            continue;
        if (!(mm->pte[to] & PTE_MAPPED))
            continue;
        if (mm->pte[to] != PTE_MAPPED)
            return rf_fail(err, RF_EINPUT, "fork copies to page id %u, which is in use", to);
        if (!c->table)
            block_touch(mm, cpu, child_block);
        v = mm->pte[from]; /* the table's charge may have reclaimed */
        copied++;
        if ((v & PTE_PRESENT) && !(v & PTE_ZEROPAGE)) {
            struct folio *f = &mm->folio[pte_index(v)];
            if (f->mapcount >= FOLIO_MAX_MAPCOUNT)
                return rf_fail(err, RF_ELIMIT, "a page is shared by more than %u processes",
                               FOLIO_MAX_MAPCOUNT);
            if (RF_UNLIKELY(folio_order(f)))
                large_add_rmap(mm, pte_index(v), child_block << 9 | (f->owner & 511u));
            else
                f->mapcount++;
            v &= ~(uint64_t)(PTE_WRITE | PTE_EXCLUSIVE);
        } else if (v & PTE_SWAP) {
            if (swap_count(mm->swap, pte_index(v)) >= SWAP_MAP_COUNT - 1)
                return rf_fail(err, RF_ELIMIT, "a swap slot is shared by more than 61 processes");
            swap_duplicate(mm->swap, pte_index(v));
            v &= ~(uint64_t)PTE_EXCLUSIVE;
        }
        mm->pte[from] = v;
        mm->pte[to] = v & ~(uint64_t)PTE_ACCESSED;
    }
    if (p->pmd && copied == PMD_NR) {
        c->pmd = true;
        copied = 1;
    }
    sim_charge(cpu, mm->p.cost.fork_pte_ns * copied);
    return RF_OK;
}

int space_exit(struct mm *mm, struct sim_cpu *cpu, uint32_t pid, bool exec, struct rf_err *err) {
    if (pid >= mm->nr_procs || !mm->proc[pid].alive)
        return rf_fail(err, RF_EINPUT, "process %u exits, but does not exist", pid);
    struct process *p = &mm->proc[pid];
    for (uint32_t i = 0; i < p->nblocks; i++) {
        int r = space_zap(mm, cpu, p->blocks[i] << 9, 512, true, err);
        if (r)
            return r;
        mm->block[p->blocks[i]].listed = false;
    }
    p->nblocks = 0;
    if (!exec) {
        memcg_uncharge_obj(mm, cpu, p->memcg, TASK_SLAB_BYTES);
        if (p->kernel_pages)
            memcg_uncharge_kernel(mm, p->memcg, p->kernel_pages);
        p->alive = false;
        free(p->blocks);
        p->blocks = NULL;
        p->cap = 0;
    }
    return RF_OK;
}
