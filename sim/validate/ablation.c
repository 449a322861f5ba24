/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ablation: the same cases with one mechanism switched off, to see what the agreement rests on. A
 * counter leaves the band when its error grows by more than a percent.
 */
#include <stdlib.h>
#include "validate/validate.h"

#define LEAVES 0.01
#define SHOWN 4

/* A mechanism, and what switches it off. */
static const struct {
    const char *what, *key, *value;
} mechanisms[] = {
    {"batches of additions to the LRU", "era.reclaim.add_batch", "1"},
    {"zero map of swap", "era.swap.zeromap", "0"},
    {"activation of refaults", "era.reclaim.anon_workingset", "0"},
    {"readahead window from hits", "era.swap.readahead_hits", "0"},
    {"slot cache", "era.swap.slot_cache", "0"},
    {"second chance of referenced pages", "era.reclaim.second_chance", "0"},
    {"charge stock of the memcg", "era.reclaim.memcg_stock", "0"},
    {"exclusive loads of zswap", "era.zswap.exclusive", "never"},
    {"freeing of swap-cache slots when swap is half full", "era.swap.free_half_full", "0"},
    {"accesses through the TLB, which leave the accessed bit clear", "machine.tlb_entries", "0"},
    {"threshold of huge pages in zram", "era.zram.huge_by_class_size", "0"},
};

struct leaving {
    const char *name;
    size_t cases;
    double worst;
};

static int by_cases(const void *a, const void *b) {
    const struct leaving *x = a, *y = b;

    if (x->cases != y->cases)
        return x->cases < y->cases ? 1 : -1;
    return strcmp(x->name, y->name);
}

static const struct row *find_row(const struct case_result *c, const char *name) {
    for (size_t i = 0; i < c->nr_rows; i++) {
        if (strcmp(c->rows[i].name, name) == 0)
            return &c->rows[i];
    }
    return NULL;
}

static void compare(FILE *f, const struct validation *base, const struct validation *now,
                    const char *kernel) {
    struct leaving *l = NULL;
    size_t n = 0, total = 0, failed = 0;

    for (size_t i = 0; i < now->nr_cases; i++) {
        const struct case_result *c = &now->cases[i], *b = &base->cases[i];

        if (strcmp(c->golden->kernel, kernel) != 0)
            continue;
        failed += c->failure[0] && !b->failure[0];
        for (size_t k = 0; k < c->nr_rows; k++) {
            const struct row *r = &c->rows[k], *old = find_row(b, r->name);
            const char *dot = strncmp(r->name, "snap.", 5) == 0 ? strchr(r->name + 5, '.') : NULL;
            const char *name = dot ? dot + 1 : r->name;
            struct leaving *bigger;
            size_t at = 0;

            if (r->state != ROW_JUDGED || r->error <= (old ? old->error : 0) + LEAVES)
                continue;
            total++;
            while (at < n && strcmp(l[at].name, name) != 0)
                at++;
            if (at == n) {
                bigger = realloc(l, (n + 1) * sizeof(*l));
                if (!bigger)
                    break;
                l = bigger;
                l[n++] = (struct leaving){.name = name};
            }
            l[at].cases++;
            l[at].worst = RF_MAX(l[at].worst, r->error);
        }
    }
    if (n)
        qsort(l, n, sizeof(*l), by_cases);
    fprintf(f, " %zu |", total);
    for (size_t i = 0; i < n && i < SHOWN; i++)
        fprintf(f, "%s `%s` %zu (to %.1f %%)", i ? "," : "", l[i].name, l[i].cases,
                l[i].worst * 100);
    if (n > SHOWN)
        fprintf(f, ", %zu more", n - SHOWN);
    if (failed)
        fprintf(f, "%s %zu cases end otherwise", n ? ";" : "", failed);
    fputs(n || failed ? " |\n" : " - |\n", f);
    free(l);
}

int validate_ablate(FILE *f, const struct validation *base, const struct knob_table *knobs,
                    struct rf_err *err) {
    struct validate_opts o = *base->opts;
    struct validate_setting *settings = calloc(o.nr_settings + 1, sizeof(*settings));
    int rc = RF_OK;

    if (!settings)
        return rf_fail(err, RF_ENOMEM, "no memory for the ablation");
    if (o.nr_settings)
        memcpy(settings, o.settings, o.nr_settings * sizeof(*settings));
    fputs("\n## What the agreement rests on\n\nEach mechanism switched off in turn; counters of "
          "cases whose error grows by more than 1 %.\n\n"
          "| mechanism | switched off by | kernel | counters | most often |\n"
          "|---|---|---|---|---|\n",
          f);
    for (size_t i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]) && rc == RF_OK; i++) {
        struct rf_err ignored;
        struct validation now;

        settings[o.nr_settings] = (struct validate_setting){
            .knob = knob_find(knobs, mechanisms[i].key, &ignored), .value = mechanisms[i].value};
        if (!settings[o.nr_settings].knob) {
            fprintf(f, "| %s | no field | | | |\n", mechanisms[i].what);
            continue;
        }
        o.settings = settings;
        o.nr_settings++;
        rc = validate_run(&o, &now, err);
        o.nr_settings--;
        if (rc != RF_OK)
            break;
        for (size_t k = 0; k < now.nr_kernels; k++) {
            fprintf(f, "| %s | `%s=%s` | %s |", mechanisms[i].what, mechanisms[i].key,
                    mechanisms[i].value, now.kernels[k].kernel);
            compare(f, base, &now, now.kernels[k].kernel);
        }
        validation_free(&now);
    }
    free(settings);
    return rc;
}
