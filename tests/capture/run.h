/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_RUN_H
#define TESTS_CAPTURE_RUN_H

#include "capture/recorder.h"

/* Starts a recording, steps until it is done, and finishes. Returns the first error of the three.
 * The product's loop is in capture.c, between the calls of its caller. */
static inline int recorder_run(const struct recorder_settings *settings,
                               struct tally_capture_stats *stats, struct tally_error *error)
{
    struct recorder *recorder;
    struct tally_error second = {0};
    int result = recorder_start(settings, stats, &recorder, error);
    if (result < 0)
        return result;
    do
        result = recorder_step(recorder, UINT64_MAX, error);
    while (result > 0);
    int finished = recorder_finish(recorder, &second);
    if (result == 0 && finished < 0 && error)
        *error = second;
    return result < 0 ? result : finished;
}

#endif
