/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_RECORDER_H
#define TALLY_CAPTURE_RECORDER_H

#include <tally/capture.h>

#include "capture/set.h"

/*
 * Records a GPU's counters: one thread reads the stream, as the kernel's interface has it, another
 * writes the file, so that a slow disk holds up nobody for as long as memory lasts.
 */

struct recorder;

struct recorder_settings {
    const struct gpu *gpu;
    const struct set *set;
    unsigned exponent;
    uint64_t duration_ns; /* 0: until recorder_stop() */
    const char *provenance;

    /* Where to: a file (a path; - is standard output), or a callback as <tally/capture.h> has it.
     */
    const char *output;
    int (*records)(void *closure, const void *records, size_t size);

    uint64_t ring_bytes; /* 0: everything; else a flight recorder of so many bytes; needs output */
    bool one_context;    /* only the reports of `context` */
    uint32_t context;
    uint64_t disk_bytes; /* capacity of the disk; 0 or UINT64_MAX: as it is */
    size_t queue_bytes;  /* between reader and writer; 0: 64 MiB */

    int wake; /* a descriptor that ends a wait when it is readable; -1: none */

    /* A dump on demand is in a file of its own; or it failed, which ends nothing. May be NULL. */
    void (*dumped)(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error);
    void *closure;
};

/*
 * Starts. The settings, with what they point at, and *stats must stay until recorder_finish().
 * Returns 0, or an errno with a message; then nothing is to be finished. -EACCES, -EBUSY, -ENODEV:
 * the stream cannot be opened, and why.
 */
int recorder_start(const struct recorder_settings *settings, struct tally_capture_stats *stats,
                   struct recorder **out, struct tally_error *error);

/*
 * Waits for records or `wake`, at most `timeout_ns`, and takes what there is. Returns 1: go on; 0:
 * the duration is over or it was stopped; an errno with a message: so it ended.
 */
int recorder_step(struct recorder *recorder, uint64_t timeout_ns, struct tally_error *error);

/* The next step is the last one. */
void recorder_stop(struct recorder *recorder);

/* Of a flight recorder: begins a dump, once the one before it is done. 0, or an errno with a
 * message: the GPU's time cannot be read. */
int recorder_dump(struct recorder *recorder, struct tally_error *error);

/* Everything that was read is handed over, whatever step said. Frees the recorder. Returns 0, or an
 * errno with a message: not everything could be written. The stats are right in either case. */
int recorder_finish(struct recorder *recorder, struct tally_error *error);

/* All of it: until the duration is over. The first error of the three. */
int recorder_run(const struct recorder_settings *settings, struct tally_capture_stats *stats,
                 struct tally_error *error);

#endif
