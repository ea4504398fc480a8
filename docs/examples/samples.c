/* SPDX-License-Identifier: MIT */
/*
 * Prints one counter of every sample of a recording.
 *
 *     cc samples.c -o samples $(pkg-config --cflags --libs tally)
 *     ./samples recording.i915-perf GpuBusy
 */
#include <stdio.h>

#include <tally/pipeline.h>

int main(int argc, char **argv)
{
    struct tally_pipeline *pipeline = NULL;
    const struct tally_sample *sample;
    struct tally_error error;
    double value;
    int result;

    if (argc != 3) {
        fprintf(stderr, "usage: samples RECORDING COUNTER\n");
        return 2;
    }
    result = tally_pipeline_open(argv[1], NULL, &pipeline, &error);
    while (result >= 0 && (result = tally_pipeline_next(pipeline, &sample, &error)) > 0) {
        double ms = (double)sample->start_ns / 1e6;
        if (tally_sample_get(sample, argv[2], &value) == 0)
            printf("%.6f ms: %.2f\n", ms, value);
        else /* reports are missing here, or the set does not have this counter */
            printf("%.6f ms: no value (%s)\n", ms, tally_state_name(sample->state));
    }
    if (result < 0)
        fprintf(stderr, "%s\n", error.message);
    tally_pipeline_close(pipeline);
    return result < 0;
}
