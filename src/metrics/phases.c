/* SPDX-License-Identifier: MIT */
#include "metrics/phases.h"

#include "base/ratio.h"
#include "recording/marks.h"

struct phase_clock phase_clock_of(const struct tally_recorded_phases *phases,
                                  const struct tally_recorded_marks *marks, uint64_t timestamp_hz)
{
    struct phase_clock clock = {.phases = phases, .marks = marks, .timestamp_hz = timestamp_hz};
    clock.marked = marks && marks->frames;
    for (size_t i = 0; phases && i < phases->count; i++)
        clock.frame_ns += phases->durations_ns[i];
    return clock;
}

struct phase_clock phase_clock_of_recording(const struct tally_recording_info *info)
{
    return phase_clock_of(info->phases, info->marks, info->recorded.timestamp_hz);
}

const char *phase_clock_lacks(const struct phase_clock *clock, enum tally_group_by by)
{
    if (by == TALLY_BY_PHASE && !clock->phases)
        return "phases";
    if (by == TALLY_BY_FRAME && !clock->phases && !clock->marked)
        return "frames";
    if (by == TALLY_BY_MARK && !(clock->marks && clock->marks->sections))
        return "marks";
    return NULL;
}

const char *grouping_lacks(const struct tally_recording_info *info, enum tally_group_by by)
{
    const struct phase_clock clock = phase_clock_of_recording(info);
    return phase_clock_lacks(&clock, by);
}

const char *grouping_source(enum tally_group_by by)
{
    return by == TALLY_BY_PHASE   ? "of a modelled GPU"
           : by == TALLY_BY_FRAME ? "of a modelled GPU, or of a program that marks its frames"
                                  : "of a program that makes marks (tally help record)";
}

uint64_t phase_clock_ns(const struct phase_clock *clock, uint64_t ticks)
{
    uint64_t start = clock->phases->start_ticks;
    return ticks > start ? scale_u64(ticks - start, NS_PER_SECOND, clock->timestamp_hz) : 0;
}

uint64_t phase_clock_frame(const struct phase_clock *clock, uint64_t ticks)
{
    return clock->marked ? marks_frame(clock->marks, ticks)
                         : phase_clock_ns(clock, ticks) / clock->frame_ns;
}

uint64_t phase_clock_section(const struct phase_clock *clock, uint64_t from, uint64_t to)
{
    uint32_t section;
    if (!marks_section(clock->marks, from, to, &section))
        return TALLY_KEY_CHANGE;
    return section == MARK_OTHERS ? TALLY_KEY_OTHERS : section;
}

uint64_t phase_clock_phase(const struct phase_clock *clock, uint64_t from, uint64_t to)
{
    const struct tally_recorded_phases *phases = clock->phases;
    uint64_t begin = phase_clock_ns(clock, from) % clock->frame_ns, end = 0;
    uint64_t length = phase_clock_ns(clock, to) - phase_clock_ns(clock, from);
    size_t phase = 0;
    while (phase + 1 < phases->count && begin >= (end += phases->durations_ns[phase]))
        phase++;
    if (phase + 1 == phases->count && begin >= end)
        end = clock->frame_ns;
    return phases->count > 1 && length > end - begin ? TALLY_KEY_CHANGE : phase;
}
