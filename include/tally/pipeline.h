/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_H
#define TALLY_PIPELINE_H

/*
 * Pipelines evaluate the metrics of an input. A pipeline opens a recording (a file, a pipe,
 * memory, or a stream that is still being recorded), finds its metric set, compiles it, and
 * evaluates it:
 *
 * - one sample at a time: tally_pipeline_next(), a sample per pair of consecutive reports or per
 *   interval of GPU time;
 * - many samples at a time, as arrays: tally_pipeline_columns();
 * - all samples in groups: tally_pipeline_summarize(), as `tally report` does;
 * - to a file: tally_sink_groups() and tally_sink_deltas() of <tally/sink.h>.
 *
 *     struct tally_pipeline *pipeline;
 *     const struct tally_sample *sample;
 *     struct tally_error error;
 *     double busy;
 *     if (tally_pipeline_open("hsw.i915-perf", NULL, &pipeline, &error) == 0) {
 *         while (tally_pipeline_next(pipeline, &sample, &error) > 0)
 *             if (tally_sample_get(sample, "GpuBusy", &busy) == 0)
 *                 printf("%.1f\n", busy);
 *         tally_pipeline_close(pipeline);
 *     }
 *
 * Each pipeline can be read once, in one of these ways. Everything readable is delivered before
 * an error is returned. Losses are in the ledger of tally_pipeline_recording().
 *
 * Threads: a pipeline belongs to one thread at a time. tally_pipeline_summarize() starts threads
 * and joins them before it returns. It calls `on_group` from the caller's thread, and `progress`
 * from any of its threads, one call at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/capture.h>
#include <tally/error.h>
#include <tally/metrics.h>
#include <tally/recording.h>
#include <tally/summary.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called periodically with the bytes of input read so far and in total (0 if unknown). */
typedef void tally_progress_function(void *closure, uint64_t done_bytes, uint64_t total_bytes);

/*
 * Options for evaluating. `size` is sizeof(struct tally_pipeline_options) of the caller's header,
 * as in <tally/capture.h>: a newer library treats missing members as zero; an older one returns
 * -E2BIG unless the members that it does not have are zero. All members except `size` may be zero.
 * Pointers are not used after opening, except `progress_closure`.
 */
struct tally_pipeline_options {
    size_t size;
    const char *metrics; /* directory of metric-set files to search first, or NULL */
    const char *set;     /* symbol or UUID of the metric set; NULL: the recorded one */
    /* Only counters whose symbol matches one of these patterns (fnmatch(3), in any case; several
     * are separated by commas), each of which must match one; all if empty. */
    const char *const *counters;
    size_t counter_count;
    /* For tally_pipeline_next(): GPU time of a sample in nanoseconds; 0: one delta per sample. */
    uint64_t interval_ns;
    unsigned threads; /* maximum number of threads, 1 to 8; 0: number of processors */
    const struct tally_recording_options *recording; /* how to open the input, or NULL */
    tally_progress_function *progress;               /* or NULL */
    void *progress_closure;
    bool percentiles; /* of groups and intervals (struct tally_statistic), which take time */
};

/* struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT; */
#define TALLY_PIPELINE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(struct tally_pipeline_options), NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, false  \
    }

struct tally_pipeline;

/*
 * Opens a recording and its metric set. `path` "-" is standard input; `options` may be NULL. On
 * success the caller closes *out with tally_pipeline_close().
 * Errors: those of tally_recording_open(); -ENOENT: unknown metric set, or no counter matches;
 * -EBADMSG: the set that the recording names is not installed, or an equation of the set is
 * invalid; -EINVAL, -E2BIG: an invalid option; -ENOMEM.
 */
TALLY_API int tally_pipeline_open(const char *path, const struct tally_pipeline_options *options,
                                  struct tally_pipeline **out, struct tally_error *error);

/* Opens a recording in memory: see tally_recording_open_memory(). */
TALLY_API int tally_pipeline_open_memory(const void *bytes, size_t size, const char *name,
                                         const struct tally_pipeline_options *options,
                                         struct tally_pipeline **out, struct tally_error *error);

/*
 * Opens a stream delivered by `read`: see tally_recording_open_stream(). `read` is called only by
 * the thread that opens, iterates or summarizes.
 */
TALLY_API int tally_pipeline_open_stream(tally_read_function *read, void *closure, const char *name,
                                         const struct tally_pipeline_options *options,
                                         struct tally_pipeline **out, struct tally_error *error);

/*
 * Opens a device for recording: starts `capture` with `recording` (see tally_capture_start();
 * `output`, `records`, `ring_bytes` and `closure` must be zero) and steps it whenever
 * tally_pipeline_next() needs more data, which therefore waits for the device. The input ends when
 * the duration has passed or after tally_capture_stop(). tally_pipeline_close() ends the recording;
 * the caller must close `capture` later. Errors: also those of tally_capture_start() and
 * tally_capture_step().
 */
TALLY_API int tally_pipeline_open_capture(struct tally_capture *capture,
                                          const struct tally_capture_options *recording,
                                          const struct tally_pipeline_options *options,
                                          struct tally_pipeline **out, struct tally_error *error);

/*
 * Opens a pipeline that receives its bytes through tally_pipeline_feed(), for callers whose records
 * arrive in callbacks. Until the bytes contain the header of the first report,
 * tally_pipeline_next() returns -EAGAIN, and tally_pipeline_recording() and tally_pipeline_set()
 * return NULL. The data that `options` points to must remain valid until the first
 * tally_pipeline_next() that does not return -EAGAIN. Errors: -EINVAL, -ENOMEM.
 */
TALLY_API int tally_pipeline_open_fed(const char *name,
                                      const struct tally_pipeline_options *options,
                                      struct tally_pipeline **out, struct tally_error *error);

/*
 * Appends `size` bytes, which are copied, to a pipeline of tally_pipeline_open_fed(). Pieces may
 * have any size; `size` 0 ends the stream. Returns 0, -ENOMEM, or -EINVAL if the pipeline is of
 * another kind or its stream has ended.
 */
TALLY_API int tally_pipeline_feed(struct tally_pipeline *pipeline, const void *bytes, size_t size);

/* Closes a pipeline; accepts NULL. Its samples, set and recording become invalid. */
TALLY_API void tally_pipeline_close(struct tally_pipeline *pipeline);

/* Returns the recording (device, totals, loss ledger, CPU times), which the pipeline owns. The
 * caller must not read from it. */
TALLY_API struct tally_recording *tally_pipeline_recording(const struct tally_pipeline *pipeline);

/* Returns the metric set, which the pipeline owns. */
TALLY_API const struct tally_metric_set *tally_pipeline_set(const struct tally_pipeline *pipeline);

/*
 * Returns the number of evaluated counters, and in *out, which the pipeline owns, their indices in
 * the set: those that this GPU and layout have and that match `counters`, in the order of the set.
 */
TALLY_API size_t tally_pipeline_counters(const struct tally_pipeline *pipeline, const size_t **out);

/* Returns the index in the set of an evaluated counter, or -ENOENT. */
TALLY_API ptrdiff_t tally_pipeline_counter(const struct tally_pipeline *pipeline,
                                           const char *symbol);

/*
 * One evaluated sample: a delta between two consecutive reports, or all deltas that start within
 * one interval of GPU time. Intervals count from the first report; those in which no delta starts
 * are skipped. The pipeline owns the sample, which is valid until the next call with the pipeline.
 * Later versions append members.
 */
struct tally_sample {
    uint64_t index;         /* of the report that starts the delta, or of the interval, from 0 */
    enum tally_state state; /* of the delta; interval: OK if `lost` is 0, else LOST */
    bool has_values;        /* false if nothing could be evaluated because of losses */
    bool has_cpu_ns;        /* the recording has correlation points of GPU and CPU time */
    uint64_t deltas;        /* number of evaluated deltas; 0 or 1 unless an interval */
    uint64_t lost;          /* deltas left out because their state is LOST or AMBIGUOUS */
    uint64_t gpu_start;     /* unwrapped OA timestamps of the first report and the last, ticks */
    uint64_t gpu_end;
    uint64_t start_ns;     /* GPU time from the recording's first report to the sample's first */
    uint64_t duration_ns;  /* GPU time of the evaluated deltas, or of the delta without values */
    uint64_t cpu_start_ns; /* CLOCK_MONOTONIC at gpu_start and gpu_end, by the correlation points */
    uint64_t cpu_end_ns;   /* read so far; where has_cpu_ns */
    uint32_t context;      /* of the first report; TALLY_CONTEXT_IDLE: none. Deltas only */
    unsigned reasons;      /* enum tally_reason bits of the first report. Deltas only */
};

/*
 * Advances to the next sample. Returns 1 with *out, 0 at the end of the input, -EAGAIN if a stream
 * has no complete sample yet, or a negative errno with *error (-EBADMSG: the input is damaged; all
 * samples before have been delivered; later calls return the same). An interval is complete when a
 * report of a later interval, or the end, has been read.
 */
TALLY_API int tally_pipeline_next(struct tally_pipeline *pipeline, const struct tally_sample **out,
                                  struct tally_error *error);

/*
 * Gets the value of a counter as a double; for an interval, the equation over the sum of its
 * deltas. It is NaN if the equation has no value. Returns 0, -ENOENT if no counter with this symbol
 * is evaluated, or -ENODATA if the sample has no values.
 */
TALLY_API int tally_sample_get(const struct tally_sample *sample, const char *symbol, double *out);

/* Returns the value of counter `index` of the set as a double, NaN if it is not evaluated or has no
 * value. */
TALLY_API double tally_sample_value(const struct tally_sample *sample, size_t index);

/*
 * Gets the overall value, minimum, mean, maximum and, if the pipeline's options request them,
 * percentiles of a counter over the sample's deltas, in the counter's type. Returns as
 * tally_sample_get(); -ENOENT also if `index` is out of range.
 */
TALLY_API int tally_sample_statistic(const struct tally_sample *sample, size_t index,
                                     struct tally_statistic *out);

/*
 * Arrays to which tally_pipeline_columns() writes samples, an element each. The caller owns them;
 * each has `capacity` elements or is NULL: not wanted. Members are those of struct tally_sample.
 */
struct tally_columns {
    size_t size;     /* sizeof(struct tally_columns) */
    size_t capacity; /* at least 1 */
    uint64_t *index;
    uint64_t *gpu_start, *gpu_end;
    uint64_t *start_ns, *duration_ns;
    uint64_t *cpu_start_ns, *cpu_end_ns; /* TALLY_UNDEFINED if the recording has no correlation */
    uint64_t *deltas, *lost;
    uint32_t *contexts;
    uint8_t *reasons;
    uint8_t *states; /* enum tally_state */
    /* An array for each counter that tally_pipeline_counters() lists, in that order, of the
     * counter's type. A value that is not defined, or lost, is TALLY_UNDEFINED or NaN. */
    union tally_value *const *values;
};

/* struct tally_columns columns = TALLY_COLUMNS_INIT; */
#define TALLY_COLUMNS_INIT                                                                         \
    {                                                                                              \
        sizeof(struct tally_columns), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,     \
            NULL, NULL, NULL, NULL                                                                 \
    }

/*
 * Writes the next samples to arrays, those that tally_pipeline_next() would deliver one by one.
 * Returns their number: `capacity`, or fewer before the end or an error or if a stream has no more
 * at present; 0 at the end of the input; -EINVAL, -E2BIG: invalid columns; otherwise as
 * tally_pipeline_next(), with which calls may alternate.
 */
TALLY_API ptrdiff_t tally_pipeline_columns(struct tally_pipeline *pipeline,
                                           const struct tally_columns *columns,
                                           struct tally_error *error);

/*
 * Reads the whole input and calls `on_group` for each group, the total last, as
 * tally_summary_finish() does; groups of TALLY_BY_INTERVAL as soon as the interval is over.
 * `interval_ns` is used for TALLY_BY_INTERVAL only and must then be at least one timestamp tick.
 * Statistics are set for the counters that tally_pipeline_counters() lists. Returns 0, or a
 * negative errno with *error after all readable groups: -EBADMSG, -EIO and other read errors;
 * -EINVAL: an invalid interval, or the pipeline has been read or is fed; -ENOMEM.
 */
TALLY_API int tally_pipeline_summarize(struct tally_pipeline *pipeline, enum tally_group_by by,
                                       uint64_t interval_ns, tally_group_function *on_group,
                                       void *closure, struct tally_error *error);

#ifdef __cplusplus
}
#endif

#endif
