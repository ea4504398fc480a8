/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_FILE_H
#define TALLY_CAPTURE_FILE_H

#include <stdbool.h>

#include "capture/gpu.h"

/*
 * A recording that is being written (docs/recording-format.md). At every moment it consists of
 * whole records, but for the last one while it is under way; if the disk is full, it ends with the
 * last one that fitted.
 */
struct record_file {
    const char *name; /* for messages; the caller's */
    int fd;
    bool regular, owned;
    struct tally_recorder *recorder;
    uint64_t whole;   /* a regular file's size in whole records */
    uint64_t reports; /* in it */
};

/* What stands in front of the records. */
struct record_head {
    const struct tally_device_info *info;
    const void *topology;
    size_t topology_bytes;
    const char *provenance; /* NULL: none */
};

/* Opens `path` (- is standard output) for a recording, empties it, and writes the head. */
int record_file_open(struct record_file *file, const char *path, const struct record_head *head,
                     struct tally_error *error);

/* Appends whole records. After a failure the file is to be closed. */
int record_file_append(struct record_file *file, const void *records, size_t size,
                       struct tally_error *error);

/* {.fd = -1} is allowed. */
int record_file_close(struct record_file *file, struct tally_error *error);

#endif
