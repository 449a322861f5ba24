/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzers of importers: whatever the input, an error of one line, or a trace that verifies. */
#ifndef REFAULT_TESTS_FUZZ_IMPORT_H
#define REFAULT_TESTS_FUZZ_IMPORT_H

#include "fuzz_file.h"
#include "trace/importers/importer.h"
#include "trace/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_import(const char *format, const struct import_options *opt,
                               const uint8_t *data, size_t size) {
    struct rf_err err = {0};
    struct trace_reader *r;
    char path[32];
    int fd = fuzz_file(data, size, path);

    if (importer_find(format)->import(path, fuzz_output(), opt, &err) == 0) {
        if (trace_open(fuzz_output(), &r, &err) != 0 || trace_verify(r, &err) != 0) {
            (void)fprintf(stderr, "%s\n", err.msg);
            abort();
        }
        trace_close(r);
        unlink(fuzz_output());
    } else if (!err.msg[0]) {
        abort();
    }
    fuzz_file_end(fd);
}

#endif
