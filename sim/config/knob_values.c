/* SPDX-License-Identifier: Apache-2.0 */
/* Values of knobs: from text, as text, and as JSON. */
#include <stdio.h>

#include "config/knobs.h"
#include "config/value.h"

/* The largest machine that Linux runs on has less. */
#define MAX_BYTES (UINT64_C(1) << 50)

static int bad_value(const struct knob *k, const char *text, struct rf_err *err) {
    char range[256];
    const char *nearest = NULL;
    unsigned best = 3;

    knob_range(k, range, sizeof(range));
    for (size_t i = 0; k->values && k->values[i]; i++) {
        unsigned d = edit_distance(text, k->values[i]);

        if (d < best && d < strlen(k->values[i])) {
            best = d;
            nearest = k->values[i];
        }
    }
    if (nearest)
        return rf_fail(err, RF_EUSAGE, "%s: bad value '%s', expected %s; did you mean '%s'?",
                       k->key, text, range, nearest);
    return rf_fail(err, RF_EUSAGE, "%s: bad value '%s', expected %s", k->key, text, range);
}

static uint64_t load(const void *at, size_t size) {
    uint64_t v64;
    uint32_t v32;
    uint16_t v16;

    switch (size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        memcpy(&v16, at, sizeof(v16));
        return v16;
    case 4:
        memcpy(&v32, at, sizeof(v32));
        return v32;
    default:
        memcpy(&v64, at, sizeof(v64));
        return v64;
    }
}

uint64_t knob_number(const struct knob *k, const struct machine_config *c) {
    return load((const char *)c + k->offset, k->size);
}

static void store(void *at, size_t size, uint64_t v) {
    uint32_t v32 = (uint32_t)v;
    uint16_t v16 = (uint16_t)v;

    switch (size) {
    case 1:
        *(uint8_t *)at = (uint8_t)v;
        break;
    case 2:
        memcpy(at, &v16, sizeof(v16));
        break;
    case 4:
        memcpy(at, &v32, sizeof(v32));
        break;
    default:
        memcpy(at, &v, sizeof(v));
        break;
    }
}

static bool find_value(const char *const *values, const char *text, size_t *index) {
    for (size_t i = 0; values[i]; i++) {
        if (strcmp(values[i], text) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

int knob_set(const struct knob *k, struct machine_config *c, const char *text, struct rf_err *err) {
    char *at = (char *)c + k->offset;
    struct rf_amount amount;
    const struct kernel_era *era;
    uint64_t v;
    size_t index;
    bool on;

    switch (k->type) {
    case KNOB_BOOL:
        if (!value_bool(text, &on))
            return bad_value(k, text, err);
        memcpy(at, &on, sizeof(on));
        return RF_OK;
    case KNOB_BIT:
        if (!value_bool(text, &on))
            return bad_value(k, text, err);
        v = load(at, k->size);
        v = on ? v | 1u << k->min : v & ~(1u << k->min);
        store(at, k->size, v);
        return RF_OK;
    case KNOB_TRISTATE:
        if (strcmp(text, "device") == 0)
            *(int8_t *)at = -1;
        else if (value_bool(text, &on))
            *(int8_t *)at = on;
        else
            return bad_value(k, text, err);
        return RF_OK;
    case KNOB_U8:
    case KNOB_U16:
    case KNOB_U32:
    case KNOB_U64:
    case KNOB_TIME:
        if (k->type == KNOB_TIME ? !value_time(text, &v) : !value_u64(text, &v))
            return bad_value(k, text, err);
        if ((v < k->min || v > k->max) && !(v == 0 && k->zero))
            return bad_value(k, text, err);
        store(at, k->size, v);
        return RF_OK;
    case KNOB_AMOUNT:
        /* A percentage beyond a thousand times the footprint is a slip, and could overflow. */
        if (!value_amount(text, &amount) ||
            (amount.kind == AMOUNT_PERCENT && amount.value > 10000000) ||
            (amount.kind == AMOUNT_BYTES && amount.value > MAX_BYTES))
            return bad_value(k, text, err);
        /* By members: a copy of the whole would leave garbage in the padding of the config. */
        ((struct rf_amount *)(void *)at)->value = amount.value;
        ((struct rf_amount *)(void *)at)->kind = amount.kind;
        return RF_OK;
    case KNOB_KERNEL:
        era = era_find(text);
        if (!era)
            return bad_value(k, text, err);
        memcpy(at, era, sizeof(*era));
        return RF_OK;
    case KNOB_NAME:
        if (!find_value(k->values, text, &index) || strlen(text) >= k->size)
            return bad_value(k, text, err);
        memset(at, 0, k->size);
        memcpy(at, text, strlen(text));
        return RF_OK;
    case KNOB_ENUM:
        if (!find_value(k->values, text, &index))
            return bad_value(k, text, err);
        *(uint8_t *)at = (uint8_t)index;
        return RF_OK;
    }
    return RF_EUSAGE;
}

const char *knob_format(const struct knob *k, const struct machine_config *c, char *buf,
                        size_t size) {
    const char *at = (const char *)c + k->offset;
    struct rf_amount amount;

    switch (k->type) {
    case KNOB_BIT:
        snprintf(buf, size, "%u", (unsigned)(load(at, k->size) >> k->min & 1));
        break;
    case KNOB_TRISTATE:
        if (*(const int8_t *)at < 0)
            snprintf(buf, size, "device");
        else
            snprintf(buf, size, "%d", *(const int8_t *)at);
        break;
    case KNOB_BOOL:
    case KNOB_U8:
    case KNOB_U16:
    case KNOB_U32:
    case KNOB_U64:
        snprintf(buf, size, "%llu", (unsigned long long)load(at, k->size));
        break;
    case KNOB_TIME:
        snprintf(buf, size, "%lluns", (unsigned long long)load(at, k->size));
        break;
    case KNOB_AMOUNT:
        memcpy(&amount, at, sizeof(amount));
        value_format_amount(amount, buf, size);
        break;
    case KNOB_KERNEL:
        snprintf(buf, size, "%s", c->era.name);
        break;
    case KNOB_NAME:
        snprintf(buf, size, "%s", at);
        break;
    case KNOB_ENUM:
        snprintf(buf, size, "%s", k->values[*(const uint8_t *)at]);
        break;
    }
    return buf;
}

json_t *knob_json(const struct knob *k, const struct machine_config *c) {
    const char *at = (const char *)c + k->offset;
    struct rf_amount amount;
    char text[64];
    uint64_t pages;

    switch (k->type) {
    case KNOB_BIT:
        return json_integer((json_int_t)(load(at, k->size) >> k->min & 1));
    case KNOB_TRISTATE:
        if (*(const int8_t *)at >= 0)
            return json_integer(*(const int8_t *)at);
        break;
    case KNOB_BOOL:
    case KNOB_U8:
    case KNOB_U16:
    case KNOB_U32:
    case KNOB_U64:
    case KNOB_TIME:
        return json_integer((json_int_t)load(at, k->size));
    case KNOB_AMOUNT:
        memcpy(&amount, at, sizeof(amount));
        if (amount.kind == AMOUNT_MAX)
            break;
        if (amount.kind == AMOUNT_BYTES)
            return json_integer((json_int_t)amount.value);
        pages = machine_amount_pages(c, amount);
        return json_integer((json_int_t)(pages * RF_PAGE_SIZE));
    case KNOB_KERNEL:
    case KNOB_NAME:
    case KNOB_ENUM:
        break;
    }
    return json_string(knob_format(k, c, text, sizeof(text)));
}

json_t *knobs_config_json(const struct knob_table *t, const struct machine_config *c) {
    json_t *o = json_object();

    for (size_t i = 0; i < t->n; i++)
        json_object_set_new(o, t->v[i].key, knob_json(&t->v[i], c));
    return o;
}
