/* SPDX-License-Identifier: MIT */
/* Counts the samples of a recording. */
#include <stdio.h>

#include <tally/pipeline.h>

int main(int argc, char **argv)
{
    struct tally_pipeline *pipeline = NULL;
    const struct tally_sample *sample;
    struct tally_error error = {0, ""};
    int samples = 0, result;
    if (argc != 2 || tally_pipeline_open(argv[1], NULL, &pipeline, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    while ((result = tally_pipeline_next(pipeline, &sample, &error)) > 0)
        samples++;
    tally_pipeline_close(pipeline);
    printf("%d samples\n", samples);
    return result < 0;
}
