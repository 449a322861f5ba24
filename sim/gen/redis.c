/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis-memtier: Redis servers, each with a client that keeps `pipeline` requests in flight and
 * draws keys at random (memtier_benchmark). Every pass repeats the same sequence of requests, so
 * that the first one fills the database and the others overwrite what is there.
 *
 * What a request touches follows from Redis' data: a bucket of the hash table, an entry with its
 * key and object, and the value, which has a slot of jemalloc's size class. A SET writes the value
 * to the slot that was freed last, before it looks up the key, reads the header of the old value,
 * and frees its slot: the next SET writes there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit.h"
#include "workload.h"

#define SDS_HEADER 5u /* and a NUL behind: 6 bytes more than the value */
#define BUCKET_BYTES 8u
/* Of a key besides its bucket: entry 32, key 49, object 16 bytes, in jemalloc's size classes. */
#define OBJECT_BYTES 97u
#define NO_SLOT UINT32_MAX

struct server {
    uint32_t pid;
    uint64_t id; /* seeds its draws */
    struct rf_rng rng;
    uint32_t *slot;   /* of each key, NO_SLOT if it is not set */
    uint32_t *object; /* of each key that is set: the how-manieth it was */
    uint32_t nr_keys, nr_slots, free_slot;
    uint64_t done;                            /* requests of this pass */
    uint32_t guest, buckets, objects, values; /* first page ids */
    uint64_t bucket_mask;
};

struct run {
    const struct gen_params *p;
    struct emit *e;
    uint64_t keys; /* of each server's key range */
    uint64_t guest_pages, accesses;
    uint32_t slot_bytes, value_bytes;
    struct gen_redis_pass now;
};

static uint64_t scaled(double scale, uint64_t v) {
    return (uint64_t)((double)v * scale);
}

static uint64_t pages_of(uint64_t bytes) {
    return (bytes + RF_PAGE_SIZE - 1) / RF_PAGE_SIZE;
}

static int check(const struct gen_params *p, struct rf_err *err) {
    const struct gen_redis *g = &p->redis;
    uint64_t keys = scaled(p->scale, g->keys);

    if (keys < 1000 || keys > 100000000 || g->servers < 1 || g->servers > 256 || g->sets < 1 ||
        g->sets + g->gets > 1000000 || g->pipeline < 1 || g->pipeline > 1000000 || g->passes < 1 ||
        g->passes > 100 || g->data_size < 64 || g->data_size > 14000 ||
        g->guest > (uint64_t)1 << 40 || g->op_ns > 1000000000)
        return rf_fail(
            err, RF_EUSAGE,
            "redis-memtier: %llu keys in each of %llu servers, %llu SETs to %llu GETs, "
            "pipeline %llu, %llu passes, values of %llu bytes, guest %llu bytes, %llu ns a "
            "request; "
            "expected 1000 to 10^8 keys, 1 to 256 servers, 1 SET and up to 10^6 SETs and GETs, a "
            "pipeline of 1 to 10^6, 1 to 100 passes, 64 to 14000 bytes, a guest up to 1T, "
            "a request up to 1s",
            (unsigned long long)keys, (unsigned long long)g->servers, (unsigned long long)g->sets,
            (unsigned long long)g->gets, (unsigned long long)g->pipeline,
            (unsigned long long)g->passes, (unsigned long long)g->data_size,
            (unsigned long long)g->guest, (unsigned long long)g->op_ns);
    return gen_check_accesses((double)keys * (double)g->servers * (double)g->passes *
                                  (double)(pages_of(g->data_size) + 3),
                              err);
}

static void describe(const struct gen_params *p, char *buf, size_t size) {
    const struct gen_redis *g = &p->redis;

    snprintf(buf, size,
             "%llu servers, %llu %s keys, SET:GET %llu:%llu, pipeline %llu, values of %llu bytes, "
             "%llu passes, guest %llu bytes, %llu ns a request",
             (unsigned long long)g->servers, (unsigned long long)scaled(p->scale, g->keys),
             g->gaussian ? "Gaussian" : "uniform", (unsigned long long)g->sets,
             (unsigned long long)g->gets, (unsigned long long)g->pipeline,
             (unsigned long long)g->data_size, (unsigned long long)g->passes,
             (unsigned long long)scaled(p->scale, g->guest), (unsigned long long)g->op_ns);
}

/* jemalloc's class of a small size: multiples of 16 to 128, then four steps a doubling. */
static uint32_t size_class(uint32_t bytes) {
    uint32_t step = 16;

    while (bytes > 8 * step)
        step *= 2;
    return (bytes + step - 1) / step * step;
}

/* ---- keys ---- */

static void begin_pass(const struct run *u, struct server *s) {
    rf_rng_seed(&s->rng, (u->p->seed << 16) + s->id);
    s->done = 0;
}

/* Marsaglia's polar method, without the second of its two numbers. */
static double gauss(struct rf_rng *rng) {
    double x, y, r;

    do {
        x = 2 * rf_rng_unit(rng) - 1;
        y = 2 * rf_rng_unit(rng) - 1;
        r = x * x + y * y;
    } while (r >= 1 || r == 0);
    return x * sqrt(-2 * log(r) / r);
}

static uint32_t next_key(const struct run *u, struct server *s) {
    double sigma = (double)u->keys / 10, middle = (double)(u->keys - 1) / 2, v;

    if (!u->p->redis.gaussian)
        return (uint32_t)rf_rng_below(&s->rng, u->keys);
    do
        v = round(middle + sigma * gauss(&s->rng));
    while (v < 0 || v > (double)(u->keys - 1));
    return (uint32_t)v;
}

/* The client sends `sets` SETs, then `gets` GETs, and so on. */
static bool next_is_set(const struct run *u, const struct server *s) {
    const struct gen_redis *g = &u->p->redis;

    return s->done % (g->sets + g->gets) < g->sets;
}

/* Number of different keys that a pass sets. */
static uint32_t count_keys(const struct run *u, struct server *s) {
    uint32_t n = 0;

    begin_pass(u, s);
    for (; s->done < u->keys; s->done++) {
        bool set = next_is_set(u, s);
        uint32_t key = next_key(u, s);
        n += set && s->slot[key] == NO_SLOT;
        if (set)
            s->slot[key] = 0;
    }
    memset(s->slot, 0xff, u->keys * sizeof(*s->slot));
    return n;
}

/* ---- memory ---- */

static void touch(struct run *u, uint32_t first, uint64_t at, uint64_t bytes, bool write) {
    for (uint64_t page = at / RF_PAGE_SIZE; page <= (at + bytes - 1) / RF_PAGE_SIZE; page++) {
        emit_access(u->e, first + (uint32_t)page, write);
        u->accesses++;
    }
}

static void touch_value(struct run *u, const struct server *s, uint32_t slot, uint64_t bytes,
                        bool write) {
    emit_pace(u->e, 0, 0); /* the time until here passes before a page that may be out */
    touch(u, s->values, (uint64_t)slot * u->slot_bytes, bytes, write);
}

static void touch_object(struct run *u, const struct server *s, uint32_t object, bool write) {
    touch(u, s->objects, (uint64_t)object * OBJECT_BYTES, OBJECT_BYTES, write);
}

static uint64_t bucket_of(const struct server *s, uint32_t key) {
    uint64_t h = key + 1;

    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u; /* any mix of bits */
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return ((h ^ (h >> 31)) & s->bucket_mask) * BUCKET_BYTES;
}

/* ---- requests ---- */

static void request_get(struct run *u, struct server *s, uint32_t key) {
    uint64_t bucket = bucket_of(s, key);

    touch(u, s->buckets, bucket, BUCKET_BYTES, false);
    if (s->slot[key] == NO_SLOT) {
        /* A bucket holds nr_keys / buckets entries; whose, the bits of the key decide. */
        uint64_t other = (uint64_t)key * 2654435761u % (s->bucket_mask + 1);
        if (other < s->nr_keys)
            touch_object(u, s, (uint32_t)other, false);
        u->now.misses++;
        return;
    }
    u->now.hits++;
    touch_object(u, s, s->object[key], true); /* the object has the time of its last use */
    touch_value(u, s, s->slot[key], u->value_bytes, false);
}

static void request_set(struct run *u, struct server *s, uint32_t key) {
    uint32_t old = s->slot[key], slot = s->free_slot;
    bool fresh = old == NO_SLOT;

    u->now.sets++;
    s->free_slot = NO_SLOT;
    if (slot == NO_SLOT)
        slot = s->nr_slots++;
    touch_value(u, s, slot, u->value_bytes, true);
    touch(u, s->buckets, bucket_of(s, key), BUCKET_BYTES, fresh);
    if (fresh)
        s->object[key] = s->nr_keys++;
    touch_object(u, s, s->object[key], true);
    s->slot[key] = slot;
    if (fresh)
        return;
    touch_value(u, s, old, SDS_HEADER, false);
    s->free_slot = old;
}

static void requests(struct run *u, struct server *s, uint64_t n) {
    emit_switch(u->e, s->pid);
    for (uint64_t end = RF_MIN(s->done + n, u->keys); s->done < end && !u->e->rc; s->done++) {
        bool set = next_is_set(u, s);
        uint32_t key = next_key(u, s);

        emit_pace(u->e, u->p->redis.op_ns, UINT64_MAX);
        if (set)
            request_set(u, s, key);
        else
            request_get(u, s, key);
    }
    emit_pace(u->e, 0, 0);
}

/* ---- the whole ---- */

/* One mapping, as the memory of a guest is: its system, then the server's buckets, objects and
 * values. */
static int start_server(struct run *u, struct server *s, uint64_t id, struct rf_err *err) {
    uint64_t buckets = 1, keys;
    char name[16];

    s->id = id;
    s->slot = malloc(u->keys * sizeof(*s->slot));
    s->object = malloc(u->keys * sizeof(*s->object));
    if (!s->slot || !s->object)
        return rf_fail(err, RF_ENOMEM, "no memory for %llu keys", (unsigned long long)u->keys);
    memset(s->slot, 0xff, u->keys * sizeof(*s->slot));
    keys = count_keys(u, s);
    while (buckets < keys)
        buckets *= 2;
    s->bucket_mask = buckets - 1;
    s->free_slot = NO_SLOT;
    uint64_t part[] = {u->guest_pages, pages_of(buckets * BUCKET_BYTES),
                       pages_of(keys * OBJECT_BYTES), pages_of((keys + 1) * u->slot_bytes)};
    snprintf(name, sizeof(name), "redis-%u", (unsigned)id);
    s->pid = emit_process(u->e, RF_NONE, name);
    s->guest = emit_map(u->e, s->pid, EMIT_BASE_VPN, part[0] + part[1] + part[2] + part[3],
                        u->p->thp ? TMAP_HUGEPAGE : TMAP_NOHUGEPAGE);
    s->buckets = s->guest + (uint32_t)part[0];
    s->objects = s->buckets + (uint32_t)part[1];
    s->values = s->objects + (uint32_t)part[2];
    return u->e->rc;
}

static void run_pass(struct run *u, struct server *s, uint64_t pass) {
    const struct gen_redis *g = &u->p->redis;

    u->now = (struct gen_redis_pass){.first_access = u->accesses};
    for (uint64_t i = 0; i < g->servers; i++)
        begin_pass(u, &s[i]);
    while (s[0].done < u->keys && !u->e->rc)
        for (uint64_t i = 0; i < g->servers; i++)
            requests(u, &s[i], g->pipeline);
    if (g->pass)
        g->pass[pass] = u->now;
}

static int run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    const struct gen_redis *g = &p->redis;
    struct server *s = calloc(g->servers, sizeof(*s));
    struct emit e;
    struct run u = {.p = p,
                    .e = &e,
                    .keys = scaled(p->scale, g->keys),
                    .guest_pages = pages_of(scaled(p->scale, g->guest)),
                    .value_bytes = (uint32_t)g->data_size + SDS_HEADER + 1};
    int rc = 0;

    if (!s)
        return rf_fail(err, RF_ENOMEM, "no memory for %llu servers",
                       (unsigned long long)g->servers);
    emit_init(&e, w, err);
    u.slot_bytes = size_class(u.value_bytes);
    for (uint64_t i = 0; i < g->servers && !rc; i++)
        rc = start_server(&u, &s[i], i, err);
    for (uint64_t i = 0; i < g->servers && !rc; i++) {
        emit_switch(&e, s[i].pid);
        for (uint64_t k = 0; k < u.guest_pages; k++)
            emit_access(&e, s[i].guest + (uint32_t)k, true);
        u.accesses += u.guest_pages;
    }
    for (uint64_t pass = 0; pass < g->passes && !rc; pass++) {
        run_pass(&u, s, pass);
        rc = e.rc;
    }
    for (uint64_t i = 0; i < g->servers; i++) {
        free(s[i].slot);
        free(s[i].object);
    }
    free(s);
    return rc;
}

#define AT(field) offsetof(struct gen_params, redis.field)
static const struct gen_option options[] = {
    {"servers", "N", 0, GEN_COUNT, AT(servers), "processes, one server each (16)"},
    {"keys", "N", 0, GEN_COUNT, AT(keys), "key range, and requests of a pass (30M)"},
    {"gaussian", NULL, 0, GEN_FLAG, AT(gaussian), "keys around the middle, sigma = range / 10"},
    {"sets", "N", 0, GEN_COUNT, AT(sets), "SETs in a round (1)"},
    {"gets", "N", 0, GEN_COUNT, AT(gets), "GETs in a round (10)"},
    {"pipeline", "N", 0, GEN_COUNT, AT(pipeline), "requests in flight of a server (256)"},
    {"data-size", "N", 0, GEN_COUNT, AT(data_size), "bytes of a value (2048)"},
    {"passes", "N", 0, GEN_COUNT, AT(passes), "equal passes, the first fills the database (2)"},
    {"guest", "SIZE", 0, GEN_BYTES, AT(guest), "written once before, by the guest's system (835M)"},
    {"op", "TIME", 0, GEN_TIME, AT(op_ns), "CPU time of a request without faults (5.5us)"},
    {NULL, NULL, 0, GEN_FLAG, 0, NULL},
};

const struct gen_workload gen_redis_memtier = {
    .name = "redis-memtier",
    .summary = "Redis servers and their clients, values larger than memory",
    .pacing = TRACE_PACE_NS,
    .contents = "hist:mean=1650",
    .options = options,
    .check = check,
    .describe = describe,
    .run = run,
};
