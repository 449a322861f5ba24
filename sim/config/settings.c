/* SPDX-License-Identifier: Apache-2.0 */
#include "config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include "config/ini.h"
#include "config/value.h"

static char *copy_text(const char *s) {
    size_t n = strlen(s) + 1;
    char *c = malloc(n);

    if (c)
        memcpy(c, s, n);
    return c;
}

int settings_init(struct settings *s, const struct knob_table *knobs, struct rf_err *err) {
    *s = (struct settings){.knobs = knobs, .profile = *profile_default()};
    s->profile_name = copy_text("default");
    if (!s->profile_name)
        return rf_fail(err, RF_ENOMEM, "no memory for settings");
    return RF_OK;
}

void settings_free(struct settings *s) {
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i].value);
    free(s->v);
    free(s->profile_name);
    *s = (struct settings){0};
}

int settings_add(struct settings *s, const char *key, const char *value, struct rf_err *err) {
    struct machine_config scratch;
    const struct knob *k = knob_find(s->knobs, key, err);
    int rc;

    if (!k)
        return RF_EUSAGE;
    rc = machine_config_init(&scratch, SETTINGS_DEFAULT_KERNEL, err);
    if (rc == RF_OK)
        rc = knob_set(k, &scratch, value, err);
    if (rc != RF_OK)
        return rc;
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct setting *v = realloc(s->v, cap * sizeof(*v));

        if (!v)
            return rf_fail(err, RF_ENOMEM, "no memory for settings");
        s->v = v;
        s->cap = cap;
    }
    s->v[s->n].knob = k;
    s->v[s->n].value = copy_text(value);
    if (!s->v[s->n].value)
        return rf_fail(err, RF_ENOMEM, "no memory for settings");
    s->n++;
    return RF_OK;
}

int settings_add_pair(struct settings *s, const char *pair, struct rf_err *err) {
    const char *eq = strchr(pair, '=');
    char key[128];
    size_t len;

    if (!eq || eq == pair)
        return rf_fail(err, RF_EUSAGE, "found '%s', expected KEY=VALUE", pair);
    len = (size_t)(eq - pair);
    if (len >= sizeof(key))
        return rf_fail(err, RF_EUSAGE, "key of more than %zu characters", sizeof(key) - 1);
    memcpy(key, pair, len);
    key[len] = '\0';
    return settings_add(s, key, eq + 1, err);
}

static int add_line(void *ctx, const char *key, const char *value, unsigned line,
                    struct rf_err *err) {
    (void)line;
    return settings_add(ctx, key, value, err);
}

bool settings_has(const struct settings *s, const char *key) {
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->v[i].knob->key, key) == 0)
            return true;
    }
    return false;
}

int settings_add_file(struct settings *s, const char *path, struct rf_err *err) {
    return ini_read(path, add_line, s, err);
}

struct profile_file {
    const struct knob_table *knobs;
    struct profile profile;
};

/* Ranges are those of the knob: "blk.nvme.read_ns" of a profile is cost.blk.read_ns. */
static const struct knob *knob_of_profile(const struct knob_table *t, const char *key) {
    const char *rest = strncmp(key, "blk.", 4) == 0 ? strchr(key + 4, '.') : NULL;
    char name[128];

    snprintf(name, sizeof(name), "cost.%s%s", rest ? "blk" : key, rest ? rest : "");
    return knob_find(t, name, NULL);
}

static int profile_line(void *ctx, const char *key, const char *value, unsigned line,
                        struct rf_err *err) {
    struct profile_file *f = ctx;
    const struct knob *k = knob_of_profile(f->knobs, key);
    struct machine_config scratch;
    uint64_t v;

    (void)line;
    if (!k || !profile_get(&f->profile, key, &v))
        return rf_fail(err, RF_EUSAGE,
                       "a profile has no value '%s'; 'refault knobs' shows section and name of "
                       "every cost",
                       key);
    if (knob_set(k, &scratch, value, err) != RF_OK)
        return RF_EUSAGE;
    if (k->type == KNOB_TIME ? !value_time(value, &v) : !value_u64(value, &v))
        return rf_fail(err, RF_EUSAGE, "%s: bad value '%s'", key, value);
    if (!profile_set(&f->profile, key, v))
        return rf_fail(err, RF_EUSAGE, "%s: %s is too large", key, value);
    return RF_OK;
}

int settings_set_profile(struct settings *s, const char *name, struct rf_err *err) {
    struct profile_file f = {.knobs = s->knobs, .profile = *profile_default()};
    char *copy;
    int rc = RF_OK;

    if (strcmp(name, "default") != 0)
        rc = ini_read(name, profile_line, &f, err);
    if (rc != RF_OK)
        return rf_fail_prefix(err, "--profile");
    copy = copy_text(name);
    if (!copy)
        return rf_fail(err, RF_ENOMEM, "no memory for settings");
    free(s->profile_name);
    s->profile_name = copy;
    s->profile = f.profile;
    return RF_OK;
}

/* One pass over all settings; `which` picks those to apply now. */
enum pass { PASS_KERNEL, PASS_PLAIN, PASS_COST };

static enum pass pass_of(const struct knob *k) {
    if (k->type == KNOB_KERNEL)
        return PASS_KERNEL;
    return strncmp(k->key, "cost.", 5) == 0 ? PASS_COST : PASS_PLAIN;
}

struct layers {
    const struct setting *v[2];
    size_t n[2];
};

static int apply(const struct layers *l, enum pass which, struct machine_config *c,
                 struct rf_err *err) {
    for (unsigned layer = 0; layer < 2; layer++) {
        for (size_t i = 0; i < l->n[layer]; i++) {
            const struct setting *s = &l->v[layer][i];
            int rc;

            if (pass_of(s->knob) != which)
                continue;
            rc = knob_set(s->knob, c, s->value, err);
            if (rc != RF_OK)
                return rc;
        }
    }
    return RF_OK;
}

static bool is_set(const struct layers *l, const char *key) {
    for (unsigned layer = 0; layer < 2; layer++) {
        for (size_t i = 0; i < l->n[layer]; i++) {
            if (strcmp(l->v[layer][i].knob->key, key) == 0)
                return true;
        }
    }
    return false;
}

/* What would be set without any effect is refused. */
static int check_effects(const struct layers *l, const struct machine_config *c,
                         struct rf_err *err) {
    static const struct {
        const char *key, *option;
    } scripts_only[] = {
        {"zram0.backing_dev", "--backing-dev"},
        {"zram0.writeback_limit", "E writeback_limit N"},
        {"zram0.writeback_limit_enable", "E writeback_limit_enable 1"},
        {"zram0.recomp_algorithm", "--recomp"},
    };

    for (size_t i = 0; i < sizeof(scripts_only) / sizeof(scripts_only[0]); i++) {
        if (is_set(l, scripts_only[i].key))
            return rf_fail(err, RF_EUSAGE,
                           "%s: nothing writes back or recompresses during a replay; 'refault "
                           "zram' does, with %s",
                           scripts_only[i].key, scripts_only[i].option);
    }
    if (c->lru_gen_enabled && !c->era.reclaim.lru_gen_available)
        return rf_fail(err, RF_EUSAGE, "lru_gen.enabled: kernel %s has no multi-gen LRU",
                       c->era.name);
    return RF_OK;
}

int settings_resolve(const struct settings *s, const struct setting *extra, size_t nr,
                     const struct trace_info *info, struct machine_config *out,
                     struct rf_err *err) {
    const struct layers l = {.v = {s->v, extra}, .n = {s->n, nr}};
    const char *kernel = SETTINGS_DEFAULT_KERNEL;
    int rc;

    for (unsigned layer = 0; layer < 2; layer++) {
        for (size_t i = 0; i < l.n[layer]; i++) {
            if (l.v[layer][i].knob->type == KNOB_KERNEL)
                kernel = l.v[layer][i].value;
        }
    }
    rc = machine_config_init(out, kernel, err);
    if (rc != RF_OK)
        return rc;
    if (info) {
        out->footprint_pages = info->footprint_pages;
        out->blocks = info->blocks;
    }
    rc = apply(&l, PASS_PLAIN, out, err);
    if (rc == RF_OK)
        rc = check_effects(&l, out, err);
    if (rc != RF_OK)
        return rc;
    /* A zram swap area is as large as the device: whichever of the two was given decides. */
    if (!is_set(&l, "zram0.disksize"))
        out->zram_disksize = out->swap_size;
    else if (strcmp(out->swap_device, "zram0") == 0 && !is_set(&l, "swap.size"))
        out->swap_size = out->zram_disksize;
    machine_config_set_profile(out, &s->profile);
    return apply(&l, PASS_COST, out, err);
}

void settings_misplaced(const struct settings *s, const char *kernel,
                        void (*fn)(void *ctx, const struct knob *k), void *ctx) {
    for (size_t i = 0; i < s->n; i++) {
        bool seen = false;

        for (size_t j = 0; j < i; j++)
            seen |= s->v[j].knob == s->v[i].knob;
        if (!seen && !knob_in_kernel(s->v[i].knob, kernel))
            fn(ctx, s->v[i].knob);
    }
}
