/* SPDX-License-Identifier: MIT */
/* Compiled for the widest vectors of the machine, for a fair comparison. */
#include "bench.h"

static uint64_t sum_words(const uint64_t *words, size_t count)
{
    uint64_t lanes[32] = {0};
    for (size_t i = 0; i + 32 <= count; i += 32)
        for (size_t l = 0; l < 32; l++)
            lanes[l] += words[i + l];
    uint64_t sum = 0;
    for (size_t l = 0; l < 32; l++)
        sum += lanes[l];
    return sum;
}

double bench_read_bandwidth(const void *bytes, size_t size, unsigned runs)
{
    double seconds[64];
    volatile uint64_t sink = 0;
    if (runs > 64)
        runs = 64;
    for (unsigned i = 0; i < runs; i++) {
        double start = bench_now();
        sink = sink + sum_words(bytes, size / 8);
        seconds[i] = bench_now() - start;
    }
    return (double)size / bench_median(seconds, runs);
}
