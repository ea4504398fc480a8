/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BENCH_BENCH_H
#define TALLY_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the monotonic time in seconds. */
double bench_now(void);

/* Returns the median of `count` timings; sorts them. */
double bench_median(double *seconds, size_t count);

/*
 * Returns the bytes per second that one core reads from a buffer larger than the caches: the median
 * of `runs` vectorized sums of its 64-bit words.
 */
double bench_read_bandwidth(const void *bytes, size_t size, unsigned runs);

#endif
