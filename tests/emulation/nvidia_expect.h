/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EMULATION_NVIDIA_EXPECT_H
#define TESTS_EMULATION_NVIDIA_EXPECT_H

/* What a drive of an NVIDIA GPU counts, computed from the activities of the workload file, without
 * the waves and the engine. */

#include "emulation/nvidia/program.h"

struct expected {
    double mean, tolerance; /* of the clocks at which the signal is 1 */
};

/* Returns the count of a selected drive's signal from the start of the workload to a time. */
struct expected nvidia_expect(const struct nvidia_program *program, const struct nvidia_gpu *gpu,
                              const struct nvidia_drive *drive, uint64_t ns);

#endif
