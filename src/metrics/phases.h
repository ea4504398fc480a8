/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_PHASES_H
#define TALLY_METRICS_PHASES_H

#include <stdint.h>

#include <tally/recording.h>

/* The time of a workload, by which deltas are grouped into phases and frames. */
struct phase_clock {
    const struct tally_recorded_phases *phases; /* NULL: there are none */
    uint64_t timestamp_hz;
    uint64_t frame_ns; /* length of all phases together */
};

/* Returns the clock of these phases, which must outlive it, at the frequency of the GPU time. */
struct phase_clock phase_clock_of(const struct tally_recorded_phases *phases,
                                  uint64_t timestamp_hz);

/* Returns the time of the workload; 0 before it began, as if the first phase had been earlier. */
uint64_t phase_clock_ns(const struct phase_clock *clock, uint64_t ticks);

/* Returns the frame in which a delta starts. */
uint64_t phase_clock_frame(const struct phase_clock *clock, uint64_t ticks);

/* Returns the phase in which a delta lies, or TALLY_KEY_CHANGE. */
uint64_t phase_clock_phase(const struct phase_clock *clock, uint64_t from, uint64_t to);

#endif
