/* SPDX-License-Identifier: MIT */
/*
 * Reads the input, up to a zero byte, as a file of costs; what follows is the render engine's
 * batch, which runs with these costs on the platform that the last byte selects. Checks that lint
 * and loading agree, that numbers are in range, and that the GPU takes exactly the clocks that it
 * runs.
 */
#include <string.h>

#include <tally/gpu.h>

#include "base/minmax.h"
#include "fuzz.h"
#include "intel/cost/table.h"
#include "intel/symbols.h"
#include "lengthen.h"
#include "mistakes.h"
#include "platforms.h"

#define BYTES  0x4000u
#define START  0x1000u
#define CLOCKS 100000

static uint8_t *find(void *memory, uint32_t space, uint64_t address, size_t bytes)
{
    bool mapped = space == TALLY_GPU_GGTT && address < BYTES && bytes <= BYTES - address;
    return mapped ? (uint8_t *)memory + address : NULL;
}

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const uint8_t *at = find(context, space, address, bytes);
    if (at)
        memcpy(data, at, bytes);
    return at;
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    uint8_t *at = find(context, space, address, bytes);
    if (at)
        memcpy(at, data, bytes);
    return at;
}

/* Runs the batch in pieces, and reads a statistic in the middle of its work. */
static void run(const char *platform, const struct tally_cost *cost, const uint8_t *batch,
                size_t size)
{
    static uint8_t memory[BYTES];
    struct tally_error error = {0};
    struct tally_gpu *gpu;
    struct tally_gpu_config config = {.platform = platform, .always_awake = true};
    struct tally_gpu_bus bus = {.read = read_memory, .write = write_memory, .context = memory};
    memset(memory, 0, sizeof memory);
    memcpy(memory + START, batch, min_u64(size, BYTES - START));
    CHECK(tally_gpu_new(&config, &gpu, &error) == 0);
    tally_gpu_set_bus(gpu, &bus);
    tally_gpu_set_cost(gpu, cost);
    CHECK(tally_gpu_submit(gpu, 1, TALLY_GPU_GGTT, START, true) == 0);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t before = tally_oa_now(tally_gpu_oa(gpu));
        tally_gpu_run(gpu, CLOCKS);
        CHECK(tally_oa_now(tally_gpu_oa(gpu)) == before + CLOCKS);
        tally_gpu_read32(gpu, IA_VERTICES_COUNT);
    }
    tally_gpu_free(gpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_cost cost;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    const char *platform = modelled_platform(size ? data[size - 1] : 0, false);
    const struct tally_cost *base = cost_table_default(intel_modelled(platform));
    const uint8_t *end = memchr(data, 0, size);
    struct yaml_source source = yaml_in(data, end ? (size_t)(end - data) : size, "fuzz.yaml");
    int mistakes = cost_table_read(source, base, &cost, add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = cost_table_read(source, base, &cost, NULL, NULL, &error);
    check_load(result, mistakes, &error);
    for (unsigned i = 0; result == 0 && i < COST_NUMBERS; i++)
        CHECK(cost.numbers[i] >= cost_numbers[i].min && cost.numbers[i] <= cost_numbers[i].max);
    if (result == 0 && end)
        run(platform, &cost, end + 1, (size_t)(data + size - end) - 1);
    return 0;
}
