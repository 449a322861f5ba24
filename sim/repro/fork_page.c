/* SPDX-License-Identifier: Apache-2.0 */
/* A page that a process shares with its child, and stores to: see fork_page.h. */
#include "repro/fork_page.h"

#include "refault/machine.h"
#include "refault/trace_ops.h"

enum { BLOCK = 512, OTHERS = 400, LIMIT = 128, BATCHED = 20, CHILD = BLOCK };

static void pick(void *ctx, enum machine_value_kind kind, const char *name, uint64_t value) {
    struct fork_page *f = ctx;

    (void)kind;
    if (strcmp(name, "x.cow_copies") == 0)
        f->copies = value;
    else if (strcmp(name, "x.shared_page_violations") == 0)
        f->violations = value;
}

static int process(struct machine *m, uint32_t pid, uint32_t first, struct rf_err *err) {
    int rc = machine_process(m, pid, pid ? 0 : RF_NONE, err);

    if (rc == RF_OK)
        rc = machine_map(m, pid, pid, first, BLOCK, first, TMAP_ANON | TMAP_WRITE, err);
    return rc;
}

/* Accesses of process 0 to n pages. */
static int access(struct machine *m, uint32_t first, uint32_t n, uint32_t op, struct rf_err *err) {
    size_t done;
    int rc = machine_switch(m, 0, err);

    for (uint32_t i = 0; i < n && rc == RF_OK; i++) {
        uint32_t word = (first + i) | op;
        rc = machine_run(m, &word, 1, &done, err);
    }
    return rc == RF_OK ? machine_settle(m, err) : rc;
}

static int steps(struct machine *m, bool swapped, struct fork_page *out, struct rf_err *err) {
    int rc = process(m, 0, 0, err);

    /* Page 0 is the oldest of those that do not fit. */
    if (rc == RF_OK)
        rc = access(m, 0, swapped ? OTHERS : 1, OP_WRITE, err);
    if (rc == RF_OK && machine_page_state(m, 0) != (swapped ? 2 : 1))
        rc = rf_fail(err, RF_ECHECK, "page 0 is in state %u", machine_page_state(m, 0));
    if (rc == RF_OK)
        rc = process(m, 1, CHILD, err);
    if (rc == RF_OK)
        rc = machine_fork_block(m, 1, CHILD >> 9, 0, 0, err);
    if (rc == RF_OK && swapped)
        rc = access(m, 0, 1, 0, err); /* into the swap cache, read-only */
    /* What a CPU's LRU-add batch holds some rules copy for that alone: more pages push it out. */
    if (rc == RF_OK)
        rc = access(m, OTHERS, BATCHED, OP_WRITE, err);
    if (rc == RF_OK)
        rc = access(m, 0, 1, OP_WRITE, err);
    machine_values(m, pick, out);
    return rc;
}

int fork_page_run(uint8_t rule, bool swapped, struct fork_page *out, struct rf_err *err) {
    const struct content_row row = {.same_filled = true};
    const struct rf_amount ram = {.value = 4096 * RF_PAGE_SIZE, .kind = AMOUNT_BYTES};
    struct content_set *cs = NULL;
    struct machine *m = NULL;
    struct machine_config c;
    int rc = machine_config_init(&c, "5.10", err);

    *out = (struct fork_page){0};
    if (rc != RF_OK)
        return rc;
    c.era.fault.wp_rule = rule;
    c.ram = c.swap_size = ram;
    c.memory_limit = (struct rf_amount){.value = LIMIT * RF_PAGE_SIZE, .kind = AMOUNT_BYTES};
    c.page_cluster = 0;
    c.blocks = 2;
    c.footprint_pages = OTHERS + BATCHED;
    c.check = true;
    rc = content_from_rows(&row, 1, &cs, err);
    if (rc == RF_OK)
        rc = machine_create(&c, cs, &m, err);
    if (rc == RF_OK)
        rc = steps(m, swapped, out, err);
    machine_destroy(m);
    content_free(cs);
    return rc;
}
