/* SPDX-License-Identifier: Apache-2.0 */
/* Expected times are computed by hand: base + pages * 4096 * 10^9 / rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "refault/config.h"

struct ended {
    uint32_t cookie;
    enum blk_op op;
    rf_time when;
};

struct rig {
    struct engine *eng;
    struct blk_dev *dev;
    struct sim_cpu *cpu;
    struct blk_policy policy;
    struct ended ended[1024];
    unsigned nr;
};

static struct rig rig;

static void on_end(void *ctx, uint32_t cookie, enum blk_op op, rf_time when) {
    struct rig *r = ctx;

    assert_true(r->nr < sizeof(r->ended) / sizeof(r->ended[0]));
    r->ended[r->nr++] = (struct ended){cookie, op, when};
}

/* 4096 bytes take 1000 ns at 4.096 GB/s. */
static const struct blk_cost simple = {.channels = 2,
                                       .nr_requests = 64,
                                       .max_segments = 128,
                                       .read_ns = 10000,
                                       .write_ns = 20000,
                                       .seq_read_ns = 3000,
                                       .seq_write_ns = 4000,
                                       .read_bps = 4096000000u,
                                       .write_bps = 4096000000u};

/* Of the built-in profile. */
static struct blk_cost default_cost(const char *name) {
    for (unsigned d = 0; d < NR_PROFILE_BLK; d++)
        if (strcmp(profile_blk_name((enum profile_blk)d), name) == 0)
            return profile_default()->blk[d];
    fail_msg("no device %s", name);
    return (struct blk_cost){0};
}

static struct rig *start(const char *name, const struct blk_cost *cost) {
    struct engine_params p = {.cpus = 2};
    struct rf_err err = {0};

    rig.nr = 0;
    assert_int_equal(engine_create(&p, &rig.eng, &err), RF_OK);
    assert_int_equal(
        blk_create(blk_find(name), &rig.policy, cost, 1, rig.eng, on_end, &rig, &rig.dev, &err),
        RF_OK);
    rig.cpu = engine_cpu(rig.eng, 0);
    return &rig;
}

static void submit(struct rig *r, enum blk_op op, uint64_t off, uint32_t nr, uint32_t cookie) {
    struct rf_err err = {0};

    assert_int_equal(blk_submit(r->dev, r->cpu, op, off, nr, cookie), RF_OK);
    assert_int_equal(blk_check(r->dev, &err), RF_OK);
}

static void finish(struct rig *r) {
    struct rf_err err = {0};

    engine_poll(r->eng, RF_TIME_MAX - 1);
    assert_int_equal(blk_in_flight(r->dev), 0);
    assert_int_equal(blk_check(r->dev, &err), RF_OK);
}

static void stop(struct rig *r) {
    blk_destroy(r->dev);
    engine_destroy(r->eng);
}

static void expect(const struct rig *r, unsigned i, uint32_t cookie, rf_time when) {
    assert_true(i < r->nr);
    assert_int_equal(r->ended[i].cookie, cookie);
    assert_int_equal(r->ended[i].when, when);
}

static void registry_has_all_devices(void **state) {
    static const char *const names[] = {"null", "nvme", "ssd", "hdd", "pmem", "vdisk"};

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        assert_string_equal(blk_registry()[i]->name, names[i]);
        assert_ptr_equal(blk_find(names[i]), blk_registry()[i]);
        struct blk_cost c = default_cost(names[i]);
        assert_true(c.channels > 0 && c.nr_requests > 0);
    }
    assert_null(blk_registry()[6]);
    assert_null(blk_find("floppy"));
    assert_true(blk_find("hdd")->rotational);
    assert_true(blk_find("pmem")->synchronous);
}

static void zero_channels_are_refused(void **state) {
    struct rig *r = start("nvme", &simple);
    struct blk_cost c = simple;
    struct blk_dev *d;
    struct rf_err err = {0};

    (void)state;
    c.channels = 0;
    assert_int_equal(blk_create(blk_find("nvme"), &r->policy, &c, 1, r->eng, on_end, r, &d, &err),
                     RF_EUSAGE);
    assert_null(d);
    stop(r);
}

/* Two channels: random reads at 0 and 100 both end at 11000; the third, at 200, starts then. */
static void channels_work_in_parallel(void **state) {
    struct blk_cost c = simple;
    struct rig *r;

    (void)state;
    c.read_bps = 0;
    r = start("nvme", &c);
    submit(r, BLK_READ, 0, 1, 1);
    submit(r, BLK_READ, 100, 1, 2);
    submit(r, BLK_READ, 200, 1, 3);
    assert_int_equal(blk_in_flight(r->dev), 3);
    finish(r);
    expect(r, 0, 1, 10000);
    expect(r, 1, 2, 10000);
    expect(r, 2, 3, 20000);
    assert_int_equal(blk_stats(r->dev)->reads, 3);
    assert_int_equal(blk_stats(r->dev)->busy_ns, 30000);
    assert_int_equal(blk_stats(r->dev)->read_ns, 40000);
    assert_int_equal(blk_stats(r->dev)->max_in_flight, 3);
    stop(r);
}

/* 20 + 20 pages of 1000 ns each on two channels: alone each would end at 30000, but the link is
 * through with 40 pages only at 40000. */
static void channels_share_the_rate(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    submit(r, BLK_READ, 0, 20, 1);
    submit(r, BLK_READ, 100, 20, 2);
    submit(r, BLK_WRITE, 200, 1, 3);
    finish(r);
    expect(r, 0, 1, 30000);
    expect(r, 1, 2, 40000);
    expect(r, 2, 3, 51000); /* the other direction, in the first free channel: 30000 + 21000 */
    stop(r);
}

static void following_request_is_sequential(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    submit(r, BLK_READ, 7, 2, 1); /* 10000 + 2000 */
    submit(r, BLK_READ, 9, 1, 2); /* 3000 + 1000 */
    finish(r);
    expect(r, 0, 2, 4000);
    expect(r, 1, 1, 12000);
    stop(r);
}

static void plug_merges_with_the_last_request(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    blk_plug(r->dev, r->cpu);
    blk_plug(r->dev, r->cpu);
    submit(r, BLK_WRITE, 10, 1, 1);
    submit(r, BLK_WRITE, 11, 1, 2); /* back merge */
    submit(r, BLK_WRITE, 9, 1, 3);  /* front merge */
    submit(r, BLK_WRITE, 50, 1, 4); /* a second request */
    submit(r, BLK_WRITE, 12, 1, 5); /* behind the first, which is not the last: a third */
    submit(r, BLK_READ, 13, 1, 6);  /* other direction: a fourth */
    blk_unplug(r->dev, r->cpu);
    assert_int_equal(blk_stats(r->dev)->writes, 0);
    blk_unplug(r->dev, r->cpu);
    assert_int_equal(blk_stats(r->dev)->writes, 2); /* two channels */
    finish(r);
    assert_int_equal(blk_stats(r->dev)->writes, 3);
    assert_int_equal(blk_stats(r->dev)->reads, 1);
    assert_int_equal(blk_stats(r->dev)->write_merges, 2);
    assert_int_equal(blk_stats(r->dev)->write_pages, 5);
    /* The second ends first, at 21000; the first, of 3 pages, at 23000, its bios together. */
    expect(r, 0, 4, 21000);
    expect(r, 1, 1, 23000);
    expect(r, 2, 2, 23000);
    expect(r, 3, 3, 23000);
    stop(r);
}

static void plug_flushes_at_32_requests(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    blk_plug(r->dev, r->cpu);
    for (uint32_t i = 0; i < 32; i++)
        submit(r, BLK_READ, i * 10, 1, i);
    assert_int_equal(blk_stats(r->dev)->reads, 0);
    submit(r, BLK_READ, 1000, 1, 32);
    assert_int_equal(blk_stats(r->dev)->reads, 2);
    blk_flush_plug(r->dev, r->cpu);
    finish(r);
    assert_int_equal(r->nr, 33);
    blk_unplug(r->dev, r->cpu);
    stop(r);
}

static void plug_flushes_after_128_kib(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    blk_plug(r->dev, r->cpu);
    for (uint32_t i = 0; i < 40; i++)
        submit(r, BLK_READ, i, 1, i); /* merging goes on beyond 32 pages */
    assert_int_equal(blk_stats(r->dev)->read_merges, 39);
    assert_int_equal(blk_stats(r->dev)->reads, 0);
    submit(r, BLK_READ, 500, 1, 40);
    assert_int_equal(blk_stats(r->dev)->reads, 1);
    assert_int_equal(blk_stats(r->dev)->read_pages, 40);
    blk_unplug(r->dev, r->cpu);
    finish(r);
    stop(r);
}

/* A long request behind a short one: the last of them is over 128 KiB, the first is not. */
static void plug_goes_by_the_size_that_the_policy_names(void **state) {
    (void)state;
    for (int first = 0; first <= 1; first++) {
        rig.policy.plug_by_first = first;
        struct rig *r = start("nvme", &simple);

        blk_plug(r->dev, r->cpu);
        submit(r, BLK_READ, 1000, 1, 0);
        for (uint32_t i = 0; i < 40; i++)
            submit(r, BLK_READ, i, 1, 1 + i);
        submit(r, BLK_READ, 500, 1, 41);
        assert_int_equal(blk_stats(r->dev)->reads, first ? 0 : 2);
        blk_unplug(r->dev, r->cpu);
        assert_int_equal(blk_stats(r->dev)->read_merges, 39);
        finish(r);
        stop(r);
    }
    rig.policy.plug_by_first = false;
}

/* The device's segments, of one page each, fill a request; the next page opens another. With 254
 * (virtio-blk of QEMU) 6.12 wrote swap in requests of at most 1040384 bytes (block_rq_issue). */
static void merging_stops_at_max_segments(void **state) {
    static const uint32_t max[] = {128, 254};

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct blk_cost c = simple;

        c.max_segments = max[k];
        struct rig *r = start("nvme", &c);
        blk_plug(r->dev, r->cpu);
        for (uint32_t i = 0; i <= max[k]; i++)
            submit(r, BLK_WRITE, i, 1, i);
        assert_int_equal(blk_stats(r->dev)->write_merges, max[k] - 1);
        blk_unplug(r->dev, r->cpu);
        finish(r);
        assert_int_equal(blk_stats(r->dev)->writes, 2);
        assert_int_equal(r->nr, max[k] + 1);
        stop(r);
    }
}

/* 512 pages become requests of 320 and 192. Channel 0: 20000 + 320000. Channel 1, sequential:
 * the link has 512000 ns of bytes to move, which outlasts 4000 + 192000. One end. */
static void large_bio_is_split(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    submit(r, BLK_WRITE, 1000, 512, 9);
    finish(r);
    assert_int_equal(r->nr, 1);
    expect(r, 0, 9, 512000);
    assert_int_equal(blk_stats(r->dev)->writes, 2);
    assert_int_equal(blk_stats(r->dev)->write_pages, 512);
    stop(r);
}

/* Submission and completion cost CPU time; the end is told after the interrupt's work. */
static void cpu_time_is_charged(void **state) {
    struct blk_cost c = simple;
    struct rig *r;

    (void)state;
    c.submit_ns = 700;
    c.complete_ns = 300;
    r = start("nvme", &c);
    submit(r, BLK_READ, 10, 1, 1);
    assert_int_equal(r->cpu->now, 700);
    finish(r);
    expect(r, 0, 1, 700 + 11000 + 300);
    assert_int_equal(r->cpu->sys_ns, 1000);
    assert_int_equal(r->cpu->idle_ns, 11000);
    assert_int_equal(r->cpu->now, 12000);
    stop(r);
}

/* One channel, two requests: the third submitter idles to the end of the first, at 11000. */
static void full_queue_makes_the_submitter_wait(void **state) {
    struct blk_cost c = simple;
    struct rig *r;

    (void)state;
    c.channels = 1;
    c.nr_requests = 2;
    r = start("nvme", &c);
    submit(r, BLK_READ, 10, 1, 1);
    submit(r, BLK_READ, 20, 1, 2);
    assert_int_equal(r->cpu->now, 0);
    submit(r, BLK_READ, 30, 1, 3);
    assert_int_equal(r->cpu->now, 11000);
    assert_int_equal(r->cpu->idle_ns, 11000);
    finish(r);
    expect(r, 0, 1, 11000);
    expect(r, 1, 2, 22000);
    expect(r, 2, 3, 33000);
    stop(r);
}

static void null_ends_at_once_but_later(void **state) {
    struct blk_cost c = default_cost("null");
    struct rig *r;

    (void)state;
    r = start("null", &c);
    sim_charge(r->cpu, 50);
    submit(r, BLK_WRITE, 1, 1, 7);
    assert_int_equal(r->nr, 0);
    assert_int_equal(engine_next_event(r->eng), 50);
    engine_poll(r->eng, 50);
    expect(r, 0, 7, 50);
    stop(r);
}

/* 305 + 4096 / 6.6 ns = 305 + 620, then sequential 169 + 620; 379 each to submit. */
static void pmem_is_synchronous(void **state) {
    struct blk_cost c = default_cost("pmem");
    struct rig *r;

    (void)state;
    r = start("pmem", &c);
    submit(r, BLK_READ, 5, 1, 7);
    assert_int_equal(r->cpu->now, 379 + 305 + 620);
    submit(r, BLK_READ, 6, 1, 8);
    assert_int_equal(r->cpu->now, 758 + 305 + 169 + 1240);
    assert_int_equal(blk_in_flight(r->dev), 0);
    assert_int_equal(r->nr, 0);
    assert_int_equal(engine_next_event(r->eng), RF_TIME_MAX);
    stop(r);
}

/* A default NVMe read: 1 us to submit, 80 us, 4096 / 3 ns of bytes, 1 us to complete. */
static void nvme_defaults(void **state) {
    struct blk_cost c = default_cost("nvme");
    struct rig *r;

    (void)state;
    r = start("nvme", &c);
    submit(r, BLK_READ, 5, 1, 7);
    finish(r);
    expect(r, 0, 7, 250 + 80000 + 1365 + 250);
    stop(r);
}

static unsigned order(const struct rig *r, uint32_t cookie) {
    for (unsigned i = 0; i < r->nr; i++)
        if (r->ended[i].cookie == cookie)
            return i;
    fail_msg("bio %u did not end", cookie);
    return 0;
}

static void hdd_sorts_a_batch(void **state) {
    struct blk_cost c = default_cost("hdd");
    struct rig *r;
    static const uint64_t offs[4] = {500, 20, 300, 21};
    static const uint32_t want[4] = {1, 3, 2, 0};

    (void)state;
    c.submit_ns = c.complete_ns = 0;
    r = start("hdd", &c);
    blk_plug(r->dev, r->cpu);
    for (uint32_t i = 0; i < 4; i++)
        submit(r, BLK_READ, offs[i], 1, i);
    blk_unplug(r->dev, r->cpu);
    finish(r);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(r->ended[i].cookie, want[i]);
    /* Seek to 20, 21 follows on the track; 4096 / 0.16 ns = 25600 of bytes each. */
    expect(r, 0, 1, 12000000 + 25600);
    expect(r, 1, 3, 12000000 + 25600 + 30000 + 25600);
    stop(r);
}

/* 48 reads (3 batches of 16) and 16 writes: two batches of reads, the writes, the last reads. */
static void hdd_writes_are_passed_over_twice(void **state) {
    struct blk_cost c = default_cost("hdd");
    struct rig *r;

    (void)state;
    r = start("hdd", &c);
    submit(r, BLK_READ, 100000, 1, 999); /* keeps the disk busy while the queue fills */
    for (uint32_t i = 0; i < 16; i++)
        submit(r, BLK_WRITE, 5000 + i * 10, 1, 100 + i);
    for (uint32_t i = 0; i < 48; i++)
        submit(r, BLK_READ, i * 10, 1, i);
    finish(r);
    assert_int_equal(r->nr, 65);
    assert_int_equal(order(r, 999), 0);
    assert_int_equal(order(r, 0), 1);
    assert_int_equal(order(r, 31), 32);
    assert_int_equal(order(r, 100), 33);
    assert_int_equal(order(r, 115), 48);
    assert_int_equal(order(r, 32), 49);
    assert_int_equal(order(r, 47), 64);
    stop(r);
}

static void discard_moves_no_bytes(void **state) {
    struct rig *r = start("nvme", &simple);

    (void)state;
    blk_plug(r->dev, r->cpu);
    submit(r, BLK_DISCARD, 0, 512, 1);
    submit(r, BLK_DISCARD, 512, 512, 2); /* not merged */
    blk_unplug(r->dev, r->cpu);
    finish(r);
    expect(r, 0, 2, 4000);
    expect(r, 1, 1, 20000);
    assert_int_equal(blk_stats(r->dev)->discards, 2);
    assert_int_equal(blk_stats(r->dev)->discard_pages, 1024);
    stop(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry_has_all_devices),
        cmocka_unit_test(zero_channels_are_refused),
        cmocka_unit_test(channels_work_in_parallel),
        cmocka_unit_test(channels_share_the_rate),
        cmocka_unit_test(following_request_is_sequential),
        cmocka_unit_test(plug_merges_with_the_last_request),
        cmocka_unit_test(plug_flushes_at_32_requests),
        cmocka_unit_test(plug_flushes_after_128_kib),
        cmocka_unit_test(plug_goes_by_the_size_that_the_policy_names),
        cmocka_unit_test(merging_stops_at_max_segments),
        cmocka_unit_test(large_bio_is_split),
        cmocka_unit_test(cpu_time_is_charged),
        cmocka_unit_test(full_queue_makes_the_submitter_wait),
        cmocka_unit_test(null_ends_at_once_but_later),
        cmocka_unit_test(pmem_is_synchronous),
        cmocka_unit_test(nvme_defaults),
        cmocka_unit_test(hdd_sorts_a_batch),
        cmocka_unit_test(hdd_writes_are_passed_over_twice),
        cmocka_unit_test(discard_moves_no_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
