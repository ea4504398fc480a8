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
#include "bench.h"
#include "capture/emulated.h"
#include "capture/recorder.h"

#define RUNS      5
#define PERIOD_NS 80000u

#define WORKLOAD(name) "data/workloads/" name ".yaml" /* from the source directory */

/* Starts B and C counters immediately, as public metric sets do (OASTARTTRIG1, 2, 5 and 6). */
static const struct set_write count_at_once[] = {
    {0x2710, 0}, {0x2714, 0x00800000}, {0x2720, 0}, {0x2724, 0x00800000}};
static const struct set_write count_at_once_gen12[] = {
    {0xd900, 0}, {0xd904, 0x00800000}, {0xd910, 0}, {0xd914, 0x00800000}};

static const struct record_case {
    const char *name, *platform, *workload;
    uint64_t duration_ns;
    double goal; /* multiple of real time; 0: none */
} cases[] = {
    {"sim:hsw, triangle", "hsw", WORKLOAD("triangle"), UINT64_C(10000000000), 20},
    {"sim:hsw, idle-bursts", "hsw", WORKLOAD("idle-bursts"), UINT64_C(10000000000), 20},
    {"sim:bdw, triangle", "bdw", WORKLOAD("triangle"), UINT64_C(2000000000), 0},
    {"sim:chv, triangle", "chv", WORKLOAD("triangle"), UINT64_C(2000000000), 0},
    {"sim:skl, triangle", "skl", WORKLOAD("triangle"), UINT64_C(2000000000), 0},
    {"sim:icl, triangle", "icl", WORKLOAD("triangle"), UINT64_C(2000000000), 0},
    {"sim:lkf, triangle", "lkf", WORKLOAD("triangle"), UINT64_C(2000000000), 0},
    {"sim:tgl, triangle", "tgl", WORKLOAD("triangle"), UINT64_C(2000000000), 0},
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

/* Records once and returns the time in seconds; sets *totals. */
static double seconds(const struct record_case *row, const char *path,
                      struct tally_capture_stats *totals)
{
    struct tally_error error = {0};
    struct device machine;
    struct gpu gpu;
    bool gen12 = !strcmp(row->platform, "tgl");
    struct set set = {.symbol = "Bench",
                      .uuid = "b0b0b0b0-0000-4000-8000-000000000000",
                      .lists[SET_BOOLEAN] = {gen12 ? count_at_once_gen12 : count_at_once,
                                             ARRAY_COUNT(count_at_once)}};
    struct emulated_settings settings = {
        .device = {.gpu.platform = row->platform, .workload = row->workload}};
    if (emulated_device_new(&settings, &machine, &error) < 0 ||
        gpu_open(&machine, EMULATED_NODE, &gpu, &error) < 0)
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
    bool met = !row->goal || (rate >= row->goal && !totals.missing);
    printf("%-40s %8.1f x real time %8.0f k reports/s", row->name, rate,
           (double)totals.reports / took / 1e3);
    if (row->goal)
        printf("   goal %.0f x %s", row->goal, met ? "met" : "MISSED");
    printf("\n");
    return met;
}

int main(int argc, char **argv)
{
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
    unlink(path);
    return met ? 0 : 1;
}
