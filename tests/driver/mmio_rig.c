/* SPDX-License-Identifier: MIT */
#include "driver/mmio_rig.h"

#define MAX_LINES (1u << 17)

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const struct mmio_rig *rig = context;
    return mmio_memory_read(rig->emulation->mmio, space, address, data, bytes);
}

static void land(struct mmio_rig *rig, uint64_t now)
{
    while (rig->landed < rig->line_count && rig->lines[rig->landed].due_ns <= now) {
        const struct mmio_line *line = &rig->lines[rig->landed];
        bool dropped = rig->landed >= rig->drop_from && rig->landed < rig->drop_from + rig->drops;
        if (!dropped)
            mmio_memory_write(rig->emulation->mmio, TALLY_GPU_GGTT, line->address, line->bytes,
                              LINE_BYTES);
        rig->landed++;
    }
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct mmio_rig *rig = context;
    assert_int_equal(space, TALLY_GPU_GGTT);
    assert_int_equal(bytes, LINE_BYTES);
    assert_true(rig->line_count < MAX_LINES);
    struct mmio_line *line = &rig->lines[rig->line_count++];
    uint64_t now = tally_gpu_now_ns(rig->emulation->gpu);
    *line = (struct mmio_line){.address = address, .due_ns = now + rig->delay_ns};
    memcpy(line->bytes, data, bytes);
    if (!rig->delay_ns)
        land(rig, now);
    return true;
}

struct mmio_rig *mmio_rig_new(const char *platform, const char *workload)
{
    return mmio_rig_new_gpu(&(struct tally_gpu_config){.platform = platform}, workload);
}

struct mmio_rig *mmio_rig_new_gpu(const struct tally_gpu_config *gpu, const char *workload)
{
    struct mmio_rig *rig = calloc(1, sizeof *rig);
    struct tally_error error = {0};
    char path[512];
    assert_non_null(rig);
    rig->platform = intel_modelled(gpu->platform);
    rig->lines = calloc(MAX_LINES, sizeof *rig->lines);
    assert_non_null(rig->lines);
    snprintf(path, sizeof path, "%s/data/workloads/%s.yaml", getenv("TALLY_SOURCE"),
             workload ? workload : "");
    struct emulation_settings settings = {
        .gpu = *gpu, .interface = &emulation_mmio, .workload = workload ? path : NULL};
    if (emulation_new(&settings, &rig->emulation, &error) < 0)
        fail_msg("%s", error.message);
    tally_gpu_set_bus(
        rig->emulation->gpu,
        &(struct tally_gpu_bus){.read = read_memory, .write = write_memory, .context = rig});
    return rig;
}

void mmio_rig_free(struct mmio_rig *rig)
{
    if (rig->stream)
        mmio_stream_close(rig->stream);
    emulation_free(rig->emulation);
    free(rig->lines);
    free(rig);
}

/* Returns the platform's layout with the most counters. */
const struct tally_layout *mmio_rig_layout(const struct intel_platform *platform)
{
    const struct tally_layout *longest = NULL;
    for (size_t i = 0; i < tally_layout_count(); i++) {
        const struct tally_layout *layout = tally_layout_at(i);
        if (!strcmp(layout->family, platform->info.layout_family) &&
            (!longest || layout->size_bytes > longest->size_bytes))
            longest = layout;
    }
    return longest;
}

int mmio_rig_try(struct mmio_rig *rig, const struct mmio_stream_options *options,
                 struct tally_error *error)
{
    struct mmio_stream_options used = *options;
    if (!used.layout)
        used.layout = mmio_rig_layout(rig->platform);
    rig->layout = used.layout;
    return mmio_stream_open(rig->emulation->mmio, &used, &rig->stream, error);
}

void mmio_rig_open(struct mmio_rig *rig, const struct mmio_stream_options *options)
{
    struct tally_error error = {0};
    if (mmio_rig_try(rig, options, &error) < 0)
        fail_msg("%s", error.message);
}

/* Runs the GPU in steps of at most 20 us, so that held lines land in time. */
void mmio_rig_run(struct mmio_rig *rig, uint64_t ns)
{
    for (uint64_t step; ns; ns -= step) {
        step = rig->delay_ns && ns > 20000 ? 20000 : ns;
        emulation_run_ns(rig->emulation, step);
        land(rig, tally_gpu_now_ns(rig->emulation->gpu));
    }
}

/* ---- what was read --------------------------------------------------------------------------- */

struct mmio_found mmio_rig_read(struct mmio_rig *rig, size_t size)
{
    struct mmio_found found = {0};
    found.result = mmio_stream_read(rig->stream, rig->records, size);
    rig->size = found.result > 0 ? (size_t)found.result : 0;
    for (size_t at = 0; at < rig->size;) {
        const uint8_t *record = rig->records + at;
        uint32_t type = load_le32(record), bytes = load_le16(record + 6);
        assert_int_equal(load_le16(record + 4), 0);
        found.samples += type == MMIO_SAMPLE;
        found.report_lost += type == MMIO_REPORT_LOST;
        found.buffer_lost += type == MMIO_BUFFER_LOST;
        found.zero += type == MMIO_SAMPLE && !load_le32(record + 8) && !load_le32(record + 12);
        assert_int_equal(bytes, type == MMIO_SAMPLE ? 8u + rig->layout->size_bytes : 8u);
        at += bytes;
    }
    return found;
}

struct mmio_found mmio_rig_read_all(struct mmio_rig *rig)
{
    return mmio_rig_read(rig, sizeof rig->records);
}

/* Compares the samples that were read with the lines that the unit wrote, from report `*next` on.
 * Returns the number of wrong reports. */
unsigned mmio_rig_compare(const struct mmio_rig *rig, size_t *next)
{
    unsigned wrong = 0;
    size_t lines = rig->layout->size_bytes / LINE_BYTES;
    for (size_t at = 0; at < rig->size; at += load_le16(rig->records + at + 6)) {
        if (load_le32(rig->records + at) != MMIO_SAMPLE)
            continue;
        for (size_t line = 0; line < lines; line++) {
            size_t index = *next * lines + line;
            wrong += index >= rig->line_count || memcmp(rig->records + at + 8 + LINE_BYTES * line,
                                                        rig->lines[index].bytes, LINE_BYTES) != 0;
        }
        ++*next;
    }
    return wrong;
}

uint64_t mmio_rig_period_ns(const struct mmio_rig *rig, unsigned exponent)
{
    return intel_timer_ticks(rig->platform, exponent) * 1000000000 /
           rig->platform->info.timestamp_hz;
}
