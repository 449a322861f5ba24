/* SPDX-License-Identifier: Apache-2.0 */
/* The importer of swtrace. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct import_options opt = {.file_pages = size % 2};

    fuzz_import("swtrace", &opt, data, size);
    return 0;
}
