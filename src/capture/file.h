/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_FILE_H
#define TALLY_CAPTURE_FILE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "capture/gpu.h"

/*
 * A recording that is being written (docs/recording-format.md). At every moment it consists of
 * whole records, but for the last one while it is under way; if the disk is full, it ends with the
 * last one that fitted, and a LEDGER record in place of the one after it says what did not.
 */
struct record_file {
    const char *name; /* for messages; the caller's */
    int fd;
    bool regular, owned;
    bool made, begun; /* it was not there before; its head is written, or was tried */
    struct tally_recorder *recorder;
    uint64_t whole;   /* a regular file's size in whole records */
    uint64_t last;    /* of these the last record's */
    uint64_t reports; /* in it */
    uint64_t most;    /* bytes that its disk takes */
    bool full;        /* so it is */

    uint64_t expected; /* set before the end: reports that should be in it; 0: not known */
};

/* What stands in front of the records. */
struct record_head {
    const struct tally_device_info *info;
    const void *topology;
    size_t topology_bytes;
    const char *provenance; /* NULL: none */
    uint64_t timer_ticks;   /* from report to report of the timer */
    bool one_context;       /* only reports of `context` follow */
    uint32_t context;
    uint64_t disk_bytes; /* see recorder_settings */
};

/* Appends the head's records; each text is at most RECORD_PAYLOAD_MAX bytes long. */
void record_head_put(struct buffer *to, const struct record_head *head);

/* Opens `path` (- is standard output) for a recording. What is in it stays. */
int record_file_open(struct record_file *file, const char *path, struct tally_error *error);

/* Empties it, and writes the head. */
int record_file_begin(struct record_file *file, const struct record_head *head,
                      struct tally_error *error);

/* Appends whole records. After a failure the file is to be closed. */
int record_file_append(struct record_file *file, const void *records, size_t size,
                       struct tally_error *error);

/* What was not begun is as it was before. {.fd = -1} is allowed. */
int record_file_close(struct record_file *file, struct tally_error *error);

#endif
