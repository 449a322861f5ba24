/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of synthetic models (docs/contents.md). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "synth_internal.h"

#define MAX_PARTS 64u
#define MAX_ARGS 2
#define MAX_SIZES (1u << 22) /* lines of a "sizes" file: the pages of 16 GiB */
#define WEIGHT_ONE 1000000u  /* weights have six decimals */
#define SYNTH_REVISION 1u    /* of the sampler; part of the digest */

/* A piece of the spec; `at` counts from the spec's start. */
struct text {
    const char *spec;
    size_t at, end;
};

static int bad(const struct text *t, struct rf_err *err, const char *expected) {
    return rf_fail(err, RF_EINPUT, "content model \"%s\", column %zu: found \"%.*s\", expected %s",
                   t->spec, t->at + 1, (int)(t->end - t->at), t->spec + t->at, expected);
}

static bool take(struct text *t, const char *word) {
    size_t n = strlen(word);
    if (t->end - t->at < n || memcmp(t->spec + t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

/* A whole number, decimal or 0x hexadecimal, up to the end of the text. */
static bool whole_number(const struct text *t, uint64_t *v) {
    char buf[32];
    char *end;
    size_t n = t->end - t->at;
    if (n == 0 || n >= sizeof(buf) || t->spec[t->at] < '0' || t->spec[t->at] > '9')
        return false;
    memcpy(buf, t->spec + t->at, n);
    buf[n] = '\0';
    errno = 0;
    *v = strtoull(buf, &end, strncmp(buf, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && *end == '\0';
}

/* Arguments between the brackets or after the colon, each with or without its "key=". */
static int number_args(struct text t, const char *const *keys, const uint64_t (*range)[2],
                       size_t nr, uint64_t *v, struct rf_err *err) {
    for (size_t i = 0; i < nr; i++) {
        struct text arg = t;
        while (arg.end > arg.at && i + 1 < nr) {
            const char *comma = memchr(t.spec + t.at, ',', t.end - t.at);
            arg.end = comma ? (size_t)(comma - t.spec) : t.end;
            break;
        }
        t.at = RF_MIN(arg.end + 1, t.end);
        size_t n = strlen(keys[i]);
        if (arg.end - arg.at > n && memcmp(arg.spec + arg.at, keys[i], n) == 0 &&
            arg.spec[arg.at + n] == '=')
            arg.at += n + 1;
        if (!whole_number(&arg, &v[i]) || v[i] < range[i][0] || v[i] > range[i][1]) {
            char expected[96];
            (void)snprintf(expected, sizeof(expected), "%s from %llu to %llu", keys[i],
                           (unsigned long long)range[i][0], (unsigned long long)range[i][1]);
            return bad(&arg, err, expected);
        }
    }
    return RF_OK;
}

/* One length a line; blank lines and what follows a '#' are skipped. */
static int read_sizes(const char *path, struct synth_part *p, XXH64_state_t *h,
                      struct rf_err *err) {
    char line[256];
    size_t nr_line = 0;
    uint32_t cap = 0;
    int rc = RF_OK;
    struct stat st;
    FILE *f;
    /* Every run with the model reads the list again. */
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return rf_fail(err, RF_EINPUT, "%s: is no regular file, expected a list of lengths", path);
    f = fopen(path, "r");
    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    while (rc == RF_OK && fgets(line, sizeof(line), f)) {
        char *end;
        if (++nr_line > MAX_SIZES) {
            rc = rf_fail(err, RF_EINPUT, "%s:%zu: expected at most %u lines", path, nr_line,
                         MAX_SIZES);
            break;
        }
        if (!strchr(line, '\n') && !feof(f)) {
            rc = rf_fail(err, RF_EINPUT, "%s:%zu: line of %zu bytes or more, expected a length",
                         path, nr_line, sizeof(line) - 1);
            break;
        }
        line[strcspn(line, "#\r\n")] = '\0';
        char *s = line + strspn(line, " \t");
        if (*s == '\0')
            continue;
        unsigned long v = strtoul(s, &end, 10);
        if (*s < '0' || *s > '9' || end[strspn(end, " \t")] != '\0' || v > CONTENT_SIZE_MAX) {
            rc = rf_fail(err, RF_EINPUT, "%s:%zu: found \"%s\", expected a length from 0 to %u",
                         path, nr_line, s, CONTENT_SIZE_MAX);
            break;
        }
        if (p->nr == cap) {
            cap = cap ? 2 * cap : 1024;
            uint16_t *draw = realloc(p->draw, cap * sizeof(*draw));
            if (!draw) {
                rc = rf_fail(err, RF_ENOMEM, "%s: no memory for the list of lengths", path);
                break;
            }
            p->draw = draw;
        }
        p->draw[p->nr++] = (uint16_t)v;
        uint8_t le[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
        XXH64_update(h, le, sizeof(le));
    }
    if (rc == RF_OK && ferror(f))
        rc = rf_fail(err, RF_EINPUT, "%s: read error after line %zu", path, nr_line);
    else if (rc == RF_OK && p->nr == 0)
        rc = rf_fail(err, RF_EINPUT, "%s: no length in the file, expected one at least", path);
    (void)fclose(f);
    return rc;
}

static int parse_sizes(const struct text *args, struct synth_part *p, XXH64_state_t *h,
                       struct rf_err *err) {
    size_t n = args->end - args->at;
    if (n == 0)
        return bad(args, err, "the name of a file of lengths");
    char *path = malloc(n + 1);
    if (!path)
        return rf_fail(err, RF_ENOMEM, "content: no memory for a file name");
    memcpy(path, args->spec + args->at, n);
    path[n] = '\0';
    p->kind = SYNTH_DRAW;
    int rc = read_sizes(path, p, h, err);
    free(path);
    return rc;
}

static int parse_uniform(const struct text *args, struct synth_part *p, struct rf_err *err) {
    static const char *const keys[MAX_ARGS] = {"lo", "hi"};
    const uint64_t range[MAX_ARGS][2] = {{1, CONTENT_SIZE_MAX}, {1, CONTENT_SIZE_MAX}};
    uint64_t v[MAX_ARGS] = {0};
    int rc = number_args(*args, keys, range, 2, v, err);
    if (rc != RF_OK)
        return rc;
    if (v[1] < v[0])
        return bad(args, err, "lo not above hi");
    p->kind = SYNTH_RANGE;
    p->lo = (uint32_t)v[0];
    p->nr = (uint32_t)(v[1] - v[0]) + 1;
    return RF_OK;
}

static int parse_one_number(const struct text *args, const char *key, uint64_t lo, uint64_t hi,
                            uint64_t *v, struct rf_err *err) {
    const uint64_t range[1][2] = {{lo, hi}};
    return number_args(*args, &key, range, 1, v, err);
}

/* The text after a model's name, without its colon or brackets. */
static bool take_args(struct text *t) {
    if (t->at == t->end || take(t, ":"))
        return true;
    if (t->spec[t->at] != '(' || t->spec[t->end - 1] != ')')
        return false;
    t->at++;
    t->end--;
    return true;
}

static int parse_part(struct text t, struct synth_part *p, XXH64_state_t *h, struct rf_err *err) {
    static const char *const names[] = {"zero", "const",  "uniform",     "fixed",
                                        "hist", "usemem", "random-part", "sizes"};
    static const char expected[] =
        "zero, const, uniform, fixed, hist, usemem, random-part or sizes";
    const struct text whole = t;
    size_t n = 0, which;
    while (t.at + n < t.end && t.spec[t.at + n] != ':' && t.spec[t.at + n] != '(')
        n++;
    for (which = 0; which < sizeof(names) / sizeof(names[0]); which++) {
        if (strlen(names[which]) == n && memcmp(names[which], t.spec + t.at, n) == 0)
            break;
    }
    t.at += n;
    if (which == sizeof(names) / sizeof(names[0]) || !take_args(&t))
        return bad(&whole, err, expected);

    uint64_t v = 0;
    int rc = RF_OK;
    p->nr = which == 5 || which == 6 ? SYNTH_PAGES : which < 4 ? 1 : 0;
    switch (which) {
    case 0:
        p->kind = SYNTH_FILL;
        break;
    case 1:
        p->kind = SYNTH_FILL;
        rc = parse_one_number(&t, "word", 0, UINT64_MAX, &p->word, err);
        break;
    case 2:
        rc = parse_uniform(&t, p, err);
        break;
    case 3:
        rc = parse_one_number(&t, "size", 1, CONTENT_SIZE_MAX, &v, err);
        p->kind = SYNTH_RANGE;
        p->lo = rc == RF_OK ? (uint32_t)v : 0;
        break;
    case 4:
        rc = parse_one_number(&t, "mean", SYNTH_MEAN_MIN, SYNTH_MEAN_MAX, &v, err);
        p->kind = SYNTH_DRAW;
        if (rc == RF_OK) {
            p->draw = synth_histogram((uint32_t)v, &p->nr);
            if (!p->draw)
                rc = rf_fail(err, RF_ENOMEM, "content: no memory for a histogram");
        }
        break;
    case 5:
        p->kind = SYNTH_USEMEM;
        break;
    case 6:
        rc = parse_one_number(&t, "k", 1, 8, &v, err);
        p->kind = SYNTH_RANDOM;
        p->k = rc == RF_OK ? (uint32_t)v : 0;
        break;
    default:
        rc = parse_sizes(&t, p, h, err);
        break;
    }
    if (rc == RF_OK && (which == 0 || which == 5) && t.at != t.end)
        rc = bad(&t, err, "nothing after this name");
    return rc;
}

/* A decimal weight with its '*', in millionths; none means 1. */
static int parse_weight(struct text *t, uint64_t *weight, struct rf_err *err) {
    const struct text whole = *t;
    uint64_t v = 0, unit = WEIGHT_ONE;
    bool point = false, digits = false;
    *weight = WEIGHT_ONE;
    if (t->at == t->end ||
        !((t->spec[t->at] >= '0' && t->spec[t->at] <= '9') || t->spec[t->at] == '.'))
        return RF_OK;
    for (; t->at < t->end && t->spec[t->at] != '*'; t->at++) {
        char c = t->spec[t->at];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9' && v < 1000000000u && (!point || unit > 1)) {
            unit = point ? unit / 10 : unit;
            v = v * 10 + (uint64_t)(c - '0');
            digits = true;
        } else {
            return bad(&whole, err, "a weight of at most six decimals and a '*'");
        }
    }
    v *= unit;
    if (!digits || !take(t, "*") || v == 0 || v > (uint64_t)WEIGHT_ONE * 1000000)
        return bad(&whole, err, "a weight above 0 and a '*'");
    *weight = v;
    return RF_OK;
}

/* The term that starts at t->at: up to a comma outside brackets. */
static struct text next_term(const struct text *t) {
    struct text term = *t;
    int depth = 0;
    for (term.end = term.at; term.end < t->end; term.end++) {
        char c = t->spec[term.end];
        if (c == ',' && depth == 0)
            break;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return term;
}

static int parse_mix(struct text t, struct synth *s, XXH64_state_t *h, struct rf_err *err) {
    uint64_t weight[MAX_PARTS], total = 0, sum = 0;
    for (;;) {
        struct text term = next_term(&t);
        if (s->nr == MAX_PARTS)
            return bad(&term, err, "at most 64 parts");
        struct synth_part *p = &s->part[s->nr];
        int rc = parse_weight(&term, &weight[s->nr], err);
        total += rc == RF_OK ? weight[s->nr] : 0;
        s->nr++;
        if (rc == RF_OK)
            rc = parse_part(term, p, h, err);
        if (rc != RF_OK)
            return rc;
        if (term.end == t.end)
            break;
        t.at = term.end + 1;
    }
    for (size_t i = 0; i < s->nr; i++) {
        sum += weight[i];
        /* total is at most 6.4e13, so the division is done in two halves of 16 bits. */
        uint64_t high = (sum << 16) / total, rest = (sum << 16) % total;
        s->upto[i] = (high << 16) + (rest << 16) / total;
    }
    return RF_OK;
}

static bool part_fills(const struct synth_part *p) {
    bool fills = p->kind == SYNTH_FILL;
    for (uint32_t i = 0; p->kind == SYNTH_DRAW && i < p->nr; i++)
        fills |= p->draw[i] == 0;
    return fills;
}

int synth_parse(const char *spec, uint64_t seed, struct synth **out, uint64_t *digest,
                struct rf_err *err) {
    struct text t = {.spec = spec, .end = strlen(spec)};
    XXH64_state_t h;
    struct synth *s = calloc(1, sizeof(*s));
    if (s) {
        s->part = calloc(MAX_PARTS, sizeof(*s->part));
        s->upto = calloc(MAX_PARTS, sizeof(*s->upto));
        s->zero = (struct synth_part){.kind = SYNTH_FILL, .nr = 1};
    }
    if (!s || !s->part || !s->upto) {
        synth_free(s);
        return rf_fail(err, RF_ENOMEM, "content: no memory for a model");
    }
    XXH64_reset(&h, SET_SYNTHETIC + SYNTH_REVISION * 16);
    XXH64_update(&h, spec, t.end + 1);
    uint8_t le[8];
    rf_store_le64(le, seed);
    XXH64_update(&h, le, sizeof(le));
    s->seed = rf_mix64(seed + 0x632be59bd9b4e019u);

    int rc;
    if (take(&t, "mix:")) {
        rc = parse_mix(t, s, &h, err);
    } else {
        s->nr = 1;
        s->upto[0] = (uint64_t)1 << 32;
        rc = parse_part(t, &s->part[0], &h, err);
    }
    if (rc != RF_OK) {
        synth_free(s);
        return rc;
    }
    for (size_t i = 0; i < s->nr; i++)
        s->fills |= part_fills(&s->part[i]);
    *digest = XXH64_digest(&h);
    *out = s;
    return RF_OK;
}

/* The file of one model; 0 also if it has none. */
static int file_of_part(struct text t, rf_path_fn fn, void *ctx, struct rf_err *err) {
    struct rf_err bad_part;
    uint64_t weight;
    char *path;
    int rc;

    if (parse_weight(&t, &weight, &bad_part) != RF_OK || !take(&t, "sizes") || t.at == t.end ||
        !take_args(&t) || t.at >= t.end)
        return RF_OK;
    path = strndup(t.spec + t.at, t.end - t.at);
    rc = path ? fn(ctx, path, err) : rf_fail(err, RF_ENOMEM, "content: no memory for a file name");
    free(path);
    return rc;
}

int content_spec_files(const char *spec, rf_path_fn fn, void *ctx, struct rf_err *err) {
    struct text t = {.spec = spec, .end = strlen(spec)};
    int rc = RF_OK;

    if (!take(&t, "mix:"))
        return file_of_part(t, fn, ctx, err);
    while (rc == RF_OK && t.at < t.end) {
        struct text term = next_term(&t);

        rc = file_of_part(term, fn, ctx, err);
        t.at = RF_MIN(term.end + 1, t.end);
    }
    return rc;
}

int content_synthetic(const char *spec, uint64_t seed, struct content_set **out,
                      struct rf_err *err) {
    struct synth *s = NULL;
    struct content_set *cs = NULL;
    uint64_t digest = 0;
    int rc = synth_parse(spec, seed, &s, &digest, err);
    if (rc != RF_OK)
        return rc;
    rc = content_alloc(SET_SYNTHETIC, 0, &cs, err);
    if (rc != RF_OK) {
        synth_free(s);
        return rc;
    }
    cs->synth = s;
    cs->digest = digest;
    *out = cs;
    return RF_OK;
}
