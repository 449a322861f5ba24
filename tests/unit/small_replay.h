/* SPDX-License-Identifier: Apache-2.0 */
/* A small trace, open, and what it takes to replay it with some knobs. */
#ifndef TESTS_UNIT_SMALL_REPLAY_H
#define TESTS_UNIT_SMALL_REPLAY_H

#include "config/settings.h"
#include "replay.h"
#include "small_trace.h"

struct small_replay {
    char path[64];
    struct knob_table knobs;
    struct settings settings;
    struct trace_reader *trace;
    struct content_set *contents;
};

static inline bool small_replay_begin(struct small_replay *s, uint32_t pages, unsigned rounds) {
    return small_trace(s->path, pages, rounds, NULL) && knob_table_init(&s->knobs, NULL) == 0 &&
           settings_init(&s->settings, &s->knobs, NULL) == 0 &&
           trace_open(s->path, &s->trace, NULL) == 0 &&
           trace_load_content(s->trace, &s->contents, NULL) == 0;
}

static inline void small_replay_end(struct small_replay *s) {
    content_free(s->contents);
    trace_close(s->trace);
    settings_free(&s->settings);
    knob_table_free(&s->knobs);
    unlink(s->path);
}

/* pairs: KEY=VALUE up to NULL; NULL = none. */
static inline void small_replay_config(struct small_replay *s, const char *const *pairs,
                                       struct machine_config *c) {
    struct rf_err err;

    for (; pairs && *pairs; pairs++)
        assert_int_equal(settings_add_pair(&s->settings, *pairs, &err), RF_OK);
    assert_int_equal(settings_resolve(&s->settings, NULL, 0, trace_reader_info(s->trace), c, &err),
                     RF_OK);
}

#endif
