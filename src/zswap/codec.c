/* SPDX-License-Identifier: Apache-2.0 */
/* What compressing costs, and --verify: real payloads through the pool and back. */
#include "zswap_internal.h"

static uint64_t codec_ns(uint64_t base, uint64_t byte_ps, uint32_t len) {
    return base + byte_ps * len / 1000;
}

/* What the CPU does in place of the accelerator: deflate is the software twin of IAA. */
static enum codec_id cpu_codec(const struct zswap *z, enum accel_op op) {
    enum codec_id c = z->knobs.compressor;
    bool iaa = c == CODEC_DEFLATE_IAA || c == CODEC_DEFLATE_IAA_DYN;

    return iaa && accel_offloads(z->accel, op) ? CODEC_DEFLATE : c;
}

struct accel_job zswap_compress_job(const struct zswap *z, uint32_t len) {
    enum codec_id c = cpu_codec(z, ACCEL_COMPRESS);

    return (struct accel_job){.op = ACCEL_COMPRESS,
                              .len = (uint16_t)len,
                              .room = RF_PAGE_SIZE,
                              .cpu_ns =
                                  codec_ns(z->cost.compress_ns[c], z->cost.compress_byte_ps[c],
                                           RF_MIN(len, RF_PAGE_SIZE))};
}

struct accel_job zswap_decompress_job(const struct zswap *z, uint32_t slot) {
    uint32_t len = z->entry[slot].length;
    enum codec_id c = cpu_codec(z, ACCEL_DECOMPRESS);

    return (struct accel_job){
        .op = ACCEL_DECOMPRESS,
        .len = (uint16_t)len,
        .room = RF_PAGE_SIZE,
        .cpu_ns = codec_ns(z->cost.decompress_ns[c], z->cost.decompress_byte_ps[c], len)};
}

void zswap_run_jobs(struct zswap *z, struct sim_cpu *cpu, struct accel_job *job, uint32_t n) {
    rf_time t = cpu->now;

    accel_run(z->accel, cpu, job, n);
    z->c.x_mutex_holds++;
    z->c.x_mutex_hold_ns += cpu->now - t;
}

void zswap_charge_decompress(struct zswap *z, struct sim_cpu *cpu, uint32_t slot) {
    const struct zswap_entry *e = &z->entry[slot];

    if (e->flags & ENTRY_SAME) {
        sim_charge(cpu, z->cost.same_filled_ns);
    } else if (e->flags & ENTRY_RAW) {
        sim_charge(cpu, codec_ns(z->cost.decompress_ns[CODEC_NULL],
                                 z->cost.decompress_byte_ps[CODEC_NULL], e->length));
    } else {
        struct accel_job job = zswap_decompress_job(z, slot);

        zswap_run_jobs(z, cpu, &job, 1);
    }
}

static uint64_t hash_bytes(const uint8_t *p, uint32_t len) {
    uint64_t h = len;
    uint32_t i;

    for (i = 0; i + 8 <= len; i += 8)
        h = rf_mix64(h ^ rf_load_le64(p + i));
    for (; i < len; i++)
        h = rf_mix64(h ^ p[i]);
    return h;
}

/* The data that the entry's object must hold, header not included. */
static uint32_t expected_data(struct zswap *z, uint32_t slot, uint32_t content, uint8_t *buf) {
    if (z->entry[slot].flags & ENTRY_RAW) {
        content_bytes(z->content, content, buf);
        return RF_PAGE_SIZE;
    }
    return content_payload(z->content, content, z->knobs.compressor, buf);
}

void zswap_verify_write(struct zswap *z, uint32_t slot, uint32_t content) {
    struct zswap_entry *e = &z->entry[slot];
    struct zpool *pool = z->backend[backend_of(z, slot)];
    uint8_t buf[CODEC_MAX_OUT + 8] = {0};
    uint32_t len;

    if (!z->verify)
        return;
    z->entry_content[slot] = content;
    if (e->flags & ENTRY_SAME)
        return;
    rf_store_le32(buf, slot); /* the header of evictable backends names the swap entry */
    len = expected_data(z, slot, content, buf + z->header);
    if (len != e->length && !z->verify_err.code)
        rf_fail(&z->verify_err, RF_ECHECK,
                "zswap: slot %u: payload of content %u has %u bytes, stored length is %u", slot,
                content, len, e->length);
    pool->ops->write(pool, e->handle, buf, e->length + z->header);
}

void zswap_verify_read(struct zswap *z, uint32_t slot, uint32_t expected, const char *doing) {
    const struct zswap_entry *e = &z->entry[slot];
    const struct zpool *pool = z->backend[backend_of(z, slot)];
    uint8_t buf[CODEC_MAX_OUT + 8] = {0}, want[CODEC_MAX_OUT];
    uint32_t content, len;
    bool bad;

    if (!z->verify || z->verify_err.code)
        return;
    content = z->entry_content[slot];
    if (expected != RF_NONE && expected != content) {
        rf_fail(&z->verify_err, RF_ECHECK,
                "zswap: %s of slot %u: the entry holds content %u, expected %u", doing, slot,
                content, expected);
        return;
    }
    if (e->flags & ENTRY_SAME) {
        if (!content_same_filled(z->content, content, NULL))
            rf_fail(&z->verify_err, RF_ECHECK, "zswap: %s of slot %u: content %u is no fill", doing,
                    slot, content);
        else
            z->verified++;
        return;
    }
    pool->ops->read(pool, e->handle, buf, e->length + z->header);
    len = expected_data(z, slot, content, want);
    if (e->flags & ENTRY_RAW)
        bad = memcmp(buf + z->header, want, RF_PAGE_SIZE) != 0;
    else
        bad = content_verify(z->content, content, z->knobs.compressor, buf + z->header,
                             e->length) != 0;
    if (z->header && rf_load_le32(buf) != slot)
        bad = true;
    if (bad)
        rf_fail(&z->verify_err, RF_ECHECK,
                "zswap: %s of slot %u, content %u: the pool gave %u bytes with hash %016llx, "
                "expected %u with %016llx",
                doing, slot, content, e->length,
                (unsigned long long)hash_bytes(buf + z->header, e->length), len,
                (unsigned long long)hash_bytes(want, len));
    else
        z->verified++;
}
