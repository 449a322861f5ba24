/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iaa-latency and iaa-batch8: latencies of Intel IAA in zswap as published with the driver and with
 * its batching series. Most of the figures are those that the costs were fitted to (calibration);
 * what follows from them, and the relations that must hold whatever the costs are, is validation.
 */
#include <math.h>
#include <stdlib.h>
#include "refault/config.h"
#include "repro/repro.h"

#define PAGES 16u        /* of a 64 KiB folio */
#define COMPRESSED 1741u /* bytes a page: ratio 2.35 */
#define FITTED "calibration"
#define PREDICTED "validation"

/* The driver of the batching series on a package of four devices. */
static struct accel_config series(void) {
    struct machine_config c;
    struct accel_config a;

    if (machine_config_init(&c, "6.13", NULL))
        return (struct accel_config){0};
    a = c.accel;
    strcpy(a.model, "iaa");
    a.engines = 8;
    a.wqs = 2;
    a.comp_wqs = 1;
    a.completion = ACCEL_ASYNC;
    a.verify_compress = false;
    return a;
}

/* Time of n jobs that one CPU hands over together; 0 if that failed, which is then in r->err. */
static double time_of(struct repro *r, const struct accel_config *c, const struct accel_cost *cost,
                      enum accel_op op, uint32_t n) {
    struct engine_params ep = {.cpus = 1};
    struct engine *eng = NULL;
    struct accel *a = NULL;
    struct accel_job job[8];
    double ns = 0;

    if (engine_create(&ep, &eng, &r->err))
        return 0;
    struct accel_params p = {
        .config = c, .cost = cost, .codec = CODEC_DEFLATE_IAA, .cpus = 1, .seed = 1, .eng = eng};
    if (!accel_create(&p, &a, &r->err)) {
        struct sim_cpu *cpu = engine_cpu(eng, 0);

        for (uint32_t i = 0; i < n; i++)
            job[i] = (struct accel_job){.op = (uint8_t)op, .len = 2048, .room = RF_PAGE_SIZE};
        accel_run(a, cpu, job, n);
        ns = (double)cpu->now;
    }
    accel_destroy(a);
    engine_destroy(eng);
    return ns;
}

static void row(struct repro *r, const char *id, const char *kind, const char *what, double got,
                double published, double tolerance) {
    char text[96];

    snprintf(text, sizeof(text), "%s, %s", what, kind);
    repro_say(r, "  %-44s %9.0f %9.0f %7.1f %%  %s\n", what, published, got,
              100.0 * (got / published - 1.0), kind);
    repro_judge(r, id, text, got, published * (1.0 - tolerance), published * (1.0 + tolerance), 0);
}

static void head(struct repro *r) {
    repro_say(r, "  %-44s %9s %9s %9s\n", "ns", "published", "simulated", "error");
}

static void run_latency(struct repro *r) {
    const struct profile *p = profile_default();
    struct accel_config c = series();
    const struct accel_cost cost = p->accel;

    c.completion = ACCEL_SYNC;
    double comp = time_of(r, &c, &cost, ACCEL_COMPRESS, 1);
    double decomp = time_of(r, &c, &cost, ACCEL_DECOMPRESS, 1);
    c.verify_compress = true;
    double comp_verified = time_of(r, &c, &cost, ACCEL_COMPRESS, 1);
    double decomp_verified = time_of(r, &c, &cost, ACCEL_DECOMPRESS, 1);
    c.verify_compress = false;
    c.completion = ACCEL_IRQ;
    double irq_comp = time_of(r, &c, &cost, ACCEL_COMPRESS, 1);
    double irq_decomp = time_of(r, &c, &cost, ACCEL_DECOMPRESS, 1);
    if (r->err.code)
        return;
    head(r);
    row(r, "LAT.sync_comp", FITTED, "sync, compress", comp, 3177, 0.15);
    row(r, "LAT.sync_decomp", FITTED, "sync, decompress", decomp, 2235, 0.15);
    row(r, "LAT.irq_comp", FITTED, "async_irq, compress", irq_comp, 6847, 0.15);
    row(r, "LAT.irq_decomp", PREDICTED, "async_irq, decompress", irq_decomp, 5840, 0.15);
    row(r, "LAT.sw_comp", FITTED, "software deflate, compress",
        (double)p->zswap.compress_ns[CODEC_DEFLATE], 108978, 0.15);
    row(r, "LAT.sw_decomp", FITTED, "software deflate, decompress",
        (double)p->zswap.decompress_ns[CODEC_DEFLATE], 14485, 0.15);
    repro_say(r, "\n");
    repro_judge(r, "LAT.verify_comp", "verification, compress: ns on top, validation",
                comp_verified - comp, 1, INFINITY, 0);
    repro_exact(r, "LAT.verify_decomp", "verification, decompress: ns on top, validation",
                (int64_t)(decomp_verified - decomp), 0);
}

/* zswap_store() of a folio of 64 KiB with costs of the default profile: ns a page. */
static double store_ns(struct repro *r, const struct accel_config *c, bool batch) {
    struct engine_params ep = {.cpus = 1};
    struct engine *eng = NULL;
    struct accel *a = NULL;
    struct zswap *z = NULL;
    struct content_row rows[1] = {0};
    struct content_set *cs = NULL;
    const struct kernel_era *era = era_find("6.13");
    uint32_t content[PAGES];
    double ns = 0;

    for (uint32_t i = 0; i < NR_CODECS; i++)
        rows[0].size[i] = COMPRESSED;
    for (uint32_t i = 0; i < PAGES; i++)
        content[i] = 1;
    if (content_from_rows(rows, 1, &cs, &r->err) || engine_create(&ep, &eng, &r->err))
        goto out;
    struct accel_params ap = {.config = c,
                              .cost = &profile_default()->accel,
                              .codec = CODEC_DEFLATE_IAA,
                              .cpus = 1,
                              .seed = 1,
                              .eng = eng};
    if (accel_create(&ap, &a, &r->err))
        goto out;
    struct zswap_params zp = {.policy = era->zswap,
                              .cost = profile_default()->zswap,
                              .zs = era->zs,
                              .ram_pages = 1u << 20,
                              .max_slots = 4096,
                              .content = cs,
                              .accel = a};
    zp.policy.store_batch = batch;
    zp.cost.tree_lock_ns = 0; /* contained in the measured cost of a store */
    zp.knobs = (struct zswap_knobs){.enabled = true,
                                    .compressor = CODEC_DEFLATE_IAA,
                                    .zpool = zpool_find("zsmalloc"),
                                    .max_pool_percent = 50,
                                    .accept_threshold_percent = 90};
    if (zswap_create(&zp, &z, &r->err))
        goto out;
    if (zswap_store_large(z, engine_cpu(eng, 0), 16, PAGES, 1, content))
        ns = (double)engine_cpu(eng, 0)->now / PAGES;
out:
    zswap_destroy(z);
    accel_destroy(a);
    engine_destroy(eng);
    content_free(cs);
    return ns;
}

static void run_batch8(struct repro *r) {
    struct accel_config c = series();
    struct accel_cost v5 = profile_default()->accel;

    head(r);
    /* v5: the same service, but a driver that takes longer to submit. */
    v5.submit_ns = 826;
    v5.wait_ns = 1268;
    c.policy[ACCEL_COMPRESS].distribute = true;
    double async = time_of(r, &c, &v5, ACCEL_COMPRESS, 8);
    c.completion = ACCEL_SYNC;
    double sync = time_of(r, &c, &v5, ACCEL_COMPRESS, 8);
    row(r, "B8.chain_async", FITTED, "v5, 8 pages, request chain, async: mean", async, 9959, 0.15);
    row(r, "B8.chain_sync", FITTED, "v5, 8 pages, request chain, sync: mean", sync, 33391, 0.15);
    row(r, "B8.batch_poll", PREDICTED, "v5, 8 pages, batch interface, poll: mean", async, 10083,
        0.15);

    c = series();
    double seq = store_ns(r, &c, false), one = store_ns(r, &c, true);
    c.policy[ACCEL_COMPRESS].distribute = true;
    double spread = store_ns(r, &c, true);
    c.devices = 1;
    double single = store_ns(r, &c, true);
    if (r->err.code)
        return;
    row(r, "B8.store_seq", FITTED, "v10, store a page, one by one: p50", seq, 3503, 0.20);
    row(r, "B8.store_batch", FITTED, "v10, store a page, batch, one device: p50", one, 1356, 0.20);
    row(r, "B8.store_spread", FITTED, "v10, store a page, batch, distributed: p50", spread, 706,
        0.20);
    repro_say(r, "\n");
    repro_judge(r, "B8.order", "sequential > one device > distributed: smallest ratio, validation",
                RF_MIN(seq / one, one / spread), 1.0001, INFINITY, 2);
    repro_exact(r, "B8.alone", "distributed over one device = not: ns a page, validation",
                (int64_t)(single - one), 0);
}

const struct repro_ops repro_iaa_latency = {
    .name = "iaa-latency",
    .summary = "latencies of Intel IAA in zswap: polling, interrupts, software",
    .source =
        "T. Zanussi, \"[PATCH v11 00/14] crypto: Add Intel Analytics Accelerator (IAA) crypto "
        "compression driver\", Dec 2023",
    .time = "under 1 s",
    .run = run_latency,
};

const struct repro_ops repro_iaa_batch8 = {
    .name = "iaa-batch8",
    .summary = "batches of eight pages on Intel IAA",
    .source =
        "K. P. Sridhar, \"zswap compression batching with optimized iaa_crypto driver\", v5 Dec "
        "2024 and v10 Jul 2025",
    .time = "under 1 s",
    .run = run_batch8,
};
