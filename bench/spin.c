/* SPDX-License-Identifier: MIT */
/*
 * Batches that spin: how many times faster than real time a modelled GPU is while nothing else
 * happens, in runs of 20 us, as the server of a virtual machine makes them, and of 1 ms; with the
 * OA unit off, and with a report every 85 us.
 *
 *     bench_spin [PART OF A ROW'S NAME]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/gpu.h>
#include <tally/workload.h>

#include "base/bits.h"
#include "bench.h"

#define PLATFORM  "icl"
#define RUNS      5
#define SECONDS   0.02 /* of the wall clock, at least */
#define GOAL      20.0
#define COLUMNS   4
#define MEMORY    0x100000u
#define CODE      0x1000u
#define CODE_STEP 0x2000u /* between the batches of two engines */
#define POLLED    0x800u
#define BUFFER    0x80000u
#define NOOPS     960
#define COMPUTE   "data/workloads/compute.yaml" /* from the source directory */
#define CHECK     0x02800000u                   /* MI_ARB_CHECK */
#define SEMAPHORE 0x0e40c002u /* MI_SEMAPHORE_WAIT: polls the GGTT until memory is equal */
#define JUMP      0x18800001u /* MI_BATCH_BUFFER_START */

enum batch { NOTHING, JUMPS, IGT, WAITS, STORES };

static const struct spin_case {
    const char *name;
    enum batch batches[5]; /* of each engine */
    const char *workload;
    bool events; /* custom events that depend on each other */
    double goal;
} cases[] = {
    {"a batch that jumps to itself", {JUMPS}, NULL, false, GOAL},
    {"960 NOOPs, as IGT spins", {IGT}, NULL, false, GOAL},
    {"a semaphore", {WAITS}, NULL, false, GOAL},
    {"two engines: jump, NOOPs", {JUMPS, IGT}, NULL, false, GOAL},
    {"two engines: NOOPs, semaphore", {IGT, WAITS}, NULL, false, GOAL},
    {"five engines", {IGT, JUMPS, IGT, WAITS, IGT}, NULL, false, GOAL},
    {"NOOPs, events of TestOa", {IGT}, NULL, true, GOAL},
    {"NOOPs beside stores", {IGT, STORES}, NULL, false, 0},
    {"NOOPs, workload compute", {IGT}, COMPUTE, false, 0},
    {"NOOPs, workload compute, events of TestOa", {IGT}, COMPUTE, true, 0},
};

struct bench_gpu {
    struct tally_gpu *gpu;
    struct tally_workload *workload;
    struct tally_workload_program *program;
    uint8_t memory[MEMORY];
};

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const struct bench_gpu *bench = context;
    (void)space;
    if (address + bytes > MEMORY)
        return false;
    memcpy(data, bench->memory + address, bytes);
    return true;
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct bench_gpu *bench = context;
    (void)space;
    if (address + bytes > MEMORY)
        return false;
    memcpy(bench->memory + address, data, bytes);
    return true;
}

static void check(int result, const struct tally_error *error)
{
    if (result >= 0)
        return;
    fprintf(stderr, "bench_spin: %s\n", error->message);
    exit(1);
}

static uint32_t put(struct bench_gpu *bench, uint32_t at, uint32_t dword)
{
    store_le32(bench->memory + at, dword);
    return at + 4;
}

static void put_batch(struct bench_gpu *bench, uint32_t start, enum batch batch)
{
    uint32_t at = start;
    if (batch == IGT) {
        at = put(bench, at, CHECK);
        at += 4 * NOOPS;
    } else if (batch == WAITS) {
        at = put(bench, at, SEMAPHORE);
        at = put(bench, at, 1);
        at = put(bench, at, POLLED);
        at = put(bench, at, 0);
    } else if (batch == STORES) {
        at = put(bench, at, 0x10400002);
        at = put(bench, at, POLLED + 4);
        at = put(bench, at, 0);
        at = put(bench, at, 7);
        at += 4 * 16;
    }
    at = put(bench, at, JUMP);
    at = put(bench, at, start);
    put(bench, at, 0);
}

static void write_registers(struct tally_gpu *gpu, const uint32_t (*rows)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        tally_gpu_write32(gpu, rows[i][0], rows[i][1]);
}

/* Reports of all counters, every 1024 ticks of 12 MHz. */
static void start_oa(struct tally_gpu *gpu)
{
    static const uint32_t registers[][2] = {{0x2b0c, BUFFER},
                                            {0x2b14, BUFFER | 1},
                                            {0x2b10, BUFFER},
                                            {0x2360, 9 << 2 | 3},
                                            {0x2b00, 5 << 2 | 1}};
    write_registers(gpu, registers, ARRAY_COUNT(registers));
}

/* The custom events of the metric set TestOa. */
static void set_events(struct tally_gpu *gpu)
{
    static const uint32_t registers[][2] = {
        {0x2714, 0xf0800000}, {0x2724, 0xf0800000}, {0x2770, 0x00000004}, {0x2778, 0x00000003},
        {0x2780, 0x00000007}, {0x2788, 0x00100002}, {0x278c, 0x0000fff7}, {0x2790, 0x00100002},
        {0x2794, 0x0000ffcf}, {0x2798, 0x00100082}, {0x279c, 0x0000ffef}, {0x27a0, 0x001000c2},
        {0x27a4, 0x0000ffe7}, {0x27a8, 0x00100001}, {0x27ac, 0x0000ffe7}};
    write_registers(gpu, registers, ARRAY_COUNT(registers));
}

static void set_workload(struct bench_gpu *bench, const char *name)
{
    struct tally_error error = {0};
    const struct tally_workload_target target = {.platform = PLATFORM};
    check(tally_workload_load(name, &bench->workload, &error), &error);
    check(tally_workload_bind(bench->workload, &target, NULL, NULL, &bench->program, &error),
          &error);
    check(tally_gpu_set_workload(bench->gpu, bench->program), &error);
}

static struct bench_gpu *make(const struct spin_case *row, bool oa)
{
    struct bench_gpu *bench = calloc(1, sizeof *bench);
    const struct tally_gpu_config config = {.platform = PLATFORM, .always_awake = true};
    struct tally_error error = {.message = "a batch was not accepted"};
    if (!bench)
        exit(1);
    check(tally_gpu_new(&config, &bench->gpu, &error), &error);
    tally_gpu_set_bus(
        bench->gpu,
        &(struct tally_gpu_bus){.read = read_memory, .write = write_memory, .context = bench});
    if (row->workload)
        set_workload(bench, row->workload);
    if (row->events)
        set_events(bench->gpu);
    if (oa)
        start_oa(bench->gpu);
    for (unsigned i = 0; i < ARRAY_COUNT(row->batches) && row->batches[i] != NOTHING; i++) {
        put_batch(bench, CODE + i * CODE_STEP, row->batches[i]);
        check(tally_gpu_engine_submit(bench->gpu, tally_gpu_engine(bench->gpu, i), 1,
                                      TALLY_GPU_GGTT, CODE + i * CODE_STEP, true),
              &error);
    }
    return bench;
}

static void drop(struct bench_gpu *bench)
{
    tally_gpu_free(bench->gpu);
    tally_workload_unbind(bench->program);
    tally_workload_free(bench->workload);
    free(bench);
}

/* Returns the seconds of the GPU in a second. */
static double speed(const struct spin_case *row, bool oa, uint64_t slice_ns)
{
    struct bench_gpu *bench = make(row, oa);
    double seconds[RUNS], ns = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now(), now = start;
        ns = 0;
        while (now - start < SECONDS) {
            for (unsigned i = 0; i < 10; i++)
                tally_gpu_run_ns(bench->gpu, slice_ns);
            ns += 10.0 * (double)slice_ns;
            now = bench_now();
        }
        seconds[run] = (now - start) / ns;
    }
    drop(bench);
    return 1e-9 / bench_median(seconds, RUNS);
}

/* Prints "!" behind a speed below the goal. */
static void bench_case(const struct spin_case *row)
{
    printf("%-42s", row->name);
    for (unsigned column = 0; column < COLUMNS; column++) {
        double value = speed(row, column & 1, column < 2 ? 20000 : 1000000);
        printf(" %8.1f%c", value, value < row->goal ? '!' : ' ');
        fflush(stdout);
    }
    puts("");
}

int main(int argc, char **argv)
{
    printf("Spinning batches on %s: seconds of the GPU per second, medians of %d runs, goal %.0f "
           "(\"!\": missed)\n%-42s %8s  %8s  %8s  %8s\n",
           PLATFORM, RUNS, GOAL, "", "20 us", "OA", "1 ms", "OA");
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        if (argc <= 1 || strstr(cases[i].name, argv[1]))
            bench_case(&cases[i]);
    return 0;
}
