/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_RECORDER_H
#define TALLY_CAPTURE_RECORDER_H

#include "capture/set.h"

/*
 * Records a GPU's counters: one thread reads the stream, as the kernel's interface has it, another
 * writes the file, so that a slow disk holds up nobody for as long as memory lasts.
 */

/* What is to be done when `wake` says that something happened. */
enum recorder_order { RECORDER_GO_ON, RECORDER_STOP, RECORDER_DUMP };

/* The books. */
struct recorder_totals {
    uint64_t reports;     /* read from the kernel */
    uint64_t report_lost; /* REPORT_LOST records */
    uint64_t buffer_lost; /* BUFFER_LOST records */
    uint64_t missing;     /* strobes of the timer between reports that left none */
    uint64_t not_landed;  /* of these, not there: id and timestamp are 0 */
    uint64_t skipped;     /* of other contexts, which were not asked for */
    uint64_t written;     /* reports in the file: all that were read, or the latest of them */
    uint64_t bytes;       /* of the file's records */
    uint64_t elapsed_ns;  /* by the device's clock */
    uint64_t stalled_ns;  /* of the reader, which waited for the disk; by the same clock */
    unsigned dumps;       /* of a flight recorder, those on demand */
};

struct recorder_settings {
    const struct gpu *gpu;
    const struct set *set;
    unsigned exponent;
    uint64_t duration_ns; /* 0: until it is told to stop */
    const char *output;   /* a path; - is standard output */
    const char *provenance;

    uint64_t ring_bytes; /* 0: everything; else a flight recorder of so many bytes */
    bool one_context;    /* only the reports of `context` */
    uint32_t context;
    uint64_t disk_bytes; /* that the disk takes; 0 or UINT64_MAX: as it is */
    size_t queue_bytes;  /* between reader and writer; 0: 64 MiB */

    int wake; /* a descriptor that is readable when `woken` is to be asked; -1: none */
    enum recorder_order (*woken)(void *closure);

    /* The stream runs. May be NULL, as the next. */
    void (*started)(void *closure);

    /* Called often, between reads. */
    void (*progress)(void *closure, const struct recorder_totals *totals);

    /* A dump on demand is in a file of its own; or it failed, which ends nothing. */
    void (*dumped)(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error);
    void *closure;
};

/*
 * Records. Returns 0, or an errno with a message; what was read before is in the file, whole. The
 * totals are right in either case. -EACCES, -EBUSY, -ENODEV: the stream cannot be opened, and why.
 */
int recorder_run(const struct recorder_settings *settings, struct recorder_totals *totals,
                 struct tally_error *error);

#endif
