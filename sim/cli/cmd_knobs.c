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

static void print_knob(FILE *f, const struct knob *k, const struct machine_config *c) {
    char text[128], range[256], kernels[64];

    fprintf(f, "%-36s default %s; %s; kernels: %s\n    %s\n", k->key,
            *default_text(k, c, text, sizeof(text)) ? text : "''",
            knob_range(k, range, sizeof(range)), knob_kernels(k, kernels, sizeof(kernels)),
            k->help);
}

static json_t *knob_object(const struct knob *k, const struct machine_config *c) {
    char text[256];
    json_t *o = json_object();

    json_object_set_new(o, "key", json_string(k->key));
    json_object_set_new(o, "default", json_string(default_text(k, c, text, sizeof(text))));
    json_object_set_new(o, "range", json_string(knob_range(k, text, sizeof(text))));
    json_object_set_new(o, "kernels", json_string(knob_kernels(k, text, sizeof(text))));
    json_object_set_new(o, "help", json_string(k->help));
    if (k->values) {
        json_t *values = json_array();

        for (size_t i = 0; k->values[i]; i++)
            json_array_append_new(values, json_string(k->values[i]));
        json_object_set_new(o, "values", values);
    }
    return o;
}

static int print_eras(FILE *f, const struct knob_table *t, struct rf_err *err) {
    struct machine_config c;
    char text[64];

    fprintf(f, "%-32s", "");
    for (const struct kernel_era *const *e = era_table(); *e; e++)
        fprintf(f, " %14s", (*e)->name);
    fputc('\n', f);
    for (size_t i = t->nr_usual; i < t->n; i++) {
        if (strncmp(t->v[i].key, "era.", 4) != 0)
            continue;
        fprintf(f, "%-32s", t->v[i].key);
        for (const struct kernel_era *const *e = era_table(); *e; e++) {
            int rc = machine_config_init(&c, (*e)->name, err);

            if (rc != RF_OK)
                return rc;
            fprintf(f, " %14s", knob_format(&t->v[i], &c, text, sizeof(text)));
        }
        fputc('\n', f);
    }
    return RF_OK;
}

struct args {
    const char *kernel, *json;
    bool eras;
    const char *keys[64];
    size_t nr_keys;
};

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
    }
    rc = output_open(&o, a->json ? a->json : "-", err);
    if (rc != RF_OK)
        return rc;
    if (a->json)
        array = json_array();
    if (a->eras && !a->json) {
        rc = print_eras(o.f, t, err);
    } else {
        for (size_t i = 0; i < t->n; i++) {
            bool wanted = a->nr_keys == 0;

            for (size_t j = 0; j < a->nr_keys; j++)
                wanted |= strcmp(t->v[i].key, a->keys[j]) == 0;
            if (a->eras)
                wanted &= strncmp(t->v[i].key, "era.", 4) == 0;
            if (!wanted)
                continue;
            if (array)
                json_array_append_new(array, knob_object(&t->v[i], &c));
            else
                print_knob(o.f, &t->v[i], &c);
        }
    }
    if (rc == RF_OK && array)
        rc = report_write_json(&o, array, false, err);
    json_decref(array);
    closed = output_close(&o, rc == RF_OK ? err : NULL);
    return rc == RF_OK ? closed : rc;
}

static int cmd_knobs(int argc, char **argv) {
    struct args a = {.kernel = SETTINGS_DEFAULT_KERNEL};
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
    rc = knob_table_init(&t, &err);
    if (rc == RF_OK) {
        rc = list(&a, &t, &err);
        knob_table_free(&t);
    }
    return rc == RF_OK ? 0 : cli_fail(&err);
}
