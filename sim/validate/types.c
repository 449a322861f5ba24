/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded case must have: types of its fields, and counters that cannot be missing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "validate/validate.h"

enum want { TEXT, NUMBER, KNOB, LIMIT, FLAG, CHOICE, OBJECT, ARRAY };

static const char *const expected[] = {
    [TEXT] = "a string",
    [NUMBER] = "a number",
    [KNOB] = "a number",
    [LIMIT] = "a number of bytes or \"max\"",
    [FLAG] = "Y, N, true, false, 1 or 0",
    [CHOICE] = "what THP's files show: words, a known one in brackets",
    [OBJECT] = "an object",
    [ARRAY] = "a list",
};

struct field {
    const char *key;
    enum want want; /* if the file has the key; KNOB: what is in a string is checked elsewhere */
};

static const struct field of_root[] = {
    {"kernel", TEXT},
    {"counters", OBJECT},
    {"config", OBJECT},
    {"region_pages", NUMBER},
    {"oom_killed_reps", NUMBER},
    {"final_present_bitmap_rep0", TEXT},
    {"final_present_bitmap_pages_that_differ_between_reps", NUMBER},
    {"zsmalloc_classes_rep0", OBJECT},
    {"snapshots_rep0", ARRAY},
};
static const struct field of_config[] = {
    {"MemTotal_kB", NUMBER},
    {"swap_dev", TEXT},
    {"swaps", TEXT},
    {"swap_rotational", NUMBER},
    {"vma_ra_enabled", FLAG},
    {"page_cluster", KNOB},
    {"swappiness", KNOB},
    {"watermark_scale_factor", KNOB},
    {"lru_gen", NUMBER},
    {"thp", TEXT},
    {"thp_enabled", CHOICE},
    {"thp_defrag", CHOICE},
    {"hugepages-8kB", CHOICE},
    {"hugepages-16kB", CHOICE},
    {"hugepages-32kB", CHOICE},
    {"hugepages-64kB", CHOICE},
    {"hugepages-128kB", CHOICE},
    {"hugepages-256kB", CHOICE},
    {"hugepages-512kB", CHOICE},
    {"hugepages-1024kB", CHOICE},
    {"memory.max", LIMIT},
    {"memory.high", LIMIT},
    {"memory.swap.max", LIMIT},
    {"memory.zswap.max", LIMIT},
    {"memory.zswap.writeback", FLAG},
    {"zwb", FLAG},
    {"zswap_on", FLAG},
    {"zswap_params", OBJECT},
    {"zram_comp_algorithm", TEXT},
    {"zram_disksize", NUMBER},
    {"zcomp", TEXT},
    {"backing", TEXT},
    {"wbl", NUMBER},
};
static const struct field of_zswap[] = {
    {"enabled", FLAG},
    {"compressor", TEXT},
    {"zpool", TEXT},
    {"max_pool_percent", KNOB},
    {"accept_threshold_percent", KNOB},
    {"shrinker_enabled", FLAG},
    {"same_filled_pages_enabled", FLAG},
    {"non_same_filled_pages_enabled", FLAG},
    {"exclusive_loads", FLAG},
};

static bool is_number(const char *s) {
    char *end;

    (void)strtoll(s, &end, 0);
    return end != s && !*end;
}

static bool is_flag(const char *s) {
    static const char *const words[] = {"Y", "N", "y", "n", "1", "0", "true", "false"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(s, words[i]) == 0)
            return true;
    }
    return false;
}

/* Of enabled and defrag in /sys/kernel/mm/transparent_hugepage, and of enabled in its folders. */
static bool is_choice(const char *s) {
    static const char *const words[] = {"always", "inherit", "madvise",
                                        "never",  "defer",   "defer+madvise"};
    char word[32];

    golden_bracketed(s, word, sizeof(word));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

/* An empty string stands for what was not set. */
static bool is_good(const json_t *v, enum want want) {
    const char *s = json_string_value(v);

    switch (want) {
    case TEXT:
        return s != NULL;
    case NUMBER:
        return json_is_number(v) || (s && (!*s || is_number(s)));
    case KNOB:
        return json_is_number(v) || s;
    case LIMIT:
        return json_number_value(v) >= 0 &&
               (json_is_number(v) ||
                (s && (!*s || strcmp(s, "max") == 0 || (is_number(s) && !strchr(s, '-')))));
    case CHOICE:
        return s && (!*s || is_choice(s));
    case FLAG:
        return json_is_boolean(v) || json_is_number(v) || (s && (!*s || is_flag(s)));
    case OBJECT:
        return json_is_object(v);
    default:
        return json_is_array(v);
    }
}

static int check_fields(const struct golden *g, const json_t *object, const char *prefix,
                        const struct field *fields, size_t n, struct rf_err *err) {
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_object_get(object, fields[i].key);
        char *text;
        int rc;

        if (!v || is_good(v, fields[i].want))
            continue;
        text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
        rc = rf_fail(err, RF_EINPUT, "%s: \"%s%s\" is %.60s, expected %s", g->path, prefix,
                     fields[i].key, text ? text : "?", expected[fields[i].want]);
        free(text);
        return rc;
    }
    return RF_OK;
}

#define CHECK(object, prefix, fields)                                                              \
    check_fields(g, object, prefix, fields, sizeof(fields) / sizeof((fields)[0]), err)

int golden_check_types(const struct golden *g, struct rf_err *err) {
    int rc = CHECK(g->root, "", of_root);

    if (rc == RF_OK)
        rc = CHECK(g->config, "config.", of_config);
    if (rc == RF_OK)
        rc = CHECK(json_object_get(g->config, "zswap_params"), "config.zswap_params.", of_zswap);
    return rc;
}

/* ---- counters ---- */

static int missing(const struct golden *g, const char *counter, const char *why,
                   struct rf_err *err) {
    return rf_fail(err, RF_EINPUT, "%s: \"counters\" has no '%.80s', expected [min, median, max]%s",
                   g->path, counter, why);
}

/* The largest value of all checkpoints in all repetitions; 0 without them. */
static int64_t most_of(const struct golden *g, const char *checkpoint) {
    const json_t *reps = json_object_get(json_object_get(g->root, "checkpoints"), checkpoint);
    int64_t most = 0;

    for (size_t r = 0; r < json_array_size(reps); r++) {
        const json_t *list = json_array_get(reps, r);

        for (size_t i = 0; i < json_array_size(list); i++)
            most = RF_MAX(most, golden_integer(json_array_get(list, i)));
    }
    return most;
}

int golden_needs(const struct golden *g, const char *counter, const char *checkpoint, bool always,
                 struct rf_err *err) {
    char name[128], why[192];
    struct band b;
    int64_t most;

    if (json_object_get(g->counters, counter))
        return RF_OK;
    if (always)
        return missing(g, counter, "", err);
    snprintf(name, sizeof(name), "memcg.%s", checkpoint);
    if (golden_band(g, name, &b) && b.max > 0) {
        snprintf(why, sizeof(why), ": '%s' is [%" PRId64 ", %" PRId64 ", %" PRId64 "]", name, b.min,
                 b.median, b.max);
        return missing(g, counter, why, err);
    }
    most = most_of(g, checkpoint);
    if (most > 0) {
        snprintf(why, sizeof(why), ": \"checkpoints\" has up to %" PRId64 " of it", most);
        return missing(g, counter, why, err);
    }
    return RF_OK;
}
