/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zsmalloc's data structures, shared by the files of this folder.
 *
 * An object is named by a 32-bit id. Ids are given out in segments of 2048 that belong to one class
 * each; inside a segment, zspage q has ids q * N .. q * N + N - 1. So the class and the zspage of
 * an object follow from its id with one table look-up and one multiplication. A segment's state is
 * one block of memory: for every zspage a descriptor and behind it one byte for every object, so
 * that most operations touch one cache line.
 */
#ifndef REFAULT_ZS_INTERNAL_H
#define REFAULT_ZS_INTERNAL_H

#include "refault/zpool.h"

#define ZS_SEG_SHIFT 11u
#define ZS_SEG_IDS (1u << ZS_SEG_SHIFT)
#define ZS_SEG_MASK (ZS_SEG_IDS - 1)
#define ZS_MAX_SEGS ((1u << (32 - ZS_SEG_SHIFT)) - 1) /* keeps every id below RF_NONE */
#define ZS_BLOCK_UNIT 64u
#define ZS_NO_ZSPAGE 0xffffu
#define ZS_NR_GROUPS 12u /* NR_FULLNESS_GROUPS (mm/zsmalloc.c 6.5) */
#define ZS_NO_GROUP 0xffu
#define ZS_HANDLE_SIZE 8u
#define ZS_MAX_OBJS 256u

/* A zspage, named by the id of its segment times 2048 plus its place in it. */
struct zspage {
    uint32_t next, prev; /* neighbours in the fullness list; next also chains unused descriptors */
    uint16_t inuse;
    uint8_t free;  /* first free slot; each free slot's byte names the next */
    uint8_t group; /* fullness group whose list holds it, ZS_NO_GROUP if isolated */
};

struct zs_segment {
    uint32_t block;       /* start of its memory in units of 64 bytes */
    uint32_t block_units; /* length of it */
    uint32_t next, prev;  /* class's list of segments with room for another zspage */
    uint16_t nr;          /* zspages that fit */
    uint16_t stride;      /* bytes of a zspage: its descriptor and its slots */
    uint16_t used;        /* zspages that exist */
    uint16_t fresh;       /* descriptors 0..fresh-1 have been used at least once */
    uint16_t unused;      /* first descriptor given back, ZS_NO_ZSPAGE if none */
    uint8_t cls;          /* position in the class table */
    bool listed;
};

struct zs_class {
    uint32_t head[ZS_NR_GROUPS]; /* fullness lists */
    uint32_t count[ZS_NR_GROUPS];
    uint64_t zspages, used; /* zspages that exist, objects in use */
    uint32_t segments;      /* list of segments with room */
    uint32_t size;
    uint32_t recip; /* 2^24 / objs + 1: division of a number below 2048 by objs */
    uint16_t pages, objs;
    uint16_t mask; /* bit g: list g has a zspage */
    uint8_t index; /* own position */
    uint8_t group_of[ZS_MAX_OBJS + 1];
};

struct zs_pool {
    struct zpool base;
    struct zs_class_table table;
    const char *name;
    struct rf_varr segs, blocks;
    struct rf_varr data; /* store_bytes: a pointer to the pages of each zspage */
    uint32_t nr_segs, max_segs;
    uint32_t block_top, block_max; /* units handed out, units reserved */
    uint32_t full_group;
    bool store_bytes;
    uint64_t total_pages, live, compacted;
    zpool_pages_fn pages;
    void *pages_ctx;
    struct zs_class cls[ZS_MAX_RAW_CLASSES];
};

static inline struct zs_segment *zs_seg(const struct zs_pool *p, uint32_t seg) {
    return (struct zs_segment *)p->segs.base + seg;
}

static inline uint8_t *zs_block(const struct zs_pool *p, const struct zs_segment *s) {
    return (uint8_t *)p->blocks.base + (size_t)s->block * ZS_BLOCK_UNIT;
}

static inline struct zspage *zs_page(const struct zs_pool *p, uint32_t zid) {
    const struct zs_segment *s = zs_seg(p, zid >> ZS_SEG_SHIFT);
    size_t off = (zid & ZS_SEG_MASK) * (size_t)s->stride;
    return (struct zspage *)(void *)(zs_block(p, s) + off);
}

/* The slot bytes of a zspage. */
static inline uint8_t *zs_slots(struct zspage *z) {
    return (uint8_t *)(z + 1);
}

static inline const uint8_t *zs_cslots(const struct zspage *z) {
    return (const uint8_t *)(z + 1);
}

/* The zspage and slot of an object id. */
static inline uint32_t zs_obj_zspage(const struct zs_class *c, uint32_t id, uint32_t *slot) {
    uint32_t local = id & ZS_SEG_MASK;
    uint32_t q = (uint32_t)(((uint64_t)local * c->recip) >> 24);
    *slot = local - q * c->objs;
    return (id & ~ZS_SEG_MASK) | q;
}

static inline uint32_t zs_obj_id(const struct zs_class *c, uint32_t zid, uint32_t slot) {
    return (zid & ~ZS_SEG_MASK) | ((zid & ZS_SEG_MASK) * c->objs + slot);
}

/* Pages of a zspage, only with store_bytes. */
static inline uint8_t **zs_data(const struct zs_pool *p, uint32_t zid) {
    return (uint8_t **)p->data.base + zid;
}

/* Puts a zspage at the place in the list of its group that the era's rule says. */
void zs_insert(struct zs_pool *p, struct zs_class *c, uint32_t zid, struct zspage *z);
/* Takes it off its list; group becomes ZS_NO_GROUP. */
void zs_remove(struct zs_pool *p, struct zs_class *c, struct zspage *z);
/* Frees an empty, isolated zspage. */
void zs_release(struct zs_pool *p, struct zs_class *c, uint32_t zid, struct zspage *z);
/* Zspages that compaction of this class could free, in pages (zs_can_compact()). */
uint64_t zs_class_freeable(const struct zs_class *c);

uint64_t zs_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx);
uint64_t zs_compactable(const struct zpool *z);
int zs_check(const struct zpool *z, struct rf_err *err);

extern const struct zpool_ops zsmalloc_ops, zbud_ops, z3fold_ops;

#endif
