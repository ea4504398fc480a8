/* SPDX-License-Identifier: MIT */
#include "capture/recorded.h"

#include <tally/report.h>

const uint32_t recorded_flexible[7] = {0x00005004, 0x00010003, 0x00012011, 0x00015014,
                                       0x00051050, 0x00053052, 0x00055054};

struct set recorded_set(const struct tally_platform *platform)
{
    static const struct set_write start[] = {
        {0x2710, 0}, {0x2714, 0x00800000}, {0x2720, 0}, {0x2724, 0x00800000}};
    static const struct set_write start_gen12[] = {
        {0xd900, 0}, {0xd904, 0x00800000}, {0xd910, 0}, {0xd914, 0x00800000}};
    static const uint32_t addresses[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    static struct set_write flexible[7];
    for (size_t i = 0; i < 7; i++)
        flexible[i] = (struct set_write){addresses[i], recorded_flexible[i]};
    struct set set = {.symbol = "Test",
                      .uuid = "00000000-0000-4000-8000-000000000001",
                      .lists[SET_BOOLEAN] = {platform->version >= 120 ? start_gen12 : start, 4}};
    if (platform->version >= 80) {
        set.lists[SET_FLEX].writes = flexible;
        set.lists[SET_FLEX].count = 7;
    }
    return set;
}

struct device modelled(const char *platform, const char *workload)
{
    char path[512];
    struct device machine;
    struct tally_error error = {0};
    snprintf(path, sizeof path, "%s/data/workloads/%s.yaml", getenv("TALLY_SOURCE"), workload);
    struct emulated_settings settings = {.device = {.gpu.platform = platform, .workload = path}};
    if (emulated_device_new(&settings, &machine, &error) < 0)
        fail_msg("%s", error.message);
    return machine;
}

static void take_batch(struct recorded *recorded, const struct tally_recording_info *info,
                       const struct tally_batch *batch)
{
    tally_accumulate(info->layout, batch->reports, batch->count - 1, recorded->sums);
    for (size_t i = recorded->count ? 1 : 0; i < batch->count; i++)
        recorded->reports[recorded->count++] = (struct recorded_report){
            batch->gpu_ticks[i], (batch->reasons[i] & TALLY_REASON_TIMER) != 0};
}

static void read_back(struct recorded *recorded)
{
    struct tally_recording *recording;
    struct tally_error error = {0};
    struct tally_batch *batch = tally_batch_new();
    const struct tally_loss *losses;
    assert_int_equal(tally_recording_open(recorded->path, NULL, &recording, &error), 0);
    const struct tally_recording_info *info = tally_recording_info(recording);
    recorded->timestamp_hz = info->recorded.timestamp_hz;
    recorded->reports = calloc(recorded->totals.written + 1, sizeof *recorded->reports);
    while (tally_recording_read(recording, batch, &error) > 0)
        take_batch(recorded, info, batch);
    if (error.code)
        fail_msg("%s", error.message);
    size_t count = tally_recording_losses(recording, &losses);
    for (size_t i = 0; i < count; i++)
        recorded->estimated += losses[i].estimated;
    assert_int_equal(recorded->count, recorded->totals.written);
    tally_recording_close(recording);
    tally_batch_free(batch);
}

void record(struct device *machine, unsigned exponent, uint64_t duration_ns,
            struct recorded *recorded)
{
    struct tally_error error = {0};
    struct gpu gpu;
    *recorded = (struct recorded){.path = "/tmp/tally-test-XXXXXX"};
    int fd = mkstemp(recorded->path);
    assert_true(fd >= 0);
    close(fd);
    if (gpu_open(machine, EMULATED_NODE, &gpu, &error) < 0)
        fail_msg("%s", error.message);
    struct set set = recorded_set(gpu.device.platform);
    struct recorder_settings settings = {.gpu = &gpu,
                                         .set = &set,
                                         .exponent = exponent,
                                         .duration_ns = duration_ns,
                                         .output = recorded->path,
                                         .wake = -1};
    if (recorder_run(&settings, &recorded->totals, &error) < 0)
        fail_msg("%s", error.message);
    gpu_close(&gpu);
    read_back(recorded);
}

void recorded_free(struct recorded *recorded)
{
    unlink(recorded->path);
    free(recorded->reports);
}
