/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zsmalloc against a naive model: random malloc, free and compact. The model keeps zspages in plain
 * arrays in list order. Every class's statistics must be equal, and every live object's bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "refault/zpool.h"

#define MAX_LIVE 3000
#define NONE (-1)

/* ---- the model ---- */

struct mz {
    int objs, used, group; /* group NONE: on no list */
    int owner[256];        /* NONE: free */
    int freed[256];        /* stack of free slots */
    int nfree;
};
struct mlist {
    struct mz *z[MAX_LIVE];
    int n;
};
struct mclass {
    struct mlist list[12];
    int zspages, used;
};
struct model {
    bool twelve;
    const struct zs_class_table *t;
    struct mclass c[ZS_MAX_RAW_CLASSES];
    struct mz *where[MAX_LIVE]; /* by owner */
    int slot[MAX_LIVE];
    uint64_t compacted;
};

static int m_group(const struct model *m, const struct mz *z) {
    if (z->used == 0)
        return 0;
    if (z->used == z->objs)
        return m->twelve ? 11 : 3;
    if (m->twelve)
        return 100 * z->used / z->objs / 10 + 1;
    return z->used <= 3 * z->objs / 4 ? 1 : 2;
}

static void m_insert(struct model *m, struct mclass *c, struct mz *z) {
    z->group = m_group(m, z);
    struct mlist *l = &c->list[z->group];
    int at = !m->twelve && l->n > 0 && z->used < l->z[0]->used ? 1 : 0;
    memmove(l->z + at + 1, l->z + at, (size_t)(l->n - at) * sizeof(l->z[0]));
    l->z[at] = z;
    l->n++;
}

static void m_remove(struct mclass *c, struct mz *z) {
    struct mlist *l = &c->list[z->group];
    int i = 0;
    while (l->z[i] != z)
        i++;
    l->n--;
    memmove(l->z + i, l->z + i + 1, (size_t)(l->n - i) * sizeof(l->z[0]));
    z->group = NONE;
}

static void m_fix(struct model *m, struct mclass *c, struct mz *z) {
    if (z->group == m_group(m, z))
        return;
    if (z->group != NONE)
        m_remove(c, z);
    m_insert(m, c, z);
}

static void m_put(struct model *m, struct mz *z, int owner) {
    int s = z->freed[--z->nfree];
    z->owner[s] = owner;
    z->used++;
    m->where[owner] = z;
    m->slot[owner] = s;
}

static void m_take(struct mz *z, int s) {
    z->owner[s] = NONE;
    z->freed[z->nfree++] = s;
    z->used--;
}

static void m_malloc(struct model *m, uint32_t len, int owner) {
    uint32_t pos = zs_class_of(m->t, len);
    struct mclass *c = &m->c[pos];
    struct mz *z = NULL;
    for (int g = m->twelve ? 10 : 2; g >= 1 && !z; g--)
        if (c->list[g].n)
            z = c->list[g].z[0];
    if (!z) {
        z = calloc(1, sizeof(*z));
        assert_non_null(z);
        z->objs = m->t->cls[pos].objs_per_zspage;
        z->group = NONE;
        for (int s = z->objs; s-- > 0;) {
            z->owner[s] = NONE;
            z->freed[z->nfree++] = s;
        }
        c->zspages++;
    }
    m_put(m, z, owner);
    c->used++;
    m_fix(m, c, z);
}

static void m_free(struct model *m, uint32_t len, int owner) {
    struct mclass *c = &m->c[zs_class_of(m->t, len)];
    struct mz *z = m->where[owner];
    m_take(z, m->slot[owner]);
    c->used--;
    if (z->used == 0) {
        m_remove(c, z);
        c->zspages--;
        free(z);
    } else {
        m_fix(m, c, z);
    }
}

static int m_freeable(const struct model *m, uint32_t pos) {
    const struct mclass *c = &m->c[pos];
    int objs = m->t->cls[pos].objs_per_zspage;
    return (c->zspages * objs - c->used) / objs;
}

static void m_migrate(struct model *m, struct mz *src, struct mz *dst) {
    for (int s = 0; s < src->objs && dst->nfree > 0; s++) {
        int owner = src->owner[s];
        if (owner == NONE)
            continue;
        m_put(m, dst, owner);
        m_take(src, s);
    }
}

static struct mz *m_isolate(struct mclass *c, const int *groups, int n) {
    for (int i = 0; i < n; i++) {
        struct mlist *l = &c->list[groups[i]];
        if (l->n) {
            struct mz *z = l->z[0];
            m_remove(c, z);
            return z;
        }
    }
    return NULL;
}

static void m_putback(struct model *m, uint32_t pos, struct mz *z) {
    if (z->used) {
        m_insert(m, &m->c[pos], z);
        return;
    }
    m->c[pos].zspages--;
    m->compacted += m->t->cls[pos].pages_per_zspage;
    free(z);
}

static void m_compact12(struct model *m, uint32_t pos) {
    static const int up[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                     down[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct mclass *c = &m->c[pos];
    struct mz *src, *dst = NULL;
    while (m_freeable(m, pos)) {
        if (!dst && !(dst = m_isolate(c, down, 10)))
            break;
        if (!(src = m_isolate(c, up, 10)))
            break;
        m_migrate(m, src, dst);
        m_putback(m, pos, src);
        if (dst->nfree == 0) {
            m_putback(m, pos, dst);
            dst = NULL;
        }
    }
    if (dst)
        m_putback(m, pos, dst);
}

static void m_compact4(struct model *m, uint32_t pos) {
    static const int from[] = {1, 2}, to[] = {2, 1};
    struct mclass *c = &m->c[pos];
    struct mz *src, *dst;
    while ((src = m_isolate(c, from, 2))) {
        bool stop = !m_freeable(m, pos);
        while (!stop && src->used) {
            if (!(dst = m_isolate(c, to, 2))) {
                stop = true;
                break;
            }
            m_migrate(m, src, dst);
            m_putback(m, pos, dst);
        }
        m_putback(m, pos, src);
        if (stop)
            return;
    }
}

/* ---- the real one ---- */

struct state {
    struct zpool *z;
    uint32_t handle[MAX_LIVE], len[MAX_LIVE]; /* len 0: not live */
    uint32_t tag[MAX_LIVE];
};

static void s_for_each(void *ctx, zpool_visit_fn visit, void *arg) {
    struct state *s = ctx;
    for (uint32_t i = 0; i < MAX_LIVE; i++)
        if (s->len[i])
            visit(arg, i, s->handle[i]);
}

static void s_moved(void *ctx, uint32_t owner, uint32_t handle) {
    struct state *s = ctx;
    assert_true(s->len[owner] != 0);
    s->handle[owner] = handle;
}

static const struct zpool_owner_ops owner_ops = {s_for_each, s_moved};

static void pattern(uint8_t *buf, uint32_t len, uint32_t owner, uint32_t tag) {
    for (uint32_t i = 0; i < len; i++)
        buf[i] = (uint8_t)rf_mix64((uint64_t)owner << 40 ^ (uint64_t)tag << 13 ^ i / 8);
}

static void check_bytes(const struct state *s, uint32_t owner) {
    uint8_t got[4096], want[4096];
    s->z->ops->read(s->z, s->handle[owner], got, s->len[owner]);
    pattern(want, s->len[owner], owner, s->tag[owner]);
    assert_memory_equal(got, want, s->len[owner]);
}

static void compare(const struct state *s, const struct model *m) {
    struct zs_class_stats st[256];
    struct rf_err err = {0, ""};
    uint32_t nr = zs_pool_stats(s->z, st);
    if (s->z->ops->check(s->z, &err) != 0)
        fail_msg("%s", err.msg);
    for (uint32_t i = 0; i < nr; i++) {
        assert_int_equal(st[i].obj_used, m->c[i].used);
        assert_int_equal(st[i].obj_allocated, m->c[i].zspages * st[i].info.objs_per_zspage);
        for (uint32_t g = 1; g < 12; g++)
            assert_int_equal(st[i].group[g], m->c[i].list[g].n);
    }
    assert_int_equal(zs_pages_compacted(s->z), m->compacted);
}

static void run(struct zs_policy p, uint64_t seed) {
    struct state *s = calloc(1, sizeof(*s));
    struct model *m = calloc(1, sizeof(*m));
    struct zpool_params par = {.zs = p, .name = "x", .store_bytes = true, .max_objects = MAX_LIVE};
    struct rf_rng r;
    struct rf_err err;
    uint8_t buf[4096];
    assert_non_null(s);
    assert_non_null(m);
    assert_int_equal(zpool_find("zsmalloc")->create(&par, &s->z, &err), 0);
    m->t = zs_pool_table(s->z);
    m->twelve = p.fullness_12;
    rf_rng_seed(&r, seed);
    for (uint32_t op = 0; op < 30000; op++) {
        uint32_t i = (uint32_t)rf_rng_below(&r, MAX_LIVE);
        /* Phases that grow and phases that shrink, so that zspages come and go. */
        bool grow = op / 4000 % 2 == 0;
        if (s->len[i] && (!grow || rf_rng_below(&r, 4) == 0)) {
            check_bytes(s, i);
            m_free(m, s->len[i], (int)i);
            s->z->ops->free(s->z, s->handle[i]);
            s->len[i] = 0;
        } else if (!s->len[i] && (grow || rf_rng_below(&r, 6) == 0)) {
            /* A few classes only, so that each has many zspages; sometimes any length. */
            static const uint32_t usual[] = {24, 100, 500, 1350, 2000, 2700, 3200, 4096};
            uint32_t len = rf_rng_below(&r, 8) ? usual[rf_rng_below(&r, 8)]
                                               : 1 + (uint32_t)rf_rng_below(&r, 4096);
            s->tag[i] = op;
            assert_int_equal(s->z->ops->malloc(s->z, len, i, &s->handle[i]), ZPOOL_OK);
            s->len[i] = len;
            m_malloc(m, len, (int)i);
            pattern(buf, len, i, op);
            s->z->ops->write(s->z, s->handle[i], buf, len);
        }
        if (rf_rng_below(&r, 1500) == 0) {
            uint64_t before = m->compacted;
            for (uint32_t c = m->t->nr; c-- > 0;) {
                if (m->twelve)
                    m_compact12(m, c);
                else
                    m_compact4(m, c);
            }
            assert_int_equal(s->z->ops->compact(s->z, &owner_ops, s), m->compacted - before);
            compare(s, m);
        }
        if (op % 3000 == 0)
            compare(s, m);
    }
    for (uint32_t i = 0; i < MAX_LIVE; i++) {
        if (!s->len[i])
            continue;
        check_bytes(s, i);
        s->z->ops->free(s->z, s->handle[i]);
        m_free(m, s->len[i], (int)i);
        s->len[i] = 0;
    }
    compare(s, m);
    assert_true(m->compacted > 0);
    assert_int_equal(s->z->ops->total_pages(s->z), 0);
    s->z->ops->destroy(s->z);
    free(s);
    free(m);
}

static void test_old(void **state) {
    (void)state;
    run((struct zs_policy){4, false, false, true, true}, 1);
}

static void test_new(void **state) {
    (void)state;
    run((struct zs_policy){8, true, true, false, true}, 2);
}

/* 6.3 has the new chains but the old groups. */
static void test_between(void **state) {
    (void)state;
    run((struct zs_policy){16, true, false, false, true}, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old),
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
