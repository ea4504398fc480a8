/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_WRITE_H
#define TALLY_SINK_WRITE_H

#include <tally/sink.h>

#include "pipeline/pipeline.h"
#include "sink/sink.h"

/*
 * Reading an input to its end and writing it to an output in a format: what follows a pipeline's
 * stages. All return 0, or the result of the read that ended it (a negative errno with *error),
 * when everything that was readable, the ledger and the totals have been written; or, if the output
 * has failed (output->error), its error.
 */
struct writing {
    struct output *output;
    const struct sink *sink;
    bool flush; /* groups leave as soon as they are complete */
};

int write_groups(const struct writing *writing, struct tally_pipeline *pipeline,
                 enum tally_group_by by, uint64_t interval_ticks, struct tally_error *error);
int write_deltas(const struct writing *writing, struct tally_pipeline *pipeline,
                 struct tally_error *error);

/* Inputs without a metric set. */
struct plain_input {
    struct pipeline_source source;
    tally_progress_function *progress; /* NULL: none */
    void *progress_closure;
};

/* Raw fields of reports; what a recording holds. */
int write_reports(const struct writing *writing, const struct plain_input *input,
                  struct tally_error *error);
int write_info(const struct writing *writing, const struct plain_input *input,
               struct tally_error *error);

/* Packets; what a record buffer holds. */
int write_packets(const struct writing *writing, const struct plain_input *input,
                  struct tally_error *error);
int write_packets_info(const struct writing *writing, const struct plain_input *input,
                       struct tally_error *error);

#endif
