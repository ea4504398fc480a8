/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_H
#define TALLY_CAPTURE_H

/*
 * Capture: record the performance counters of an Intel GPU, real or modelled.
 *
 *     struct tally_capture *capture;
 *     struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
 *     options.duration_ns = 1000000000;
 *     options.records = on_records;    // or options.output = "a-file.i915-perf"
 *     tally_capture_open("sim:skl", NULL, &capture, &error);
 *     tally_capture_run(capture, &options, &error);
 *     tally_capture_close(capture);
 *
 * What arrives is a recording (docs/recording-format.md): records of {u32 type, u16 pad, u16 size}
 * with their payload, the same bytes whether they go to a file, to a pipe or to a callback. The
 * head (VERSION, DEVICE_INFO, DEVICE_TOPOLOGY, PROVENANCE, STREAM) comes first, then the kernel's
 * records (SAMPLE with one report, REPORT_LOST, BUFFER_LOST) and TIMESTAMP_CORRELATION once a
 * second.
 *
 * Live: records are handed over as they are read from the kernel, which looks at its report buffer
 * every 5 ms or more often. To use a stream while it is recorded, either
 *
 *   - let <tally/pipeline.h> evaluate it: tally_pipeline_open_capture() starts and steps a capture;
 *   - or call tally_capture_step() in a loop. Each call waits for records and passes them, always
 *     whole ones, to the `records` callback in the calling thread. The callback's bytes in order
 *     are a recording, which a reader of <tally/recording.h> takes from a pipe or from memory;
 *     tally_capture_info() has the layout, device and topology that evaluation needs.
 *
 * A callback that takes long delays the next read of the kernel's buffer (16 MiB); reports that the
 * kernel drops because of that are counted (struct tally_capture_stats) and marked in the stream.
 * With a file as output a second thread writes, and up to 64 MiB wait for the disk.
 *
 * Option structs: start from the struct's ..._INIT, which sets `size` to its sizeof and all options
 * to zero, their default, and set what is wanted. A library that knows more options than the
 * program takes zero for those; one that knows fewer returns -E2BIG unless those that it does not
 * know are zero.
 *
 * Threads: a capture belongs to one thread at a time; several captures are independent.
 * tally_capture_stop() alone may be called from any thread and from a signal handler.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/platform.h>
#include <tally/recording.h>
#include <tally/report.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_capture;

/* ---- devices --------------------------------------------------------------------------------- */

/* A device that tally_capture_open() may open. Texts are valid during the visit. */
struct tally_capture_device {
    const char *name;    /* "/dev/dri/renderD128", "sim:skl" */
    const char *title;   /* "Skylake"; NULL: not identified */
    const char *problem; /* why this process cannot record it, one line; NULL: it can */
    uint32_t device_id;  /* PCI; 0: modelled, or not identified */
    bool modelled;
};

typedef void tally_capture_visit(void *closure, const struct tally_capture_device *device);

/* Visits the render nodes of this machine by number, then the models by generation. Returns the
 * number of render nodes. */
TALLY_API size_t tally_capture_list(tally_capture_visit *visit, void *closure);

/* ---- opening --------------------------------------------------------------------------------- */

/* How the time of a modelled GPU passes. */
enum tally_capture_clock {
    TALLY_CAPTURE_WALL, /* as the wall clock does; if the model is too slow, it lags behind */
    TALLY_CAPTURE_FREE  /* as fast as the model runs; the same options give the same bytes */
};

/* How to open a modelled GPU. For a real one all but `size` must be zero. */
struct tally_capture_device_options {
    size_t size;          /* sizeof(struct tally_capture_device_options) */
    const char *workload; /* what the GPU does: a name or file, as tally_workload_load() takes it
                             (docs/workloads.md); NULL: "triangle" */
    const char *faults;   /* a script of faults: a name or file (docs/faults.md); NULL: none */
    enum tally_capture_clock clock;

    /* Called during open for each activity of the workload that no counter of the platform counts
     * (line: in the workload's file, from 1). May be NULL. */
    void (*note)(void *closure, unsigned line, const char *message);
    void *closure;
};

/* struct tally_capture_device_options options = TALLY_CAPTURE_DEVICE_OPTIONS_INIT; */
#define TALLY_CAPTURE_DEVICE_OPTIONS_INIT                                                          \
    {                                                                                              \
        sizeof(struct tally_capture_device_options), NULL, NULL, TALLY_CAPTURE_WALL, NULL, NULL    \
    }

/*
 * Opens a device: "sim:" and a platform with an i915 perf interface ("sim:hsw" to "sim:tgl"), the
 * path of a render or card node, or NULL for the first real GPU that this process may record.
 * `options` may be NULL. On success *out is the caller's, to be closed.
 * Returns 0; -ENODEV: no such device or model, or not a GPU that i915 perf serves; -EACCES: no
 * permission; -EINVAL, -E2BIG: an option is wrong; -ENOENT, -EBADMSG: workload or faults cannot be
 * loaded; -ENOMEM.
 */
TALLY_API int tally_capture_open(const char *device,
                                 const struct tally_capture_device_options *options,
                                 struct tally_capture **out, struct tally_error *error);

/* Closes; accepts NULL. A recording under way is finished first, and its errors are dropped. */
TALLY_API void tally_capture_close(struct tally_capture *capture);

/* What is known of an open device. */
struct tally_capture_info {
    const char *name; /* as in struct tally_capture_device */
    bool modelled;
    struct tally_device device;
    struct tally_topology topology;
    struct tally_device_info recorded; /* as in the recording; set_name and set_uuid, oa_format:
                                          from start on */
    const struct tally_layout *layout; /* of the reports, from start on; before: the default */
    uint64_t period_ns;                /* between two reports of the timer; 0 before start */
    const char *workload;              /* modelled: as given; else NULL */
    const char *faults;                /* as given, or NULL */
    enum tally_capture_clock clock;    /* modelled */
};

/* The library's own, valid and kept up to date until the capture is closed. Never fails. */
TALLY_API const struct tally_capture_info *tally_capture_info(const struct tally_capture *capture);

/* The period of the kernel's timer that is nearest to `period_ns` (of two the shorter), which is
 * what a recording with that option uses: 2^(n+1) ticks of the device's OA timestamp. */
TALLY_API uint64_t tally_capture_nearest_period_ns(const struct tally_capture *capture,
                                                   uint64_t period_ns);

/* ---- recording ------------------------------------------------------------------------------- */

/* What to record, and where to. Texts are copied; callbacks get `closure`. */
struct tally_capture_options {
    size_t size;            /* sizeof(struct tally_capture_options) */
    const char *metric_set; /* symbol name or UUID; NULL: "RenderBasic" */
    const char *metrics;    /* directory to search first, as tally_catalog_new(); may be NULL */
    uint32_t oa_format;     /* enum drm_i915_oa_format; 0: the platform's full format */
    uint64_t period_ns;     /* between reports; 0: 1 ms; the nearest that the timer has is used */
    uint64_t duration_ns;   /* by the device's clock; 0: until it is stopped */
    bool one_context;       /* only the reports of `context` (Gen8 and later) */
    uint32_t context;

    /* Where to: exactly one of the two. */
    const char *output; /* a path; "-": standard output. What is there is replaced at start */

    /* Takes whole records, in order; they are the library's and valid during the call. Returns 0,
     * or a negative errno, which ends the recording and becomes the result of step. It must not
     * call functions of this capture but info, stats and stop. */
    int (*records)(void *closure, const void *records, size_t size);

    /* Flight recorder: 0: off; else keep the latest records that fit into so many bytes (64 KiB or
     * more), and write them to `output` at the end, and to "output.1", "output.2" and so on by
     * tally_capture_dump(). */
    uint64_t ring_bytes;

    /* A dump is in its file (error NULL), or failed, which does not end the recording. May be
     * NULL. */
    void (*dumped)(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error);
    void *closure;

    /* A descriptor that makes step return as soon as it is readable; the caller reads it. 0: none
     * (to use descriptor 0, duplicate it). */
    int wake_fd;

    const char *comment; /* appended to the PROVENANCE record; NULL: nothing */
};

/* struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT; */
#define TALLY_CAPTURE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(struct tally_capture_options), NULL, NULL, 0, 0, 0, false, 0, NULL, NULL, 0, NULL,  \
            NULL, 0, NULL                                                                          \
    }

/* What was recorded and what was lost, so far. Reports that should have come are `reports` and
 * `missing`. */
struct tally_capture_stats {
    uint64_t reports;     /* read from the kernel */
    uint64_t report_lost; /* REPORT_LOST records: the unit dropped one or more reports */
    uint64_t buffer_lost; /* BUFFER_LOST records: the kernel's buffer overflowed and was emptied */
    uint64_t missing;     /* reports of the timer that are not there, by the timestamps of those
                             that are */
    uint64_t not_landed;  /* reports read before they were in memory: id and timestamp are 0 */
    uint64_t skipped;     /* reports of other contexts, left out as one_context says */
    uint64_t written;     /* reports in the file; set by finish. Of a callback: handed over */
    uint64_t bytes;       /* the file's size, or handed over; set by finish */
    uint64_t elapsed_ns;  /* since the stream was opened, by the device's clock */
    uint64_t stalled_ns;  /* of these spent waiting for the disk */
    unsigned dumps;       /* flight recorder: on demand, begun */
};

/*
 * Starts: programs the metric set, opens the stream and the output, and hands over the head.
 * Returns 0; -EINVAL, -E2BIG: an option is wrong; -ENOENT: no such metric set; -EACCES, -EBUSY,
 * -ENODEV: the stream cannot be opened, and why; -EALREADY: a recording is under way; errors of
 * loading the metric set and of opening or writing the output; -ENOMEM. After a failure nothing is
 * under way, and an existing output file is as it was.
 */
TALLY_API int tally_capture_start(struct tally_capture *capture,
                                  const struct tally_capture_options *options,
                                  struct tally_error *error);

/*
 * Waits until there are records, wake_fd is readable, or `timeout_ns` of the device's clock have
 * passed (UINT64_MAX: no limit), and hands over what there is. Returns 1: go on; 0: it is over, the
 * duration has passed or it was stopped, and all records are handed over; a negative errno: it
 * ended for a fault, with what was read before handed over. Then call finish; further calls of step
 * return the same. -EINVAL: nothing was started.
 */
TALLY_API int tally_capture_step(struct tally_capture *capture, uint64_t timeout_ns,
                                 struct tally_error *error);

/*
 * Ends a recording: what is still to come is handed over, the stream is closed, the metric set
 * removed, the file complete. Returns 0, or the first error of writing; the stats are right in
 * either case, and another recording may be started. Without one: 0.
 */
TALLY_API int tally_capture_finish(struct tally_capture *capture, struct tally_error *error);

/* start, step until it is over, finish. Returns 0, or the first error. */
TALLY_API int tally_capture_run(struct tally_capture *capture,
                                const struct tally_capture_options *options,
                                struct tally_error *error);

/* Ends the recording soon: a step that waits returns, the one after it ends. If none is under way,
 * the next one ends at once. May be called from any thread and from signal handlers, between open
 * and close. */
TALLY_API void tally_capture_stop(struct tally_capture *capture);

/* Flight recorder: writes what it holds to the next of "output.1", "output.2", ... in a thread of
 * its own while recording goes on; `dumped` tells when it is done, during a later step or finish.
 * One at a time: further calls are remembered as one. Returns 0; -EINVAL: no flight recorder runs;
 * an errno of reading the GPU's time. */
TALLY_API int tally_capture_dump(struct tally_capture *capture, struct tally_error *error);

/* Of the recording under way, or the latest one. The library's own, valid until the capture is
 * closed; changed by start, step and finish. */
TALLY_API const struct tally_capture_stats *
tally_capture_stats(const struct tally_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
