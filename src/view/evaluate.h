/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_EVALUATE_H
#define TALLY_VIEW_EVALUATE_H

#include <tally/pipeline.h>

#include "view/sample.h"

/*
 * Turns the bytes of a recording, as they arrive, into the samples of a view: a pipeline evaluates
 * the counters of each interval, and the deltas that it reads give the time of each context.
 */

struct evaluator;

struct evaluator_settings {
    const char *name; /* of the device or file, for messages and the info */
    bool is_recorded;

    /* As of tally_pipeline_open_fed(), which it must outlive; `interval_ns` is that of samples. */
    const struct tally_pipeline_options *options;
    uint64_t origin_ns; /* start_ns of the first sample */

    /* The marks of a recording, which it must outlive; NULL: none. */
    const struct tally_recorded_marks *marks;

    /* Called with what the head says, once, before the first sample; and with each sample. Both own
     * what they get. */
    void (*on_info)(void *closure, struct view_device_info *info);
    void (*on_sample)(void *closure, struct view_sample *sample);
    void *closure;
};

/* Returns 0; -EINVAL, -ENOMEM with a message. The caller frees *out. */
int evaluator_new(const struct evaluator_settings *settings, struct evaluator **out,
                  struct tally_error *error);

/* Takes more bytes (0: the end) and delivers the samples that are complete. Returns 0, or an error
 * of tally_pipeline_next(). */
int evaluator_feed(struct evaluator *evaluator, const void *bytes, size_t size,
                   struct tally_error *error);

/* Returns how many reports it was given, and how many are missing. */
struct tally_recording_totals evaluator_totals(const struct evaluator *evaluator);

/* Frees an evaluator; accepts NULL. */
void evaluator_free(struct evaluator *evaluator);

#endif
