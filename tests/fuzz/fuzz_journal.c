/* SPDX-License-Identifier: Apache-2.0 */
/* Journals of sweeps: whatever is in the file, lines are dropped or give a table, or one error. */
#include "fuzz_file.h"
#include "sweep/journal.h"
#include "sweep/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(void *ctx, const json_t *line, struct rf_err *err) {
    struct results *r = ctx;
    const char *name = json_string_value(json_object_get(line, "point"));
    struct record *rec;

    if (json_is_plan(line)) {
        results_free(r);
        return results_from_plan(r, line, err);
    }
    rec = name && r->nr_records ? results_find(r, name) : NULL;
    return rec ? record_from_json(rec, line, err) : RF_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct results r = {0};
    struct rf_err err = {0};
    uint64_t dropped;
    char path[32];
    int fd = fuzz_file(data, size, path);
    int rc = journal_read(path, take, &r, &dropped, &err);
    FILE *null = fopen("/dev/null", "w");

    if (!null || (rc != RF_OK && !err.msg[0]))
        abort();
    if (rc == RF_OK && results_write_csv(&r, null, &err) != RF_OK)
        abort();
    (void)fclose(null);
    results_free(&r);
    fuzz_file_end(fd);
    return 0;
}
