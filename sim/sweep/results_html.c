/* SPDX-License-Identifier: Apache-2.0 */
/* Results as a page with charts. */
#include "sweep/results.h"

#include <stdlib.h>
#include "html/reports.h"

int results_write_html(const struct results *r, FILE *f, struct rf_err *err) {
    struct sweep_row *rows = calloc(r->nr_rows + 1, sizeof(*rows));
    struct sweep_view view = {
        .columns = (const char *const *)r->columns, .nr_columns = r->nr_columns, .rows = rows};
    int rc;

    if (!rows)
        return rf_fail(err, RF_ENOMEM, "no memory for the report");
    for (size_t i = 0; i < r->nr_rows; i++) {
        const struct record *rec = &r->records[r->rows[i].record];

        if (!rec->known)
            continue;
        rows[view.nr_rows++] = (struct sweep_row){
            .cells = (const char *const *)r->rows[i].cells,
            .outcome = record_outcome(rec),
            .values = rec->code == RF_OK ? &rec->values : NULL,
        };
    }
    rc = html_sweep(f, &view, err);
    free(rows);
    return rc;
}
