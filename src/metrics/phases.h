/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_PHASES_H
#define TALLY_METRICS_PHASES_H

#include <stdint.h>

#include <tally/recording.h>
#include <tally/summary.h>

/*
 * What happened when: the phases of a modelled GPU's workload and the marks of a program, by which
 * deltas are grouped into phases, sections and frames. Frames are those of the marks if there are
 * any, else the repetitions of the workload.
 */
struct phase_clock {
    const struct tally_recorded_phases *phases; /* NULL: there are none */
    const struct tally_recorded_marks *marks;   /* likewise */
    uint64_t timestamp_hz;
    uint64_t frame_ns; /* length of all phases together */
    bool marked;       /* frames end at marks, else they are repetitions of the workload */
};

/* Returns the clock of these phases and marks, which must outlive it, at the frequency of the GPU
 * time. */
struct phase_clock phase_clock_of(const struct tally_recorded_phases *phases,
                                  const struct tally_recorded_marks *marks, uint64_t timestamp_hz);
struct phase_clock phase_clock_of_recording(const struct tally_recording_info *info);

/* Returns what a grouping needs and a recording does not have, such as "phases"; NULL: nothing. */
const char *phase_clock_lacks(const struct phase_clock *clock, enum tally_group_by by);
const char *grouping_lacks(const struct tally_recording_info *info, enum tally_group_by by);

/* Returns where recordings come from that have it, for messages. */
const char *grouping_source(enum tally_group_by by);

/* Returns the time of the workload; 0 before it began, as if the first phase had been earlier. */
uint64_t phase_clock_ns(const struct phase_clock *clock, uint64_t ticks);

/* Returns the frame in which a delta starts. */
uint64_t phase_clock_frame(const struct phase_clock *clock, uint64_t ticks);

/* Returns the key of the section in which a delta lies, or TALLY_KEY_CHANGE. */
uint64_t phase_clock_section(const struct phase_clock *clock, uint64_t from, uint64_t to);

/* Returns the phase in which a delta lies, or TALLY_KEY_CHANGE. */
uint64_t phase_clock_phase(const struct phase_clock *clock, uint64_t from, uint64_t to);

#endif
