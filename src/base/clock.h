/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_CLOCK_H
#define TALLY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "base/ratio.h"

/* Returns the time of a clock of the machine, such as CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static inline struct timespec timespec_of_ns(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / NS_PER_SECOND), (long)(ns % NS_PER_SECOND)};
}

#endif
