/* SPDX-License-Identifier: MIT */
/*
 * Writes a large Skylake recording for benchmarks and memory tests: REPORTS reports of 256 bytes, a
 * context switch every 20,000, correlation points at both ends.
 *
 * Usage: make_recording REPORTS > FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tally/recording.h>

#define PERIOD_TICKS   1024
#define GPU_START      UINT64_C(0x700100000)
#define CPU_START      UINT64_C(1000309127666)
#define SWITCH_REPORTS 20000

int main(int argc, char **argv)
{
    const struct tally_platform *platform = tally_platform_find("skl");
    const struct tally_layout *layout = tally_layout_find("skl/a32u40_a4u32_b8_c8");
    struct tally_device_info info = {.timestamp_hz = platform->timestamp_hz,
                                     .device_id = platform->example_device,
                                     .gt_min_hz = 350000000,
                                     .gt_max_hz = 1150000000,
                                     .oa_format = layout->kernel_format,
                                     .set_name = "RenderBasic"};
    struct tally_error error = {0};
    struct tally_topology topology;
    struct tally_recorder *recorder;
    uint8_t topology_bytes[64], bytes[256];
    uint64_t slots[TALLY_SLOT_COUNT] = {0}, random = 1;
    unsigned long long count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;

    tally_topology_default(platform, &topology);
    size_t size = tally_topology_format(&topology, topology_bytes, sizeof topology_bytes);
    int result = tally_recorder_new(STDOUT_FILENO, &info, topology_bytes, size, &recorder, &error);
    if (!result)
        result = tally_recorder_correlate(recorder, CPU_START, GPU_START, &error);
    for (unsigned long long i = 0; i < count && !result; i++) {
        uint64_t context = i / SWITCH_REPORTS % 3;
        for (unsigned slot = TALLY_SLOT_TICKS; slot < TALLY_SLOT_RESERVED; slot++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            slots[slot] += random >> 48;
        }
        slots[TALLY_SLOT_TICKS] += 65536;
        slots[TALLY_SLOT_TIMESTAMP] = GPU_START + (i + 1) * PERIOD_TICKS;
        slots[TALLY_SLOT_ID] = (UINT64_C(1) << 19) | (UINT64_C(1) << 16);
        slots[TALLY_SLOT_CONTEXT] = 0x1000 + context * 0x1000;
        tally_report_pack(layout, slots, bytes);
        result = tally_recorder_write(recorder, TALLY_RECORD_SAMPLE, bytes, sizeof bytes, &error);
    }
    uint64_t ticks = (count + 2) * PERIOD_TICKS;
    if (!result)
        result = tally_recorder_correlate(recorder,
                                          CPU_START + ticks * 1000000000 / platform->timestamp_hz,
                                          GPU_START + ticks, &error);
    if (!result)
        result = tally_recorder_flush(recorder, &error);
    if (result < 0)
        fprintf(stderr, "make_recording: %s\n", error.message);
    tally_recorder_free(recorder);
    return result < 0;
}
