/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_H
#define TALLY_CAPTURE_H

/*
 * Capture: record the performance counters of a GPU: of Intel or NVIDIA, real or modelled.
 *
 *     struct tally_capture *capture;
 *     struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
 *     options.duration_ns = 1000000000;
 *     options.records = on_records;    // or options.output = "a-file.i915-perf"
 *     tally_capture_open("sim:skl", NULL, &capture, &error);
 *     tally_capture_run(capture, &options, &error);
 *     tally_capture_close(capture);
 *
 * The output is a recording (docs/recording-format.md): records of {u32 type, u16 pad, u16 size}
 * with their payload, the same bytes in a file, in a pipe and for a callback. The head (VERSION,
 * DEVICE_INFO, DEVICE_TOPOLOGY, PROVENANCE, STREAM) comes first, then the kernel's records (SAMPLE
 * with one report, REPORT_LOST, BUFFER_LOST) and a TIMESTAMP_CORRELATION per second.
 *
 * Live: records are passed on as they are read from the kernel, which checks its report buffer
 * every 5 ms or more often. To use a stream while it is recorded, either
 *
 *   - let <tally/pipeline.h> evaluate it: tally_pipeline_open_capture() starts and steps a capture;
 *   - or call tally_capture_step() in a loop. Each call waits for records and passes whole records
 *     to the `records` callback in the calling thread. The concatenated bytes are a recording,
 *     which a reader of <tally/recording.h> reads from a pipe or from memory; tally_capture_info()
 *     returns the layout, device and topology needed for evaluation.
 *
 * NVIDIA's GPUs ("sim:g92", "pci:0000:01:00.0", nodes of nouveau) are recorded by software, which
 * reads PCOUNTER once a period (docs/perfmon.md). The records are SAMPLE and LEDGER, and the head
 * has CHIPSET and SIGNALS in place of DEVICE_TOPOLOGY.
 *
 * A slow callback delays the next read of the kernel's buffer (16 MiB); reports that the kernel
 * drops because of that are counted (struct tally_capture_stats) and marked in the stream. With a
 * file as output a second thread writes, and a queue of up to 64 MiB waits for the disk.
 *
 * Option structs: start from the struct's ..._INIT, which sets `size` to its sizeof and all options
 * to zero, their default, and change what is needed. A library with more options than the program's
 * struct uses zero for the additional ones; one with fewer returns -E2BIG unless the unknown ones
 * are zero.
 *
 * Threads: a capture belongs to one thread at a time; several captures are independent.
 * tally_capture_stop() alone may be called from any thread and from a signal handler.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tally/error.h>
#include <tally/gpu.h>
#include <tally/platform.h>
#include <tally/recording.h>
#include <tally/report.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_capture;

/* ---- devices --------------------------------------------------------------------------------- */

/* A device that tally_capture_open() may open. Strings are valid during the visit. */
struct tally_capture_device {
    const char *name;    /* "/dev/dri/renderD128", "sim:skl" */
    const char *title;   /* "Skylake"; NULL: unknown */
    const char *problem; /* why this process cannot record it, one line; NULL: it can */
    uint32_t device_id;  /* PCI device id; 0: modelled, or unknown */
    bool modelled;
    uint32_t vendor_id; /* of the device id: 8086h or 10deh; 0: modelled, or unknown */
};

/* Called for each device, with the `closure` of tally_capture_list(). */
typedef void tally_capture_visit(void *closure, const struct tally_capture_device *device);

/* Lists devices: calls `visit` for the render nodes of this machine by number, then for the models
 * by generation. Opens each node to identify its GPU. Returns the number of render nodes. */
TALLY_API size_t tally_capture_list(tally_capture_visit *visit, void *closure);

/* ---- opening --------------------------------------------------------------------------------- */

/* The clock of a modelled GPU. */
enum tally_capture_clock {
    TALLY_CAPTURE_WALL, /* the wall clock; a model that is too slow lags behind */
    TALLY_CAPTURE_FREE  /* as fast as the model runs; the same options give the same bytes */
};

/* How a modelled GPU is used. */
enum tally_capture_driver {
    TALLY_CAPTURE_DRIVER_DEFAULT, /* i915 if the kernel has a counter interface for the platform,
                                     else mmio */
    TALLY_CAPTURE_DRIVER_I915,    /* by the kernel's interface, which is emulated */
    TALLY_CAPTURE_DRIVER_MMIO     /* by registers alone (docs/mmio-driver.md) */
};

/* Options for opening a modelled GPU. For a real one all except `size`, `allow_mmio` and `force`
 * must be zero. */
struct tally_capture_device_options {
    size_t size;          /* sizeof(struct tally_capture_device_options) */
    const char *workload; /* name or file for tally_workload_load() (docs/workloads.md); NULL:
                             "triangle" */
    const char *faults;   /* name or file of a script of faults (docs/faults.md); NULL: none */
    enum tally_capture_clock clock;

    /* Called during open for each activity of the workload that no counter of the platform counts;
     * line: in the workload's file, from 1. May be NULL. */
    void (*note)(void *closure, unsigned line, const char *message);
    void *closure;

    /* Trace: a line for each register access by the driver and by GPU commands (docs/oat.md). The
     * caller owns the file, which must stay open until the capture is closed. NULL: none. */
    FILE *mmio;

    enum tally_capture_driver driver;

    /* Fuses: what is disabled of the GPU, such as "slice=0x4,eu=0:1:0xc0" (docs/fuses.md). NULL:
     * nothing. Not of NVIDIA's. */
    const char *fuses;

    /* A real card by its PCI address (docs/real-cards.md): recording writes its registers, which
     * the user has allowed; and it does so even if a kernel driver is bound. */
    bool allow_mmio, force;
};

/* struct tally_capture_device_options options = TALLY_CAPTURE_DEVICE_OPTIONS_INIT; */
#define TALLY_CAPTURE_DEVICE_OPTIONS_INIT                                                          \
    {                                                                                              \
        sizeof(struct tally_capture_device_options), NULL, NULL, TALLY_CAPTURE_WALL, NULL, NULL,   \
            NULL, TALLY_CAPTURE_DRIVER_DEFAULT, NULL, false, false                                 \
    }

/*
 * Opens a device: "sim:" and a platform or chipset ("sim:snb" to "sim:tgl", "sim:nv10" to
 * "sim:gf119"), the path of a render or card node, "pci:" and the address of a card of NVIDIA
 * ("pci:0000:01:00.0"), or NULL for the first real GPU that this process may record. `options` may
 * be NULL. On success the caller owns *out and must close it. Returns 0; -ENODEV: unknown device or
 * model, or a GPU that i915 perf does not support; -EACCES: no permission; -EINVAL, -E2BIG: invalid
 * option; -ENOENT, -EBADMSG: workload or faults cannot be loaded; -ENOMEM.
 */
TALLY_API int tally_capture_open(const char *device,
                                 const struct tally_capture_device_options *options,
                                 struct tally_capture **out, struct tally_error *error);

/* Closes a device; accepts NULL. A recording in progress is finished first; its errors are ignored.
 */
TALLY_API void tally_capture_close(struct tally_capture *capture);

/* Description of an open device. */
struct tally_capture_info {
    const char *name; /* as in struct tally_capture_device */
    bool modelled;    /* also of a device node under `tally emulate`; the recording states it */
    struct tally_device device;
    struct tally_topology topology;
    struct tally_device_info recorded; /* as in the recording; set_name, set_uuid and oa_format are
                                          set by start */
    const struct tally_layout *layout; /* of the reports; before start: the platform's default */
    uint64_t period_ns;                /* between two timer reports or packets; 0 before start, or
                                          if packets have no period */
    const char *workload;              /* of a model of this process (sim:...); else NULL */
    const char *faults;                /* of a modelled GPU, or NULL */
    enum tally_capture_clock clock;    /* of a modelled GPU */
    const char
        *driver;       /* "i915" or "nouveau"; "mmio" or "perfmon": no kernel driver was involved */
    const char *fuses; /* of a modelled GPU, or NULL */
    unsigned passes;   /* NVIDIA: in which the signals are counted in turn, from start
                          on; else 0 */
};

/* Returns the description, which the library owns and updates until the capture is closed. Never
 * fails. */
TALLY_API const struct tally_capture_info *tally_capture_info(const struct tally_capture *capture);

/* Rounds a `period_ns` option as tally_capture_start() does. The timer has periods of
 * 2^(n+1) ticks of the OA timestamp, on Sandy Bridge 2^(n+4), n from 0 to 31. Returns the nearest
 * one in nanoseconds; of two equally near, the shorter one. NVIDIA's reports have any period. */
TALLY_API uint64_t tally_capture_nearest_period_ns(const struct tally_capture *capture,
                                                   uint64_t period_ns);

/* Returns the counts of register accesses of a modelled GPU since it was opened, among them those
 * without effect; all 0 for a real GPU. Never fails. */
TALLY_API struct tally_gpu_mmio_stats tally_capture_mmio_stats(const struct tally_capture *capture);

/* ---- recording ------------------------------------------------------------------------------- */

/* Options for recording: the metric set, the period, and the output. Strings are copied during
 * tally_capture_start(). Callbacks get `closure`, and are called on the thread that calls step,
 * finish or run. */
struct tally_capture_options {
    size_t size;            /* sizeof(struct tally_capture_options) */
    const char *metric_set; /* symbol name or UUID; NULL: "RenderBasic"; of NVIDIA "Overview", or
                               the chipset's first set */
    const char *metrics;    /* directory to search first, as in tally_catalog_new(); may be NULL */
    uint32_t oa_format;     /* of tally_layout_format(): enum drm_i915_oa_format, or with the driver
                               mmio also the others; 0: the platform's full format */
    uint64_t period_ns;     /* between reports, rounded to the timer's nearest period; 0: 1 ms */
    uint64_t duration_ns;   /* by the device's clock; 0: until stopped */
    bool one_context;       /* record only the reports of `context` (Gen8 and later) */
    uint32_t context;       /* hardware id of a context, as in reports; used if one_context */

    /* The output: exactly one of the two. */
    const char *output; /* a path; "-": standard output. Start renames an existing
                           file that is not empty to "output.old" */

    /* Called with whole records, in order; the library owns them, they are valid during the call.
     * Must return 0, or a negative errno, which ends the recording and becomes the result of step.
     * Of the functions of this capture it may call only info, stats and stop. */
    int (*records)(void *closure, const void *records, size_t size);

    /* Flight recorder: keeps the latest records that fit into this many bytes (at least 64 KiB),
     * and writes them to `output` at the end, and to "output.1", "output.2" and so on by
     * tally_capture_dump(). 0: off. */
    uint64_t ring_bytes;

    /* Called when a dump is written (error NULL) or has failed, which does not end the recording.
     * May be NULL. */
    void (*dumped)(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error);
    void *closure;

    /* A file descriptor; step returns when it becomes readable, and leaves reading it to the
     * caller. 0: none (to use descriptor 0, duplicate it). */
    int wake_fd;

    const char *comment; /* appended to the PROVENANCE record; may be NULL */

    /* NVIDIA's GPUs: what to count in place of a metric set, as docs/perfmon.md describes, each
     * with its name in front or without: "busy=!PGRAPH.IDLE", "1:0xc8". At most 64. Recordings of
     * expressions name no metric set. */
    const char *const *expressions;
    size_t expression_count;

    /* NVIDIA's GPUs: terms of a ratio may be counted in different passes. */
    bool split_ratios;

    /* NVIDIA's modelled GPUs from G84 to GT21x: record mode. The expressions, 1 to 12 of one signal
     * each and of one domain, are counted by packets that the GPU writes to memory: at each clock
     * at which `stop` is true, or if that is NULL, once in 2^10 to 2^16 clocks, the nearest to
     * `period_ns`. Each packet is a report. packet_bytes: size of the memory, a multiple of 32 from
     * 4096 to 256 MiB; 0: 1 MiB. */
    bool packets;
    const char *stop;
    uint64_t packet_bytes;

    bool marks;        /* tally_capture_mark() may be called; the recording states it */
    uint64_t delay_ns; /* record no reports in this time; UINT64_MAX: until tally_capture_resume().
                          `duration_ns` begins afterwards */
    bool append;       /* continue the recording in `output`, which must be of the same device,
                          metric set and period; an empty or missing one is begun */
};

/* struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT; */
#define TALLY_CAPTURE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(struct tally_capture_options), NULL, NULL, 0, 0, 0, false, 0, NULL, NULL, 0, NULL,  \
            NULL, 0, NULL, NULL, 0, false, false, NULL, 0, false, 0, false                         \
    }

/* Numbers of recorded and lost reports so far. The timer requested the timer reports in `reports`,
 * plus `missing` more. */
struct tally_capture_stats {
    uint64_t reports;     /* read from the kernel */
    uint64_t report_lost; /* REPORT_LOST records: the unit dropped one or more reports */
    uint64_t buffer_lost; /* BUFFER_LOST records: the kernel's buffer overflowed and was emptied */
    uint64_t missing;     /* missing timer reports, computed from gaps in the timestamps */
    uint64_t not_landed;  /* reports read before they were in memory: id and timestamp are 0 */
    uint64_t skipped;     /* reports of other contexts, omitted by one_context */
    uint64_t written;     /* reports in the file, or passed to the callback; set by finish */
    uint64_t bytes;       /* size of the file, or passed to the callback; set by finish */
    uint64_t elapsed_ns;  /* since the stream was opened, by the device's clock */
    uint64_t stalled_ns;  /* part of elapsed_ns spent waiting for the disk */
    unsigned dumps;       /* flight recorder: number of dumps started on demand */

    uint64_t
        counts_lost; /* NVIDIA: samples of a domain whose counts were lost, by LEDGER records */

    /* NVIDIA, record mode: gaps between packets, as the cycle counter was started again before the
     * memory was full, and as it was full before it was read. */
    uint64_t restarts, overruns;
};

/*
 * Starts a recording: programs the metric set, opens the stream and the output, and writes the
 * head. Returns 0; -EINVAL, -E2BIG: invalid option; -ENOENT: unknown metric set; -EACCES, -EBUSY,
 * -ENODEV: the stream cannot be opened, the message explains why; -EALREADY: a recording is in
 * progress; -EBADMSG: the recording to continue is damaged; errors of loading the metric set and of
 * opening or writing the output; -ENOMEM. After a failure no recording is in progress, and an
 * existing output file is unchanged.
 */
TALLY_API int tally_capture_start(struct tally_capture *capture,
                                  const struct tally_capture_options *options,
                                  struct tally_error *error);

/*
 * Waits until records are available, wake_fd is readable, or `timeout_ns` of the device's clock
 * have passed (UINT64_MAX: no limit), and passes on all available records. Returns 1: call again;
 * 0: the recording is done, since its duration has passed or it was stopped, and all records were
 * passed on; a negative errno: an error ended the recording, and the records read before were
 * passed on. After 0 or an error call finish; further calls of step return the same. -EINVAL: not
 * started.
 */
TALLY_API int tally_capture_step(struct tally_capture *capture, uint64_t timeout_ns,
                                 struct tally_error *error);

/*
 * Ends a recording: passes on the remaining records, closes the stream, removes the metric set, and
 * completes the file. Returns 0, or the first error of writing; in either case the stats are valid,
 * and another recording may be started. Returns 0 if no recording is in progress.
 */
TALLY_API int tally_capture_finish(struct tally_capture *capture, struct tally_error *error);

/* Calls start, step until the recording is done, and finish. Returns 0, or the first error. */
TALLY_API int tally_capture_run(struct tally_capture *capture,
                                const struct tally_capture_options *options,
                                struct tally_error *error);

/* Stops the recording: a waiting step returns, and the next step ends the recording. If none is in
 * progress, the next recording ends at once. May be called from any thread and from signal
 * handlers, between open and close. */
TALLY_API void tally_capture_stop(struct tally_capture *capture);

/*
 * Records marks: what a program was doing when. cpu_ns 0 stands for the present. Called between two
 * steps, with `marks` of the options set. Returns 0; -EINVAL: not recording; -ENOMEM.
 */
TALLY_API int tally_capture_mark(struct tally_capture *capture, const struct tally_mark *marks,
                                 size_t count, struct tally_error *error);

/*
 * Pauses and resumes the recording between two steps: no reports are recorded in between, which the
 * recording states, so they are not lost. Marks and correlation points are. Both return 0, also if
 * nothing changes; -EINVAL: not recording; or an errno of reading the stream or the GPU's time.
 */
TALLY_API int tally_capture_pause(struct tally_capture *capture, struct tally_error *error);
TALLY_API int tally_capture_resume(struct tally_capture *capture, struct tally_error *error);

/* Flight recorder: writes its contents to the next of "output.1", "output.2", ... in a separate
 * thread while the recording continues; a later step or finish calls `dumped` when it is done. One
 * dump at a time: calls during a dump cause one more after it. Returns 0; -EINVAL: no flight
 * recorder is running; or an errno of reading the GPU's time. */
TALLY_API int tally_capture_dump(struct tally_capture *capture, struct tally_error *error);

/* Returns the counts of the recording in progress, or of the latest one. The library owns them
 * until the capture is closed; start, step and finish change them. */
TALLY_API const struct tally_capture_stats *
tally_capture_stats(const struct tally_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
