/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page faults (mm/memory.c 6.1, 6.12). A fault either finishes the access or returns FAULT_RETRY
 * with ctx->wait_folio set; the same record is then tried again from the start, as the kernel does.
 */
#include "mm_internal.h"
#include "reclaim.h"
#include "rmap.h"
#include "swapcache.h"
#include "thp.h"

struct vma *vma_of(struct mm *mm, uint32_t id, uint32_t *lo_id, uint32_t *hi_id) {
    const struct block *b = &mm->block[id >> 9];
    uint32_t base = id & ~511u;

    for (uint32_t i = b->pieces; i != RF_NONE; i = mm->piece[i].next) {
        const struct vma_piece *p = &mm->piece[i];
        if ((id & 511u) >= p->lo && (id & 511u) < p->hi) {
            *lo_id = base + p->lo;
            *hi_id = base + p->hi;
            return &mm->vma[p->vma];
        }
    }
    *lo_id = id;
    *hi_id = id + 1;
    return NULL;
}

void map_new_folio(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t folio) {
    struct folio *f = &mm->folio[folio];

    f->owner = id;
    f->mapcount = 1;
    memcg_stat_updated(mm, 1); /* anon */
    if (!mm->p.reclaim.anon_inactive_first)
        f->flags |= FOLIO_ACTIVE;
    mm->pte[id] = pte_make(mm->pte[id], folio,
                           PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY | PTE_WRITE | PTE_EXCLUSIVE);
    folio_add_lru(mm, cpu, folio);
}

static enum fault_result anon_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write,
                                    struct fault_ctx *ctx) {
    uint64_t p = mm->pte[id];
    uint32_t memcg = mm->proc[mm->block[id >> 9].pid].memcg;

    if (!write) {
        mm->pte[id] = pte_make(p, 0, PTE_PRESENT | PTE_ACCESSED | PTE_ZEROPAGE);
        mm->x_zero_mapped++;
        return FAULT_DONE;
    }
    if (RF_UNLIKELY(mm->p.knobs.thp_orders) && mthp_fault(mm, cpu, id, ctx))
        return FAULT_DONE;
    if (!frames_available(mm, cpu, 1) || memcg_charge(mm, cpu, memcg, 1, ctx) != CHARGE_OK)
        return FAULT_OOM;
    uint32_t folio = folio_alloc(mm, memcg);
    if (folio == RF_NONE) {
        memcg_uncharge(mm, memcg, 1);
        return FAULT_OOM;
    }
    sim_charge(cpu, mm->p.cost.zero_page_ns);
    map_new_folio(mm, cpu, id, folio);
    return FAULT_DONE;
}

static void note_cache_hit(struct mm *mm, uint32_t id, struct folio *f, struct fault_ctx *ctx) {
    bool flagged = f->flags & FOLIO_RECLAIM;

    if (!ctx->major)
        ctx->kind = FK_CACHE_HIT;
    if (RF_UNLIKELY(folio_order(f))) /* it was never read ahead */
        return;
    f->flags &= (uint16_t)~FOLIO_RECLAIM;
    if (mm->vma_ra) {
        uint32_t lo, hi;
        struct vma *v = vma_of(mm, id, &lo, &hi);
        swap_vma_ra_hit(&v->ra, mm->block[id >> 9].vpn + (id & 511u),
                        flagged && mm->swap->p.policy.readahead_hits);
    } else if (flagged && mm->swap->p.policy.readahead_hits) {
        mm->cluster_ra.hits++;
    }
    if (flagged)
        vm_count(mm, folio_memcg(f), VM_swap_ra_hit, 1);
}

static enum fault_result swap_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write,
                                    struct fault_ctx *ctx) {
    uint32_t slot = pte_index(mm->pte[id]);
    uint32_t memcg = mm->proc[mm->block[id >> 9].pid].memcg;
    uint32_t folio = swapcache_lookup(mm, slot);
    bool single_mapped = false;

    if (folio != RF_NONE) {
        if (!ctx->in_read)
            note_cache_hit(mm, id, &mm->folio[folio], ctx);
    } else {
        enum charge_result r;
        sim_charge(cpu, mm->p.cost.swap_fault_ns);
        r = CHARGE_OK;
        if (swapin_skips_cache(mm, slot))
            r = swapin_direct(mm, cpu, id, slot, ctx, &folio);
        if (r == CHARGE_OK && folio == RF_NONE) {
            single_mapped = mm->swap_sync && swap_count(mm->swap, slot) == 1;
            r = swapin_readahead(mm, cpu, id, slot, single_mapped, ctx, &folio, &ctx->kind);
        }
        if (r != CHARGE_OK)
            return FAULT_OOM;
        vm_count(mm, memcg, VM_pgmajfault, 1);
        ctx->major = true;
    }
    struct folio *f = &mm->folio[folio];
    if (f->flags & FOLIO_LOCKED)
        mm_interrupts(mm, cpu);
    if (f->flags & FOLIO_LOCKED) {
        ctx->wait_folio = folio;
        return FAULT_RETRY;
    }
    ctx->in_read = false;
    bool cached = f->flags & FOLIO_SWAPCACHE;
    if (write && mm->p.fault.drain_on_write && cached && (f->flags & FOLIO_IN_BATCH))
        lru_add_drain(mm, cpu);

    uint64_t p = mm->pte[id];
    /* The entry itself says so only where anon pages have the exclusive bit. */
    bool exclusive = !cached || (mm->p.fault.wp_rule == WP_W3 && (p & PTE_EXCLUSIVE));
    if (cached && (f->flags & FOLIO_STABLE_WB))
        exclusive = false;
    uint32_t nr = 1, first = id, base = id;
    if (RF_UNLIKELY(folio_order(f)) && cached) {
        base = id - (slot - folio_slot(mm, f));
        nr = large_map_range(mm, id, slot, folio, &first);
    } else if (RF_UNLIKELY(folio_order(f))) {
        nr = folio_nr(f);
        first = base = id & ~(nr - 1);
    }
    for (uint32_t i = 0; i < nr; i++)
        swap_free(mm->swap, cpu->id, pte_index(mm->pte[first + i]));
    if (cached && (memcg_swap_full(mm, folio_memcg(f)) ||
                   (write && mm->p.fault.free_swap_on_write && !(f->flags & FOLIO_KSM) &&
                    folio_refs(f) == folio_nr(f))))
        (void)folio_free_swap(mm, cpu, folio);

    uint32_t flags = PTE_PRESENT | PTE_ACCESSED;
    bool old_rule = mm->p.fault.wp_rule <= WP_W1_WILLY;
    bool own = !(f->flags & FOLIO_KSM) && (exclusive || folio_refs(f) == 0);
    if (old_rule) /* before 5.18 a write swap fault applied W0's test, a read mapped read-only */
        own = write && f->mapcount == 0 && folio_order(f) == 0 && !(f->flags & FOLIO_KSM) &&
              (!(f->flags & FOLIO_SWAPCACHE) ||
               (swap_count(mm->swap, folio_slot(mm, f)) == 0 && !(f->flags & FOLIO_STABLE_WB)));
    if (own) {
        if (old_rule && (f->flags & FOLIO_SWAPCACHE))
            (void)folio_free_swap(mm, cpu, folio);
        flags |= PTE_EXCLUSIVE;
        if (write)
            flags |= PTE_WRITE | PTE_DIRTY;
        else if (mm->p.fault.map_writable_on_read)
            flags |= PTE_WRITE;
        if (flags & PTE_WRITE)
            wp_note_writable(mm, f);
    }
    if (RF_UNLIKELY(folio_order(f))) {
        large_add_rmap(mm, folio, base);
        for (uint32_t i = 0; i < nr; i++)
            mm->pte[first + i] = pte_make(mm->pte[first + i], folio, flags);
    } else {
        if (f->mapcount == 0) {
            f->owner = id;
            memcg_stat_updated(mm, 1); /* anon */
        }
        f->mapcount++;
        mm->pte[id] = pte_make(p, folio, flags);
    }
    /* With batches of loads such a page was in the swap cache only to be read. */
    if (RF_UNLIKELY(single_mapped) && mm->p.zswap_load_batch && folio_refs(f) <= 2)
        (void)folio_free_swap(mm, cpu, folio);
    if (write && !own)
        return do_wp_page(mm, cpu, id, ctx);
    return FAULT_DONE;
}

static void report(const struct mm *mm, const struct fault_ctx *ctx, rf_time to) {
    const struct observed_span span = {
        .track = OBSERVE_TASK,
        .index = mm->observed_pid,
        .name = fault_kind_name((enum fault_kind)ctx->kind),
        .from = ctx->start,
        .to = to,
        .pages = 1,
    };

    mm->observer->span(mm->observer->ctx, &span);
}

const char *fault_kind_name(enum fault_kind kind) {
    static const char *const names[NR_FAULT_KINDS] = {
        [FK_MINOR] = "fault.minor",         [FK_WP] = "fault.wp",        [FK_COW] = "fault.cow",
        [FK_CACHE_HIT] = "fault.cache_hit", [FK_ZERO] = "fault.zero",    [FK_ZSWAP] = "fault.zswap",
        [FK_ZRAM] = "fault.zram",           [FK_DEVICE] = "fault.device"};

    return names[kind];
}

/* By what the page table has there. */
static enum fault_result handle_entry(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write,
                                      struct fault_ctx *ctx) {
    uint64_t p = mm->pte[id];

    if (p & PTE_PRESENT)
        return do_wp_page(mm, cpu, id, ctx);
    if (p & PTE_SWAP)
        return swap_fault(mm, cpu, id, write, ctx);
    return anon_fault(mm, cpu, id, write, ctx);
}

enum fault_result handle_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write,
                               struct fault_ctx *ctx) {
    uint32_t memcg = mm->proc[mm->block[id >> 9].pid].memcg;
    enum fault_result r;

    mm->cur = cpu;
    if (!ctx->active) {
        *ctx = (struct fault_ctx){.id = id,
                                  .active = true,
                                  .start = cpu->now,
                                  .wait_folio = RF_NONE,
                                  .kind = FK_MINOR,
                                  .content = ctx->content};
    }
    if (!ctx->in_read) {
        if (!ctx->counted || mm->p.fault.count_retries)
            vm_count(mm, memcg, VM_pgfault, 1);
        ctx->counted = true;
        sim_charge(cpu, mm->p.cost.minor_fault_ns);
        if (mm->p.knobs.guests)
            sim_charge(cpu, mm->p.cost.guest_exit_ns);
    }
    mm->in_fault = true;
    mm->observed_pid = mm->block[id >> 9].pid;
    bool huge = RF_UNLIKELY(!mm->block[id >> 9].table) && thp_fault(mm, cpu, id, write, ctx);
    block_touch(mm, cpu, id >> 9);
    r = huge ? FAULT_DONE : handle_entry(mm, cpu, id, write, ctx);
    for (uint32_t i = 0; RF_UNLIKELY(r == FAULT_AGAIN); i++) {
        if (i == MAX_RECLAIM_RETRIES) {
            r = FAULT_OOM; /* the kernel would go on for ever */
            break;
        }
        vm_count(mm, memcg, VM_pgfault, 1);
        sim_charge(cpu, mm->p.cost.minor_fault_ns);
        r = handle_entry(mm, cpu, id, write, ctx);
    }
    mm->in_fault = false;
    if (r == FAULT_RETRY) {
        mm->observed_pid = RF_NONE;
        return r;
    }
    if (r == FAULT_OOM) {
        mm->oom = true;
        rf_hist_add(&mm->lat[ctx->kind], cpu->now - ctx->start);
        mm->fault_ns += cpu->now - ctx->start;
        if (mm->observer)
            report(mm, ctx, cpu->now);
        mm->observed_pid = RF_NONE;
        return r;
    }
    /* Before the limit is looked at: that may take the page away again. */
    if (ctx->content != RF_NONE)
        mm->pte[id] = pte_set_content(mm->pte[id], ctx->content);
    if (mm->implicit_content && write && pte_content(mm->pte[id]) == CONTENT_ZERO)
        mm->pte[id] = pte_set_content(mm->pte[id], 1 + id);
    rf_time delay = 0;
    ctx->over_high += mm_cpu(mm, cpu)->over_high;
    mm_cpu(mm, cpu)->over_high = 0;
    if (ctx->over_high) {
        delay = memcg_handle_over_high(mm, cpu, memcg, ctx);
        mm->stall_ns[STALL_HIGH] += delay;
    }
    ctx->wait_until = delay ? cpu->now + delay : 0;
    rf_hist_add(&mm->lat[ctx->kind], cpu->now + delay - ctx->start);
    mm->fault_ns += cpu->now + delay - ctx->start;
    if (mm->observer)
        report(mm, ctx, cpu->now + delay);
    mm->observed_pid = RF_NONE;
    ctx->active = false;
    return FAULT_DONE;
}
