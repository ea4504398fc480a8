/* SPDX-License-Identifier: MIT */
#include "pipeline/recordings.h"

#include <errno.h>

const char *const sample_symbols[SAMPLE_VALUES] = {"GpuBusy", "GpuTime", "EuActive"};

struct tally_pipeline_options own_sets(void)
{
    static char directory[512];
    struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT;
    snprintf(directory, sizeof directory, "%s/data/metrics", getenv("TALLY_SOURCE"));
    options.metrics = directory;
    options.set = "RenderBasic";
    return options;
}

struct build build_recording(uint64_t first_stamp, uint64_t period, size_t count, size_t lost_at)
{
    struct build build = build_start(SKL);
    for (size_t i = 0; i < count; i++) {
        if (i && i == lost_at)
            build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
        build_report(&build, first_stamp + i * period);
    }
    return build;
}

void samples_take(struct samples *samples, struct tally_pipeline *pipeline)
{
    const struct tally_sample *sample;
    while ((samples->ended = tally_pipeline_next(pipeline, &sample, &samples->error)) == 1) {
        if (samples->count == samples->capacity) {
            samples->capacity = samples->capacity ? 2 * samples->capacity : 64;
            samples->samples =
                realloc(samples->samples, samples->capacity * sizeof *samples->samples);
            samples->values = realloc(samples->values,
                                      samples->capacity * SAMPLE_VALUES * sizeof *samples->values);
            assert_true(samples->samples && samples->values);
        }
        samples->samples[samples->count] = *sample;
        for (size_t i = 0; i < SAMPLE_VALUES; i++) {
            ptrdiff_t counter = tally_pipeline_counter(pipeline, sample_symbols[i]);
            double value, same;
            assert_true(counter >= 0);
            same = tally_sample_value(sample, (size_t)counter);
            int got = tally_sample_get(sample, sample_symbols[i], &value);
            assert_int_equal(got, sample->has_values ? 0 : -ENODATA);
            if (!got)
                assert_memory_equal(&value, &same, sizeof value);
            else
                assert_true(same != same);
            samples->values[samples->count * SAMPLE_VALUES + i] = got ? 0 : value;
        }
        samples->count++;
    }
}

void samples_fini(struct samples *samples)
{
    free(samples->samples);
    free(samples->values);
}

bool same_samples(const struct samples *a, const struct samples *b, size_t count)
{
    if (a->count < count || b->count < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct tally_sample *x = &a->samples[i], *y = &b->samples[i];
        if (x->index != y->index || x->state != y->state || x->has_values != y->has_values ||
            x->deltas != y->deltas || x->lost != y->lost || x->gpu_start != y->gpu_start ||
            x->gpu_end != y->gpu_end || x->start_ns != y->start_ns ||
            x->duration_ns != y->duration_ns || x->context != y->context ||
            x->reasons != y->reasons)
            return false;
    }
    return !memcmp(a->values, b->values, count * SAMPLE_VALUES * sizeof *a->values);
}
