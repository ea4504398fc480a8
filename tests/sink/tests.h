/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SINK_TESTS_H
#define TESTS_SINK_TESTS_H

#include "testing.h"

#include <errno.h>
#include <inttypes.h>

#include "sink/sink.h"

/* The group of tests of each file; returns the number of failed tests. */
int test_numbers(void);
int test_output(void);
int test_json(void);
int test_sinks(void);
int test_formats(void);
int test_lists(void);
int test_timelines(void);
int test_protobuf(void);
int test_parquet(void);

/* ---- results to write (results.c) ---------------------------------------------------------- */

#define REPORTS_MAX 16

/*
 * A raw buffer of five reports on Skylake whose timestamp clock runs at 1 GHz, so that ticks are
 * nanoseconds, with a set evaluated over it: two deltas, a slot that did not land, and one delta.
 */
struct results {
    uint8_t bytes[REPORTS_MAX * 256];
    struct tally_metric_file *file;
    struct tally_recording *recording;
    struct tally_batch *batch;
    struct tally_program *program;
    struct buffer *keys;
    size_t counters[200];
    struct sink_context context;
};

/* Creates results; `counters` are <counter> elements. Fails the test on an error. */
struct results *results_new(const char *counters);
void results_free(struct results *results);

/* Returns the output of a sink: the deltas of the batch, or one group with the set's statistics. */
char *written_deltas(struct results *results, const struct sink *sink);
char *written_groups(struct results *results, const struct sink *sink, enum tally_group_by by);

#endif
