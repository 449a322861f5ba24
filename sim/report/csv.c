/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

void csv_field(FILE *f, const char *text) {
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

void csv_value_names(FILE *f, const struct value_list *l) {
    for (size_t i = 0; i < l->n; i++)
        fprintf(f, ",%s%s", value_prefix(l->v[i].kind), l->v[i].name);
}

void csv_values(FILE *f, const struct value_list *columns, const struct value_list *l) {
    for (size_t i = 0; i < columns->n; i++) {
        char text[24];
        const struct value *v = value_list_find(l, columns->v[i].kind, columns->v[i].name);

        /* A machine without the part that counts this (no zswap, say) leaves the field empty. */
        if (v)
            fprintf(f, ",%s", value_decimal(v->kind, v->value, text));
        else
            fputc(',', f);
    }
}

void csv_series(FILE *f, const struct series *s) {
    size_t width = s->columns.n + 2;

    fputs("time_ns,op", f);
    csv_value_names(f, &s->columns);
    fputc('\n', f);
    for (size_t i = 0; i < s->nr; i++) {
        for (size_t j = 0; j < width; j++) {
            char text[24];
            enum machine_value_kind kind = j < 2 ? MV_COUNTER : s->columns.v[j - 2].kind;

            fprintf(f, "%s%s", j ? "," : "", value_decimal(kind, s->rows[i * width + j], text));
        }
        fputc('\n', f);
    }
}
