/* SPDX-License-Identifier: MIT */
#include "sink/tracks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/minmax.h"
#include "recording/marks.h"

/* Reports that something else than the timer or a context switch has caused. */
#define EVENTS                                                                                     \
    (TALLY_REASON_TRIGGER_1 | TALLY_REASON_TRIGGER_2 | TALLY_REASON_GO_TRANSITION |                \
     TALLY_REASON_CLOCK_RATIO_CHANGE | TALLY_REASON_MMIO_TRIGGER)

const char tracks_without_cpu_time[] =
    "no correlation of GPU and CPU time: times are those of the GPU's clock";

void tracks_begin(const struct sink_context *context)
{
    uint64_t ignored;
    context->tracks->cpu_time = !tally_recording_cpu_ns(context->recording, 0, &ignored);
}

uint64_t tracks_ns(const struct sink_context *context, uint64_t ticks)
{
    uint64_t ns;
    if (context->tracks->cpu_time && !tally_recording_cpu_ns(context->recording, ticks, &ns))
        return ns;
    return ticks_to_ns(context->info, ticks);
}

char *tracks_gpu_name(char text[TRACKS_TEXT_BYTES], const struct sink_context *context)
{
    char title[DEVICE_TEXT_BYTES];
    sink_device_title(title, context->info);
    if (context->input_count > 1)
        snprintf(text, TRACKS_TEXT_BYTES, "%s #%zu", title, context->input);
    else
        snprintf(text, TRACKS_TEXT_BYTES, "%s", title);
    return text;
}

char *tracks_loss_text(char text[TRACKS_TEXT_BYTES], const struct tally_loss *loss)
{
    size_t used = (size_t)snprintf(text, TRACKS_TEXT_BYTES, "%s %" PRIu64,
                                   tally_loss_kind_name(loss->kind), loss->records);
    if (loss->before_index)
        used += (size_t)snprintf(text + used, TRACKS_TEXT_BYTES - used, " after report %" PRIu64,
                                 loss->before_index - 1);
    else
        used += (size_t)snprintf(text + used, TRACKS_TEXT_BYTES - used, " before the first report");
    if (loss->estimated)
        snprintf(text + used, TRACKS_TEXT_BYTES - used, ", %s%" PRIu64 " report%s",
                 loss->exact ? "" : "about ", loss->estimated, loss->estimated == 1 ? "" : "s");
    return text;
}

void tracks_write(struct output *output, struct buffer *bytes)
{
    if (bytes->broken)
        fail_memory(&output->error, "a trace");
    else if (bytes->size)
        output_bytes(output, bytes->bytes, bytes->size);
    buffer_fini(bytes);
}

/* ---- the calls ---------------------------------------------------------------------------------
 */

static void put_points(const struct sink_context *context, const struct tracks_calls *calls)
{
    struct tracks *tracks = context->tracks;
    const struct tally_correlation *points;
    size_t count = tally_recording_correlations(context->recording, &points), first = count;
    if (!calls->point || !tracks->cpu_time)
        return;
    while (first && points[first - 1].gpu_ticks > tracks->point_ticks)
        first--;
    for (size_t i = first; i < count; i++) {
        calls->point(&tracks->bytes, context, &points[i]);
        tracks->point_ticks = points[i].gpu_ticks;
    }
}

static void end_slice(const struct sink_context *context, const struct tracks_calls *calls,
                      uint64_t end_ticks)
{
    struct tracks *tracks = context->tracks;
    if (tracks->running)
        calls->slice(&tracks->bytes, context, ++tracks->events, tracks->start_ticks, end_ticks,
                     tracks->context);
    tracks->running = false;
}

void tracks_batch(struct output *output, const struct sink_context *context,
                  const struct tally_batch *batch, const struct tracks_calls *calls)
{
    struct tracks *tracks = context->tracks;
    put_points(context, calls);
    for (size_t i = 0; i + 1 < batch->count; i++) {
        bool runs = batch->states[i] == TALLY_STATE_OK && batch->contexts[i] != TALLY_CONTEXT_IDLE;
        if (tracks->running && runs && tracks->context == batch->contexts[i])
            continue;
        end_slice(context, calls, batch->gpu_ticks[i]);
        tracks->running = runs;
        tracks->context = batch->contexts[i];
        tracks->start_ticks = batch->gpu_ticks[i];
    }
    /* Element 0 is the last report of the batch before. */
    for (size_t i = batch->first_index != context->first_index; i < batch->count; i++)
        if (batch->reasons[i] & EVENTS)
            calls->event(&tracks->bytes, context, ++tracks->events, batch->gpu_ticks[i],
                         batch->reasons[i] & EVENTS);
    /* Batches after the end of a range have one report. */
    if (batch->count > 1 || (batch->count && !tracks->last_ticks))
        tracks->last_ticks = batch->gpu_ticks[batch->count - 1];
    tracks_write(output, &tracks->bytes);
}

/* Writes what the calls have made, so that a million marks are not in memory at once. */
#define BYTES_AT_ONCE 65536

static void write_some(struct output *output, struct tracks *tracks)
{
    if (tracks->bytes.size >= BYTES_AT_ONCE)
        tracks_write(output, &tracks->bytes);
}

static void put_pauses(struct output *output, const struct sink_context *context,
                       const struct tracks_calls *calls)
{
    struct tracks *tracks = context->tracks;
    const struct tally_pause *pauses;
    size_t count = tally_recording_pauses(context->recording, &pauses);
    for (size_t i = 0; i < count; i++) {
        uint64_t start, end;
        if (sink_pause_range(context, &pauses[i], &start, &end))
            calls->pause(&tracks->bytes, context, ++tracks->events, start, end, &pauses[i]);
        write_some(output, tracks);
    }
}

static void put_sections(struct output *output, const struct sink_context *context,
                         const struct tracks_calls *calls)
{
    struct tracks *tracks = context->tracks;
    const struct tally_recorded_marks *marks = context->info->marks;
    const struct mark_change *changes;
    size_t count = marks_changes(marks, &changes);
    for (size_t i = 0; i < count; i++) {
        char text[GROUP_TEXT_BYTES];
        uint32_t name = changes[i].section;
        uint64_t start = max_u64(changes[i].gpu_ticks, context->from_ticks);
        uint64_t end = i + 1 < count ? changes[i + 1].gpu_ticks : tracks->last_ticks;
        end = min_u64(end, context->to_ticks);
        if (!name || start >= end)
            continue;
        mark_group_text(text, marks->names, marks->name_count, name);
        calls->section(&tracks->bytes, context, ++tracks->events, start, end, name, text);
        write_some(output, tracks);
    }
}

static void put_frames(struct output *output, const struct sink_context *context,
                       const struct tracks_calls *calls)
{
    struct tracks *tracks = context->tracks;
    const uint64_t *frames;
    size_t count = marks_frames(context->info->marks, &frames);
    for (size_t i = 0; i < count; i++) {
        if (frames[i] >= context->from_ticks && frames[i] <= context->to_ticks)
            calls->frame(&tracks->bytes, context, ++tracks->events, frames[i], i + 1);
        write_some(output, tracks);
    }
}

void tracks_end(struct output *output, const struct sink_context *context,
                const struct tracks_calls *calls)
{
    struct tracks *tracks = context->tracks;
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(context->recording, &losses);
    put_points(context, calls);
    end_slice(context, calls, tracks->last_ticks);
    for (size_t i = 0; i < count; i++) {
        uint64_t start, end;
        if (sink_loss_range(context, &losses[i], &start, &end))
            calls->loss(&tracks->bytes, context, ++tracks->events, start, end, &losses[i]);
    }
    put_pauses(output, context, calls);
    if (context->info->marks) {
        put_sections(output, context, calls);
        put_frames(output, context, calls);
    }
    tracks_write(output, &tracks->bytes);
}
