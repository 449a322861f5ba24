/* SPDX-License-Identifier: Apache-2.0 */
#include "config/idle.h"

#include <stdio.h>
#include <stdlib.h>

/* Of a knob; from IDLE on: by which rule. */
enum { NOT_SET, SET, USED, IDLE };

static bool zswap_off(const struct machine_config *c) {
    return !c->zswap_enabled;
}

static bool no_zram(const struct machine_config *c) {
    return strcmp(c->swap_device, "zram0") != 0;
}

static bool no_zsmalloc(const struct machine_config *c) {
    return no_zram(c) && (zswap_off(c) || strcmp(c->zswap_zpool, "zsmalloc") != 0);
}

static bool no_accel(const struct machine_config *c) {
    return strcmp(c->accel.model, "none") == 0;
}

static bool accel_alone(const struct machine_config *c) {
    return zswap_off(c) && !no_accel(c);
}

static bool no_iaa(const struct machine_config *c) {
    return strcmp(c->accel.model, "iaa") != 0;
}

static bool no_queue(const struct machine_config *c) {
    return strcmp(c->accel.model, "queue") != 0;
}

static bool iaa_unserved(const struct machine_config *c) {
    return !no_iaa(c) && strncmp(c->zswap_compressor, "deflate-iaa", strlen("deflate-iaa")) != 0;
}

static bool accel_sync(const struct machine_config *c) {
    return c->accel.completion == ACCEL_SYNC;
}

static bool no_irq(const struct machine_config *c) {
    return c->accel.completion != ACCEL_IRQ;
}

static bool no_batches(const struct machine_config *c) {
    return !c->era.zswap.store_batch && !c->era.zswap.load_batch;
}

static bool no_depth(const struct machine_config *c) {
    return !no_queue(c) && !c->accel.queue.depth;
}

static bool ends_trying(const struct machine_config *c, enum accel_op op) {
    return c->accel.policy[op].full == ACCEL_FULL_SOFTWARE ||
           c->accel.policy[op].full == ACCEL_FULL_ERROR;
}

static bool no_comp_tries(const struct machine_config *c) {
    return !ends_trying(c, ACCEL_COMPRESS);
}

static bool no_decomp_tries(const struct machine_config *c) {
    return !ends_trying(c, ACCEL_DECOMPRESS);
}

static bool no_neighbour(const struct machine_config *c) {
    return c->accel.devices == c->accel.packages;
}

static bool no_shared_wq(const struct machine_config *c) {
    return !c->accel.wq_shared;
}

static bool no_threshold(const struct machine_config *c) {
    return !c->accel.wq_threshold;
}

static bool not_dynamic(const struct machine_config *c) {
    return strcmp(c->zswap_compressor, "deflate-iaa-dynamic") != 0;
}

static bool no_queue_comp(const struct machine_config *c) {
    return !no_queue(c) && !c->accel.queue.can[ACCEL_COMPRESS];
}

static bool no_queue_decomp(const struct machine_config *c) {
    return !no_queue(c) && !c->accel.queue.can[ACCEL_DECOMPRESS];
}

/* Stores cost [accel] store_ns: the conditions of accel_offloads(). */
static bool stores_offloaded(const struct machine_config *c) {
    return !no_iaa(c) ? !iaa_unserved(c)
                      : !no_queue(c) && !no_queue_comp(c) && c->accel.queue.min_job <= RF_PAGE_SIZE;
}

static bool no_tlb(const struct machine_config *c) {
    return !c->tlb_entries;
}

static bool one_cpu(const struct machine_config *c) {
    return c->cpus == 1;
}

static bool no_thp(const struct machine_config *c) {
    return c->thp_enabled == THP_NEVER && !c->thp_orders;
}

static bool no_flushes(const struct machine_config *c) {
    return !c->era.reclaim.stat_flush_ns;
}

static bool no_store_batch(const struct machine_config *c) {
    return !c->era.zswap.store_batch;
}

static bool no_load_batch(const struct machine_config *c) {
    return !c->era.zswap.load_batch;
}

static bool no_disk(const struct machine_config *c) {
    return !no_zram(c);
}

static bool no_guests(const struct machine_config *c) {
    return !c->guests;
}

static bool no_contention(const struct machine_config *c) {
    return !c->contention;
}

/* A key, or with a dot at the end all that begin so. The first that fits and lacks something
 * counts: one on top of another names the outer one first. */
static const struct rule {
    const char *key, *but; /* but: a key that is not meant */
    bool (*lacks)(const struct machine_config *c);
    const char *what;
} rules[] = {
    {"zswap.", "zswap.enabled", zswap_off, "zswap.enabled=1"},
    {"memory.zswap.", NULL, zswap_off, "zswap.enabled=1"},
    {"vm.compress-batchsize", NULL, zswap_off, "zswap.enabled=1"},
    {"swap.singlemapped_ra_enabled", NULL, zswap_off, "zswap.enabled=1"},
    {"accel.model", NULL, accel_alone, "zswap.enabled=1"},
    {"accel.", "accel.model", zswap_off, "zswap.enabled=1"},
    {"accel.queue.", NULL, no_queue, "accel.model=queue"},
    {"accel.wqs", NULL, no_iaa, "accel.model=iaa"},
    {"accel.comp_wqs", NULL, no_iaa, "accel.model=iaa"},
    {"accel.groups", NULL, no_iaa, "accel.model=iaa"},
    {"accel.wq_size", NULL, no_iaa, "accel.model=iaa"},
    {"accel.wq_shared", NULL, no_iaa, "accel.model=iaa"},
    {"accel.wq_threshold", NULL, no_iaa, "accel.model=iaa"},
    {"accel.verify_compress", NULL, no_iaa, "accel.model=iaa"},
    {"accel.", "accel.model", no_accel, "accel.model"},
    {"accel.", "accel.model", iaa_unserved, "zswap.compressor=deflate-iaa"},
    {"accel.batch", NULL, accel_sync, "accel.sync_mode=async or async_irq"},
    {"accel.batch", NULL, no_batches, "era.zswap.store_batch=1 or era.zswap.load_batch=1"},
    {"accel.distribute_comps", NULL, no_neighbour, "several accel.devices in a package"},
    {"accel.distribute_decomps", NULL, no_neighbour, "several accel.devices in a package"},
    {"accel.comp_full", NULL, no_depth, "accel.queue.depth"},
    {"accel.decomp_full", NULL, no_depth, "accel.queue.depth"},
    {"accel.comp_retries", NULL, no_depth, "accel.queue.depth"},
    {"accel.decomp_retries", NULL, no_depth, "accel.queue.depth"},
    {"accel.comp_retries", NULL, no_comp_tries, "accel.comp_full=software or error"},
    {"accel.decomp_retries", NULL, no_decomp_tries, "accel.decomp_full=software or error"},
    {"accel.wq_threshold", NULL, no_shared_wq, "accel.wq_shared=1"},
    {"accel.wq_shared", NULL, no_threshold, "accel.wq_threshold"},
    {"accel.queue.comp_setup", NULL, no_queue_comp, "accel.queue.compress=1"},
    {"accel.queue.comp_byte_ps", NULL, no_queue_comp, "accel.queue.compress=1"},
    {"accel.queue.max_out", NULL, no_queue_comp, "accel.queue.compress=1"},
    {"accel.queue.software", NULL, no_queue_comp, "accel.queue.compress=1"},
    {"accel.queue.decomp_setup", NULL, no_queue_decomp, "accel.queue.decompress=1"},
    {"accel.queue.decomp_byte_ps", NULL, no_queue_decomp, "accel.queue.decompress=1"},
    {"accel.queue.wake", NULL, no_irq, "accel.sync_mode=async_irq"},
    {"vm.compress-batchsize", NULL, no_store_batch, "era.zswap.store_batch=1"},
    {"swap.singlemapped_ra_enabled", NULL, no_load_batch, "era.zswap.load_batch=1"},
    {"zram0.", NULL, no_zram, "swap.device=zram0"},
    {"zsmalloc.", NULL, no_zsmalloc, "a pool of zsmalloc"},
    {"machine.placement", NULL, one_cpu, "several machine.cpus"},
    {"machine.tlb_contents", NULL, no_tlb, "machine.tlb_entries"},
    {"machine.stat_flush_phase", NULL, no_flushes, "era.reclaim.stat_flush_ns"},
    {"thp.defrag", NULL, no_thp, "thp.enabled"},
    {"cost.zswap.", NULL, zswap_off, "zswap.enabled=1"},
    {"cost.accel.", NULL, zswap_off, "zswap.enabled=1"},
    {"cost.accel.", NULL, no_accel, "accel.model"},
    {"cost.accel.", NULL, iaa_unserved, "zswap.compressor=deflate-iaa"},
    {"cost.accel.compress_ns", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.decompress_ns", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.submit_ns", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.wait_ns", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.irq_ns", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.retry_ns", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.parallel_compress", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.dynamic_percent", NULL, no_iaa, "accel.model=iaa"},
    {"cost.accel.store_ns", NULL, no_queue_comp, "accel.queue.compress=1"},
    {"cost.accel.store_next_ns", NULL, no_queue_comp, "accel.queue.compress=1"},
    {"cost.accel.irq_ns", NULL, no_irq, "accel.sync_mode=async_irq"},
    {"cost.accel.dynamic_percent", NULL, not_dynamic, "zswap.compressor=deflate-iaa-dynamic"},
    {"cost.zswap.store_ns", NULL, stores_offloaded, "accel.model=none"},
    {"cost.zswap.store_next_ns", NULL, stores_offloaded, "accel.model=none"},
    {"cost.zram.", NULL, no_zram, "swap.device=zram0"},
    {"cost.blk.", NULL, no_disk, "a disk as swap.device"},
    {"cost.mm.guest_exit_ns", NULL, no_guests, "machine.guests=1"},
    {"cost.mm.lru_lock_ns", NULL, no_contention, "machine.contention=1"},
    {"cost.mm.swap_lock_ns", NULL, no_contention, "machine.contention=1"},
    {"cost.mm.cache_line_ns", NULL, no_contention, "machine.contention=1"},
    {"cost.mm.lock_handoff_ns", NULL, no_contention, "machine.contention=1"},
};
#define NR_RULES (sizeof(rules) / sizeof(rules[0]))

static bool is_of(const struct rule *r, const char *key) {
    size_t n = strlen(r->key);

    if (r->but && strcmp(key, r->but) == 0)
        return false;
    return r->key[n - 1] == '.' ? strncmp(key, r->key, n) == 0 : strcmp(key, r->key) == 0;
}

/* The rule that leaves the knob idle, NR_RULES if there is none. */
static size_t idle_by(const char *key, const struct machine_config *c) {
    size_t i = 0;

    while (i < NR_RULES && !(is_of(&rules[i], key) && rules[i].lacks(c)))
        i++;
    return i;
}

int idle_init(struct idle_knobs *k, const struct knob_table *knobs, struct rf_err *err) {
    *k = (struct idle_knobs){.knobs = knobs, .state = calloc(knobs->n, sizeof(*k->state))};
    return k->state ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for the knobs that were set");
}

void idle_free(struct idle_knobs *k) {
    free(k->state);
    *k = (struct idle_knobs){0};
}

void idle_add(struct idle_knobs *k, const struct setting *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        k->state[v[i].knob - k->knobs->v] = SET;
}

bool idle_see(struct idle_knobs *k, const struct machine_config *c) {
    bool any = false;

    for (size_t i = 0; i < k->knobs->n; i++) {
        size_t rule;

        if (k->state[i] == NOT_SET || k->state[i] == USED)
            continue;
        rule = idle_by(k->knobs->v[i].key, c);
        k->state[i] = (uint8_t)(rule < NR_RULES ? IDLE + rule : USED);
        any |= rule < NR_RULES;
    }
    return any;
}

bool idle_is(const struct idle_knobs *k, const struct knob *knob) {
    return k->state[knob - k->knobs->v] >= IDLE;
}

/* The first rule that says the same. */
static size_t kind_of(size_t rule) {
    size_t i = 0;

    while (strcmp(rules[i].what, rules[rule].what) != 0)
        i++;
    return i;
}

const char *idle_text(const struct idle_knobs *k, char *buf, size_t size) {
    size_t at = 0;

    for (size_t kind = 0; kind < NR_RULES; kind++) {
        size_t n = 0;

        for (size_t i = 0; i < k->knobs->n && at < size; i++) {
            if (k->state[i] < IDLE || kind_of(k->state[i] - (size_t)IDLE) != kind)
                continue;
            at += (size_t)snprintf(buf + at, size - at, "%s%s",
                                   n++  ? ", "
                                   : at ? "; "
                                        : "",
                                   k->knobs->v[i].key);
        }
        if (n && at < size)
            at += (size_t)snprintf(buf + at, size - at, " (without %s)", rules[kind].what);
    }
    if (at >= size)
        memcpy(buf + size - 4, "...", 4);
    return at ? buf : NULL;
}
