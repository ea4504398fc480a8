/* SPDX-License-Identifier: MIT */
/* Checks that need a whole GPU. */
#ifndef TESTS_INTEL_CONFORMANCE_GPU_CHECK_H
#define TESTS_INTEL_CONFORMANCE_GPU_CHECK_H

#include "intel/conformance/rows.h"
#include "intel/gpu_rig.h"

/* Parameters of a row: the GPU, and the check that runs on it. */
struct gpu_check {
    struct tally_gpu_config config; /* without its platform */
    bool (*check)(struct conformance_fault *fault, struct gpu_rig *rig);
};

#define ON_GPU(check_, ...)                                                                        \
    &(const struct gpu_check)                                                                      \
    {                                                                                              \
        {__VA_ARGS__}, check_                                                                      \
    }
#define AWAKE(check_)  ON_GPU(check_, .always_awake = true)
#define ASLEEP(check_) ON_GPU(check_, .always_awake = false)

/* Of a CHECKED_ROW: does the check on a new GPU of each of the row's platforms. */
bool on_gpu(struct conformance_fault *fault, const struct conformance_case *row);

/* events.c: runs a workload, also in the assembled GPU, and checks a counter. */
bool event_counts(struct conformance_fault *fault, const struct conformance_case *row);

/* The CPU's accesses. */
static inline uint32_t rd(struct gpu_rig *rig, uint32_t address)
{
    return tally_gpu_read32(rig->gpu, address);
}

static inline void wr(struct gpu_rig *rig, uint32_t address, uint32_t value)
{
    tally_gpu_write32(rig->gpu, address, value);
}

#endif
