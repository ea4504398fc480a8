/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PIPELINE_RECORDINGS_H
#define TESTS_PIPELINE_RECORDINGS_H

#include "recording/build.h"

#include <tally/pipeline.h>

/* Options that find the project's own metric sets. */
struct tally_pipeline_options own_sets(void);

/* A Skylake recording of `count` reports, `period` ticks apart, the first at `first_stamp`;
 * report `lost_at` is preceded by a REPORT_LOST record (0: none). */
struct build build_recording(uint64_t first_stamp, uint64_t period, size_t count, size_t lost_at);

/* All samples of a pipeline up to its first result other than 1, which is kept. */
struct samples {
    struct tally_sample *samples;
    double *values; /* of GpuBusy, GpuTime and EuActive of each; NaN: none */
    size_t count, capacity;
    size_t counter_count;
    int ended;
    struct tally_error error;
};

#define SAMPLE_VALUES 3
extern const char *const sample_symbols[SAMPLE_VALUES];

void samples_take(struct samples *samples, struct tally_pipeline *pipeline);
void samples_fini(struct samples *samples);

/* Returns whether the first `count` samples of both are equal bit for bit, except CPU times. */
bool same_samples(const struct samples *a, const struct samples *b, size_t count);

#endif
