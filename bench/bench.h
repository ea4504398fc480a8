/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BENCH_BENCH_H
#define TALLY_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* Seconds, monotonic. */
double bench_now(void);

/* The median of `count` timings (sorted in place). */
double bench_median(double *seconds, size_t count);

/*
 * Bytes a second that one core reads from a buffer larger than the caches: the median of `runs`
 * sums over 64-bit words with vectors.
 */
double bench_read_bandwidth(const void *bytes, size_t size, unsigned runs);

#endif
