/* SPDX-License-Identifier: MIT */
/* Traces for Perfetto (ui.perfetto.dev): packets of Protocol Buffers (perfetto.def). */
#include "sink/perfetto.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/minmax.h"

/* Far from those of Perfetto's own producers, so that a trace can be appended to one of theirs. */
#define FIRST_SEQUENCE 0x54000000u

uint64_t perfetto_sequence(const struct sink_context *context)
{
    return FIRST_SEQUENCE + context->input;
}

/* Begins a packet. Returns what proto_close() needs. */
static size_t open_packet(struct buffer *to, const struct sink_context *context)
{
    size_t packet = proto_open(to, TRACE_PACKET);
    proto_add_u64(to, PACKET_SEQUENCE, perfetto_sequence(context));
    proto_add_u64(to, PACKET_SEQUENCE_FLAGS, VALUE_SEQUENCE_NEEDED);
    return packet;
}

/* ---- samples -----------------------------------------------------------------------------------
 */

#define SAMPLE_HEAD_BYTES 96
#define VALUE_BYTES       32 /* maximum of a counter's value */

/* Writes a counter's value, a message of less than 128 bytes. */
static char *put_counter(char *to, uint64_t id, union tally_value value, enum tally_data_type type)
{
    *to++ = (char)COUNTER_EVENT_COUNTER;
    char *size = to++;
    to = proto_put_u64(to, COUNTER_ID, id);
    if (type == TALLY_UINT64 && value.u <= INT64_MAX) {
        to = proto_put_u64(to, COUNTER_INT, value.u);
    } else {
        /* Not a number ends the line that the viewer would otherwise draw. */
        to = proto_put_varint(to, COUNTER_DOUBLE);
        to = proto_put_double(to, tally_value_double(value, type));
    }
    *size = (char)(to - size - 1);
    return to;
}

/* Writes a sample of these columns: the values of delta `i`, which ends at `ns`. Without values,
 * the time since the sample before has none. */
static void put_sample(struct output *output, const struct sink_context *context, size_t first,
                       const struct columns *columns, size_t i, uint64_t ns, bool has_values)
{
    const union tally_value none = {.f = (double)NAN};
    char *to = output_reserve(output, SAMPLE_HEAD_BYTES + COLUMNS_AT_ONCE * VALUE_BYTES);
    char *packet = to = proto_begin(to, TRACE_PACKET);
    to = proto_put_u64(to, PACKET_TIMESTAMP, ns);
    to = proto_put_u64(to, PACKET_SEQUENCE, perfetto_sequence(context));
    to = proto_put_u64(to, PACKET_SEQUENCE_FLAGS, VALUE_SEQUENCE_NEEDED);
    char *event = to = proto_begin(to, PACKET_GPU_COUNTER_EVENT);
    to = proto_put_u64(to, COUNTER_EVENT_DESCRIPTOR, PERFETTO_DESCRIPTOR_IID);
    for (size_t c = 0; c < columns->count; c++) {
        if (has_values && columns->values[c])
            to = put_counter(to, first + c + 1, columns->values[c][i], columns->types[c]);
        else
            to = put_counter(to, first + c + 1, none, TALLY_DOUBLE);
    }
    proto_end(event, to);
    proto_end(packet, to);
    output_keep(output, to);
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    for (size_t first = 0; first < context->counter_count;) {
        struct columns columns;
        columns_get(context, first, &columns);
        if (batch->first_index + start == context->first_index)
            put_sample(output, context, first, &columns, 0, tracks_ns(context, batch->gpu_ticks[0]),
                       false);
        for (size_t i = 0; i < count; i++)
            put_sample(output, context, first, &columns, i,
                       tracks_ns(context, batch->gpu_ticks[start + i + 1]),
                       batch->states[start + i] == TALLY_STATE_OK);
        first += columns.count;
    }
}

/* ---- contexts, events, losses
 * -------------------------------------------------------------------- */

/* Appends the beginning of an event in a queue. The caller ends event and packet. */
static size_t add_event(struct buffer *to, const struct sink_context *context, uint64_t id,
                        enum perfetto_queue queue, uint64_t stage)
{
    size_t event = proto_open(to, PACKET_GPU_RENDER_STAGE_EVENT);
    proto_add_u64(to, STAGE_EVENT_ID, (uint64_t)context->input << 48 | id);
    proto_add_u64(to, STAGE_EVENT_GPU_ID, context->input);
    proto_add_u64(to, STAGE_EVENT_HW_QUEUE, queue);
    proto_add_u64(to, STAGE_EVENT_STAGE, stage);
    return event;
}

static void add_data(struct buffer *to, const char *name, const char *value)
{
    size_t data = proto_open(to, STAGE_EVENT_EXTRA_DATA);
    proto_add_text(to, EXTRA_DATA_NAME, name);
    proto_add_text(to, EXTRA_DATA_VALUE, value);
    proto_close(to, data);
}

/* Names what a slice is of in its packet: a list of all is not known before the end. */
static void add_name(struct buffer *to, uint64_t iid, const char *name)
{
    size_t interned = proto_open(to, PACKET_INTERNED_DATA);
    size_t specification = proto_open(to, INTERNED_DATA_GPU_SPECIFICATION);
    proto_add_u64(to, SPECIFICATION_IID, iid);
    proto_add_text(to, SPECIFICATION_NAME, name);
    proto_close(to, specification);
    proto_close(to, interned);
}

static void add_slice(struct buffer *to, const struct sink_context *context, uint64_t id,
                      uint64_t start_ticks, uint64_t end_ticks, uint32_t gpu_context)
{
    char name[32];
    uint64_t start = tracks_ns(context, start_ticks);
    uint64_t iid = PERFETTO_CONTEXT_IID(gpu_context);
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, start);
    snprintf(name, sizeof name, "0x%" PRIx32, gpu_context);
    add_name(to, iid, name);
    size_t event = add_event(to, context, id, PERFETTO_CONTEXTS, iid);
    proto_add_u64(to, STAGE_EVENT_DURATION, tracks_ns(context, end_ticks) - start);
    proto_add_u64(to, STAGE_EVENT_CONTEXT, gpu_context);
    proto_close(to, event);
    proto_close(to, packet);
}

static void add_instant(struct buffer *to, const struct sink_context *context, uint64_t id,
                        uint64_t ticks, unsigned reasons)
{
    char text[GROUP_TEXT_BYTES];
    reasons_text(text, reasons);
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, tracks_ns(context, ticks));
    size_t event = add_event(to, context, id, PERFETTO_EVENTS,
                             PERFETTO_REASON_IID((unsigned)__builtin_ctz(reasons)));
    add_data(to, "reasons", text);
    proto_close(to, event);
    proto_close(to, packet);
}

static void add_log(struct buffer *to, const struct sink_context *context, uint64_t ns,
                    enum perfetto_value severity, const char *text)
{
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, ns);
    size_t log = proto_open(to, PACKET_GPU_LOG);
    proto_add_u64(to, GPU_LOG_SEVERITY, severity);
    proto_add_text(to, GPU_LOG_TAG, context->info->path);
    proto_add_text(to, GPU_LOG_MESSAGE, text);
    proto_close(to, log);
    proto_close(to, packet);
}

static void add_loss(struct buffer *to, const struct sink_context *context, uint64_t id,
                     uint64_t start_ticks, uint64_t end_ticks, const struct tally_loss *loss)
{
    char text[TRACKS_TEXT_BYTES];
    uint64_t start = tracks_ns(context, start_ticks);
    tracks_loss_text(text, loss);
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, start);
    size_t event = add_event(to, context, id, PERFETTO_LOSSES, PERFETTO_LOSS_IID(loss->kind));
    if (end_ticks > start_ticks)
        proto_add_u64(to, STAGE_EVENT_DURATION, tracks_ns(context, end_ticks) - start);
    add_data(to, "loss", text);
    proto_close(to, event);
    proto_close(to, packet);
    add_log(to, context, start, VALUE_SEVERITY_WARNING, text);
}

static void add_pause(struct buffer *to, const struct sink_context *context, uint64_t id,
                      uint64_t start_ticks, uint64_t end_ticks, const struct tally_pause *pause)
{
    uint64_t start = tracks_ns(context, start_ticks);
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, start);
    size_t event = add_event(to, context, id, PERFETTO_PAUSES, PERFETTO_PAUSE_IID(pause->appended));
    proto_add_u64(to, STAGE_EVENT_DURATION, tracks_ns(context, end_ticks) - start);
    proto_close(to, event);
    proto_close(to, packet);
}

static void add_section(struct buffer *to, const struct sink_context *context, uint64_t id,
                        uint64_t start_ticks, uint64_t end_ticks, uint32_t name, const char *text)
{
    uint64_t start = tracks_ns(context, start_ticks);
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, start);
    add_name(to, PERFETTO_MARK_IID(name), text);
    size_t event = add_event(to, context, id, PERFETTO_MARKS, PERFETTO_MARK_IID(name));
    proto_add_u64(to, STAGE_EVENT_DURATION, tracks_ns(context, end_ticks) - start);
    proto_close(to, event);
    proto_close(to, packet);
}

static void add_frame(struct buffer *to, const struct sink_context *context, uint64_t id,
                      uint64_t ticks, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    size_t packet = open_packet(to, context);
    proto_add_u64(to, PACKET_TIMESTAMP, tracks_ns(context, ticks));
    size_t event = add_event(to, context, id, PERFETTO_FRAMES, PERFETTO_FRAME_IID);
    add_data(to, "frame", text);
    proto_close(to, event);
    proto_close(to, packet);
}

static void add_clock(struct buffer *to, uint64_t id, uint64_t ns)
{
    size_t clock = proto_open(to, CLOCK_SNAPSHOT_CLOCK);
    proto_add_u64(to, CLOCK_ID, id);
    proto_add_u64(to, CLOCK_TIMESTAMP, ns);
    proto_close(to, clock);
}

/* Appends the CPU's and the GPU's time of a correlation point. The GPU's, in nanoseconds, is a
 * clock of the sequence. */
static void add_point(struct buffer *to, const struct sink_context *context,
                      const struct tally_correlation *point)
{
    size_t packet = open_packet(to, context);
    size_t snapshot = proto_open(to, PACKET_CLOCK_SNAPSHOT);
    add_clock(to, VALUE_CLOCK_MONOTONIC, point->cpu_ns);
    add_clock(to, VALUE_CLOCK_GPU, ticks_to_ns(context->info, point->gpu_ticks));
    proto_add_u64(to, CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, VALUE_CLOCK_MONOTONIC);
    proto_close(to, snapshot);
    proto_close(to, packet);
}

static const struct tracks_calls calls = {add_slice, add_instant, add_point, add_loss,
                                          add_pause, add_section, add_frame};

/* ---- the trace
 * ----------------------------------------------------------------------------------- */

static void begin_inputs(struct output *output, const struct sink_context *contexts, size_t count)
{
    struct buffer bytes = {0};
    perfetto_add_gpus(&bytes, contexts, count);
    tracks_write(output, &bytes);
}

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    struct buffer bytes = {0};
    perfetto_add_descriptions(&bytes, context);
    tracks_write(output, &bytes);
}

static void in_order(struct output *output, const struct sink_context *context,
                     const struct tally_batch *batch)
{
    tracks_batch(output, context, batch, &calls);
}

static void end(struct output *output, const struct sink_context *context)
{
    struct buffer bytes = {0};
    tracks_end(output, context, &calls);
    if (!context->tracks->cpu_time)
        add_log(&bytes, context, tracks_ns(context, context->from_ticks), VALUE_SEVERITY_INFO,
                tracks_without_cpu_time);
    if (context->fault)
        add_log(&bytes, context, tracks_ns(context, context->to_ticks), VALUE_SEVERITY_ERROR,
                context->fault);
    tracks_write(output, &bytes);
}

const struct sink sink_perfetto = {
    .name = "perfetto",
    .title = "for ui.perfetto.dev",
    .begin_inputs = begin_inputs,
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .in_order = in_order,
    .end = end,
    .binary = true,
};
