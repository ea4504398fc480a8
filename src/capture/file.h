/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_FILE_H
#define TALLY_CAPTURE_FILE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "capture/gpu.h"

/*
 * A recording that is being written (docs/recording-format.md). At every moment it consists of
 * whole records, except for one that is just being written. If the disk is full, the file ends with
 * the last records that fitted and a LEDGER record that counts the reports that did not.
 */
struct record_file {
    const char *name; /* for messages; the caller's */
    int fd;
    bool regular, owned;
    bool created; /* by record_file_open() */
    bool begun;   /* writing the head was attempted */
    bool append;  /* record_file_append() continues the recording that is in the file */
    struct tally_recorder *recorder;
    uint64_t whole; /* regular file: size in bytes, of whole records */
    uint64_t last;  /* size of the last record if it has reports; else 0 */
    uint64_t last_reports;
    uint64_t reports;   /* in the file */
    uint64_t max_bytes; /* size at which the disk is full */
    bool full;          /* the disk is full */

    uint64_t expected; /* number of reports that should be in the file; 0: unknown; set before
                          close */
};

/* The records at the beginning of a recording. */
struct record_head {
    const struct tally_device_info *info;
    const void *topology;
    size_t topology_bytes;
    const char *chipset_name; /* of an NVIDIA GPU, with the two records; else NULL */
    const struct tally_recorded_chipset *chipset;
    const struct tally_recorded_signals *signals;
    const char *provenance;                     /* NULL: none */
    const struct tally_recorded_phases *phases; /* NULL: none */
    uint64_t timer_ticks;                       /* between two timer reports */
    bool modelled;                              /* the GPU is a model */
    bool one_context;                           /* only reports of `context` follow */
    bool marks;                                 /* records of marks may follow */
    uint32_t context;
    uint64_t disk_bytes; /* as in recorder_settings */
};

/* Appends the head's records; each text is at most RECORD_PAYLOAD_MAX bytes long. */
void record_head_put(struct buffer *to, const struct record_head *head);

/* Opens `path` ("-": standard output) for a recording, and locks it if it is a regular file.
 * Existing contents are kept. Returns 0; -ETXTBSY: another process is recording to it; or an error
 * of open(2). */
int record_file_open(struct record_file *file, const char *path, struct tally_error *error);

/* Checks that the recording in a file can be continued (append.h), which `append` then states; an
 * empty file begins a new one. */
int record_file_continue(struct record_file *file, const struct record_head *head,
                         struct tally_correlation now, struct tally_error *error);

/* Renames an existing file that is not empty to "PATH.old", in place of an older one of that name,
 * and writes the head, or moves to the end of one to continue. Returns 0; an error of rename(2),
 * after which the file is as before; or an error of open(2) or write(2). */
int record_file_begin(struct record_file *file, const struct record_head *head,
                      struct tally_error *error);

/* The same with the head's records as bytes. disk_bytes: as in recorder_settings. */
int record_file_begin_bytes(struct record_file *file, const void *head, size_t size,
                            uint64_t disk_bytes, struct tally_error *error);

/* Appends whole records. After a failure only record_file_close() may be called. */
int record_file_append(struct record_file *file, const void *records, size_t size,
                       struct tally_error *error);

/* Closes the file. If record_file_begin() was not called, the file is as before record_file_open().
 * {.fd = -1} is allowed. */
int record_file_close(struct record_file *file, struct tally_error *error);

#endif
