/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random streams of accesses and events of several processes through whole machines of random
 * configurations. The model is naive: what each page contains and whether it was ever touched. The
 * machine runs with --verify, so that what comes back from swap is compared with what went there,
 * and with all invariants checked after every phase.
 */
#include "src/machine/machine_internal.h"
#include "tests/machine_rig.h"

#define PROCS 10u
#define BLOCKS 24u
#define IDS (BLOCKS << 9)
#define PHASES 5u

struct page {
    bool mapped, touched;
    uint32_t content, late; /* late: what it may contain instead; equal if there is no doubt */
};

struct world {
    struct rig rig;
    struct rf_rng rng;
    struct page page[IDS];
    bool alive[PROCS], ended;
    uint32_t nr_procs, nr_blocks, nr_vmas;
    uint32_t owner[BLOCKS];
    uint64_t vpn[BLOCKS];
};

static uint32_t below(struct world *w, uint32_t n) {
    return (uint32_t)rf_rng_below(&w->rng, n);
}

static uint32_t draw(struct world *w, const uint32_t *values, size_t n) {
    return values[below(w, (uint32_t)n)];
}
#define DRAW(w, ...)                                                                               \
    draw(w, (const uint32_t[]){__VA_ARGS__},                                                       \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Large folios, accelerators and batches, as far as the kernel takes them. */
static void random_batches(struct world *w) {
    static const char *const models[] = {"none", "iaa", "queue"};
    struct machine_config *c = &w->rig.c;

    c->thp_orders = DRAW(w, 0, 0, 1 << 2, 1 << 4, 1 << 2 | 1 << 3 | 1 << 4);
    c->thp_defrag = (uint8_t)below(w, THP_DEFRAG_NEVER + 1);
    c->era.fault.large_swapin = (uint8_t)below(w, LARGE_SWAPIN_ZSWAP + 1);
    c->era.fault.large_swapin_margin = below(w, 3) == 0;
    c->era.fault.large_swapin_max_order = (uint8_t)DRAW(w, 0, 0, 3);
    c->era.fault.zswap_skips_cache = below(w, 2);
    c->era.zswap.store_batch = below(w, 2);
    c->era.zswap.load_batch = below(w, 2);
    c->singlemapped_ra_enabled = below(w, 2);
    c->compress_batchsize = DRAW(w, 1, 2, 7, 32);
    c->contention = below(w, 2);
    c->placement = (uint8_t)below(w, 2);
    snprintf(c->accel.model, sizeof(c->accel.model), "%s", models[below(w, 3)]);
    if (strcmp(c->accel.model, "iaa") == 0 && c->zswap_enabled)
        rig_zswap(&w->rig, below(w, 2) ? "deflate-iaa" : "deflate-iaa-dynamic");
    c->accel.devices = DRAW(w, 1, 2, 4);
    c->accel.engines = DRAW(w, 1, 3, 8);
    c->accel.batch = DRAW(w, 1, 5, 8, 32);
    c->accel.wq_size = DRAW(w, 1, 2, 128);
    c->accel.completion = (uint8_t)below(w, 3);
    c->accel.verify_compress = below(w, 2);
    for (int op = 0; op < NR_ACCEL_OPS; op++) {
        c->accel.policy[op] = (struct accel_queue_policy){
            .full = (uint8_t)below(w, 4), .retries = DRAW(w, 0, 3, 100), .distribute = below(w, 2)};
        c->accel.queue.setup_ns[op] = DRAW(w, 0, 2000);
    }
    c->accel.queue.depth = DRAW(w, 0, 1, 16);
    c->accel.queue.software = below(w, 2);
    c->accel.queue.ordered = below(w, 2);
    /* A decompression that fails for good would be a lost page. */
    c->accel.queue.fail_ppm = c->accel.queue.software ? DRAW(w, 0, 100000) : 0;
}

static void random_config(struct world *w, uint32_t seed) {
    static const char *const devices[] = {"null", "nvme", "ssd", "hdd", "pmem", "zram0"};
    static const char *const codecs[] = {"lz4", "zstd", "lzo", "842", "deflate", "lzo-rle"};
    static const char *const pools[] = {"zsmalloc", "zbud", "z3fold"};
    const struct kernel_era *const *eras = era_table();
    struct machine_config *c = &w->rig.c;
    uint32_t nr_eras = 0;

    while (eras[nr_eras])
        nr_eras++;
    rig_config(&w->rig, eras[below(w, nr_eras)]->name);
    c->seed = seed;
    c->cpus = 1 + below(w, 4);
    c->blocks = BLOCKS;
    rig_device(&w->rig, devices[below(w, 6)]);
    c->page_cluster = DRAW(w, 0, 0, 1, 3, 3, 5);
    c->swappiness = DRAW(w, 1, 60, 100);
    c->vma_ra_enabled = below(w, 2);
    c->ram = rig_pages(DRAW(w, 600, 1500, 4096));
    c->swap_size = rig_pages(DRAW(w, 2000, 8192, 16384));
    c->zram_disksize = c->swap_size;
    c->memory_max = rig_pages(DRAW(w, 200, 400, 600, 1000));
    if (below(w, 4) == 0)
        c->memory_high = rig_pages(DRAW(w, 60, 140));
    if (below(w, 12) == 0)
        c->memory_swap_max = rig_pages(DRAW(w, 0, 100, 1000));
    if (below(w, 5) == 0)
        c->memory_zswap_max = rig_pages(DRAW(w, 0, 5, 30));
    c->memory_zswap_writeback = below(w, 5) != 0;
    if (below(w, 3) != 0)
        rig_zswap(&w->rig, codecs[below(w, 6)]);
    snprintf(c->zswap_zpool, sizeof(c->zswap_zpool), "%s", pools[below(w, 3)]);
    c->max_pool_percent = DRAW(w, 1, 3, 20);
    c->accept_threshold_percent = DRAW(w, 50, 90, 100);
    c->shrinker_enabled = c->era.zswap.shrinker && below(w, 2);
    c->same_filled_pages_enabled = below(w, 4) != 0;
    c->exclusive_loads = below(w, 2);
    snprintf(c->zram_comp_algorithm, sizeof(c->zram_comp_algorithm), "%s", codecs[below(w, 6)]);
    c->lru_gen_enabled = c->era.reclaim.lru_gen_available && below(w, 3) == 0;
    c->swap_stable_writes = (int8_t)(below(w, 3) - 1);
    if (below(w, 5) == 0) {
        c->memory_limit = c->memory_max;
        if (below(w, 4) == 0)
            c->memory_memsw_limit = rig_pages(DRAW(w, 1000, 3000));
        c->memory_max = c->memory_high = c->memory_swap_max = c->memory_zswap_max =
            (struct rf_amount){.kind = AMOUNT_MAX};
    }
}

static void map_block(struct world *w, uint32_t pid, uint64_t vpn) {
    struct rig *r = &w->rig;
    uint32_t b = w->nr_blocks++, lo = below(w, 100), n = 1 + below(w, 512 - lo);

    w->owner[b] = pid;
    w->vpn[b] = vpn;
    RIG_OK(r, machine_map(r->m, pid, w->nr_vmas++, (b << 9) + lo, n, vpn + lo,
                          TMAP_ANON | TMAP_WRITE, &r->err));
    for (uint32_t i = (b << 9) + lo; i < (b << 9) + lo + n; i++)
        w->page[i] = (struct page){.mapped = true};
}

static void new_process(struct world *w, uint32_t parent) {
    struct rig *r = &w->rig;
    uint32_t pid = w->nr_procs++;

    w->alive[pid] = true;
    RIG_OK(r, machine_process(r->m, pid, parent, &r->err));
    if (parent == RF_NONE)
        map_block(w, pid, (uint64_t)pid << 30);
}

static void do_fork(struct world *w, uint32_t parent) {
    struct rig *r = &w->rig;
    uint32_t nr = w->nr_blocks, child = w->nr_procs, from[BLOCKS], n = 0;

    for (uint32_t b = 0; b < nr; b++)
        if (w->owner[b] == parent)
            from[n++] = b;
    if (nr + n > BLOCKS || n == 0 || child >= PROCS)
        return;
    new_process(w, parent);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = w->nr_blocks++;

        w->owner[b] = child;
        w->vpn[b] = w->vpn[from[k]];
        for (uint32_t i = 0; i < 512;) { /* one mapping for each run of mapped pages */
            uint32_t stop = i;

            while (stop < 512 && w->page[from[k] << 9 | stop].mapped)
                stop++;
            if (stop == i) {
                i++;
                continue;
            }
            RIG_OK(r, machine_map(r->m, child, w->nr_vmas++, b << 9 | i, stop - i, w->vpn[b] + i,
                                  TMAP_ANON | TMAP_WRITE, &r->err));
            i = stop;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = nr + k;

        RIG_OK(r, machine_fork_block(r->m, child, b, parent, from[k], &r->err));
        memcpy(&w->page[b << 9], &w->page[from[k] << 9], 512 * sizeof(struct page));
    }
}

static void do_exit(struct world *w, uint32_t pid, bool exec) {
    struct rig *r = &w->rig;

    RIG_OK(r, machine_exit(r->m, pid, exec, &r->err));
    for (uint32_t b = 0; b < w->nr_blocks; b++) {
        if (w->owner[b] != pid)
            continue;
        w->owner[b] = RF_NONE;
        memset(&w->page[b << 9], 0, 512 * sizeof(struct page));
    }
    w->alive[pid] = exec;
    if (exec && w->nr_blocks < BLOCKS)
        map_block(w, pid, (uint64_t)pid << 30);
    if (!exec && pid > 0 && below(w, 2) && w->alive[0])
        RIG_OK(r, machine_wait(r->m, 0, pid, &r->err));
}

static void zap(struct world *w, uint32_t pid, uint32_t block) {
    struct rig *r = &w->rig;
    uint32_t lo = below(w, 512), n = 1 + below(w, 512 - lo), first = block << 9 | lo;

    if (below(w, 3) == 0) {
        RIG_OK(r, machine_unmap(r->m, pid, first, n, &r->err));
        memset(&w->page[first], 0, n * sizeof(struct page));
        return;
    }
    RIG_OK(r, machine_switch(r->m, pid, &r->err));
    RIG_OK(r, machine_dontneed(r->m, first, n, &r->err));
    for (uint32_t i = first; i < first + n; i++)
        w->page[i] = (struct page){.mapped = w->page[i].mapped};
}

/* A burst of accesses around one place. */
static void accesses(struct world *w, uint32_t pid, uint32_t block) {
    uint32_t ops[256], n = 0, at = below(w, 512), span = DRAW(w, 8, 64, 512);

    while (n < 250) {
        uint32_t id = block << 9 | ((at + below(w, span)) & 511u);
        struct page *p = &w->page[id];

        if (!p->mapped) {
            n++; /* so that a block without mappings ends the burst; the place is used below */
            ops[n - 1] = RF_NONE;
            continue;
        }
        switch (below(w, 10)) {
        case 0:
        case 1:
        case 2:
        case 3:
            ops[n++] = id;
            p->touched = true;
            break;
        case 4:
            ops[n++] = id | OP_WRITE;
            p->touched = true;
            break;
        case 5:
            if (!p->touched || p->late != p->content)
                break;
            p->late = below(w, RIG_CONTENTS + 1); /* of stores before: ignored by what is gone */
            ops[n++] = id | OP_CONTENT;
            ops[n++] = p->late;
            break;
        default:
            p->content = p->late = below(w, RIG_CONTENTS + 1);
            p->touched = true;
            ops[n++] = id | OP_WRITE | OP_CONTENT;
            ops[n++] = p->content;
            break;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ops[i] != RF_NONE)
            ops[kept++] = ops[i];
    rig_run(&w->rig, pid, ops, kept);
}

static void step(struct world *w) {
    uint32_t b = below(w, w->nr_blocks), pid = w->owner[b], what = below(w, 200);
    struct rig *r = &w->rig;

    if (machine_outcome(r->m) == MACHINE_OOM) {
        w->ended = true;
        return;
    }
    if (pid == RF_NONE) {
        if (w->nr_blocks < BLOCKS && w->alive[pid = below(w, w->nr_procs)])
            map_block(w, pid, ((uint64_t)pid << 30) + ((uint64_t)w->nr_blocks << 9));
        return;
    }
    if (what < 6)
        do_fork(w, pid);
    else if (what < 7 && w->nr_procs < PROCS && w->nr_blocks < BLOCKS)
        new_process(w, RF_NONE);
    else if (what < 9 && pid > 0)
        do_exit(w, pid, what == 8);
    else if (what < 17)
        zap(w, pid, b);
    else if (what < 20)
        RIG_OK(r, machine_compute(r->m, below(w, 3000000), &r->err));
    else
        accesses(w, pid, b);
}

static void compare(struct world *w) {
    struct rig *r = &w->rig;

    RIG_OK(r, machine_settle(r->m, &r->err));
    rig_check(r);
    if (machine_outcome(r->m) == MACHINE_OOM)
        return;
    for (uint32_t i = 0; i < w->nr_blocks << 9; i++) {
        struct page *p = &w->page[i];
        uint8_t state = machine_page_state(r->m, i);

        /* A large folio brings untouched neighbours along. */
        if (p->touched ? state == 0 : state != 0 && !r->c.thp_orders)
            fail_msg("page %u is in state %u, touched %d", i, state, p->touched);
        if (!p->touched)
            continue;
        uint32_t content = pte_content(r->m->mm->pte[i]);
        if (content != p->content && content != p->late)
            fail_msg("page %u contains %u, expected %u or %u", i, content, p->content, p->late);
        p->content = p->late = content;
    }
}

static void describe(const struct world *w, uint32_t seed, const char *what) {
    const struct machine_config *c = &w->rig.c;

    print_message("%s: seed %u: kernel %s, %u CPUs, %s, zswap %d %s %s, lru_gen %d\n", what, seed,
                  c->era.name, c->cpus, c->swap_device, c->zswap_enabled, c->zswap_compressor,
                  c->zswap_zpool, c->lru_gen_enabled);
}

static void run_world(uint32_t seed, bool loud, bool batches, uint64_t *oom) {
    static struct world w;

    memset(&w, 0, sizeof(w));
    rf_rng_seed(&w.rng, seed);
    random_config(&w, seed);
    if (batches)
        random_batches(&w);
    if (loud)
        describe(&w, seed, "run");
    rig_start(&w.rig);
    new_process(&w, RF_NONE);
    for (uint32_t phase = 0; phase < PHASES && !w.ended; phase++) {
        for (uint32_t i = 0; i < 60 && !w.ended; i++)
            step(&w);
        compare(&w);
    }
    *oom += machine_outcome(w.rig.m) == MACHINE_OOM;
    rig_teardown(&w.rig);
}

static void run_machines(bool batches) {
    const char *one = getenv("MACHINE_SEED"), *many = getenv("MACHINE_SEEDS");
    /* MACHINE_SEEDS runs more of them; fewer where everything is slow. */
    uint32_t usual = getenv("REFAULT_SANITIZED") ? 20 : 60;
    uint32_t nr = many ? (uint32_t)strtoul(many, NULL, 10) : usual;
    uint64_t oom = 0;

    if (one) {
        run_world((uint32_t)strtoul(one, NULL, 10), true, batches, &oom);
        return;
    }
    for (uint32_t seed = 1; seed <= nr; seed++)
        run_world(seed, many != NULL, batches, &oom);
    if (many)
        print_message("%llu of %u machines ran out of memory\n", (unsigned long long)oom, nr);
    /* Many of the machines must get to the end, or the test shows little. A third runs out of
     * memory, and up to half of the few that are run where everything is slow. */
    assert_true(oom * 3 < nr * 2);
}

static void random_machines(void **state) {
    (void)state;
    run_machines(false);
}

static void random_batch_machines(void **state) {
    (void)state;
    run_machines(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_machines),
        cmocka_unit_test(random_batch_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
