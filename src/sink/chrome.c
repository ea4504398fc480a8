/* SPDX-License-Identifier: MIT */
/* Trace events in JSON, as chrome://tracing, Perfetto and others read them: one event a line. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sink/json.h"
#include "sink/number.h"
#include "sink/tracks.h"

/* The threads of a GPU's process. */
enum track {
    TRACK_CONTEXTS = 1,
    TRACK_EVENTS,
    TRACK_LOSSES,
    TRACK_PAUSES,
    TRACK_MARKS,
    TRACK_FRAMES,
};

/* ---- values ------------------------------------------------------------------------------------
 */

/* Writes a time in microseconds, with all digits of the nanoseconds. */
static char *put_us(char *to, uint64_t ns)
{
    to = put_u64(to, ns / 1000);
    return to + sprintf(to, ".%03u", (unsigned)(ns % 1000));
}

static char *put_value(char *to, union tally_value value, enum tally_data_type type)
{
    double number = tally_value_double(value, type);
    if (!isfinite(number)) {
        memcpy(to, "null", 4);
        return to + 4;
    }
    return type == TALLY_UINT64 ? put_u64(to, value.u) : put_double(to, number);
}

static char *put_bytes(char *to, const char *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

/* Formats what is the same in all values of a counter. */
static void put_key(struct output *output, const struct sink_context *context, size_t c)
{
    const struct tally_counter *counter = &context->set->counters[context->counters[c]];
    output_printf(output, ",\n{\"ph\":\"C\",\"pid\":%zu,\"name\":", context->input + 1);
    json_text(output, counter->symbol);
    output_text(output, ",\"args\":{");
    json_text(output, *counter->units ? counter->units : "value");
    output_text(output, ":");
}

/* Writes the value of a counter from a time on; null ends its line. */
static void put_counter(struct output *output, const struct buffer *key, uint64_t ns,
                        union tally_value value, enum tally_data_type type)
{
    output_append(output, key->bytes, key->size);
    char *to = output_reserve(output, 2 * NUMBER_MAX + 32);
    to = put_value(to, value, type);
    to = put_bytes(to, "},\"ts\":", 7);
    to = put_us(to, ns);
    *to++ = '}';
    output_keep(output, to);
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    const union tally_value none = {.f = (double)NAN};
    for (size_t first = 0; first < context->counter_count;) {
        struct columns columns;
        columns_get(context, first, &columns);
        for (size_t i = 0; i < count; i++) {
            uint64_t ns = tracks_ns(context, batch->gpu_ticks[start + i]);
            bool ok = batch->states[start + i] == TALLY_STATE_OK;
            for (size_t c = 0; c < columns.count; c++) {
                bool has_value = ok && columns.values[c];
                put_counter(output, &context->keys[first + c], ns,
                            has_value ? columns.values[c][i] : none,
                            has_value ? columns.types[c] : TALLY_DOUBLE);
            }
        }
        first += columns.count;
    }
}

/* ---- contexts, events, losses -------------------------------------------------------------------
 */

/* Appends an event with its beginning and an end: of `args`, a JSON object. `end_ticks` is equal to
 * the start for an instant. */
static void add_event(struct buffer *to, const struct sink_context *context, enum track track,
                      const char *name, uint64_t start_ticks, uint64_t end_ticks, const char *args)
{
    char text[3 * NUMBER_MAX];
    uint64_t start = tracks_ns(context, start_ticks), end = tracks_ns(context, end_ticks);
    *put_us(text, start) = '\0';
    buffer_printf(to, ",\n{\"ph\":\"%s\",\"pid\":%zu,\"tid\":%d,\"name\":\"%s\",\"ts\":%s",
                  end > start ? "X" : "i", context->input + 1, track, name, text);
    *put_us(text, end - start) = '\0';
    if (end > start)
        buffer_printf(to, ",\"dur\":%s", text);
    else
        buffer_text(to, ",\"s\":\"p\"");
    buffer_printf(to, ",\"args\":%s}", args);
}

static void add_slice(struct buffer *to, const struct sink_context *context, uint64_t id,
                      uint64_t start_ticks, uint64_t end_ticks, uint32_t gpu_context)
{
    char name[16];
    (void)id;
    snprintf(name, sizeof name, "0x%" PRIx32, gpu_context);
    add_event(to, context, TRACK_CONTEXTS, name, start_ticks, end_ticks, "{}");
}

static void add_instant(struct buffer *to, const struct sink_context *context, uint64_t id,
                        uint64_t ticks, unsigned reasons)
{
    char name[GROUP_TEXT_BYTES];
    (void)id;
    reasons_text(name, reasons);
    add_event(to, context, TRACK_EVENTS, name, ticks, ticks, "{}");
}

static void add_loss(struct buffer *to, const struct sink_context *context, uint64_t id,
                     uint64_t start_ticks, uint64_t end_ticks, const struct tally_loss *loss)
{
    char text[TRACKS_TEXT_BYTES], args[TRACKS_TEXT_BYTES + 16];
    (void)id;
    snprintf(args, sizeof args, "{\"loss\":\"%s\"}", tracks_loss_text(text, loss));
    add_event(to, context, TRACK_LOSSES, tally_loss_kind_name(loss->kind), start_ticks, end_ticks,
              args);
}

static void add_pause(struct buffer *to, const struct sink_context *context, uint64_t id,
                      uint64_t start_ticks, uint64_t end_ticks, const struct tally_pause *pause)
{
    (void)id;
    add_event(to, context, TRACK_PAUSES, pause_name(pause), start_ticks, end_ticks, "{}");
}

/* Names of marks are printable. */
static void add_section(struct buffer *to, const struct sink_context *context, uint64_t id,
                        uint64_t start_ticks, uint64_t end_ticks, uint32_t name, const char *text)
{
    char escaped[2 * GROUP_TEXT_BYTES], *at = escaped;
    (void)id;
    (void)name;
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *at++ = '\\';
        *at++ = *text;
    }
    *at = '\0';
    add_event(to, context, TRACK_MARKS, escaped, start_ticks, end_ticks, "{}");
}

static void add_frame(struct buffer *to, const struct sink_context *context, uint64_t id,
                      uint64_t ticks, size_t number)
{
    char name[32];
    (void)id;
    snprintf(name, sizeof name, "frame %zu", number);
    add_event(to, context, TRACK_FRAMES, name, ticks, ticks, "{}");
}

static const struct tracks_calls calls = {add_slice, add_instant, NULL,     add_loss,
                                          add_pause, add_section, add_frame};

/* ---- the trace ----------------------------------------------------------------------------------
 */

/* Writes a line of metadata about a process or, if `track` is not 0, a thread. `text` may be from
 * elsewhere. */
static void put_metadata(struct output *output, const struct sink_context *context, int track,
                         const char *name, const char *key, const char *text)
{
    output_printf(output,
                  ",\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":%d,\"name\":\"%s\",\"args\":{\"%s\":",
                  context->input + 1, track, name, key);
    json_text(output, text);
    output_text(output, "}}");
}

static void begin_inputs(struct output *output, const struct sink_context *contexts, size_t count)
{
    /* The first event, so that a comma can precede each other one. */
    (void)contexts;
    output_printf(
        output,
        "[{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"tally %s\","
        "\"gpus\":%zu}}",
        tally_version(), count);
}

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    char name[TRACKS_TEXT_BYTES];
    put_metadata(output, context, 0, "process_name", "name", tracks_gpu_name(name, context));
    put_metadata(output, context, 0, "process_labels", "labels", context->info->path);
    put_metadata(output, context, TRACK_CONTEXTS, "thread_name", "name", "Contexts");
    put_metadata(output, context, TRACK_EVENTS, "thread_name", "name", "Events");
    put_metadata(output, context, TRACK_LOSSES, "thread_name", "name", "Losses");
    if (context->info->marks) {
        put_metadata(output, context, TRACK_MARKS, "thread_name", "name", "Marks");
        put_metadata(output, context, TRACK_FRAMES, "thread_name", "name", "Frames");
    }
    if (!context->tracks->cpu_time)
        put_metadata(output, context, 0, "process_labels", "labels", tracks_without_cpu_time);
    sink_format_keys(output, context, put_key);
}

static void in_order(struct output *output, const struct sink_context *context,
                     const struct tally_batch *batch)
{
    tracks_batch(output, context, batch, &calls);
}

static void end(struct output *output, const struct sink_context *context)
{
    const union tally_value none = {.f = (double)NAN};
    tracks_end(output, context, &calls);
    if (tally_recording_totals(context->recording).pauses)
        put_metadata(output, context, TRACK_PAUSES, "thread_name", "name", "Pauses");
    if (context->tracks->last_ticks)
        for (size_t c = 0; c < context->counter_count; c++)
            put_counter(output, &context->keys[c], tracks_ns(context, context->tracks->last_ticks),
                        none, TALLY_DOUBLE);
    if (context->fault)
        put_metadata(output, context, 0, "process_labels", "labels", context->fault);
}

static void end_inputs(struct output *output)
{
    output_text(output, "\n]\n");
}

const struct sink sink_chrome = {
    .name = "chrome",
    .title = "JSON trace events",
    .begin_inputs = begin_inputs,
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .in_order = in_order,
    .end = end,
    .end_inputs = end_inputs,
};
