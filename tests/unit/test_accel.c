/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accelerators: times of single jobs and batches by hand from the costs, queues that are full, and
 * what must hold whatever the costs are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "refault/accel.h"
#include "src/accel/accel_int.h"

#define CPUS 32u
#define S_C 2000u /* service of a compression */
#define S_D 1000u /* of a decompression from half a page */
#define SUBMIT 100u
#define WAIT 500u
#define IRQ 3000u

struct rig {
    struct accel_config c;
    struct accel_cost cost;
    struct engine *eng;
    struct accel *a;
    struct sim_cpu *cpu;
};

/* The driver of the batching series: two queues a device, all engines, no verification. */
static struct rig rig_of(const char *model) {
    struct rig r = {
        .c = {.devices = 4,
              .packages = 1,
              .engines = 8,
              .wqs = 2,
              .comp_wqs = 1,
              .groups = 1,
              .wq_size = 128,
              .completion = ACCEL_ASYNC,
              .batch = 8,
              .policy = {{.full = ACCEL_FULL_ERROR, .retries = 1000},
                         {.full = ACCEL_FULL_SOFTWARE, .retries = 500}}},
        .cost = {.compress_ns = S_C,
                 .decompress_ns = S_D,
                 .submit_ns = SUBMIT,
                 .wait_ns = WAIT,
                 .irq_ns = IRQ,
                 .retry_ns = 50,
                 .parallel_compress = 2,
                 .dynamic_percent = 200},
    };
    strcpy(r.c.model, model);
    return r;
}

static void start_with(struct rig *r, enum codec_id codec) {
    struct engine_params ep = {.cpus = CPUS};
    struct rf_err err = {0};

    assert_int_equal(engine_create(&ep, &r->eng, &err), 0);
    struct accel_params p = {
        .config = &r->c, .cost = &r->cost, .codec = codec, .cpus = CPUS, .seed = 3, .eng = r->eng};
    if (accel_create(&p, &r->a, &err))
        fail_msg("%s", err.msg);
    r->cpu = engine_cpu(r->eng, 0);
}

static void start(struct rig *r) {
    start_with(r, CODEC_DEFLATE_IAA);
}

static void stop(struct rig *r) {
    accel_destroy(r->a);
    engine_destroy(r->eng);
}

/* Jobs one after another: a list of those that may still matter to somebody's clock stays short. */
static void test_entries_are_forgotten(void **state) {
    struct engine_params ep = {.cpus = 1};
    struct accel a = {0};
    struct entry_list l = {.size = 8};
    struct rf_err err = {0};

    (void)state;
    assert_int_equal(engine_create(&ep, &a.eng, &err), 0);
    for (rf_time t = 0; t < 10000; t++)
        entry_list_take(&l, &a, t * 100, t * 100 + 50);
    assert_in_range(l.cap, 1, 128);
    entry_list_free(&l);
    engine_destroy(a.eng);
}

static void fill(struct accel_job *job, uint32_t n, enum accel_op op) {
    for (uint32_t i = 0; i < n; i++)
        job[i] = (struct accel_job){
            .op = (uint8_t)op, .len = 2048, .room = RF_PAGE_SIZE, .cpu_ns = 20000};
}

/* Time of n jobs on CPU 0 of a fresh machine. */
static uint64_t time_of(struct rig *r, enum accel_op op, uint32_t n) {
    struct accel_job job[64];

    start(r);
    fill(job, n, op);
    rf_time t = r->cpu->now;
    accel_run(r->a, r->cpu, job, n);
    t = r->cpu->now - t;
    stop(r);
    return t;
}

static void test_by_hand(void **state) {
    struct rig r = rig_of("iaa");

    (void)state;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 1), SUBMIT + S_C + WAIT);
    assert_int_equal(time_of(&r, ACCEL_DECOMPRESS, 1), SUBMIT + S_D + WAIT);
    /* one device, two at once: four rounds behind the second submission */
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 2 * SUBMIT + 4 * S_C + WAIT);
    /* eight engines: the last one submitted ends last */
    assert_int_equal(time_of(&r, ACCEL_DECOMPRESS, 8), 8 * SUBMIT + S_D + WAIT);
    r.c.policy[ACCEL_COMPRESS].distribute = true;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 8 * SUBMIT + S_C + WAIT);
    /* two batches of eight, each waited for */
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 16), 2 * (8 * SUBMIT + S_C + WAIT));
    r.c.completion = ACCEL_SYNC;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 8 * (SUBMIT + S_C + WAIT));
    r.c.completion = ACCEL_IRQ;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 1), SUBMIT + S_C + IRQ + WAIT);
}

/* cost.accel.parallel_compress is dealt out to the groups, one at least to each. */
static void test_groups(void **state) {
    struct rig r = rig_of("iaa");

    (void)state;
    r.c.groups = 2;
    /* The one queue for compressions has one group, and of the two at once that group has one. */
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), SUBMIT + 8 * S_C + WAIT);
    /* Both queues in turn: one in each group. */
    r.c.comp_wqs = 0;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 2 * SUBMIT + 4 * S_C + WAIT);
    r.cost.parallel_compress = 1;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 2 * SUBMIT + 4 * S_C + WAIT);
    /* The first group has two of three: the second one ends last. */
    r.cost.parallel_compress = 3;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 2 * SUBMIT + 4 * S_C + WAIT);
    r.cost.parallel_compress = 4;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 8), 4 * SUBMIT + 2 * S_C + WAIT);
    /* Decompressions have all engines of the groups. */
    assert_int_equal(time_of(&r, ACCEL_DECOMPRESS, 8), 8 * SUBMIT + S_D + WAIT);
}

/* The service of a decompression goes with its input; of a compression with the page. */
static void test_lengths(void **state) {
    struct rig r = rig_of("iaa");
    struct accel_job job[2];

    (void)state;
    start(&r);
    fill(job, 2, ACCEL_DECOMPRESS);
    job[0].len = 1024;
    job[1].len = 4096;
    accel_run(r.a, r.cpu, job, 2);
    assert_int_equal(job[0].end - job[0].start, S_D / 2 + S_D / 4);
    assert_int_equal(job[1].end - job[1].start, S_D / 2 + S_D);
    /* the longest goes first, and results stay in the places of their pages */
    assert_true(job[1].at < job[0].at);
    assert_int_equal(accel_stats(r.a)->total_decomp_bytes_in, 5120);
    stop(&r);
    start_with(&r, CODEC_DEFLATE_IAA_DYN);
    fill(job, 1, ACCEL_COMPRESS);
    accel_run(r.a, r.cpu, job, 1);
    assert_int_equal(job[0].end - job[0].start, 2 * S_C);
    stop(&r);
}

static void test_overflow(void **state) {
    struct rig r = rig_of("iaa");
    struct accel_job job[3];

    (void)state;
    start(&r);
    fill(job, 3, ACCEL_COMPRESS);
    job[1].len = 4300;
    accel_run(r.a, r.cpu, job, 3);
    assert_int_equal(job[0].status, ACCEL_OK);
    assert_int_equal(job[1].status, ACCEL_EOVERFLOW);
    assert_int_equal(job[2].status, ACCEL_OK);
    const struct accel_stats *s = accel_stats(r.a);
    assert_int_equal(s->total_comp_calls, 3);
    assert_int_equal(s->total_completion_comp_buf_overflow_errors, 1);
    assert_int_equal(s->total_comp_bytes_out, 2 * 2048);
    assert_int_equal(s->fill[3], 1);
    stop(&r);
}

/* More devices never make a batch slower. */
static void test_more_devices(void **state) {
    uint64_t before = UINT64_MAX;

    (void)state;
    for (uint32_t d = 1; d <= 8; d *= 2) {
        struct rig r = rig_of("iaa");

        r.c.devices = d;
        r.c.policy[ACCEL_COMPRESS].distribute = true;
        uint64_t t = time_of(&r, ACCEL_COMPRESS, 8);
        assert_true(t <= before);
        before = t;
    }
}

/* With one entry and a sleeping submitter a batch is as slow as jobs one by one. */
static void test_depth_one(void **state) {
    struct rig r = rig_of("queue");

    (void)state;
    r.c.devices = 1;
    r.c.queue = (struct accel_queue_desc){
        .can = {true, true}, .depth = 1, .setup_ns = {S_C, S_C}, .submit_ns = SUBMIT};
    r.c.policy[ACCEL_COMPRESS].full = ACCEL_FULL_BLOCK;
    uint64_t batch = time_of(&r, ACCEL_COMPRESS, 8);
    r.c.completion = ACCEL_SYNC;
    assert_int_equal(batch, time_of(&r, ACCEL_COMPRESS, 8));
    assert_int_equal(batch, 8 * (SUBMIT + S_C));
}

/* An interrupt takes longer, but less of the CPU once the service is longer than its cost. */
static void test_interrupt(void **state) {
    (void)state;
    for (uint64_t service = 1000; service <= 9000; service += 4000) {
        uint64_t sys[2], all[2];

        for (int irq = 0; irq < 2; irq++) {
            struct rig r = rig_of("iaa");
            struct accel_job job;

            r.cost.compress_ns = service;
            r.c.completion = irq ? ACCEL_IRQ : ACCEL_ASYNC;
            start(&r);
            fill(&job, 1, ACCEL_COMPRESS);
            accel_run(r.a, r.cpu, &job, 1);
            sys[irq] = r.cpu->sys_ns;
            all[irq] = r.cpu->now;
            stop(&r);
        }
        assert_true(all[1] > all[0]);
        assert_int_equal(sys[1]<sys[0], service> IRQ);
    }
}

static void test_verify(void **state) {
    struct rig r = rig_of("iaa");

    (void)state;
    uint64_t comp = time_of(&r, ACCEL_COMPRESS, 1), decomp = time_of(&r, ACCEL_DECOMPRESS, 1);
    r.c.verify_compress = true;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 1), comp + SUBMIT + S_D + WAIT);
    assert_int_equal(time_of(&r, ACCEL_DECOMPRESS, 1), decomp);
}

/* `rounds` batches of eight from each CPU against one device; returns when the last has ended. */
static rf_time saturate(struct rig *r, enum accel_op op, uint32_t rounds) {
    struct accel_job job[8];
    rf_time last = 0;

    start(r);
    for (uint32_t i = 0; i < rounds * CPUS; i++) {
        struct sim_cpu *cpu = engine_cpu(r->eng, 0); /* the one that is behind goes on */

        for (uint32_t k = 1; k < CPUS; k++)
            if (engine_cpu(r->eng, k)->now < cpu->now)
                cpu = engine_cpu(r->eng, k);
        fill(job, 8, op);
        accel_run(r->a, cpu, job, 8);
        last = RF_MAX(last, cpu->now);
    }
    return last;
}

/*
 * The order of what happens as a device is shared by more: first the queue is full and attempts are
 * repeated, then jobs are given up and the CPU does decompressions itself, compressions fail.
 */
static void test_saturation(void **state) {
    struct rig r = rig_of("iaa");

    (void)state;
    r.c.devices = 1;
    r.c.wq_size = 128;
    saturate(&r, ACCEL_COMPRESS, 20);
    assert_true(accel_stats(r.a)->queue_full > 0);
    assert_true(accel_stats(r.a)->retries > accel_stats(r.a)->queue_full);
    assert_int_equal(accel_stats(r.a)->sw_comp_calls, 0);
    stop(&r);
    /* with few attempts allowed they are given up: compressions fail, decompressions fall back */
    r.c.policy[ACCEL_COMPRESS].retries = r.c.policy[ACCEL_DECOMPRESS].retries = 3;
    saturate(&r, ACCEL_COMPRESS, 20);
    assert_true(accel_stats(r.a)->eagain > 0);
    assert_int_equal(accel_stats(r.a)->sw_comp_calls, 0);
    assert_int_equal(accel_stats(r.a)->comp_failed, accel_stats(r.a)->eagain);
    stop(&r);
    r.c.engines = 1;
    saturate(&r, ACCEL_DECOMPRESS, 20);
    assert_true(accel_stats(r.a)->total_sw_decomp_calls > 0);
    assert_int_equal(accel_stats(r.a)->total_sw_decomp_calls, accel_stats(r.a)->eagain);
    assert_int_equal(accel_stats(r.a)->comp_failed, 0);
    stop(&r);
    /* each CPU its own device: never full */
    r.c.devices = CPUS;
    saturate(&r, ACCEL_DECOMPRESS, 20);
    assert_int_equal(accel_stats(r.a)->queue_full, 0);
    stop(&r);
}

/* One device, many CPUs: three attempts and then software beat waiting for the queue (the QEMU
 * series on multifd compression with QPL: 14,649 ms of migration against 18,381). */
static void test_fallback_beats_waiting(void **state) {
    struct rig r = rig_of("iaa");

    (void)state;
    r.c.devices = 1;
    r.c.policy[ACCEL_COMPRESS] = (struct accel_queue_policy){.full = ACCEL_FULL_BLOCK};
    rf_time waiting = saturate(&r, ACCEL_COMPRESS, 40);
    stop(&r);
    r.c.policy[ACCEL_COMPRESS] =
        (struct accel_queue_policy){.full = ACCEL_FULL_SOFTWARE, .retries = 3};
    rf_time fallback = saturate(&r, ACCEL_COMPRESS, 40);
    assert_true(accel_stats(r.a)->sw_comp_calls > 0);
    stop(&r);
    assert_true(fallback < waiting);
}

/* A shared queue refuses at its threshold, a dedicated one at its size. */
static void test_threshold(void **state) {
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct rig r = rig_of("iaa");

        r.c.devices = 1;
        r.c.wq_shared = shared;
        r.c.wq_threshold = 4;
        r.c.policy[ACCEL_COMPRESS] =
            (struct accel_queue_policy){.full = ACCEL_FULL_ERROR, .retries = 0};
        struct accel_job job[8];
        start(&r);
        fill(job, 8, ACCEL_COMPRESS);
        accel_run(r.a, r.cpu, job, 8);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(job[i].status, shared && i >= 4 ? ACCEL_EAGAIN : ACCEL_OK);
        stop(&r);
    }
}

/* A device of numbers: failures, an output limit, small jobs, and results in order. */
static void test_queue_features(void **state) {
    struct rig r = rig_of("queue");
    struct accel_job job[8];

    (void)state;
    r.c.devices = 1;
    r.c.queue = (struct accel_queue_desc){.can = {true, true},
                                          .setup_ns = {S_C, S_C},
                                          .byte_ps = {0, 1000},
                                          .max_out = 3072,
                                          .min_job = 512,
                                          .ordered = true,
                                          .software = true};
    start_with(&r, CODEC_LZ4);
    fill(job, 8, ACCEL_COMPRESS);
    job[2].len = 3500;
    accel_run(r.a, r.cpu, job, 8);
    assert_int_equal(job[2].status, ACCEL_EOVERFLOW);
    fill(job, 3, ACCEL_DECOMPRESS);
    job[0].len = 4000;
    job[2].len = 100;
    accel_run(r.a, r.cpu, job, 3);
    assert_int_equal(job[0].end - job[0].start, S_C + 4000);
    assert_int_equal(job[1].end, job[0].end); /* its service was shorter */
    assert_int_equal(job[2].status, ACCEL_SOFTWARE);
    assert_int_equal(accel_stats(r.a)->total_sw_decomp_calls, 1);
    stop(&r);
    r.c.queue.fail_ppm = 1000000;
    start_with(&r, CODEC_LZ4);
    fill(job, 8, ACCEL_COMPRESS);
    accel_run(r.a, r.cpu, job, 8);
    assert_int_equal(accel_stats(r.a)->sw_comp_calls, 8);
    assert_int_equal(accel_stats(r.a)->total_completion_einval_errors, 8);
    assert_int_equal(job[7].status, ACCEL_SOFTWARE);
    stop(&r);
}

/* The doorbell is rung for what the device takes, and nothing is verified: that is iaa's. */
static void test_queue_doorbell(void **state) {
    struct rig r = rig_of("queue");
    struct accel_job job[8];

    (void)state;
    r.c.devices = 1;
    r.c.verify_compress = true;
    r.c.queue = (struct accel_queue_desc){
        .can = {true, true}, .setup_ns = {S_C, S_D}, .doorbell_ns = 700, .min_job = 2048};
    start_with(&r, CODEC_LZ4);
    fill(job, 8, ACCEL_DECOMPRESS);
    for (int i = 0; i < 5; i++)
        job[i].len = 2047;
    accel_run(r.a, r.cpu, job, 4); /* the CPU's alone */
    assert_int_equal(r.cpu->sys_ns, 4 * 20000);
    assert_int_equal(accel_stats(r.a)->fill[4], 0);
    accel_run(r.a, r.cpu, job + 4, 4);
    assert_int_equal(accel_stats(r.a)->fill[3], 1);
    assert_int_equal(accel_stats(r.a)->total_decomp_calls, 3);
    fill(job, 1, ACCEL_COMPRESS);
    uint64_t before = r.cpu->sys_ns;
    accel_run(r.a, r.cpu, job, 1);
    assert_int_equal(r.cpu->sys_ns - before, 700 + S_C);
    assert_int_equal(accel_stats(r.a)->verifies, 0);
    stop(&r);
}

/* What the device never takes is not offloaded, so that its costs are those of software. Beside the
 * other direction it is counted. */
static void test_queue_one_direction(void **state) {
    struct rig r = rig_of("queue");
    struct accel_job job[8];

    (void)state;
    r.c.queue = (struct accel_queue_desc){.can = {false, true}, .setup_ns = {S_C, S_D}};
    start_with(&r, CODEC_LZ4);
    assert_false(accel_offloads(r.a, ACCEL_COMPRESS));
    fill(job, 8, ACCEL_COMPRESS);
    accel_run(r.a, r.cpu, job, 8);
    assert_int_equal(accel_stats(r.a)->sw_comp_calls, 8);
    assert_int_equal(job[7].status, ACCEL_SOFTWARE);
    stop(&r);
    r.c.queue.can[ACCEL_COMPRESS] = true;
    for (uint32_t above = 0; above < 2; above++) {
        r.c.queue.min_job = RF_PAGE_SIZE + above;
        start_with(&r, CODEC_LZ4);
        assert_int_equal(accel_offloads(r.a, ACCEL_COMPRESS), !above);
        assert_int_equal(accel_offloads(r.a, ACCEL_DECOMPRESS), !above);
        fill(job, 8, ACCEL_DECOMPRESS); /* of half a page */
        accel_run(r.a, r.cpu, job, 8);
        assert_int_equal(accel_stats(r.a)->total_sw_decomp_calls, above ? 0 : 8);
        stop(&r);
    }
}

/* A page in the pool is nowhere else: whatever fails, and however, the CPU decompresses it. */
static void test_loads_never_fail(void **state) {
    struct rig r = rig_of("iaa");
    struct accel_job job[8];

    (void)state;
    r.c.devices = 1;
    r.c.comp_wqs = 0;
    r.c.wqs = r.c.wq_size = 1;
    r.c.policy[ACCEL_DECOMPRESS] = (struct accel_queue_policy){.full = ACCEL_FULL_ERROR};
    start(&r);
    fill(job, 8, ACCEL_DECOMPRESS);
    accel_run(r.a, r.cpu, job, 8);
    assert_int_equal(job[0].status, ACCEL_OK);
    for (int i = 1; i < 8; i++)
        assert_int_equal(job[i].status, ACCEL_SOFTWARE);
    assert_int_equal(r.cpu->now, SUBMIT + S_D + WAIT + 7 * 20000);
    assert_int_equal(accel_stats(r.a)->total_sw_decomp_calls, 7);
    stop(&r);
    strcpy(r.c.model, "queue");
    r.c.queue = (struct accel_queue_desc){.can = {true, true}, .fail_ppm = 1000000};
    start_with(&r, CODEC_LZ4);
    fill(job, 8, ACCEL_DECOMPRESS);
    accel_run(r.a, r.cpu, job, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(job[i].status, ACCEL_SOFTWARE);
    assert_int_equal(r.cpu->sys_ns, 8 * 20000);
    fill(job, 1, ACCEL_COMPRESS);
    accel_run(r.a, r.cpu, job, 1);
    assert_int_equal(job[0].status, ACCEL_EINVAL);
    stop(&r);
}

/* Attempts that take no time are over before a place can be free. */
static void test_free_retries(void **state) {
    struct rig r = rig_of("iaa");
    struct accel_job job[2];

    (void)state;
    r.c.devices = 1;
    r.c.comp_wqs = 0;
    r.c.wqs = r.c.wq_size = 1;
    r.cost.retry_ns = 0;
    start(&r);
    fill(job, 2, ACCEL_COMPRESS);
    accel_run(r.a, r.cpu, job, 2);
    assert_int_equal(job[0].status, ACCEL_OK);
    assert_int_equal(job[1].status, ACCEL_EAGAIN);
    assert_int_equal(r.cpu->now, SUBMIT + S_C + WAIT);
    stop(&r);
    r.c.policy[ACCEL_COMPRESS].full = ACCEL_FULL_SPIN;
    assert_int_equal(time_of(&r, ACCEL_COMPRESS, 2), 2 * (SUBMIT + S_C) + WAIT);
}

static void test_other_codec(void **state) {
    struct rig r = rig_of("iaa");
    struct accel_job job[8];

    (void)state;
    start_with(&r, CODEC_ZSTD);
    assert_false(accel_offloads(r.a, ACCEL_COMPRESS));
    fill(job, 8, ACCEL_COMPRESS);
    accel_run(r.a, r.cpu, job, 8);
    assert_int_equal(r.cpu->sys_ns, 8 * 20000);
    assert_int_equal(accel_stats(r.a)->total_comp_calls, 0);
    stop(&r);
}

static void test_bad(void **state) {
    struct rig r = rig_of("gpu");
    struct rf_err err = {0};
    struct accel *a;

    (void)state;
    struct accel_params p = {.config = &r.c, .cost = &r.cost, .codec = CODEC_LZ4, .cpus = 1};
    assert_int_equal(accel_create(&p, &a, &err), RF_EUSAGE);
    strcpy(r.c.model, "iaa");
    r.c.comp_wqs = 2;
    assert_int_equal(accel_create(&p, &a, &err), RF_EUSAGE);
    r.c.comp_wqs = 0;
    r.c.wq_size = 1;
    assert_int_equal(accel_create(&p, &a, &err), RF_EUSAGE);
    strcpy(r.c.model, "queue");
    assert_int_equal(accel_create(&p, &a, &err), RF_EUSAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_are_forgotten),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_more_devices),
        cmocka_unit_test(test_depth_one),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_fallback_beats_waiting),
        cmocka_unit_test(test_queue_features),
        cmocka_unit_test(test_queue_doorbell),
        cmocka_unit_test(test_queue_one_direction),
        cmocka_unit_test(test_loads_never_fail),
        cmocka_unit_test(test_free_retries),
        cmocka_unit_test(test_other_codec),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
