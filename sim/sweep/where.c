/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/where.h"

#include <stdio.h>

static const struct {
    const char *text;
    enum where_op op;
} ops[] = {/* the longer ones first */
           {"<=", WHERE_LE}, {">=", WHERE_GE}, {"!=", WHERE_NE}, {"==", WHERE_EQ},
           {"<", WHERE_LT},  {">", WHERE_GT},  {"=", WHERE_EQ}};

static bool is_ordered(const struct knob *k) {
    return knob_is_number(k) || k->type == KNOB_AMOUNT || k->type == KNOB_KERNEL;
}

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Position in the table of kernels, which is by age. */
static uint64_t kernel_order(const char *name) {
    uint64_t i = 0;

    for (const struct kernel_era *const *e = era_table(); *e && strcmp((*e)->name, name) != 0; e++)
        i++;
    return i;
}

static uint64_t number_of(const struct knob *k, const struct machine_config *c) {
    const char *at = (const char *)c + k->offset;
    struct rf_amount amount;

    if (k->type == KNOB_KERNEL)
        return kernel_order(c->era.name);
    if (k->type != KNOB_AMOUNT)
        return knob_number(k, c);
    memcpy(&amount, at, sizeof(amount));
    return machine_amount_pages(c, amount);
}

/* Both sides are of one sort: numbers, or the texts of one type of knob. */
static int compare(const struct knob *left, const struct machine_config *a,
                   const struct knob *right, const struct machine_config *b) {
    char x[128], y[128];

    if (is_ordered(left) && is_ordered(right))
        return compare_u64(number_of(left, a), number_of(right, b));
    return strcmp(knob_format(left, a, x, sizeof(x)), knob_format(right, b, y, sizeof(y)));
}

int where_parse(struct where *w, const struct knob_table *knobs, const char *text,
                struct rf_err *err) {
    struct machine_config scratch;
    size_t len = strcspn(text, "<>=!"), key_len = len, op = 0;
    char key[128];
    const char *value;
    int rc;

    while (key_len && text[key_len - 1] == ' ')
        key_len--;
    while (op < sizeof(ops) / sizeof(ops[0]) &&
           strncmp(text + len, ops[op].text, strlen(ops[op].text)) != 0)
        op++;
    if (!key_len || key_len >= sizeof(key) || op == sizeof(ops) / sizeof(ops[0]))
        return rf_fail(err, RF_EUSAGE,
                       "found '%s', expected KEY OP VALUE with one of < <= = != >= >", text);
    memcpy(key, text, key_len);
    key[key_len] = '\0';
    value = text + len + strlen(ops[op].text);
    value += strspn(value, " ");
    *w = (struct where){.left = knob_find(knobs, key, err), .op = ops[op].op};
    if (!w->left)
        return RF_EUSAGE;
    if (strlen(value) >= sizeof(w->text))
        return rf_fail(err, RF_EUSAGE, "value of more than %zu characters", sizeof(w->text) - 1);
    snprintf(w->text, sizeof(w->text), "%s", value);
    if (w->op != WHERE_EQ && w->op != WHERE_NE && !is_ordered(w->left))
        return rf_fail(err, RF_EUSAGE, "%s: names have no order, expected = or !=", key);
    w->right = knob_find(knobs, value, NULL);
    if (w->right) {
        if (is_ordered(w->left) ? !is_ordered(w->right) : w->left->type != w->right->type)
            return rf_fail(err, RF_EUSAGE, "%s and %s cannot be compared", key, value);
        return RF_OK;
    }
    rc = machine_config_init(&scratch, "6.12", err);
    return rc == RF_OK ? knob_set(w->left, &scratch, value, err) : rc;
}

bool where_holds(const struct where *w, const struct machine_config *c) {
    struct machine_config other = *c;
    int d;

    if (!w->right && knob_set(w->left, &other, w->text, NULL) != RF_OK)
        return false;
    d = compare(w->left, c, w->right ? w->right : w->left, &other);
    switch (w->op) {
    case WHERE_LT:
        return d < 0;
    case WHERE_LE:
        return d <= 0;
    case WHERE_EQ:
        return d == 0;
    case WHERE_NE:
        return d != 0;
    case WHERE_GE:
        return d >= 0;
    case WHERE_GT:
        return d > 0;
    }
    return false;
}
