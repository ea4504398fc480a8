/* SPDX-License-Identifier: MIT */
/* Perfetto traces: what stands before the data: the GPUs, and the descriptions of the counters. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "sink/perfetto.h"

/* ---- GPUs --------------------------------------------------------------------------------------
 */

static void add_extra(struct buffer *to, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    size_t pair = proto_open(to, GPU_EXTRA_INFO);
    proto_add_text(to, KEY_VALUE_KEY, key);
    proto_add_text(to, KEY_VALUE_VALUE, value);
    proto_close(to, pair);
}

static void add_gpu(struct buffer *to, const struct sink_context *context)
{
    const struct tally_recording_info *info = context->info;
    char name[TRACKS_TEXT_BYTES], text[32];
    size_t gpu = proto_open(to, GPU_INFO_GPU);
    proto_add_text(to, GPU_NAME, tracks_gpu_name(name, context));
    proto_add_text(to, GPU_VENDOR, info->device.nvidia ? "NVIDIA" : "Intel");
    proto_add_text(to, GPU_MODEL, info->device.chipset);
    proto_add_text(to, GPU_ARCHITECTURE, tally_device_title(&info->device));
    add_extra(to, "file", info->path);
    add_extra(to, "metric_set", context->set->symbol);
    add_extra(to, "metric_set_uuid", context->set->uuid);
    add_extra(to, "modelled", sink_modelled(info));
    snprintf(text, sizeof text, "0x%04" PRIx32, info->recorded.device_id);
    add_extra(to, "pci_device_id", info->recorded.device_id ? text : NULL);
    snprintf(text, sizeof text, "%" PRIu64, info->recorded.timestamp_hz);
    add_extra(to, "timestamp_hz", text);
    add_extra(to, "recorded_by", info->provenance);
    add_extra(to, "written_by_tally", tally_version());
    proto_close(to, gpu);
}

void perfetto_add_gpus(struct buffer *to, const struct sink_context *contexts, size_t count)
{
    size_t packet = proto_open(to, TRACE_PACKET);
    size_t gpus = proto_open(to, PACKET_GPU_INFO);
    for (size_t i = 0; i < count; i++)
        add_gpu(to, &contexts[i]);
    proto_close(to, gpus);
    proto_close(to, packet);
}

/* ---- counters ----------------------------------------------------------------------------------
 */

/* Appends a unit of which `size` bytes of a text are the name. Returns whether Perfetto has it. */
static bool add_unit(struct buffer *to, uint32_t tag, const char *name, size_t size)
{
    static const struct {
        const char *name;
        enum perfetto_value unit;
    } rows[] = {
        {"percent", VALUE_UNIT_PERCENT}, {"ns", VALUE_UNIT_NANOSECOND},
        {"us", VALUE_UNIT_MICROSECOND},  {"ms", VALUE_UNIT_MILLISECOND},
        {"s", VALUE_UNIT_SECOND},        {"hz", VALUE_UNIT_HERTZ},
        {"bytes", VALUE_UNIT_BYTE},      {"pixels", VALUE_UNIT_PIXEL},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strlen(rows[i].name) == size && !memcmp(rows[i].name, name, size)) {
            proto_add_u64(to, tag, rows[i].unit);
            return true;
        }
    }
    proto_add_u64(to, tag, VALUE_UNIT_NONE);
    return false;
}

/* Appends the units "bytes" or "bytes/s". Returns whether Perfetto has them. */
static bool add_units(struct buffer *to, const char *units)
{
    size_t size = strcspn(units, "/");
    bool known = add_unit(to, SPEC_NUMERATOR, units, size);
    if (units[size])
        known &= add_unit(to, SPEC_DENOMINATOR, units + size + 1, strlen(units + size + 1));
    return known;
}

/* Returns the category that fits a group's name best: Perfetto has a fixed list of them. */
static uint64_t category_of(const char *group)
{
    static const struct {
        const char *part;
        enum perfetto_value category;
    } rows[] = {
        {"Vertex Shader", VALUE_GROUP_VERTICES},
        {"Hull Shader", VALUE_GROUP_PRIMITIVES},
        {"Control Shader", VALUE_GROUP_PRIMITIVES},
        {"Domain Shader", VALUE_GROUP_PRIMITIVES},
        {"Evaluation Shader", VALUE_GROUP_PRIMITIVES},
        {"Geometry Shader", VALUE_GROUP_PRIMITIVES},
        {"Fragment Shader", VALUE_GROUP_FRAGMENTS},
        {"Pixel Shader", VALUE_GROUP_FRAGMENTS},
        {"Rasterizer", VALUE_GROUP_FRAGMENTS},
        {"Output Merger", VALUE_GROUP_FRAGMENTS},
        {"Compute Shader", VALUE_GROUP_COMPUTE},
        {"EU Array", VALUE_GROUP_COMPUTE},
        {"3D Pipe", VALUE_GROUP_PRIMITIVES},
        {"Sampler", VALUE_GROUP_MEMORY},
        {"L3", VALUE_GROUP_MEMORY},
        {"GTI", VALUE_GROUP_MEMORY},
        {"Memory", VALUE_GROUP_MEMORY},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (strstr(group, rows[i].part))
            return rows[i].category;
    return VALUE_GROUP_SYSTEM;
}

static const struct tally_counter *counter_of(const struct sink_context *context, size_t c)
{
    return &context->set->counters[context->counters[c]];
}

static void add_counter(struct buffer *to, const struct sink_context *context, size_t c)
{
    const struct tally_counter *counter = counter_of(context, c);
    struct buffer text = {0};
    size_t spec = proto_open(to, DESCRIPTOR_SPEC);
    proto_add_u64(to, SPEC_ID, c + 1);
    proto_add_text(to, SPEC_NAME, counter->symbol);
    bool known = add_units(to, counter->units);
    buffer_printf(&text, "%s%s%s", counter->name, *counter->description ? ": " : "",
                  counter->description);
    if (!known && *counter->units)
        buffer_printf(&text, " [%s]", counter->units);
    buffer_char(&text, '\0');
    proto_add_text(to, SPEC_DESCRIPTION, text.broken ? counter->name : text.bytes);
    buffer_fini(&text);
    proto_add_u64(to, SPEC_SELECT_BY_DEFAULT, !strcmp(counter->units, "percent"));
    proto_add_u64(to, SPEC_GROUP, category_of(counter->group));
    /* A sample is the value since the one before: it ends a delta. */
    proto_add_u64(to, SPEC_VALUE_DIRECTION, VALUE_DIRECTION_BACKWARDS);
    proto_close(to, spec);
}

/* Ids of groups follow those of Perfetto's categories. */
#define FIRST_GROUP 64

static void add_groups(struct buffer *to, const struct sink_context *context)
{
    for (size_t first = 0; first < context->counter_count; first++) {
        const char *name = counter_of(context, first)->group;
        size_t earlier = 0;
        while (strcmp(counter_of(context, earlier)->group, name) != 0)
            earlier++;
        if (earlier < first || !*name)
            continue;
        size_t group = proto_open(to, DESCRIPTOR_GROUP);
        proto_add_u64(to, GROUP_ID, FIRST_GROUP + first);
        proto_add_text(to, GROUP_NAME, name);
        for (size_t c = first; c < context->counter_count; c++)
            if (!strcmp(counter_of(context, c)->group, name))
                proto_add_u64(to, GROUP_COUNTER, c + 1);
        proto_close(to, group);
    }
}

static void add_descriptor(struct buffer *to, const struct sink_context *context)
{
    size_t interned = proto_open(to, INTERNED_DATA_GPU_COUNTER_DESCRIPTOR);
    proto_add_u64(to, INTERNED_DESCRIPTOR_IID, PERFETTO_DESCRIPTOR_IID);
    size_t descriptor = proto_open(to, INTERNED_DESCRIPTOR_DESCRIPTOR);
    for (size_t c = 0; c < context->counter_count; c++)
        add_counter(to, context, c);
    add_groups(to, context);
    proto_close(to, descriptor);
    proto_add_u64(to, INTERNED_DESCRIPTOR_GPU_ID, context->input);
    proto_close(to, interned);
}

/* ---- tracks ------------------------------------------------------------------------------------
 */

static void add_specification(struct buffer *to, uint64_t iid, const char *name,
                              const char *description)
{
    size_t specification = proto_open(to, INTERNED_DATA_GPU_SPECIFICATION);
    proto_add_u64(to, SPECIFICATION_IID, iid);
    proto_add_text(to, SPECIFICATION_NAME, name);
    if (description)
        proto_add_text(to, SPECIFICATION_DESCRIPTION, description);
    proto_close(to, specification);
}

static void add_specifications(struct buffer *to)
{
    static const struct {
        enum perfetto_queue queue;
        const char *name, *description;
    } queues[] = {
        {PERFETTO_CONTEXTS, "Contexts", "the hardware context that the GPU runs"},
        {PERFETTO_EVENTS, "Events", "reports that a trigger, RC6 or a change of clocks has caused"},
        {PERFETTO_LOSSES, "Losses", "the loss ledger: times without values, and why"},
        {PERFETTO_PAUSES, "Pauses", "times in which nothing was recorded, and nothing is lost"},
        {PERFETTO_MARKS, "Marks", "what the recorded program was doing, as it has marked it"},
        {PERFETTO_FRAMES, "Frames", "the ends of the frames that the program has marked"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(queues); i++)
        add_specification(to, queues[i].queue, queues[i].name, queues[i].description);
    for (unsigned bit = 0; 1u << bit <= TALLY_REASON_MMIO_TRIGGER; bit++)
        add_specification(to, PERFETTO_REASON_IID(bit), tally_reason_name(1u << bit), NULL);
    add_specification(to, PERFETTO_PAUSE_IID(0), "paused", NULL);
    add_specification(to, PERFETTO_PAUSE_IID(1), "continued", NULL);
    add_specification(to, PERFETTO_FRAME_IID, "frame", NULL);
    for (unsigned kind = 0; kind <= TALLY_LOSS_PACKETS; kind++)
        add_specification(to, PERFETTO_LOSS_IID(kind),
                          tally_loss_kind_name((enum tally_loss_kind)kind), NULL);
}

void perfetto_add_descriptions(struct buffer *to, const struct sink_context *context)
{
    size_t packet = proto_open(to, TRACE_PACKET);
    proto_add_u64(to, PACKET_SEQUENCE, perfetto_sequence(context));
    proto_add_u64(to, PACKET_SEQUENCE_FLAGS, VALUE_SEQUENCE_CLEARED);
    if (context->tracks->cpu_time) {
        size_t defaults = proto_open(to, PACKET_DEFAULTS);
        proto_add_u64(to, DEFAULTS_TIMESTAMP_CLOCK, VALUE_CLOCK_MONOTONIC);
        proto_close(to, defaults);
    }
    size_t interned = proto_open(to, PACKET_INTERNED_DATA);
    add_descriptor(to, context);
    add_specifications(to);
    proto_close(to, interned);
    proto_close(to, packet);
}
