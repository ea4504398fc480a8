/* SPDX-License-Identifier: MIT */
/*
 * Records a GPU live for a second and prints how busy it was every 100 ms.
 *
 *     cc live.c -o live $(pkg-config --cflags --libs tally)
 *     ./live sim:skl                      # or /dev/dri/renderD128
 */
#include <stdio.h>

#include <tally/capture.h>
#include <tally/pipeline.h>

int main(int argc, char **argv)
{
    struct tally_capture *capture = NULL;
    struct tally_pipeline *pipeline = NULL;
    struct tally_capture_options recording = TALLY_CAPTURE_OPTIONS_INIT;
    struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT;
    const struct tally_sample *sample;
    struct tally_error error = {0, ""};
    double busy;
    recording.duration_ns = 1000000000;
    options.interval_ns = 100000000;

    int result = tally_capture_open(argc > 1 ? argv[1] : NULL, NULL, &capture, &error);
    if (result == 0)
        result = tally_pipeline_open_capture(capture, &recording, &options, &pipeline, &error);
    while (result >= 0 && (result = tally_pipeline_next(pipeline, &sample, &error)) > 0)
        if (tally_sample_get(sample, "GpuBusy", &busy) == 0)
            printf("%.1f s  GpuBusy %.1f %%\n", (double)sample->start_ns / 1e9, busy);
    if (result < 0)
        fprintf(stderr, "%s\n", error.message);
    tally_pipeline_close(pipeline);
    tally_capture_close(capture);
    return result < 0;
}
