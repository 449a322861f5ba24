/* SPDX-License-Identifier: Apache-2.0 */
/* Swap areas: the swap map, and the per-CPU caches of slots between it and the allocators. */
#include <stdlib.h>
#include "swap_internal.h"

static const struct swap_alloc_ops *pick_ops(const struct swap_params *p) {
    if (p->rotational && !p->policy.cluster_for_rotational)
        return &swap_rotational_ops;
    if (p->policy.alloc_mode == SWAP_ALLOC_CLUSTER_LISTS)
        return &swap_ssd_lists_ops;
    return &swap_ssd_percpu_ops;
}

static int area_arrays(struct swap_area *a, struct rf_err *err) {
    struct swap_alloc *al = a->alloc;
    size_t ids = (size_t)al->nr_clusters << CLUSTER_SHIFT;
    int rc = rf_varr_init(&al->v_word, ids, sizeof(*a->word), err);

    if (!rc)
        rc = rf_varr_init(&al->v_meta, ids, sizeof(*a->meta), err);
    if (!rc && a->p.keep_owner)
        rc = rf_varr_init(&al->v_owner, ids, sizeof(*a->owner), err);
    if (!rc)
        rc = rf_varr_init(&al->v_extra, ids, sizeof(*al->extra), err);
    if (!rc)
        rc = rf_varr_init(&al->v_cluster, al->nr_clusters, sizeof(*al->cluster), err);
    if (!rc)
        rc = rf_varr_init(&al->v_rev, al->nr_clusters, sizeof(*al->rev), err);
    if (rc)
        return rc;
    /* Slot ids are dense where clusters get storage; without clusters they are offsets. */
    if (!al->identity) {
        rf_varr_hint_dense(&al->v_word);
        rf_varr_hint_dense(&al->v_meta);
        rf_varr_hint_dense(&al->v_owner);
    }
    a->word = al->v_word.base;
    a->meta = al->v_meta.base;
    a->owner = al->v_owner.base;
    al->extra = al->v_extra.base;
    al->cluster = al->v_cluster.base;
    al->rev = al->v_rev.base;
    return RF_OK;
}

int swap_area_create(const struct swap_params *p, const struct swap_ops *ops, void *ops_ctx,
                     struct swap_area **out, struct rf_err *err) {
    struct swap_area *a;
    struct swap_alloc *al;
    uint32_t c;
    int rc;

    if (p->nr_slots < 2 || p->cpus < 1 || p->policy.slot_cache > SLOT_CACHE_MAX)
        return rf_fail(err, RF_EUSAGE,
                       "swap: %llu slots, %u CPUs, slot cache of %u; expected at least 2 slots, "
                       "1 CPU and a cache of at most %u",
                       (unsigned long long)p->nr_slots, p->cpus, p->policy.slot_cache,
                       SLOT_CACHE_MAX);
    if (p->nr_slots > SWAP_NO_SLOT - SWAP_CLUSTER_SLOTS)
        return rf_fail(err, RF_ELIMIT, "swap: %llu slots, the largest area has %u",
                       (unsigned long long)p->nr_slots, SWAP_NO_SLOT - SWAP_CLUSTER_SLOTS);
    a = calloc(1, sizeof(*a));
    al = calloc(1, sizeof(*al));
    if (a)
        a->alloc = al;
    if (al)
        al->cpu = calloc(p->cpus, sizeof(*al->cpu));
    if (!a || !al || !al->cpu) {
        if (!a)
            free(al);
        swap_area_destroy(a);
        return rf_fail(err, RF_ENOMEM, "swap: no memory for an area of %llu slots",
                       (unsigned long long)p->nr_slots);
    }
    a->p = *p;
    a->ops = ops;
    a->ops_ctx = ops_ctx;
    a->total_slots = a->free_slots = p->nr_slots - 1;
    al->ops = pick_ops(p);
    al->identity = al->ops == &swap_rotational_ops;
    al->nr_clusters = (uint32_t)((p->nr_slots + SWAP_CLUSTER_SLOTS - 1) >> CLUSTER_SHIFT);
    al->lowest = 1;
    al->highest = p->nr_slots - 1;
    al->rot_next = 1;
    rf_rng_seed(&al->rng, p->seed);
    rc = area_arrays(a, err);
    if (rc) {
        swap_area_destroy(a);
        return rc;
    }
    if (al->identity)
        a->meta[0].map = MAP_BAD;
    else
        clusters_init(a);
    if (al->ops->init)
        al->ops->init(a);
    for (c = 0; c < p->cpus; c++)
        al->cpu[c].scan_pos = 1 + rf_rng_below(&al->rng, al->highest);
    *out = a;
    return RF_OK;
}

void swap_area_destroy(struct swap_area *a) {
    struct swap_alloc *al;

    if (!a)
        return;
    al = a->alloc;
    if (al) {
        rf_varr_free(&al->v_word);
        rf_varr_free(&al->v_meta);
        rf_varr_free(&al->v_owner);
        rf_varr_free(&al->v_extra);
        rf_varr_free(&al->v_cluster);
        rf_varr_free(&al->v_rev);
        free(al->cpu);
        free(al);
    }
    free(a);
}

/* get_swap_pages(): the slots are taken off free_slots before the allocator looks. */
static uint32_t allocator_get(struct swap_area *a, uint32_t cpu, uint32_t n, uint32_t *out) {
    uint32_t got;

    if (n > a->free_slots)
        n = (uint32_t)a->free_slots;
    if (!n)
        return 0;
    a->free_slots -= n;
    got = a->alloc->ops->alloc(a, cpu, n, out);
    a->free_slots += n - got;
    return got;
}

static void slot_to_allocator(struct swap_area *a, uint32_t slot) {
    struct swap_alloc *al = a->alloc;
    uint64_t offset = swap_slot_offset(a, slot);

    a->meta[slot].map = 0;
    a->meta[slot].flags = 0;
    a->word[slot] = 0;
    if (!al->identity)
        al->cluster[offset_cluster(offset)].count--;
    al->inuse--;
    a->free_slots++;
    if (offset < al->lowest)
        al->lowest = offset;
    if (offset > al->highest)
        al->highest = offset;
    al->ops->freed(a, offset);
}

/* Gives a used slot back to the allocator at once. */
static void slot_free_now(struct swap_area *a, uint32_t slot) {
    if (a->ops && a->ops->slot_freed)
        a->ops->slot_freed(a->ops_ctx, slot);
    slot_to_allocator(a, slot);
}

static void flush_returned(struct swap_area *a, struct swap_cpu *sc) {
    uint32_t i, n = sc->nr_ret;

    sc->nr_ret = 0;
    a->alloc->parked -= n;
    a->alloc->parked_ret -= n;
    for (i = 0; i < n; i++)
        slot_free_now(a, sc->ret[i]);
}

void swap_slots_drain(struct swap_area *a, uint32_t cpu) {
    struct swap_cpu *sc = &a->alloc->cpu[cpu];
    uint32_t i, n = sc->nr;

    sc->nr = 0;
    a->alloc->parked -= n;
    for (i = 0; i < n; i++)
        slot_to_allocator(a, sc->slots[sc->cur + i]);
    flush_returned(a, sc);
}

/* check_cache_active() with its two thresholds (mm/swap_slots.c 6.1). */
static bool cache_usable(struct swap_area *a) {
    struct swap_alloc *al = a->alloc;
    uint64_t per = (uint64_t)a->p.cpus * SLOT_CACHE_MAX;
    uint32_t c;

    if (!a->p.policy.slot_cache)
        return false;
    if (!al->cache_active) {
        al->cache_active = a->free_slots > 5 * per;
    } else if (a->free_slots < 2 * per) {
        al->cache_active = false;
        for (c = 0; c < a->p.cpus; c++)
            swap_slots_drain(a, c);
    }
    return al->cache_active;
}

uint32_t swap_slot_alloc(struct swap_area *a, uint32_t cpu, bool *refilled) {
    struct swap_alloc *al = a->alloc;
    struct swap_cpu *sc = &al->cpu[cpu];
    uint32_t slot = SWAP_NO_SLOT;

    *refilled = false;
    if (RF_LIKELY(cache_usable(a))) {
        if (!sc->nr) {
            *refilled = true;
            sc->cur = 0;
            sc->nr = (uint16_t)allocator_get(a, cpu, a->p.policy.slot_cache, sc->slots);
            al->parked += sc->nr;
        }
        if (sc->nr) {
            sc->nr--;
            al->parked--;
            return sc->slots[sc->cur++];
        }
    }
    *refilled = true;
    if (allocator_get(a, cpu, 1, &slot) != 1)
        return SWAP_NO_SLOT;
    return slot;
}

uint32_t swap_slots_alloc_large(struct swap_area *a, uint32_t cpu, uint32_t order) {
    uint64_t nr = (uint64_t)1 << order;
    uint32_t id;

    if (order > CLUSTER_SHIFT || a->free_slots < nr)
        return SWAP_NO_SLOT;
    a->free_slots -= nr;
    id = a->alloc->ops->alloc_large(a, cpu, order);
    if (id == SWAP_NO_SLOT)
        a->free_slots += nr;
    return id;
}

/* The byte has become 0: into the return cache, where it keeps the cache bit, or away. */
static void slot_release(struct swap_area *a, uint32_t cpu, uint32_t slot) {
    struct swap_alloc *al = a->alloc;
    struct swap_cpu *sc = &al->cpu[cpu];

    a->meta[slot].map = SWAP_HAS_CACHE;
    if (a->ops && a->ops->slot_returned)
        a->ops->slot_returned(a->ops_ctx, slot);
    if (!al->cache_active || al->direct) {
        slot_free_now(a, slot);
        return;
    }
    a->meta[slot].flags |= SLOT_IN_RETURN;
    a->meta[slot].flags &= (uint8_t)~SLOT_FOLIO;
    if (sc->nr_ret >= a->p.policy.slot_cache)
        flush_returned(a, sc);
    sc->ret[sc->nr_ret++] = slot;
    al->parked++;
    al->parked_ret++;
}

void swap_duplicate(struct swap_area *a, uint32_t slot) {
    struct swap_slot_meta *m = &a->meta[slot];

    if ((m->map & SWAP_MAP_COUNT) < MAP_MAX) {
        m->map++;
        return;
    }
    m->map |= MAP_CONTINUED;
    a->alloc->extra[slot]++;
}

void swap_free(struct swap_area *a, uint32_t cpu, uint32_t slot) {
    struct swap_slot_meta *m = &a->meta[slot];

    if (RF_UNLIKELY(m->map & MAP_CONTINUED)) {
        if (--a->alloc->extra[slot] == 0)
            m->map &= (uint8_t)~MAP_CONTINUED;
        return;
    }
    m->map--;
    if (!m->map)
        slot_release(a, cpu, slot);
}

bool swapcache_prepare(struct swap_area *a, uint32_t slot) {
    struct swap_slot_meta *m = &a->meta[slot];

    if ((m->map & SWAP_HAS_CACHE) || !(m->map & SWAP_MAP_COUNT))
        return false;
    m->map |= SWAP_HAS_CACHE;
    return true;
}

void swapcache_free(struct swap_area *a, uint32_t cpu, uint32_t slot) {
    struct swap_slot_meta *m = &a->meta[slot];

    m->map &= (uint8_t)~SWAP_HAS_CACHE;
    if (!m->map)
        slot_release(a, cpu, slot);
}

uint64_t swap_slot_offset(const struct swap_area *a, uint32_t slot) {
    const struct swap_alloc *al = a->alloc;

    if (al->identity)
        return slot;
    return ((uint64_t)al->rev[slot >> CLUSTER_SHIFT] << CLUSTER_SHIFT) | (slot & CLUSTER_MASK);
}

uint32_t swap_offset_slot(const struct swap_area *a, uint64_t offset) {
    if (offset == 0 || offset >= a->p.nr_slots)
        return SWAP_NO_SLOT;
    if (a->alloc->identity && offset >= a->alloc->seen)
        return SWAP_NO_SLOT;
    return offset_id(a->alloc, offset);
}

uint32_t swap_slots_seen(const struct swap_area *a) {
    return (uint32_t)a->alloc->seen;
}

uint64_t swap_slots_in_use(const struct swap_area *a) {
    return a->alloc->inuse;
}

uint64_t swap_slots_parked(const struct swap_area *a) {
    return a->alloc->parked;
}
