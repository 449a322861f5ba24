/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of one run on a terminal. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include "config/value.h"

static uint64_t counter(const struct replay_result *r, const char *name) {
    const struct value *v = value_list_find(&r->values, MV_COUNTER, name);

    return v ? v->value : 0;
}

static uint64_t timing(const struct replay_result *r, const char *name) {
    const struct value *v = value_list_find(&r->values, MV_TIME, name);

    return v ? v->value : 0;
}

static uint64_t extra(const struct replay_result *r, const char *name) {
    const struct value *v = value_list_find(&r->values, MV_X, name);

    return v ? v->value : 0;
}

/* "12.3 M", three significant digits. */
static const char *count_text(uint64_t n, char *buf, size_t size) {
    static const struct {
        uint64_t unit;
        const char *suffix;
    } units[] = {{1000000000, " G"}, {1000000, " M"}, {10000, " k"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        uint64_t tenths;

        if (n < units[i].unit)
            continue;
        if (i == 2) {
            snprintf(buf, size, "%" PRIu64 " k", (n + 500) / 1000);
            return buf;
        }
        tenths = (n + units[i].unit / 200) / (units[i].unit / 100);
        if (tenths >= 10000)
            snprintf(buf, size, "%" PRIu64 "%s", (tenths + 50) / 100, units[i].suffix);
        else if (tenths >= 1000)
            snprintf(buf, size, "%" PRIu64 ".%" PRIu64 "%s", (tenths + 5) / 100,
                     (tenths + 5) / 10 % 10, units[i].suffix);
        else
            snprintf(buf, size, "%" PRIu64 ".%02" PRIu64 "%s", tenths / 100, tenths % 100,
                     units[i].suffix);
        return buf;
    }
    snprintf(buf, size, "%" PRIu64, n);
    return buf;
}

static unsigned percent_of(uint64_t part, uint64_t whole) {
    return whole ? (unsigned)((double)part * 100.0 / (double)whole + 0.5) : 0;
}

static const char *pages_text(uint64_t pages, char *buf, size_t size) {
    if (pages == UINT64_MAX)
        snprintf(buf, size, "max");
    else
        value_format_bytes(pages * RF_PAGE_SIZE, buf, size);
    return buf;
}

/* Whether large pages are on and no fault allocated or missed one. */
static bool large_pages_idle(const struct replay_result *r) {
    const struct machine_config *c = &r->config;
    uint64_t n = counter(r, "vmstat.thp_fault_alloc") + counter(r, "vmstat.thp_fault_fallback");
    unsigned orders = c->era.fault.mthp ? c->thp_orders : 0;
    char key[64];

    for (unsigned o = 0; orders >> o; o++) {
        snprintf(key, sizeof(key), "hugepages-%ukB.anon_fault_alloc", 4u << o);
        n += counter(r, key);
        snprintf(key, sizeof(key), "hugepages-%ukB.anon_fault_fallback", 4u << o);
        n += counter(r, key);
    }
    return (c->thp_enabled != THP_NEVER || orders) && !n;
}

bool report_too_small(const struct machine_config *c, const struct trace_info *i) {
    const struct rf_amount limits[] = {c->ram, c->memory_max, c->memory_high, c->memory_limit};

    for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
        if (machine_amount_pages(c, limits[k]) < i->min_memory_pages)
            return true;
    }
    return false;
}

/* Who compresses for zswap, if an accelerator was asked for. */
static void print_accel_setup(FILE *f, const struct replay_result *r) {
    const struct accel_config *c = &r->config.accel;

    if (strcmp(c->model, "none") == 0)
        return;
    if (!r->config.zswap_enabled)
        fprintf(f, "note     accel.model %s does nothing: zswap is off\n", c->model);
    else if (strcmp(c->model, "iaa") == 0 &&
             strncmp(r->config.zswap_compressor, "deflate-iaa", strlen("deflate-iaa")) != 0)
        fprintf(f,
                "note     accel.model iaa does nothing: it serves deflate-iaa and "
                "deflate-iaa-dynamic, not %s\n",
                r->config.zswap_compressor);
    else if (strcmp(c->model, "queue") == 0 && c->queue.min_job > RF_PAGE_SIZE)
        fprintf(
            f,
            "note     accel.model queue does nothing: accel.queue.min_job %u is more than a page\n",
            c->queue.min_job);
    else
        fprintf(f, "accel    %s, %u device%s of %u engine%s\n", c->model, c->devices,
                c->devices == 1 ? "" : "s", c->engines, c->engines == 1 ? "" : "s");
}

static void print_setup(FILE *f, const struct replay_result *r, const char *trace_name) {
    const struct machine_config *c = &r->config;
    const struct trace_info *i = &r->info;
    char a[48], b[48];

    fprintf(f, "trace    %s: %s accesses, %u %% stores, footprint %s, %u process%s\n", trace_name,
            count_text(i->ops, a, sizeof(a)), percent_of(i->writes, i->ops),
            pages_text(i->footprint_pages, b, sizeof(b)), i->processes,
            i->processes == 1 ? "" : "es");
    fprintf(f, "machine  kernel %s, %u CPU%s, %s RAM, swappiness %u, page-cluster %u%s\n",
            c->era.name, c->cpus, c->cpus == 1 ? "" : "s",
            pages_text(machine_amount_pages(c, c->ram), a, sizeof(a)), c->swappiness,
            c->page_cluster, c->lru_gen_enabled ? ", multi-gen LRU" : "");
    if (c->memory_max.kind != AMOUNT_MAX || c->memory_high.kind != AMOUNT_MAX)
        fprintf(f, "cgroup   memory.max %s, memory.high %s\n",
                pages_text(machine_amount_pages(c, c->memory_max), a, sizeof(a)),
                pages_text(machine_amount_pages(c, c->memory_high), b, sizeof(b)));
    if (c->memory_limit.kind != AMOUNT_MAX)
        fprintf(f, "cgroup   v1, memory.limit_in_bytes %s, memory.memsw.limit_in_bytes %s\n",
                pages_text(machine_amount_pages(c, c->memory_limit), a, sizeof(a)),
                pages_text(machine_amount_pages(c, c->memory_memsw_limit), b, sizeof(b)));
    fprintf(f, "swap     %s, %s", c->swap_device,
            pages_text(machine_amount_pages(c, c->swap_size), a, sizeof(a)));
    if (strcmp(c->swap_device, "zram0") == 0)
        fprintf(f, ", %s", c->zram_comp_algorithm);
    if (c->zswap_enabled)
        fprintf(f, "; zswap %s, %s, at most %u %% of RAM, accepting again below %u %% of that%s",
                c->zswap_compressor, c->zswap_zpool, c->max_pool_percent,
                c->accept_threshold_percent, c->shrinker_enabled ? ", shrinker" : "");
    fputc('\n', f);
    print_accel_setup(f, r);
    if (r->has_source && r->source == CONTENT_DERIVED)
        fprintf(f, "note     the trace has no sizes of this compressor: derived from another's\n");
    if (r->has_source && r->source == CONTENT_SYNTHETIC)
        fprintf(f, "note     page contents are synthetic\n");
    if (large_pages_idle(r))
        fprintf(f, "note     large pages are on, but no fault asked for one\n");
    if (report_too_small(c, i))
        fprintf(f, "note     the recording is valid from %s of memory on: this is less\n",
                pages_text(i->min_memory_pages, a, sizeof(a)));
}

static void print_time(FILE *f, const struct replay_result *r) {
    char a[48], b[48], c[48], d[48];

    fprintf(f, "time     %s: %s in user code, %s in the kernel, %s stalled\n\n",
            value_format_time(timing(r, "elapsed_ns"), a, sizeof(a)),
            value_format_time(timing(r, "user_ns"), b, sizeof(b)),
            value_format_time(timing(r, "sys_ns"), c, sizeof(c)),
            value_format_time(timing(r, "stall_ns"), d, sizeof(d)));
}

struct group {
    const char *title, *prefix;
    const char *names[20];
};

/* In the order in which the kernel's files have them. */
static const struct group groups[] = {
    {"faults",
     "vmstat.",
     {"pgfault", "pgmajfault", "pgreuse", "thp_fault_alloc", "thp_fault_fallback",
      "thp_fault_fallback_charge"}},
    {"swap",
     "vmstat.",
     {"pswpin", "pswpout", "swpin_zero", "swpout_zero", "swap_ra", "swap_ra_hit", "thp_swpout",
      "thp_swpout_fallback"}},
    {"reclaim",
     "vmstat.",
     {"pgscan_kswapd", "pgscan_direct", "pgscan_anon", "pgsteal_kswapd", "pgsteal_direct",
      "pgsteal_anon", "pgactivate", "pgdeactivate", "pgrotated", "pageoutrun", "allocstall",
      "workingset_refault_anon", "workingset_activate_anon", "workingset_restore_anon"}},
    {"zswap", "vmstat.", {"zswpin", "zswpout", "zswpwb"}},
    {NULL,
     "zswap.",
     {"stored_pages", "pool_total_size", "same_filled_pages", "written_back_pages",
      "pool_limit_hit", "reject_reclaim_fail", "reject_compress_fail", "reject_compress_poor",
      "reject_alloc_fail", "reject_kmemcache_fail"}},
    {"zram0",
     "zram.",
     {"orig_data_size", "compr_data_size", "mem_used_total", "mem_used_max", "same_pages",
      "huge_pages", "failed_writes", "notify_free"}},
    {"cgroup",
     "memory.",
     {"current", "peak", "swap.current", "zswap.current", "events.high", "events.max", "events.oom",
      "swap.events.fail", "usage_in_bytes", "max_usage_in_bytes", "failcnt", "memsw.usage_in_bytes",
      "memsw.failcnt"}},
};

static void print_counters(FILE *f, const struct replay_result *r) {
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
        const char *title = groups[g].title;

        for (size_t i = 0; i < 20 && groups[g].names[i]; i++) {
            char name[80];
            uint64_t v;

            snprintf(name, sizeof(name), "%s%s", groups[g].prefix, groups[g].names[i]);
            v = counter(r, name);
            if (!v)
                continue;
            fprintf(f, "%-8s %-34s %12" PRIu64 "\n", title ? title : "", name, v);
            title = NULL;
        }
    }
    fputc('\n', f);
}

static int by_value(const void *a, const void *b) {
    const struct value *x = *(const struct value *const *)a, *y = *(const struct value *const *)b;

    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void print_stalls(FILE *f, const struct replay_result *r) {
    const struct value *causes[32];
    size_t n = 0;
    uint64_t sum = 0;
    char t[48];

    for (size_t i = 0; i < r->values.n && n < 32; i++) {
        const struct value *v = &r->values.v[i];

        if (v->kind == MV_TIME && strncmp(v->name, "stall.", 6) == 0 && v->value) {
            causes[n++] = v;
            sum += v->value;
        }
    }
    if (!n)
        return;
    qsort(causes, n, sizeof(causes[0]), by_value);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(causes[i]->name) - strlen("stall.");

        if (len > 3)
            len -= 3; /* the _ns */
        fprintf(f, "%-8s %-34.*s %12s %4u %%\n", i ? "" : "stalls", (int)len, causes[i]->name + 6,
                value_format_time(causes[i]->value, t, sizeof(t)),
                percent_of(causes[i]->value, sum));
    }
    fputc('\n', f);
}

static void print_latencies(FILE *f, const struct replay_result *r) {
    static const char *const columns[] = {"p50_ns", "p90_ns", "p99_ns", "p99.9_ns", "max_ns"};
    static const char tail[] = ".p50_ns";
    bool header = false;

    for (size_t i = 0; i < r->values.n; i++) {
        const struct value *v = &r->values.v[i];
        size_t len = strlen(v->name), stem;
        char key[128], t[48];
        uint64_t n;

        if (v->kind != MV_TIME || len < sizeof(tail) || strcmp(v->name + len - 7, tail) != 0)
            continue;
        stem = len - 7;
        snprintf(key, sizeof(key), "%.*s.count", (int)stem, v->name);
        n = timing(r, key);
        if (!n)
            continue;
        if (!header)
            fprintf(f, "latency  %-18s %9s %8s %8s %8s %8s %8s\n", "", "count", "p50", "p90", "p99",
                    "p99.9", "max");
        header = true;
        fprintf(f, "         %-18.*s %9" PRIu64, (int)stem, v->name, n);
        for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
            snprintf(key, sizeof(key), "%.*s.%s", (int)stem, v->name, columns[c]);
            fprintf(f, " %8s", value_format_time(timing(r, key), t, sizeof(t)));
        }
        fputc('\n', f);
    }
    if (header)
        fputc('\n', f);
}

/* " compressed to A (ratio x), in B of pool pages (ratio y)". */
static void print_held(FILE *f, uint64_t data, uint64_t compressed, uint64_t pool) {
    char a[48], b[48];

    fprintf(f, ", compressed to %s", value_format_bytes(compressed, a, sizeof(a)));
    if (compressed)
        fprintf(f, " (ratio %.2f)", (double)data / (double)compressed);
    fprintf(f, ", in %s of pool pages", value_format_bytes(pool, b, sizeof(b)));
    if (pool)
        fprintf(f, " (ratio %.2f)", (double)data / (double)pool);
    fputc('\n', f);
}

/* What the accelerator did, and what waiting for it cost. */
static void print_accel(FILE *f, const struct replay_result *r) {
    uint64_t comp = counter(r, "iaa_crypto.total_comp_calls");
    uint64_t decomp = counter(r, "iaa_crypto.total_decomp_calls");
    uint64_t software =
        counter(r, "iaa_crypto.total_sw_decomp_calls") + extra(r, "accel.sw_comp_calls");
    uint64_t failed = extra(r, "accel.comp_failed");
    char a[48], b[48];

    if (!comp && !decomp && !software && !failed)
        return;
    fprintf(f,
            "accel    %" PRIu64 " compressions, %" PRIu64 " decompressions; the CPU did %" PRIu64
            " others, %" PRIu64 " failed\n",
            comp, decomp, software, failed);
    fprintf(
        f,
        "         %" PRIu64
        " jobs found the queue full, p99 of the wait in it %s; CPUs waited %s\n",
        extra(r, "accel.queue_full"),
        value_format_time(extra(r, "accel.queue_wait_p99_ns"), a, sizeof(a)),
        value_format_time(extra(r, "accel.poll_ns") + extra(r, "accel.sleep_ns"), b, sizeof(b)));
}

static void print_traffic(FILE *f, const struct replay_result *r) {
    uint64_t in = counter(r, "vmstat.pswpin"), out = counter(r, "vmstat.pswpout");
    uint64_t stored = counter(r, "zswap.stored_pages") * RF_PAGE_SIZE;
    uint64_t pool = counter(r, "zswap.pool_total_size");
    uint64_t orig = counter(r, "zram.orig_data_size"), used = counter(r, "zram.mem_used_total");
    uint64_t zswap_bytes = extra(r, "zswap.stored_bytes"),
             compr = counter(r, "zram.compr_data_size");
    bool zram = strcmp(r->config.swap_device, "zram0") == 0;
    char a[48], b[48];

    if (in || out)
        fprintf(f, "%-8s read %s, wrote %s\n", zram ? "zram0" : "device",
                pages_text(in, a, sizeof(a)), pages_text(out, b, sizeof(b)));
    if (stored || pool) {
        fprintf(f, "pool     zswap holds %s", value_format_bytes(stored, a, sizeof(a)));
        print_held(f, stored, zswap_bytes, pool);
    }
    if (extra(r, "age_zswap_ns") || extra(r, "age_device_ns"))
        fprintf(
            f, "age      of pages in zswap %s, of those on the device %s since their last use%s\n",
            value_format_time(extra(r, "age_zswap_ns"), a, sizeof(a)),
            value_format_time(extra(r, "age_device_ns"), b, sizeof(b)),
            extra(r, "age_zswap_ns") > extra(r, "age_device_ns") ? ": the wrong way round" : "");
    print_accel(f, r);
    if (orig || used) {
        fprintf(f, "pool     zram0 holds %s", value_format_bytes(orig, a, sizeof(a)));
        print_held(f, orig, compr, used);
    }
}

const char *report_verdict(const struct replay_result *r, char *buf, size_t size) {
    uint64_t attempts = extra(r, "zswap.attempts"), hysteresis = extra(r, "reject_hysteresis");
    uint64_t stall = timing(r, "stall_ns"), failed = extra(r, "accel.comp_failed");
    uint64_t out = counter(r, "vmstat.zswpout"), wb = counter(r, "vmstat.zswpwb");
    uint64_t poor =
        counter(r, "zswap.reject_compress_fail") + counter(r, "zswap.reject_compress_poor");
    uint64_t swapped = counter(r, "vmstat.pswpout") + out + counter(r, "vmstat.swpout_zero");

    if (r->outcome == MACHINE_OOM) {
        uint64_t pool = counter(r, "memory.zswap.current"), all = counter(r, "memory.current");

        if (pool && pool >= all / 2)
            snprintf(buf, size,
                     "out of memory at %u %% of the trace: zswap's pool, which is charged to the "
                     "cgroup, fills %u %% of it",
                     percent_of(r->ops_done, r->info.ops), percent_of(pool, all));
        else
            snprintf(buf, size, "out of memory at %u %% of the trace",
                     percent_of(r->ops_done, r->info.ops));
    } else if (!swapped) {
        snprintf(buf, size, "everything fitted into memory: nothing was swapped");
    } else if (attempts && percent_of(hysteresis, attempts) >= 1) {
        snprintf(buf, size, "zswap rejected %u %% of stores above the accept threshold",
                 percent_of(hysteresis, attempts));
    } else if (out && percent_of(wb, out) >= 10) {
        snprintf(buf, size, "zswap wrote %u %% of what it stored back to %s", percent_of(wb, out),
                 r->config.swap_device);
    } else if (attempts && percent_of(failed, attempts) >= 10) {
        snprintf(buf, size, "zswap rejected %u %% of stores because the accelerator failed them",
                 percent_of(failed, attempts));
    } else if (attempts && percent_of(poor, attempts) >= 10) {
        snprintf(buf, size, "zswap rejected %u %% of stores because they do not compress",
                 percent_of(poor, attempts));
    } else {
        /* of the time of all tasks: more than one may wait at once */
        snprintf(buf, size, "the workload was stalled for %u %% of the time",
                 percent_of(stall, stall + timing(r, "user_ns")));
    }
    return buf;
}

void report_text(FILE *f, const struct replay_result *r, const char *trace_name) {
    char verdict[256], n[48];

    print_setup(f, r, trace_name);
    fprintf(f, "outcome  %s after %s accesses\n",
            r->outcome == MACHINE_OOM ? "oom: out of memory" : "done",
            count_text(r->ops_done, n, sizeof(n)));
    if (r->config.verify && r->verified)
        fprintf(f, "verified %" PRIu64 " page%s read back from zswap and zram, all as stored\n",
                r->verified, r->verified == 1 ? "" : "s");
    else if (r->config.verify)
        fprintf(f, "verified nothing: no page was read back from zswap or zram\n");
    print_time(f, r);
    print_counters(f, r);
    print_stalls(f, r);
    print_latencies(f, r);
    print_traffic(f, r);
    fprintf(f, "verdict  %s\n", report_verdict(r, verdict, sizeof(verdict)));
}
