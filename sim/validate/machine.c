/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the knobs that a guest read back to the machine that is simulated. One choice for all cases:
 * the guest's virtio disk, backed by the host's page cache, is a device with the costs of guest.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include "validate/validate.h"

#define KIB 1024u
/* MemTotal of guests whose file does not have it: no known one. */
#define NO_MEMTOTAL 0
/* 256 TiB, the largest machine. */
#define MEMTOTAL_MAX ((int64_t)1 << 38)

void golden_bracketed(const char *text, char *out, size_t room) {
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    size_t n = close ? (size_t)(close - open - 1) : 0;

    if (n >= room)
        n = 0;
    if (n)
        memcpy(out, open + 1, n);
    out[n] = '\0';
}

static struct rf_amount bytes(uint64_t n) {
    return (struct rf_amount){.value = n, .kind = AMOUNT_BYTES};
}

/* "max", or bytes. */
static struct rf_amount limit(const struct golden *g, const char *key) {
    int64_t v = golden_number(g->config, key, -1);

    return v < 0 ? (struct rf_amount){.kind = AMOUNT_MAX} : bytes((uint64_t)v);
}

static bool flag(const json_t *o, const char *key, bool otherwise) {
    const json_t *v = json_object_get(o, key);
    const char *s = json_string_value(v);

    if (json_is_boolean(v))
        return json_is_true(v);
    if (json_is_number(v))
        return json_number_value(v) != 0;
    return s && *s ? *s == 'Y' || *s == 'y' || *s == '1' || *s == 't' : otherwise;
}

static void copy_name(const char *from, char *to, size_t room) {
    size_t n = RF_MIN(strlen(from), room - 1);

    if (n == 0)
        return;
    memcpy(to, from, n);
    to[n] = '\0'; /* what was too long is the name of nothing now */
}

/* The swap area's pages as /proc/swaps shows them, plus the header page. */
static uint64_t swap_bytes(const struct golden *g) {
    const char *line = strstr(golden_text(g, "swaps"), "\n/dev/");
    unsigned long long kib;

    /* The third word of the line. */
    for (int word = 0; line && word < 2; word++) {
        line += strspn(line, "\n\t ");
        line += strcspn(line, "\n\t ");
    }
    kib = line ? strtoull(line, NULL, 10) : 0;
    if (kib)
        return (kib + RF_PAGE_SIZE / KIB) * KIB;
    return (uint64_t)1 << 30;
}

/* A recorded number, within the limits of its knob. One that was not recorded changes nothing. */
static int set_number(const struct golden *g, const json_t *object, const char *key,
                      const char *knob, struct machine_config *c, const struct knob_table *knobs,
                      struct rf_err *err) {
    const json_t *v = json_object_get(object, key);
    const char *text = json_string_value(v);
    const struct knob *k = knob_find(knobs, knob, err);
    struct rf_err bad = {0};
    char number[32];

    if (!k)
        return err->code;
    if (json_is_number(v)) {
        snprintf(number, sizeof(number), "%lld", (long long)golden_integer(v));
        text = number;
    }
    if (!text || !*text)
        return RF_OK;
    if (knob_set(k, c, text, &bad) != RF_OK)
        return rf_fail(err, RF_EINPUT, "%s: \"%s\": %s", g->path, key, bad.msg);
    return RF_OK;
}

static int set_numbers(const struct golden *g, struct machine_config *c, struct rf_err *err) {
    const json_t *zswap = json_object_get(g->config, "zswap_params");
    const struct {
        const json_t *object;
        const char *key, *knob;
    } numbers[] = {
        {g->config, "page_cluster", "vm.page-cluster"},
        {g->config, "swappiness", "vm.swappiness"},
        {g->config, "watermark_scale_factor", "vm.watermark_scale_factor"},
        {zswap, "max_pool_percent", "zswap.max_pool_percent"},
        {zswap, "accept_threshold_percent", "zswap.accept_threshold_percent"},
    };
    struct knob_table knobs;
    int rc = knob_table_init(&knobs, err);

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && rc == RF_OK; i++)
        rc = set_number(g, numbers[i].object, numbers[i].key, numbers[i].knob, c, &knobs, err);
    knob_table_free(&knobs);
    return rc;
}

static void zswap_knobs(const struct golden *g, struct machine_config *c) {
    const json_t *z = json_object_get(g->config, "zswap_params");
    const char *s;

    c->zswap_enabled = flag(z, "enabled", flag(g->config, "zswap_on", false));
    if ((s = json_string_value(json_object_get(z, "compressor"))))
        copy_name(s, c->zswap_compressor, sizeof(c->zswap_compressor));
    if ((s = json_string_value(json_object_get(z, "zpool"))))
        copy_name(s, c->zswap_zpool, sizeof(c->zswap_zpool));
    c->shrinker_enabled = flag(z, "shrinker_enabled", false);
    c->same_filled_pages_enabled = flag(z, "same_filled_pages_enabled", true);
    c->non_same_filled_pages_enabled = flag(z, "non_same_filled_pages_enabled", true);
    c->exclusive_loads = flag(z, "exclusive_loads", c->exclusive_loads);
}

/* What the words of a case's name say, for files without knobs. */
static void knobs_of_name(const struct golden *g, struct machine_config *c) {
    int percent = golden_word_number(g->name, "m"), accept = golden_word_number(g->name, "acc"),
        cluster = golden_word_number(g->name, "pc");
    static const char *const codecs[] = {"lzo",  "lzo-rle", "lz4", "lz4hc",
                                         "zstd", "deflate", "842"};
    bool zram = strncmp(g->name, "zram", 4) == 0;

    if (percent > 0)
        c->memory_max = bytes(g->region_pages * (uint64_t)percent / 100 * RF_PAGE_SIZE);
    if (golden_has_word(g->name, "tiny"))
        c->max_pool_percent = 1;
    if (golden_has_word(g->name, "full"))
        c->max_pool_percent = 2;
    if (accept >= 0)
        c->accept_threshold_percent = (uint32_t)accept;
    if (cluster >= 0)
        c->page_cluster = (uint32_t)cluster;
    if (golden_has_word(g->name, "nowb"))
        c->memory_zswap_writeback = false;
    if (golden_has_word(g->name, "shrink"))
        c->shrinker_enabled = true;
    if (golden_has_word(g->name, "lru"))
        c->lru_gen_enabled = true;
    if (golden_has_word(g->name, "rot"))
        c->swap_rotational = 1;
    if (golden_has_word(g->name, "novmara"))
        c->vma_ra_enabled = false;
    if (golden_has_word(g->name, "zbud"))
        copy_name("zbud", c->zswap_zpool, sizeof(c->zswap_zpool));
    if (golden_has_word(g->name, "z3fold"))
        copy_name("z3fold", c->zswap_zpool, sizeof(c->zswap_zpool));
    for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
        if (!golden_has_word(g->name, codecs[i]))
            continue;
        if (zram)
            copy_name(codecs[i], c->zram_comp_algorithm, sizeof(c->zram_comp_algorithm));
        else
            copy_name(codecs[i], c->zswap_compressor, sizeof(c->zswap_compressor));
    }
}

uint32_t golden_folio_orders(const struct golden *g) {
    uint32_t orders = 0;

    for (uint32_t order = 1; order < 9; order++) {
        char key[32], value[16];

        snprintf(key, sizeof(key), "hugepages-%ukB", 4u << order);
        golden_bracketed(golden_text(g, key), value, sizeof(value));
        if (strcmp(value, "always") == 0 || strcmp(value, "madvise") == 0)
            orders |= 1u << order;
    }
    return orders;
}

static uint8_t defrag_mode(const char *name) {
    static const char *const modes[] = {"always", "defer", "defer+madvise", "madvise", "never"};

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(name, modes[i]) == 0)
            return (uint8_t)i;
    return THP_DEFRAG_MADVISE;
}

int golden_machine(const struct golden *g, const struct trace_info *info,
                   const struct validate_opts *o, struct machine_config *out, struct rf_err *err) {
    struct machine_config *c = out;
    int64_t memtotal = golden_number(g->config, "MemTotal_kB", NO_MEMTOTAL);
    const char *device = golden_text(g, "swap_dev");
    struct band mem_limit;
    char name[32];
    int rc = machine_config_init(c, g->kernel, err);

    if (rc != RF_OK)
        return rc;
    if (!json_is_object(g->config) || memtotal <= 0)
        return rf_fail(err, RF_EINPUT, "%s: no MemTotal_kB, and no other case to take it from",
                       g->path);
    if (memtotal > MEMTOTAL_MAX)
        return rf_fail(err, RF_EINPUT, "%s: MemTotal_kB %lld, expected at most %lld", g->path,
                       (long long)memtotal, (long long)MEMTOTAL_MAX);
    c->footprint_pages = info->footprint_pages;
    c->blocks = info->blocks;
    c->ram = bytes((uint64_t)memtotal * KIB);
    c->swap_size = bytes(swap_bytes(g));
    c->zram_disksize = c->swap_size;
    copy_name(strncmp(device, "zram", 4) == 0 ? "zram0" : "nvme", c->swap_device,
              sizeof(c->swap_device));
    machine_config_set_profile(c, profile_default());
    guest_costs(c);
    c->swap_rotational = strcmp(c->swap_device, "zram0") == 0
                             ? -1
                             : (int8_t)(golden_number(g->config, "swap_rotational", 0) != 0);
    c->thp_orders = golden_folio_orders(g);
    c->vma_ra_enabled = flag(g->config, "vma_ra_enabled", true);
    c->lru_gen_enabled = golden_number(g->config, "lru_gen", 0) != 0;
    golden_bracketed(golden_text(g, "thp_enabled"), name, sizeof(name));
    c->thp_enabled = strcmp(name, "always") == 0    ? THP_ALWAYS
                     : strcmp(name, "madvise") == 0 ? THP_MADVISE
                                                    : THP_NEVER;
    golden_bracketed(golden_text(g, "thp_defrag"), name, sizeof(name));
    c->thp_defrag = defrag_mode(name);
    golden_bracketed(golden_text(g, "zram_comp_algorithm"), name, sizeof(name));
    copy_name(name, c->zram_comp_algorithm, sizeof(c->zram_comp_algorithm));
    c->memory_max = limit(g, "memory.max");
    c->memory_high = limit(g, "memory.high");
    c->memory_swap_max = limit(g, "memory.swap.max");
    c->memory_zswap_max = limit(g, "memory.zswap.max");
    c->memory_zswap_writeback =
        flag(g->config, "zwb", flag(g->config, "memory.zswap.writeback", true));
    zswap_knobs(g, c);
    rc = set_numbers(g, c, err);
    if (rc != RF_OK)
        return rc;
    if (golden_band(g, "zram.mem_limit", &mem_limit) && mem_limit.max > 0)
        c->zram_mem_limit = bytes((uint64_t)mem_limit.max);
    if (g->inherited)
        knobs_of_name(g, c);
    for (size_t i = 0; i < o->nr_settings && rc == RF_OK; i++)
        rc = knob_set(o->settings[i].knob, c, o->settings[i].value, err);
    c->check = o->check;
    return rc;
}
