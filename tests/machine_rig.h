/* SPDX-License-Identifier: Apache-2.0 */
/* A small machine for tests: a config that is all checks, contents of known sizes, short calls. */
#ifndef TESTS_MACHINE_RIG_H
#define TESTS_MACHINE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include "refault/machine.h"
#include "refault/trace_ops.h"

struct rig {
    struct machine_config c;
    struct content_set *cs;
    struct machine *m;
    struct rf_err err;
};

/*
 * Contents of a rig. Ids 1..RIG_SAME are pages filled with one word, RIG_BAD.. do not compress, the
 * others take 200 to 3800 bytes.
 */
enum { RIG_SAME = 4, RIG_BAD = 90, RIG_CONTENTS = 100 };

static inline struct rf_amount rig_pages(uint64_t n) {
    return (struct rf_amount){.value = n * RF_PAGE_SIZE, .kind = AMOUNT_BYTES};
}

#define RIG_OK(rig, call)                                                                          \
    do {                                                                                           \
        if ((call) != RF_OK)                                                                       \
            fail_msg("%s: %s", #call, (rig)->err.msg);                                             \
    } while (0)

static inline void rig_config(struct rig *r, const char *kernel) {
    *r = (struct rig){0};
    RIG_OK(r, machine_config_init(&r->c, kernel, &r->err));
    r->c.ram = rig_pages(4096);
    r->c.swap_size = rig_pages(8192);
    r->c.zram_disksize = rig_pages(8192);
    r->c.footprint_pages = 2048;
    r->c.blocks = 4;
    r->c.verify = r->c.check = true;
}

static inline void rig_device(struct rig *r, const char *name) {
    snprintf(r->c.swap_device, sizeof(r->c.swap_device), "%s", name);
    machine_config_set_profile(&r->c, profile_default());
}

static inline void rig_zswap(struct rig *r, const char *compressor) {
    r->c.zswap_enabled = true;
    snprintf(r->c.zswap_compressor, sizeof(r->c.zswap_compressor), "%s", compressor);
}

static inline void rig_start(struct rig *r) {
    struct content_row rows[RIG_CONTENTS] = {0};

    for (uint32_t i = 0; i < RIG_CONTENTS; i++) {
        rows[i].same_filled = i < RIG_SAME;
        rows[i].word = i;
        for (int c = 0; c < NR_CODECS; c++)
            rows[i].size[c] = (uint16_t)(i < RIG_SAME ? 40 : i >= RIG_BAD ? 4200 : 160 + i * 40);
    }
    RIG_OK(r, content_from_rows(rows, RIG_CONTENTS, &r->cs, &r->err));
    RIG_OK(r, machine_create(&r->c, r->cs, &r->m, &r->err));
    machine_set_access_cost(r->m, true);
}

static inline void rig_stop(struct rig *r) {
    machine_destroy(r->m);
    content_free(r->cs);
}

/* A process with block `block` of ids mapped; they are its pages `block` * 512 and up. */
static inline void rig_process(struct rig *r, uint32_t pid, uint32_t parent, uint32_t block) {
    RIG_OK(r, machine_process(r->m, pid, parent, &r->err));
    RIG_OK(r, machine_map(r->m, pid, block, block << 9, 512, (uint64_t)block << 9,
                          TMAP_ANON | TMAP_WRITE, &r->err));
}

static inline void rig_run(struct rig *r, uint32_t pid, const uint32_t *ops, size_t n) {
    size_t done;

    RIG_OK(r, machine_switch(r->m, pid, &r->err));
    RIG_OK(r, machine_run(r->m, ops, n, &done, &r->err));
}

static inline void rig_read(struct rig *r, uint32_t pid, uint32_t id) {
    rig_run(r, pid, &id, 1);
}

static inline void rig_write(struct rig *r, uint32_t pid, uint32_t id, uint32_t content) {
    uint32_t ops[] = {id | OP_WRITE | OP_CONTENT, content};

    rig_run(r, pid, ops, 2);
}

struct rig_wanted {
    const char *name;
    uint64_t value;
    unsigned found;
};

static inline void rig_match(void *ctx, enum machine_value_kind kind, const char *name,
                             uint64_t value) {
    struct rig_wanted *w = ctx;

    (void)kind;
    if (strcmp(name, w->name) == 0) {
        w->value = value;
        w->found++;
    }
}

static inline uint64_t rig_value(const struct rig *r, const char *name) {
    struct rig_wanted w = {.name = name};

    machine_values(r->m, rig_match, &w);
    if (w.found != 1)
        fail_msg("%u values are named %s", w.found, name);
    return w.value;
}

static inline void rig_check(struct rig *r) {
    RIG_OK(r, machine_check(r->m, &r->err));
}

/* Ends all processes; the machine itself checks that nothing is left. */
static inline void rig_teardown(struct rig *r) {
    RIG_OK(r, machine_teardown(r->m, &r->err));
    rig_stop(r);
}

#endif
