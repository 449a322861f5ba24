/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/dataset.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "refault/config.h"
#include "scratch.h"
#include "trace/importers/importer.h"
#include "trace/lines.h"
#include "validate/catalogue.h"
#include "validate/program.h"
#include "validate/sha256.h"
#include "zram_script.h"

struct trace_entry {
    struct trace_entry *next;
    char name[128];
    uint64_t pages;
    bool thp;
    struct scratch file; /* the trace, converted */
    struct trace_prefix *prefix;
    uint64_t ops;
    struct rf_err err; /* why it could not be read; code RF_OK if it was */
    char text[1024];   /* the file that it was made of */
};

struct content_entry {
    struct content_entry *next;
    char bank[128], kernel[16];
    bool for_zram, has[NR_CODECS];
    struct content_set *set;
    char path[1024];
};

struct digest_entry {
    struct digest_entry *next;
    char path[1024], sha256[SHA256_HEX];
};

struct dataset {
    const char *dir;
    const struct golden_list *goldens;
    bool kernel_sizes;
    pthread_mutex_t lock;
    struct trace_entry *traces;
    struct content_entry *contents;
    struct digest_entry *digests;
};

int dataset_open(const char *dir, const struct golden_list *goldens, bool kernel_sizes,
                 struct dataset **out, struct rf_err *err) {
    struct dataset *d = calloc(1, sizeof(*d));

    if (!d)
        return rf_fail(err, RF_ENOMEM, "no memory for the cases");
    d->dir = dir;
    d->goldens = goldens;
    d->kernel_sizes = kernel_sizes;
    pthread_mutex_init(&d->lock, NULL);
    *out = d;
    return RF_OK;
}

void dataset_close(struct dataset *d) {
    if (!d)
        return;
    while (d->traces) {
        struct trace_entry *t = d->traces;

        d->traces = t->next;
        scratch_close(&t->file);
        free(t->prefix);
        free(t);
    }
    while (d->contents) {
        struct content_entry *c = d->contents;

        d->contents = c->next;
        content_free(c->set);
        free(c);
    }
    while (d->digests) {
        struct digest_entry *e = d->digests;

        d->digests = e->next;
        free(e);
    }
    pthread_mutex_destroy(&d->lock);
    free(d);
}

int dataset_find(const struct dataset *d, const char *sub, const char *name,
                 const char *const *endings, char *path, size_t room, struct rf_err *err) {
    for (const char *const *e = endings; *e; e++) {
        int n = snprintf(path, room, "%s/%s/%s%s", d->dir, sub, name, *e);

        if (n > 0 && (size_t)n < room && access(path, R_OK) == 0)
            return RF_OK;
    }
    return rf_fail(err, RF_EINPUT, "%s/%s: no file %s%s", d->dir, sub, name, endings[0]);
}

/* ---- digests ---- */

/* The file's entry, made if there is none; the lock is held. */
static int digest_of(struct dataset *d, const char *path, const struct digest_entry **out,
                     struct rf_err *err) {
    struct digest_entry *e = d->digests;
    char *data;
    size_t len;
    int rc;

    while (e && strcmp(e->path, path) != 0)
        e = e->next;
    *out = e;
    if (e)
        return RF_OK;
    rc = zram_script_load(path, 0, &data, &len, err);
    if (rc != RF_OK)
        return rc;
    e = calloc(1, sizeof(*e));
    if (e) {
        snprintf(e->path, sizeof(e->path), "%s", path);
        sha256_hex(data, len, e->sha256);
        e->next = d->digests;
        d->digests = e;
    }
    free(data);
    *out = e;
    return e ? RF_OK : rf_fail(err, RF_ENOMEM, "%s: no memory for its digest", path);
}

int dataset_check(struct dataset *d, const struct golden *g, const char *path, const char *sha256,
                  struct rf_err *err) {
    const struct digest_entry *e;
    int rc;

    if (!sha256)
        return RF_OK;
    pthread_mutex_lock(&d->lock);
    rc = digest_of(d, path, &e, err);
    pthread_mutex_unlock(&d->lock);
    if (rc == RF_OK && strcmp(e->sha256, sha256) != 0)
        rc = rf_fail(err, RF_EINPUT,
                     "%s: its SHA-256 is %.12s..., but %s was recorded with %.12s...", path,
                     e->sha256, g->path, sha256);
    return rc;
}

/* ---- traces ---- */

/* What each prefix of the operations, which the importer found good, consists of. */
static int count_operations(struct trace_entry *t, struct rf_err *err) {
    struct guest_program *program;
    struct rft_lines *l;
    size_t cap = 1 << 16, len;
    char *line;
    int rc = rft_lines_open(t->text, &l, err);

    if (rc != RF_OK)
        return rc;
    program = guest_program_new(t->pages);
    t->prefix = program ? calloc(cap, sizeof(*t->prefix)) : NULL;
    while (t->prefix && (rc = rft_lines_next(l, &line, &len, err)) == 1) {
        const char *p = line + strspn(line, " \t");
        bool child = *p == 'c';
        uint64_t page = 0;
        char kind;

        if (!*p || *p == '#')
            continue;
        if (child)
            p += 1 + strspn(p + 1, " \t");
        kind = *p++;
        (void)rft_number(&p, 10, UINT64_MAX, &page);
        if (t->ops + 1 == cap) {
            struct trace_prefix *bigger = realloc(t->prefix, (cap *= 2) * sizeof(*bigger));

            if (!bigger) {
                free(t->prefix);
                t->prefix = NULL;
                break;
            }
            t->prefix = bigger;
        }
        t->prefix[++t->ops] = guest_program_play(program, kind, child, page);
    }
    rft_lines_close(l);
    free(program);
    if (!t->prefix)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for its operations", t->text);
    return rc;
}

static int convert(struct dataset *d, struct trace_entry *t, struct rf_err *err) {
    static const char *const endings[] = {".txt.zst", ".txt", NULL};
    const struct import_options opt = {
        .pages = t->pages, .thp = t->thp, .zstd_level = 1, .player = guest_player};
    int rc = dataset_find(d, "traces", t->name, endings, t->text, sizeof(t->text), err);

    if (rc == RF_OK)
        rc = scratch_open(&t->file, err);
    if (rc == RF_OK)
        rc = import_text.import(t->text, t->file.path, &opt, err);
    return rc == RF_OK ? count_operations(t, err) : rc;
}

int dataset_trace(struct dataset *d, const struct golden *g, struct dataset_trace *out,
                  struct rf_err *err) {
    /* The recorder's mapping asked for huge pages where the case allows them in any size. */
    bool thp = (strcmp(golden_text(g, "thp"), "never") != 0 && *golden_text(g, "thp")) ||
               golden_folio_orders(g) != 0;
    struct trace_entry *t;
    int rc = RF_OK;

    pthread_mutex_lock(&d->lock);
    for (t = d->traces; t; t = t->next) {
        if (strcmp(t->name, g->trace) == 0 && t->pages == g->region_pages && t->thp == thp)
            break;
    }
    if (!t) {
        t = calloc(1, sizeof(*t));
        if (!t || strlen(g->trace) >= sizeof(t->name)) {
            free(t);
            t = NULL;
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the trace", g->path);
        } else {
            memcpy(t->name, g->trace, strlen(g->trace) + 1);
            t->pages = g->region_pages;
            t->thp = thp;
            t->next = d->traces;
            d->traces = t;
            rc = convert(d, t, err);
            if (rc != RF_OK)
                t->err = *err;
        }
    } else if (t->err.code != RF_OK) {
        *err = t->err;
        rc = err->code;
    }
    pthread_mutex_unlock(&d->lock);
    if (rc == RF_OK)
        rc = dataset_check(d, g, t->text, g->trace_sha256, err);
    if (rc == RF_OK)
        *out = (struct dataset_trace){.path = t->file.path, .prefix = t->prefix, .ops = t->ops};
    return rc;
}

/* ---- contents ---- */

/* The recorded lengths of a zr_sizes_* case; NULL if it has none. */
static const json_t *recorded_sizes(const struct golden *g) {
    const json_t *snaps = json_object_get(g->root, "snapshots_rep0");

    for (size_t i = 0; i < json_array_size(snaps); i++) {
        const json_t *s = json_object_get(json_array_get(snaps, i), "sizes");

        if (json_is_array(s))
            return s;
    }
    return NULL;
}

static int override(struct content_entry *c, const struct golden *g, const json_t *sizes,
                    enum codec_id id, struct rf_err *err) {
    size_t n = json_array_size(sizes);
    uint16_t *v = calloc(n ? n : 1, sizeof(*v));
    int rc;

    if (!v)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for %zu sizes", g->path, n);
    for (size_t i = 0; i < n; i++) {
        json_int_t s = json_integer_value(json_array_get(sizes, i));

        if (s == RF_PAGE_SIZE && !c->for_zram)
            s = 0;
        v[i] = (uint16_t)(s > 0 && s <= RF_PAGE_SIZE ? s : 0);
    }
    rc = content_override(c->set, id, v, n, err);
    free(v);
    if (rc != RF_OK)
        rf_fail_prefix(err, "%s", g->path);
    c->has[id] = true;
    return rc;
}

static int apply_kernel_sizes(struct dataset *d, struct content_entry *c, const struct golden *g,
                              struct rf_err *err) {
    const struct kernel_era *era = era_find(c->kernel);
    int rc = RF_OK;

    for (size_t i = 0; i < d->goldens->n && rc == RF_OK; i++) {
        const struct golden *o = &d->goldens->v[i];
        const struct codec_ops *codec;
        const json_t *sizes;

        if (strncmp(o->name, "zr_sizes_", 9) != 0 || strcmp(o->kernel, c->kernel) != 0 ||
            !o->bank_sha256 || !g->bank_sha256 || strcmp(o->bank_sha256, g->bank_sha256) != 0)
            continue;
        sizes = recorded_sizes(o);
        codec = codec_find(golden_text(o, "zcomp"));
        if (!sizes || !codec)
            continue;
        /* zram measured what its own kernel takes for zstd. */
        rc = override(c, o, sizes, era ? era_zram_codec(era, codec->id) : codec->id, err);
    }
    return rc;
}

/* A catalogue has the pages' lengths without their bytes. */
static bool is_catalogue(const char *path) {
    const char *dot = strrchr(path, '.');

    if (dot && strcmp(dot, ".zst") == 0)
        return dot - path >= 6 && memcmp(dot - 6, ".pages", 6) == 0;
    return dot && strcmp(dot, ".pages") == 0;
}

static int load_content(struct dataset *d, struct content_entry *c, const struct golden *g,
                        struct rf_err *err) {
    static const char *const endings[] = {".bin.zst", ".bin", ".pages.zst", ".pages", NULL};
    const char *path = c->path;
    int rc = dataset_find(d, "banks", g->bank, endings, c->path, sizeof(c->path), err);

    if (rc != RF_OK)
        return rc;
    rc = is_catalogue(path) ? bank_catalogue_load(path, &c->set, err)
                            : content_from_bank_file(path, &c->set, err);
    if (rc == RF_OK && d->kernel_sizes)
        rc = apply_kernel_sizes(d, c, g, err);
    return rc;
}

int dataset_content(struct dataset *d, const struct golden *g, bool for_zram, enum codec_id codec,
                    struct content_set **out, struct rf_err *err) {
    struct content_entry *c;
    int rc = RF_OK;

    if (!d->kernel_sizes)
        for_zram = false; /* one set for all */
    pthread_mutex_lock(&d->lock);
    for (c = d->contents; c; c = c->next) {
        if (strcmp(c->bank, g->bank) == 0 && c->for_zram == for_zram &&
            (!d->kernel_sizes || strcmp(c->kernel, g->kernel) == 0))
            break;
    }
    if (!c) {
        c = calloc(1, sizeof(*c));
        if (!c) {
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the bank", g->path);
        } else {
            snprintf(c->bank, sizeof(c->bank), "%s", g->bank);
            memcpy(c->kernel, g->kernel, sizeof(c->kernel));
            c->for_zram = for_zram;
            rc = load_content(d, c, g, err);
            if (rc == RF_OK) {
                c->next = d->contents;
                d->contents = c;
            } else {
                if (c->set)
                    content_free(c->set);
                free(c);
                c = NULL;
            }
        }
    }
    if (rc == RF_OK && d->kernel_sizes && codec < NR_CODECS && !c->has[codec])
        rc = rf_fail(err, RF_EINPUT,
                     "%s: no recorded sizes, expected a case zr_sizes_%s* of kernel %s"
                     " with the same bank",
                     g->path, codec_by_id(codec)->name, g->kernel);
    pthread_mutex_unlock(&d->lock);
    if (rc == RF_OK && !is_catalogue(c->path))
        rc = dataset_check(d, g, c->path, g->bank_sha256, err);
    if (rc == RF_OK)
        *out = c->set;
    return rc;
}
