/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of recorded cases that a test writes, and validates. Include it after cmocka.h. */
#ifndef REFAULT_TEST_VALIDATE_CASE_H
#define REFAULT_TEST_VALIDATE_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "validate/validate.h"

static char folder[64];

static void put(const char *name, const char *text) {
    char path[256];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int setup(void **state) {
    static const char *const sub[] = {"6.12", "traces", "banks"};
    char path[128];

    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/test-validate-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, sub[i]);
        if (mkdir(path, 0700) != 0)
            return -1;
    }
    return 0;
}

static int teardown(void **state) {
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

#define KNOBS                                                                                      \
    "\"config\":{\"swap_dev\":\"vda\",\"zswap_on\":\"0\",\"thp\":\"never\",\"zwb\":\"\","          \
    "\"page_cluster\":\"3\",\"swappiness\":\"60\",\"lru_gen\":\"0x0000\","                         \
    "\"vma_ra_enabled\":\"true\",\"swap_rotational\":\"0\",\"memory.max\":\"max\","                \
    "\"thp_enabled\":\"always madvise [never]\",\"zram_comp_algorithm\":\"[lzo-rle] lz4\","        \
    "\"swaps\":\"Filename\\tType\\n/dev/vda\\t\\tpartition\\t1048572\\t\\t0\","                    \
    "\"MemTotal_kB\":500348}"
/* Counters of which every case has some value. */
#define NO_SWAP "\"final_swapped\":[0,0,0],\"memory.swap.current\":[0,0,0]"
#define CASE(name, more)                                                                           \
    "{\"case\":\"" name "\",\"kernel\":\"6.12.1\",\"trace\":\"t\",\"bank\":\"b\","                 \
    "\"region_pages\":512," more "}"

static struct validate_opts options(void) {
    return (struct validate_opts){
        .dir = folder, .threads = 1, .max_median = -1, .max_p90 = -1, .max_worst = -1};
}

/* The whole message of a call that fails with RF_EINPUT. */
static const char *failure(const struct validate_opts *o) {
    static struct rf_err err;
    struct validation v;

    err = (struct rf_err){0};
    assert_int_equal(validate_run(o, &v, &err), RF_EINPUT);
    return err.msg;
}

#endif
