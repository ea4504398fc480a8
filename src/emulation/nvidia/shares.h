/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_SHARES_H
#define TALLY_EMULATION_NVIDIA_SHARES_H

/* Makes the wave of a drive from the activities of a phase. */

#include "emulation/nvidia/program.h"

/* Shares are spread over periods of 1,000 clocks, or of 10,000 if one of the phase needs it; they
 * are rounded to that (decided). */
#define PERIOD_CLOCKS      1000u
#define LONG_PERIOD_CLOCKS 10000u
#define PATTERN_WORDS      ((LONG_PERIOD_CLOCKS + 63) / 64)

struct shares {
    const struct tally_workload *workload;
    size_t phase;
    const struct nvidia_gpu *gpu;
};

/* Whether a unit's activity changes the signal of a row. */
bool drive_uses(const struct drive_row *row, unsigned unit);

/* Makes a drive's wave, for which `other` and `pattern` are memory. */
void make_wave(const struct shares *shares, const struct nvidia_drive *drive,
               struct tally_wave *wave, struct tally_wave *other, uint64_t pattern[PATTERN_WORDS]);

#endif
