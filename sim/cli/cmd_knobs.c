/* SPDX-License-Identifier: Apache-2.0 */
/* refault knobs: everything that can be set. */
#include "cli/cli.h"

#include "report/report.h"

enum { OPT_ERAS = OPT_OWN };

static const struct cli_option options[] = {
    {OPT_KERNEL, 0, "kernel", "VERSION", "kernel whose defaults are shown (default 6.12)"},
    {OPT_JSON, 0, "json", "FILE|-", "writes the list as JSON"},
    {OPT_ERAS, 0, "eras", NULL, "shows every era.FIELD side by side for all kernels"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_knobs(int argc, char **argv);
extern const struct cli_command cmd_knobs_info;
const struct cli_command cmd_knobs_info = {
    .name = "knobs",
    .args = "[KEY...]",
    .summary = "list every knob with range, default, the kernels that have it and its meaning",
    .example = "refault knobs zswap.max_pool_percent",
    .options = options,
    .run = cmd_knobs,
};

static const char *default_text(const struct knob *k, const struct machine_config *c, char *buf,
                                size_t size) {
    if (strcmp(k->key, "zram0.disksize") == 0)
        snprintf(buf, size, "swap.size");
    else
        knob_format(k, c, buf, size);
    return buf;
}

/* Where a profile file (--profile) has this cost; "" for other knobs. */
static const char *profile_place(const struct knob *k, char *buf, size_t size) {
    const char *section = k->key + strlen("cost."), *name;

    *buf = '\0';
    if (strncmp(k->key, "cost.", 5) != 0 || !(name = strchr(section, '.')))
        return buf;
    if (strncmp(section, "blk.", 4) == 0)
        snprintf(buf, size, "[blk.DEVICE] %s, DEVICE as in swap.device", name + 1);
    else
        snprintf(buf, size, "[%.*s] %s", (int)(name - section), section, name + 1);
    return buf;
}

static void print_knob(FILE *f, const struct knob *k, const struct machine_config *c) {
    char text[128], range[256], kernels[64];

    fprintf(f, "%-36s default %s; %s; kernels: %s\n    %s", k->key,
            *default_text(k, c, text, sizeof(text)) ? text : "''",
            knob_range(k, range, sizeof(range)), knob_kernels(k, kernels, sizeof(kernels)),
            k->help);
    if (*profile_place(k, text, sizeof(text)))
        fprintf(f, "; in a profile: %s", text);
    fputc('\n', f);
}

static json_t *knob_object(const struct knob *k, const struct machine_config *c) {
    char text[256];
    json_t *o = json_object();

    json_object_set_new(o, "key", json_string(k->key));
    json_object_set_new(o, "default", json_string(default_text(k, c, text, sizeof(text))));
    json_object_set_new(o, "range", json_string(knob_range(k, text, sizeof(text))));
    json_object_set_new(o, "kernels", json_string(knob_kernels(k, text, sizeof(text))));
    json_object_set_new(o, "help", json_string(k->help));
    if (*profile_place(k, text, sizeof(text)))
        json_object_set_new(o, "profile", json_string(text));
    if (k->values) {
        json_t *values = json_array();

        for (size_t i = 0; k->values[i]; i++)
            json_array_append_new(values, json_string(k->values[i]));
        json_object_set_new(o, "values", values);
    }
    return o;
}

struct args {
    const char *kernel, *json;
    bool eras;
    const char *keys[64];
    size_t nr_keys;
};

static bool wanted(const struct args *a, const struct knob *k) {
    bool named = a->nr_keys == 0;

    for (size_t i = 0; i < a->nr_keys; i++)
        named |= strcmp(k->key, a->keys[i]) == 0;
    return named && (!a->eras || strncmp(k->key, "era.", 4) == 0);
}

/* One knob in all kernels: a row of text, or {key, kernels: {NAME: value}}. */
static int print_era(FILE *f, json_t *array, const struct knob *k, struct rf_err *err) {
    json_t *values = array ? json_object() : NULL;
    struct machine_config c;
    char text[64];

    if (array)
        json_array_append_new(array, json_pack("{ss so}", "key", k->key, "kernels", values));
    else
        fprintf(f, "%-32s", k->key);
    for (const struct kernel_era *const *e = era_table(); *e; e++) {
        int rc = machine_config_init(&c, (*e)->name, err);

        if (rc != RF_OK)
            return rc;
        if (array)
            json_object_set_new(values, (*e)->name, knob_json(k, &c));
        else
            fprintf(f, " %14s", knob_format(k, &c, text, sizeof(text)));
    }
    if (!array)
        fputc('\n', f);
    return RF_OK;
}

static void print_era_names(FILE *f) {
    fprintf(f, "%-32s", "");
    for (const struct kernel_era *const *e = era_table(); *e; e++)
        fprintf(f, " %14s", (*e)->name);
    fputc('\n', f);
}

static int list(const struct args *a, const struct knob_table *t, struct rf_err *err) {
    struct machine_config c;
    struct output o;
    json_t *array = NULL;
    int rc = machine_config_init(&c, a->kernel, err), closed;

    if (rc != RF_OK)
        return rc;
    for (size_t i = 0; i < a->nr_keys; i++) {
        if (!knob_find(t, a->keys[i], err))
            return RF_EUSAGE;
        if (a->eras && strncmp(a->keys[i], "era.", 4) != 0)
            return rf_fail(err, RF_EUSAGE, "--eras: '%s' is no rule of a kernel, expected era.*",
                           a->keys[i]);
    }
    rc = output_open(&o, a->json ? a->json : "-", err);
    if (rc != RF_OK)
        return rc;
    if (a->json)
        array = json_array();
    if (a->eras && !array)
        print_era_names(o.f);
    for (size_t i = 0; i < t->n && rc == RF_OK; i++) {
        if (!wanted(a, &t->v[i]))
            continue;
        if (a->eras)
            rc = print_era(o.f, array, &t->v[i], err);
        else if (array)
            json_array_append_new(array, knob_object(&t->v[i], &c));
        else
            print_knob(o.f, &t->v[i], &c);
    }
    if (rc == RF_OK && array)
        rc = report_write_json(&o, array, false, err);
    json_decref(array);
    closed = output_close(&o, rc == RF_OK ? err : NULL);
    return rc == RF_OK ? closed : rc;
}

static int cmd_knobs(int argc, char **argv) {
    struct args a = {0};
    struct knob_table t;
    struct rf_err err;
    struct cli_walk w;
    int id, rc;

    cli_walk_init(&w, &cmd_knobs_info, argc, argv);
    while ((id = cli_next(&w)) != CLI_END) {
        switch (id) {
        case CLI_BAD:
            return 2;
        case CLI_HELP:
            return cli_help(&cmd_knobs_info);
        case CLI_ARG:
            if (a.nr_keys == sizeof(a.keys) / sizeof(a.keys[0]))
                return cli_usage_error(&cmd_knobs_info, "more than %zu keys", a.nr_keys);
            a.keys[a.nr_keys++] = w.value;
            break;
        case OPT_KERNEL:
            a.kernel = w.value;
            break;
        case OPT_JSON:
            a.json = w.value;
            break;
        case OPT_ERAS:
            a.eras = true;
            break;
        default:
            break;
        }
    }
    if (a.eras && a.kernel)
        return cli_usage_error(&cmd_knobs_info, "--eras shows all kernels, --kernel one of them");
    if (!a.kernel)
        a.kernel = SETTINGS_DEFAULT_KERNEL;
    rc = knob_table_init(&t, &err);
    if (rc == RF_OK) {
        rc = list(&a, &t, &err);
        knob_table_free(&t);
    }
    return rc == RF_OK ? 0 : cli_fail(&err);
}
