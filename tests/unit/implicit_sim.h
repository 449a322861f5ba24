/* SPDX-License-Identifier: Apache-2.0 */
/* A machine of one process whose stores leave contents of the machine's own; all checks are on. */
#ifndef TESTS_UNIT_IMPLICIT_SIM_H
#define TESTS_UNIT_IMPLICIT_SIM_H

#include <stdio.h>
#include "refault/machine.h"
#include "refault/trace_ops.h"

#define BLOCK 512u
#define VPN 0x7f0000000ull
#define PLAIN (TMAP_ANON | TMAP_WRITE)
#define ADVISED (PLAIN | TMAP_HUGEPAGE)

struct sim {
    struct machine_config c;
    struct content_set *cs;
    struct machine *m;
    struct rf_err err;
};

static inline void ok(struct sim *s, int rc) {
    if (rc)
        fail_msg("%s", s->err.msg);
}

/* Memory and swap for more than `blocks` page tables, on zram with lz4; free to be changed. */
static inline void sim_config(struct sim *s, const char *kernel, uint32_t blocks) {
    *s = (struct sim){0};
    ok(s, machine_config_init(&s->c, kernel, &s->err));
    s->c.blocks = blocks;
    s->c.footprint_pages = blocks * BLOCK;
    s->c.check = s->c.verify = true;
    s->c.swap_size = (struct rf_amount){.value = 1u << 30, .kind = AMOUNT_BYTES};
    s->c.zram_disksize = s->c.swap_size;
    s->c.ram = (struct rf_amount){.value = 512u << 20, .kind = AMOUNT_BYTES};
    snprintf(s->c.swap_device, sizeof(s->c.swap_device), "zram0");
    snprintf(s->c.zram_comp_algorithm, sizeof(s->c.zram_comp_algorithm), "lz4");
    machine_config_set_profile(&s->c, profile_default());
}

static inline void sim_start(struct sim *s) {
    ok(s, content_synthetic("hist:mean=1650", 1, &s->cs, &s->err));
    ok(s, machine_create(&s->c, s->cs, &s->m, &s->err));
    machine_set_implicit_content(s->m, true);
    ok(s, machine_process(s->m, 0, RF_NONE, &s->err));
    ok(s, machine_switch(s->m, 0, &s->err));
}

static inline void map(struct sim *s, uint32_t pid, uint32_t vma, uint32_t first, uint32_t n,
                       uint32_t flags) {
    ok(s, machine_map(s->m, pid, vma, first, n, VPN + first, flags, &s->err));
}

static inline void touch(struct sim *s, uint32_t id, bool write) {
    uint32_t op = id | (write ? OP_WRITE : 0);
    size_t done;
    ok(s, machine_run(s->m, &op, 1, &done, &s->err));
}

static inline void fill(struct sim *s, uint32_t first, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        touch(s, first + i, true);
}

static inline void sim_check(struct sim *s) {
    ok(s, machine_check(s->m, &s->err));
}

static inline void sim_stop(struct sim *s) {
    ok(s, machine_settle(s->m, &s->err));
    sim_check(s);
    ok(s, machine_teardown(s->m, &s->err));
    sim_check(s);
    machine_destroy(s->m);
    content_free(s->cs);
}

#endif
