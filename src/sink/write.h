/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_WRITE_H
#define TALLY_SINK_WRITE_H

#include <tally/sink.h>

#include "pipeline/pipeline.h"
#include "sink/sink.h"

/*
 * The functions below read an input to its end and write it to an output in a format. They return
 * 0; a negative errno with *error if reading failed, after everything readable, the ledger and the
 * totals have been written; or the error of the output (output->error) if writing failed.
 */
struct writing {
    struct output *output;
    const struct sink *sink;
    bool flush;              /* write each group as soon as it is complete */
    bool fold_zeros;         /* as in struct sink_context */
    bool units;              /* likewise */
    uint64_t from_ns, to_ns; /* only deltas that start in this range; to_ns 0: up to the end */
    int sort;                /* 0: none; 1 + index in statistic_columns; SORT_BY_NAME */
    size_t top;              /* of each unit, show only this many counters; 0: all */
    uint64_t groups_max;     /* of write_groups(): more are an error; 0: no limit */
};

#define SORT_BY_NAME (1 + STATISTIC_COUNT)

int write_groups(const struct writing *writing, struct tally_pipeline *pipeline,
                 enum tally_group_by by, uint64_t interval_ticks, struct tally_error *error);
int write_deltas(const struct writing *writing, struct tally_pipeline *pipeline,
                 struct tally_error *error);

/*
 * Write the deltas of several inputs to one output, if the format has begin_inputs(); else of one.
 * write_deltas_begin() begins the output, and returns NULL with *error if out of memory; then
 * write_deltas_input() writes each input, once and in order, also after one has failed;
 * write_deltas_end() ends the output and frees `inputs`. The pipelines must outlive them.
 */
struct delta_inputs;
struct delta_inputs *write_deltas_begin(const struct writing *writing,
                                        struct tally_pipeline *const *pipelines, size_t count,
                                        struct tally_error *error);
int write_deltas_input(struct delta_inputs *inputs, size_t index, struct tally_error *error);
void write_deltas_end(struct delta_inputs *inputs);

/* Inputs without a metric set. */
struct plain_input {
    struct pipeline_source source;
    tally_progress_function *progress; /* NULL: none */
    void *progress_closure;
};

/* Write the raw fields of reports; the contents of a recording. */
int write_reports(const struct writing *writing, const struct plain_input *input,
                  struct tally_error *error);
int write_info(const struct writing *writing, const struct plain_input *input,
               struct tally_error *error);

/* Write packets; the contents of a record buffer. */
int write_packets(const struct writing *writing, const struct plain_input *input,
                  struct tally_error *error);
int write_packets_info(const struct writing *writing, const struct plain_input *input,
                       struct tally_error *error);

#endif
