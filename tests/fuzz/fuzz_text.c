/* SPDX-License-Identifier: Apache-2.0 */
/* The importer of text. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct import_options opt = {.thp = size % 2};

    fuzz_import("text", &opt, data, size);
    return 0;
}
