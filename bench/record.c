/* SPDX-License-Identifier: MIT */
/*
 * The recorder on modelled GPUs with the free clock: seconds of GPU time recorded to a file per
 * second of wall time, with reader and writer on one core.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "bench.h"
#include "capture/emulated.h"
#include "capture/recorder.h"
#include "capture/registers.h"
#include "capture/run.h"
#include "intel/platforms.h"
#include "intel/symbols.h"

#define RUNS      5
#define PERIOD_NS 80000u
#define GOAL      20.0 /* multiple of real time */

/* Starts B and C counters immediately, as public metric sets do (OASTARTTRIG1, 2, 5 and 6). */
#define AT_ONCE REG_MASK(OASTARTTRIG_INVERTS, THRESHOLD_ENABLE)
static const struct set_write count_at_once[] = {
    {OASTARTTRIG1, 0}, {OASTARTTRIG2, AT_ONCE}, {OASTARTTRIG5, 0}, {OASTARTTRIG6, AT_ONCE}};
static const struct set_write count_at_once_oag[] = {{GEN12_OAG_OASTARTTRIG1, 0},
                                                     {GEN12_OAG_OASTARTTRIG2, AT_ONCE},
                                                     {GEN12_OAG_OASTARTTRIG5, 0},
                                                     {GEN12_OAG_OASTARTTRIG6, AT_ONCE}};

/* The start trigger of the units before Haswell. */
static const struct set_write count_at_once_gen6[] = {{GEN6_OASTARTTRIG1, 0},
                                                      {GEN6_OASTARTTRIG2, AT_ONCE}};

static const struct {
    const struct set_write *writes;
    uint32_t count;
} at_once[] = {
    [OA_MAP_A] = {count_at_once_gen6, ARRAY_COUNT(count_at_once_gen6)},
    [OA_MAP_B] = {count_at_once, ARRAY_COUNT(count_at_once)},
    [OA_MAP_C] = {count_at_once, ARRAY_COUNT(count_at_once)},
    [OA_MAP_D] = {count_at_once_oag, ARRAY_COUNT(count_at_once_oag)},
};

struct record_case {
    const char *platform, *workload;
    uint64_t duration_ns;
    bool registers; /* by registers alone */
};

/* The first workload also runs on each other platform, for a shorter time. */
static const struct record_case cases[] = {
    {"hsw", "triangle", 10 * NS_PER_SECOND, false},
    {"hsw", "idle-bursts", 10 * NS_PER_SECOND, false},
    {"hsw", "triangle", 10 * NS_PER_SECOND, true},
};

static void give_up(const struct tally_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void stay_on_one_core(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) < 0)
        return;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && !CPU_COUNT(&one))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* Makes one recording; *totals counts its reports. */
static double seconds(const struct record_case *row, const char *path,
                      struct tally_capture_stats *totals)
{
    struct tally_error error = {0};
    struct device machine;
    struct gpu gpu;
    unsigned map = intel_modelled(row->platform)->oa->map;
    char workload[64]; /* from the source directory */
    snprintf(workload, sizeof workload, "data/workloads/%s.yaml", row->workload);
    struct set set = {.symbol = "Bench",
                      .uuid = "b0b0b0b0-0000-4000-8000-000000000000",
                      .lists[SET_BOOLEAN] = {at_once[map].writes, at_once[map].count}};
    struct emulated_settings settings = {
        .device = {.gpu.platform = row->platform, .workload = workload}};
    int result = row->registers ? registers_device_new(&settings.device, &machine, &error)
                                : emulated_device_new(&settings, &machine, &error);
    if (result == 0 && row->registers)
        registers_gpu_open(&machine, row->platform, &gpu);
    else if (result == 0)
        result = gpu_open(&machine, EMULATED_NODE, &gpu, &error);
    if (result < 0)
        give_up(&error);
    struct recorder_settings recorder = {.gpu = &gpu,
                                         .set = &set,
                                         .exponent = gpu_nearest_exponent(&gpu, PERIOD_NS),
                                         .duration_ns = row->duration_ns,
                                         .output = path,
                                         .wake = -1};
    double start = bench_now();
    if (recorder_run(&recorder, totals, &error) < 0)
        give_up(&error);
    double took = bench_now() - start;
    gpu_close(&gpu);
    device_free(&machine);
    return took;
}

static bool bench_case(const struct record_case *row, const char *path)
{
    double runs[RUNS];
    struct tally_capture_stats totals;
    for (unsigned i = 0; i < RUNS; i++)
        runs[i] = seconds(row, path, &totals);
    double took = bench_median(runs, RUNS), rate = (double)row->duration_ns / 1e9 / took;
    bool met = rate >= GOAL && !totals.missing;
    char name[64];
    snprintf(name, sizeof name, "sim:%s, %s%s", row->platform, row->workload,
             row->registers ? ", by registers" : "");
    printf("%-40s %8.1f x real time %8.0f k reports/s", name, rate,
           (double)totals.reports / took / 1e3);
    printf("   goal %.0f x %s\n", GOAL, met ? "met" : "MISSED");
    return met;
}

static bool has_case(const char *platform)
{
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        if (!strcmp(cases[i].platform, platform))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const char *platform;
    char path[] = "/tmp/tally-bench-XXXXXX";
    bool met = true;
    int fd = mkstemp(path);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    close(fd);
    stay_on_one_core();
    printf("tally record -p 80us --clock free on one core, medians of %d runs\n", RUNS);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        if (argc < 2 || !strcmp(argv[1], cases[i].platform))
            met &= bench_case(&cases[i], path);
    for (size_t i = 0; (platform = emulation_platform(i, false)); i++) {
        struct record_case row = {platform, cases[0].workload, 2 * NS_PER_SECOND,
                                  !intel_has_perf(intel_modelled(platform))};
        if (!has_case(platform) && (argc < 2 || !strcmp(argv[1], platform)))
            met &= bench_case(&row, path);
    }
    unlink(path);
    return met ? 0 : 1;
}
