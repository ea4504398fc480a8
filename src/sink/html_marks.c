/* SPDX-License-Identifier: MIT */
/* Pauses and marks in the header of a page. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/minmax.h"
#include "recording/marks.h"
#include "sink/html.h"
#include "sink/json.h"

/* Sections and frames in a page; the time after the last section is one of "(others)". */
#define SECTIONS_MAX 16384
#define FRAMES_MAX   16384

void html_put_pauses(struct output *header, const struct sink_context *context)
{
    const struct tally_pause *pauses;
    size_t count = tally_recording_pauses(context->recording, &pauses);
    const char *separator = "";
    output_text(header, ",\"pauses\":[");
    for (size_t i = 0; i < count; i++) {
        uint64_t start, end;
        if (!sink_pause_range(context, &pauses[i], &start, &end))
            continue;
        output_printf(header, "%s\n{\"reason\":\"%s\",\"start_ns\":", separator,
                      pause_name(&pauses[i]));
        json_number(header, html_ns(context, start));
        output_text(header, ",\"end_ns\":");
        json_number(header, html_ns(context, end));
        output_text(header, "}");
        separator = ",";
    }
    output_text(header, "]");
}

/* Writes the sections from `first` to `last` - 1: [start, name], by the numbers of `names`. */
static void put_sections(struct output *header, const struct sink_context *context,
                         const struct mark_change *changes, size_t first, size_t last, bool cut,
                         uint32_t *numbers)
{
    const struct tally_recorded_marks *marks = context->info->marks;
    uint32_t used = 0;
    output_text(header, "],\"sections\":[");
    for (size_t i = first; i < last; i++) {
        uint32_t section = cut && i + 1 == last ? MARK_OTHERS : changes[i].section;
        size_t at = min_size(section, marks->name_count); /* the last one is of MARK_OTHERS */
        if (!numbers[at])
            numbers[at] = ++used;
        output_text(header, i > first ? ",[" : "[");
        json_number(header, html_ns(context, max_u64(changes[i].gpu_ticks, context->from_ticks)));
        output_printf(header, ",%" PRIu32 "]", numbers[at] - 1);
    }
}

static void put_names(struct output *header, const struct tally_recorded_marks *marks,
                      const struct mark_change *changes, size_t first, size_t last, bool cut,
                      uint8_t *seen)
{
    const char *separator = "";
    for (size_t i = first; i < last; i++) {
        char text[GROUP_TEXT_BYTES];
        uint32_t section = cut && i + 1 == last ? MARK_OTHERS : changes[i].section;
        size_t at = min_size(section, marks->name_count);
        if (seen[at])
            continue;
        seen[at] = 1;
        mark_group_text(text, marks->names, marks->name_count, section);
        output_text(header, separator);
        json_text(header, section ? text : "");
        separator = ",";
    }
}

static void put_frames(struct output *header, const struct sink_context *context)
{
    const uint64_t *frames;
    size_t count = marks_frames(context->info->marks, &frames), first = 0, shown = 0;
    while (first < count && frames[first] < context->from_ticks)
        first++;
    output_printf(header, "],\"first_frame\":%zu,\"frames_ns\":[", first + 1);
    for (size_t i = first; i < count && frames[i] <= context->to_ticks && shown < FRAMES_MAX; i++) {
        output_text(header, shown++ ? "," : "");
        json_number(header, html_ns(context, frames[i]));
    }
    size_t after = first + shown, left_out = 0;
    for (; after < count && frames[after] <= context->to_ticks; after++)
        left_out++;
    output_printf(header, "],\"frames_left_out\":%zu", left_out);
}

void html_put_marks(struct output *header, const struct sink_context *context)
{
    const struct tally_recorded_marks *marks = context->info->marks;
    const struct mark_change *changes;
    if (!marks)
        return;
    size_t last = marks_changes(marks, &changes), first = 0;
    while (last && changes[last - 1].gpu_ticks > context->to_ticks)
        last--;
    while (first + 1 < last && changes[first + 1].gpu_ticks <= context->from_ticks)
        first++;
    bool cut = last - first > SECTIONS_MAX;
    if (cut)
        last = first + SECTIONS_MAX;
    uint32_t *numbers = calloc(marks->name_count + 1, sizeof *numbers);
    uint8_t *seen = calloc(marks->name_count + 1, 1);
    if (!numbers || !seen)
        fail_memory(&header->error, "the marks of a page");
    if (numbers && seen) {
        output_text(header, ",\"marks\":{\"uncertain_ns\":");
        json_number(header, (double)ticks_to_ns(context->info, marks->clock_ticks));
        output_text(header, ",\"names\":[");
        put_names(header, marks, changes, first, last, cut, seen);
        put_sections(header, context, changes, first, last, cut, numbers);
        put_frames(header, context);
        output_text(header, "}");
    }
    free(numbers);
    free(seen);
}
