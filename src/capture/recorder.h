/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_RECORDER_H
#define TALLY_CAPTURE_RECORDER_H

#include <tally/capture.h>

#include "capture/set.h"

/*
 * Records a GPU's counters. The calling thread reads the stream through the kernel's interface; a
 * second one writes the file, so that a slow disk does not delay reads until the queue is full.
 */

struct recorder;

struct recorder_settings {
    const struct gpu *gpu;
    const struct set *set;
    unsigned exponent;
    uint64_t duration_ns; /* 0: until recorder_stop() */
    const char *provenance;
    bool modelled;                              /* the GPU is a model */
    const struct tally_recorded_phases *phases; /* of its workload; NULL: none */

    /* The output: a file (a path; "-": standard output), or a callback as in <tally/capture.h>. */
    const char *output;
    int (*records)(void *closure, const void *records, size_t size);

    uint64_t ring_bytes; /* capacity of the flight recorder, which needs `output`; 0: none */
    bool one_context;    /* only the reports of `context` */
    uint32_t context;
    uint64_t disk_bytes; /* simulated capacity of the disk; 0 or UINT64_MAX: no limit */
    size_t queue_bytes;  /* between reader and writer; 0: 64 MiB */

    bool marks;        /* recorder_mark() may be called */
    bool append;       /* continue the recording in `output` */
    uint64_t delay_ns; /* pause for this time first; UINT64_MAX: until recorder_resume() */

    int wake; /* a descriptor that ends a wait when it is readable; -1: none */

    /* Called when a dump on demand is written (error NULL) or has failed; the recording continues.
     * May be NULL. */
    void (*dumped)(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error);
    void *closure;
};

/*
 * Starts a recording. The settings, what they point to, and *stats must remain valid until
 * recorder_finish(). Returns 0, or an errno with a message; then do not call recorder_finish().
 * -EACCES, -EBUSY, -ENODEV: the stream cannot be opened; the message explains why.
 */
int recorder_start(const struct recorder_settings *settings, struct tally_capture_stats *stats,
                   struct recorder **out, struct tally_error *error);

/*
 * Waits for records or `wake`, for at most `timeout_ns`, and reads all available records. Returns
 * 1: call again; 0: done, the duration has passed or it was stopped; an errno with a message: the
 * recording ended with an error.
 */
int recorder_step(struct recorder *recorder, uint64_t timeout_ns, struct tally_error *error);

/* Makes the next step the last one. */
void recorder_stop(struct recorder *recorder);

/* Flight recorder: starts a dump as soon as the previous one is done. Returns 0, or an errno with a
 * message: the GPU's time cannot be read. */
int recorder_dump(struct recorder *recorder, struct tally_error *error);

/* Records marks. Returns 0 or -ENOMEM. */
int recorder_mark(struct recorder *recorder, const struct tally_mark *marks, size_t count);

/* Records no reports until recorder_resume(). Both return 0, also if nothing changes, or an errno
 * with a message: the stream or the GPU's time cannot be read. */
int recorder_pause(struct recorder *recorder, struct tally_error *error);
int recorder_resume(struct recorder *recorder, struct tally_error *error);

/* Writes or passes on everything that was read, also after an error, and frees the recorder.
 * Returns 0, or an errno with a message: not everything could be written. The stats are valid in
 * either case. */
int recorder_finish(struct recorder *recorder, struct tally_error *error);

#endif
