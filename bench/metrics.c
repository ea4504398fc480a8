/* SPDX-License-Identifier: MIT */
/*
 * Accumulation and evaluation of 256-byte reports (A32u40_A4u32_B8_C8, SKL) on one core, compared
 * with the memory read bandwidth of the same core. The reports do not fit in the caches.
 *
 * Usage: bench_metrics [DIRECTORY [CHIPSET]]. DIRECTORY has the metric sets; default CHIPSET: SKL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/metrics.h>

#include "base/bits.h"
#include "bench.h"

#define REPORTS (1u << 20)
#define RUNS    9

struct reports {
    uint8_t *bytes;
    const uint8_t **pointers;
    size_t stride;
};

static void make_reports(const struct tally_layout *layout, struct reports *out)
{
    uint64_t slots[TALLY_SLOT_COUNT] = {0}, seed = 1;
    out->stride = layout->size_bytes;
    out->bytes = aligned_alloc(64, (size_t)REPORTS * out->stride);
    out->pointers = malloc(REPORTS * sizeof *out->pointers);
    for (size_t i = 0; i < REPORTS; i++) {
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            slots[slot] += seed >> 44;
        }
        out->pointers[i] = out->bytes + i * out->stride;
        tally_report_pack(layout, slots, out->bytes + i * out->stride);
    }
}

static void print_row(const char *what, double seconds, double size, double bandwidth, double goal)
{
    double rate = size / seconds;
    printf("%-44s %8.2f GB/s %8.1f M reports/s %6.1f %% of bandwidth (goal %.0f %%)\n", what,
           rate / 1e9, REPORTS / seconds / 1e6, 100 * rate / bandwidth, goal);
}

static double time_accumulate(const struct tally_layout *layout, const struct reports *reports)
{
    double seconds[RUNS];
    uint64_t sums[TALLY_SLOT_COUNT] = {0};
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now();
        for (size_t i = 0; i + 1 < REPORTS; i += 4096) {
            size_t left = REPORTS - 1 - i;
            tally_accumulate(layout, reports->pointers + i, left < 4096 ? left : 4096, sums);
        }
        seconds[run] = bench_now() - start;
    }
    return bench_median(seconds, RUNS);
}

static double time_evaluate(const struct tally_layout *layout, const struct reports *reports,
                            struct tally_program *program)
{
    double seconds[RUNS];
    uint64_t sums[TALLY_SLOT_COUNT] = {0};
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now();
        for (size_t i = 0; i + 1 < REPORTS; i += TALLY_BLOCK) {
            size_t left = REPORTS - 1 - i;
            size_t count = left < TALLY_BLOCK ? left : TALLY_BLOCK;
            if (left > count)
                tally_program_prefetch(program, reports->pointers + i + count + 1,
                                       left - count < TALLY_BLOCK ? left - count : TALLY_BLOCK);
            tally_program_run(program, reports->pointers + i, count);
            tally_accumulate(layout, reports->pointers + i, count, sums);
        }
        seconds[run] = bench_now() - start;
    }
    return bench_median(seconds, RUNS);
}

int main(int argc, char **argv)
{
    struct tally_error error = {0};
    const struct tally_platform *platform = tally_platform_find("skl");
    const struct tally_layout *layout = tally_layout_find("skl/a32u40_a4u32_b8_c8");
    struct tally_environment environment;
    const char *directory = argc > 1 ? argv[1] : NULL;
    const char *chipset = argc > 2 ? argv[2] : "SKL";
    struct tally_catalog *catalog = tally_catalog_new(directory);
    const struct tally_metric_set *set;
    struct tally_program *program;
    struct reports reports;

    tally_environment_default(platform, &environment);
    if (tally_catalog_find(catalog, chipset, NULL, "RenderBasic", &set, &error) < 0 ||
        tally_program_new(set, &environment, layout, &program, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    make_reports(layout, &reports);
    double size = (double)REPORTS * (double)reports.stride;
    double bandwidth = bench_read_bandwidth(reports.bytes, (size_t)size, RUNS);
    printf("%zu equations of %s, vector path %s, medians of %d runs, one core\n",
           set->counter_count, set->file, tally_simd(), RUNS);
    printf("%-44s %8.2f GB/s\n", "memory read bandwidth", bandwidth / 1e9);
    print_row("accumulate consecutive reports", time_accumulate(layout, &reports), size, bandwidth,
              60);
    print_row("accumulate and evaluate every report", time_evaluate(layout, &reports, program),
              size, bandwidth, 30);
    tally_program_free(program);
    tally_catalog_free(catalog);
    free(reports.pointers);
    free(reports.bytes);
    return 0;
}
