/* SPDX-License-Identifier: MIT */
#include "metrics/phases.h"

#include <tally/summary.h>

#include "base/ratio.h"

struct phase_clock phase_clock_of(const struct tally_recorded_phases *phases, uint64_t timestamp_hz)
{
    struct phase_clock clock = {.phases = phases, .timestamp_hz = timestamp_hz};
    for (size_t i = 0; phases && i < phases->count; i++)
        clock.frame_ns += phases->durations_ns[i];
    return clock;
}

uint64_t phase_clock_ns(const struct phase_clock *clock, uint64_t ticks)
{
    uint64_t start = clock->phases->start_ticks;
    return ticks > start ? scale_u64(ticks - start, NS_PER_SECOND, clock->timestamp_hz) : 0;
}

uint64_t phase_clock_frame(const struct phase_clock *clock, uint64_t ticks)
{
    return phase_clock_ns(clock, ticks) / clock->frame_ns;
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
