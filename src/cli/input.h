/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_INPUT_H
#define TALLY_CLI_INPUT_H

#include <tally/metrics.h>
#include <tally/recording.h>

#include "base/buffer.h"
#include "cli/cli.h"

/* What commands that read a recording have in common: opening it and its metric set. */

/* Opens by --layout, --platform, --timestamp-hz and --map. Tells what is wrong; returns EXIT_... */
int open_recording(const struct arguments *arguments, const char *path, bool keep_unsorted,
                   struct tally_recording **out);

/* A recording with a program for its metric set and the counters that -c picks. */
struct session {
    struct tally_recording *recording;
    const struct tally_recording_info *info;
    struct tally_catalog *catalog;
    const struct tally_metric_set *set;
    struct tally_program *program;
    size_t *counters;
    size_t counter_count;
    struct buffer *keys; /* one a counter, for the sink to fill */
};

/* Tells what is wrong; returns EXIT_.... session_close() is right after success and failure. */
int session_open(const struct arguments *arguments, struct session *session);
void session_close(struct session *session);

/* What is done with each batch. Returns 0, or something else to stop. */
typedef int batch_work(void *closure, const struct tally_batch *batch);

/*
 * Reads a whole recording, batch by batch, in order, showing progress. With `ahead` a second thread
 * reads while one batch is worked on, so `work` must not ask the recording for anything that
 * reading changes. Returns the result of the read that ended it (0 at the end, or a negative errno
 * with *error), or what `work` returned if that was not 0.
 */
int read_all(struct tally_recording *recording, bool ahead, bool quiet, batch_work *work,
             void *closure, struct tally_error *error);

/*
 * The same with `count` threads (1 to WORKERS_MAX), each with a closure of its own, which take
 * turns in reading and work on their batches at the same time. A batch stays with the processor
 * that read it, whose cache still holds it. After `work` comes `commit` (may be NULL), one at a
 * time and in the order of the recording.
 */
#define WORKERS_MAX 8
int read_shared(struct tally_recording *recording, bool quiet, batch_work *work,
                int (*commit)(void *closure), void *const *closures, size_t count,
                struct tally_error *error);

/* How many threads to share a recording among: no more than it has work for. */
size_t worker_count(const struct tally_recording *recording);

/* Parses "10ms", "500us", "1.5s" or "250ns". Returns nanoseconds, or 0 if it is not a time. */
uint64_t parse_time_ns(const char *text);

/* Parses "65536", "512K", "8M" or "1G". Returns bytes, or 0 if it is not a size. */
uint64_t parse_size(const char *text);

#endif
