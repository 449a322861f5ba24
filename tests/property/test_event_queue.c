/* SPDX-License-Identifier: Apache-2.0 */
/* The event queue against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "refault/engine.h"

#define OPS 20000
#define PENDING_MAX 512

struct naive {
    rf_time when[PENDING_MAX];
    uint64_t id[PENDING_MAX]; /* in the order of the calls */
    unsigned nr;
};

struct model {
    struct engine *eng;
    struct naive list;
    struct rf_rng rng;
    uint64_t next_id, fired;
};

static void fire(void *ctx, uint64_t arg, rf_time when);

static void add(struct model *m, rf_time when) {
    if (m->list.nr == PENDING_MAX)
        return;
    m->list.when[m->list.nr] = when;
    m->list.id[m->list.nr++] = m->next_id;
    assert_int_equal(engine_at(m->eng, when, fire, m, m->next_id), RF_OK);
    m->next_id++;
}

static unsigned earliest(const struct naive *l) {
    unsigned best = 0;

    for (unsigned i = 1; i < l->nr; i++)
        if (l->when[i] < l->when[best] || (l->when[i] == l->when[best] && l->id[i] < l->id[best]))
            best = i;
    return best;
}

static void fire(void *ctx, uint64_t arg, rf_time when) {
    struct model *m = ctx;
    unsigned i = earliest(&m->list);

    assert_true(m->list.nr > 0);
    assert_int_equal(m->list.id[i], arg);
    assert_int_equal(m->list.when[i], when);
    m->list.nr--;
    m->list.when[i] = m->list.when[m->list.nr];
    m->list.id[i] = m->list.id[m->list.nr];
    m->fired++;
    /* Now and then an event schedules others, also at its own time. */
    if (rf_rng_below(&m->rng, 4) == 0)
        add(m, when + rf_rng_below(&m->rng, 3));
}

static void random_operations(void **state) {
    static struct model m;
    struct engine_params p = {.cpus = 1};
    rf_time now = 0;

    (void)state;
    rf_rng_seed(&m.rng, 1);
    assert_int_equal(engine_create(&p, &m.eng, NULL), RF_OK);
    for (int op = 0; op < OPS; op++) {
        if (rf_rng_below(&m.rng, 3)) {
            /* Few distinct times, so that ties are common; some lie in the past. */
            add(&m, now + rf_rng_below(&m.rng, 64));
        } else {
            now += rf_rng_below(&m.rng, 12);
            engine_poll(m.eng, now);
            assert_true(m.list.nr == 0 || m.list.when[earliest(&m.list)] > now);
        }
        assert_int_equal(engine_next_event(m.eng),
                         m.list.nr ? m.list.when[earliest(&m.list)] : RF_TIME_MAX);
    }
    engine_poll(m.eng, RF_TIME_MAX - 1);
    assert_int_equal(m.list.nr, 0);
    assert_int_equal(m.fired, m.next_id);
    assert_int_equal(engine_events_fired(m.eng), m.fired);
    engine_destroy(m.eng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
