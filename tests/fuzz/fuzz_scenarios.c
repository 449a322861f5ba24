/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files, and with them INI files: one error, or scenarios whose values are all valid. */
#include "fuzz_file.h"
#include "sweep/scenarios.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct knob_table knobs;
    struct scenarios s;
    struct machine_config c;
    struct rf_err err = {0};
    char path[32];
    int fd = fuzz_file(data, size, path);

    if (knob_table_init(&knobs, &err) != RF_OK || machine_config_init(&c, "6.12", &err) != RF_OK)
        abort();
    if (scenarios_read(&s, &knobs, path, &err) == RF_OK) {
        for (size_t i = 0; i < s.n; i++) {
            for (size_t j = 0; j < s.v[i].n; j++) {
                if (knob_set(s.v[i].v[j].knob, &c, s.v[i].v[j].value, &err) != RF_OK)
                    abort();
            }
        }
        scenarios_free(&s);
    } else if (!err.msg[0]) {
        abort();
    }
    knob_table_free(&knobs);
    fuzz_file_end(fd);
    return 0;
}
