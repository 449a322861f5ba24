/* SPDX-License-Identifier: Apache-2.0 */
/* values: everything that can be read from a machine, once as a list of names with numbers, and
 * again and again as a time series. */
#ifndef SIM_VALUES_H
#define SIM_VALUES_H

#include "refault/machine.h"

/* One named value of a result. */
struct value {
    char *name;
    enum machine_value_kind kind;
    uint64_t value;
};
/* What stands in front of the name in flat tables: "time.", "x." or nothing. */
const char *value_prefix(enum machine_value_kind kind);
/* The value as a number, with its sign. */
double value_number(const struct value *v);
/* The value in decimal; returns buf. */
const char *value_decimal(enum machine_value_kind kind, uint64_t value, char buf[24]);
/* Sorted by kind, then name; MV_X and MV_X_SIGNED are one kind here. */
struct value_list {
    struct value *v;
    size_t n, cap;
};
/* Reads everything from m. */
int value_list_read(struct value_list *l, const struct machine *m,
                    struct rf_err *err) RF_MUST_CHECK;
void value_list_free(struct value_list *l);
/* The value of that kind and name; NULL if there is none. */
const struct value *value_list_find(const struct value_list *l, enum machine_value_kind kind,
                                    const char *name);

/* Adds a value behind the others; 0, or RF_ENOMEM. Lists are sorted: add in order, or sort. */
int value_list_add(struct value_list *l, enum machine_value_kind kind, const char *name,
                   uint64_t value);
void value_list_sort(struct value_list *l);

/* Adds to `into` the names of `from` that it lacks, keeping the order; 0, or RF_ENOMEM. */
int value_list_merge_names(struct value_list *into, const struct value_list *from);

/* A time series: one row a sample, all with the columns of the first. */
struct series {
    struct value_list columns; /* names; the values are those of the first sample */
    uint64_t *rows;            /* nr * (columns.n + 2): time, operation, values */
    size_t nr, cap;
};

/* Adds a row: everything that can be read from m now. op is the number of accesses so far. */
int series_add(struct series *s, const struct machine *m, uint64_t op,
               struct rf_err *err) RF_MUST_CHECK;
void series_free(struct series *s);

#endif
