/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the reader turns a trace into operation words, on one core: the files named, or a
 * generated Zipf and a generated scan trace. Beside it, as the baseline, the time that it takes to
 * read the same words from a raw file in the page cache, in pieces of a block. CPU time (the reader
 * has one thread), best of five.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "refault/trace.h"
#include "bench/bench.h"
#include "gen/workload.h"

#define ROUNDS 5
#define PIECE_WORDS (1u << 18)

/* Reads `words` 32-bit words from a file that was written just before. */
static double baseline(uint64_t words) {
    char path[] = "/tmp/refault-bench-XXXXXX";
    int fd = mkstemp(path);
    uint32_t *piece = calloc(PIECE_WORDS, sizeof(*piece));
    double best = 1e9;
    if (fd < 0 || !piece)
        exit(3);
    unlink(path);
    for (uint64_t done = 0; done < words; done += PIECE_WORDS)
        if (write(fd, piece, PIECE_WORDS * sizeof(*piece)) < 0)
            exit(3);
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_cpu();
        if (lseek(fd, 0, SEEK_SET) != 0)
            exit(3);
        while (read(fd, piece, PIECE_WORDS * sizeof(*piece)) > 0)
            ;
        best = RF_MIN(best, bench_cpu() - start);
    }
    close(fd);
    free(piece);
    return best;
}

static void measure(const char *label, const char *path) {
    struct rf_err err = {0};
    struct trace_reader *r;
    struct trace_block b;
    struct stat st;
    double best = 1e9;
    uint64_t words = 0;
    uint32_t sum = 0;
    int rc;

    if (trace_open(path, &r, &err))
        bench_fail(&err);
    if (stat(path, &st) != 0)
        bench_die(strerror(errno));
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_cpu();
        words = 0;
        while ((rc = trace_next(r, &b, &err)) == 1) {
            words += b.nops;
            sum ^= b.ops[b.nops - 1];
        }
        best = RF_MIN(best, bench_cpu() - start);
        if (rc < 0 || trace_rewind(r, &err))
            bench_fail(&err);
    }
    const struct trace_info *info = trace_reader_info(r);
    /* a store with a content is one record of two words, a content alone another */
    uint64_t alone = words - info->events - info->ops - info->content_changes;
    double records = (double)(info->ops + info->events + alone), raw = baseline(words);
    printf("%-28s %9.0f records  %6.2f bytes/record  %7.1f M records/s  raw words %7.1f M/s  "
           "ratio %.2f  (%08x)\n",
           label, records, (double)st.st_size / records, records / best / 1e6,
           (double)words / raw / 1e6, records / best / ((double)words / raw), sum);
    trace_close(r);
}

static void generated(const char *name, uint64_t pages, uint64_t ops) {
    struct gen_params p = {
        .pages = pages, .ops = ops, .theta = 0.9, .writes_permille = 250, .seed = 1};
    char path[] = "/tmp/refault-bench-XXXXXX", label[64];
    struct rf_err err = {0};
    int fd = mkstemp(path);
    if (fd < 0)
        exit(3);
    close(fd);
    if (gen_write(gen_find(name), &p, path, &err))
        bench_fail(&err);
    snprintf(label, sizeof(label), "%s %lluK pages", name, (unsigned long long)pages >> 10);
    measure(label, path);
    unlink(path);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        measure(argv[i], argv[i]);
    if (argc == 1) {
        generated("zipf", 12288, 20000000);
        generated("zipf", 1u << 20, 20000000);
        generated("scan", 1u << 20, 20000000);
    }
    return 0;
}
