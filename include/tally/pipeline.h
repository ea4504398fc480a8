/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_H
#define TALLY_PIPELINE_H

/*
 * Pipelines: from an input to evaluated metrics. A pipeline opens a recording (a file, a pipe,
 * memory, or a stream that is still being recorded), finds its metric set, compiles it, and
 * evaluates it:
 *
 * - one sample at a time: tally_pipeline_next(), a sample per pair of consecutive reports or per
 *   interval of GPU time;
 * - all of it, in groups: tally_pipeline_summarize(), what `tally report` computes;
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
 * Each pipeline is read once, in one of the three ways. What was readable before a fault is
 * delivered before the fault is reported. What is missing is in the ledger of
 * tally_pipeline_recording().
 *
 * Threads: a pipeline belongs to one thread at a time. tally_pipeline_summarize() starts threads of
 * its own and has ended them when it returns; it calls its callbacks from the caller's thread.
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

/* Called now and then with the bytes of input read so far, and in all (0: not known). */
typedef void tally_progress_function(void *closure, uint64_t done_bytes, uint64_t total_bytes);

/*
 * How to evaluate. `size` is sizeof(struct tally_pipeline_options) of the caller's header, as in
 * <tally/capture.h>: a library that knows more members takes zero for those; one that knows fewer
 * returns -E2BIG unless the others are zero. All members but `size` may be zero. What they point to
 * is not used after opening, except `progress_closure`.
 */
struct tally_pipeline_options {
    size_t size;
    const char *metrics; /* directory of metric-set files that is searched first */
    const char *set;     /* symbol or UUID of the metric set; NULL: the recorded one */
    /* Only counters whose symbol matches one of these patterns (fnmatch(3)); none: all. */
    const char *const *counters;
    size_t counter_count;
    /* Of tally_pipeline_next(): nanoseconds of GPU time that a sample covers; 0: one delta. */
    uint64_t interval_ns;
    unsigned threads; /* at most so many work at once, 1 to 8; 0: as many as there are processors */
    const struct tally_recording_options *recording; /* how to open the input; NULL: as it is */
    tally_progress_function *progress;               /* NULL: none */
    void *progress_closure;
};

/* struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT; */
#define TALLY_PIPELINE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(struct tally_pipeline_options), NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL         \
    }

struct tally_pipeline;

/*
 * Opens a recording, its metric set and the counters of it that its reports hold. `path` "-" is
 * standard input; `options` may be NULL. On success *out is the caller's, to be closed with
 * tally_pipeline_close().
 * Errors: those of tally_recording_open(); -ENOENT: no such metric set, or no counter matches;
 * -EBADMSG: the set that the recording names is not installed, or an equation of the set is wrong;
 * -EINVAL, -E2BIG: an option is wrong; -ENOMEM.
 */
TALLY_API int tally_pipeline_open(const char *path, const struct tally_pipeline_options *options,
                                  struct tally_pipeline **out, struct tally_error *error);

/* The same for a recording in memory: see tally_recording_open_memory(). */
TALLY_API int tally_pipeline_open_memory(const void *bytes, size_t size, const char *name,
                                         const struct tally_pipeline_options *options,
                                         struct tally_pipeline **out, struct tally_error *error);

/*
 * The same for a stream that `read` delivers: see tally_recording_open_stream(). `read` is called
 * only by the thread that opens, iterates or summarizes.
 */
TALLY_API int tally_pipeline_open_stream(tally_read_function *read, void *closure, const char *name,
                                         const struct tally_pipeline_options *options,
                                         struct tally_pipeline **out, struct tally_error *error);

/*
 * The same for a device that is being recorded: starts `capture` with `recording` (see
 * tally_capture_start(); its `output`, `records`, `ring_bytes` and `closure` must be zero) and
 * steps it whenever tally_pipeline_next() needs more, which therefore waits for the device. The end
 * comes when the duration has passed or after tally_capture_stop(). tally_pipeline_close() ends the
 * recording; `capture` stays the caller's and must be closed later. Errors: also those of
 * tally_capture_start() and tally_capture_step().
 */
TALLY_API int tally_pipeline_open_capture(struct tally_capture *capture,
                                          const struct tally_capture_options *recording,
                                          const struct tally_pipeline_options *options,
                                          struct tally_pipeline **out, struct tally_error *error);

/*
 * A pipeline that is given its bytes by tally_pipeline_feed(): for callers that are called with
 * records. Nothing is opened yet: until the bytes fed contain the first report's header,
 * tally_pipeline_next() returns -EAGAIN, tally_pipeline_recording() and tally_pipeline_set() NULL.
 * What `options` points to must then live until the first tally_pipeline_next() that does not
 * return -EAGAIN. Errors: -EINVAL, -ENOMEM.
 */
TALLY_API int tally_pipeline_open_fed(const char *name,
                                      const struct tally_pipeline_options *options,
                                      struct tally_pipeline **out, struct tally_error *error);

/*
 * Gives a pipeline of tally_pipeline_open_fed() the next `size` bytes, which are copied; pieces may
 * be of any size. `size` 0 ends the stream. Returns 0, -ENOMEM, or -EINVAL: not such a pipeline, or
 * its stream has ended.
 */
TALLY_API int tally_pipeline_feed(struct tally_pipeline *pipeline, const void *bytes, size_t size);

/* Closes; accepts NULL. Samples, set and recording are invalid from then on. */
TALLY_API void tally_pipeline_close(struct tally_pipeline *pipeline);

/* The recording (device, totals, loss ledger, CPU times). Stays the pipeline's; do not read it. */
TALLY_API struct tally_recording *tally_pipeline_recording(const struct tally_pipeline *pipeline);

/* The metric set that is evaluated. Stays the pipeline's. */
TALLY_API const struct tally_metric_set *tally_pipeline_set(const struct tally_pipeline *pipeline);

/*
 * The counters that are evaluated, as indices into the set's: those that this GPU and layout have
 * and that match `counters`, in the order of the set. Returns how many; *out stays the pipeline's.
 */
TALLY_API size_t tally_pipeline_counters(const struct tally_pipeline *pipeline, const size_t **out);

/* Index in the set of the counter of a symbol that is evaluated, or -ENOENT. */
TALLY_API ptrdiff_t tally_pipeline_counter(const struct tally_pipeline *pipeline,
                                           const char *symbol);

/*
 * One evaluated sample: a delta between two consecutive reports, or all deltas that start within
 * one interval of GPU time (intervals follow each other from the first report on; those in which no
 * delta starts are left out). Belongs to the pipeline, valid until the next call that takes the
 * pipeline. Later versions append members.
 */
struct tally_sample {
    uint64_t index;         /* of the report that starts the delta, or of the interval, from 0 */
    enum tally_state state; /* of the delta; interval: OK if `lost` is 0, else LOST */
    bool has_values;        /* false: nothing could be evaluated, because of losses */
    bool has_cpu_ns;        /* the recording relates GPU time to CPU time */
    uint64_t deltas;        /* that the values are of: 0 or 1; interval: any number */
    uint64_t lost;          /* deltas left out because their state is not OK */
    uint64_t gpu_start;     /* unwrapped OA timestamps of the first report and the last, ticks */
    uint64_t gpu_end;
    uint64_t start_ns; /* GPU time from the recording's first report to the sample's first */
    uint64_t
        duration_ns; /* GPU time of the deltas that the values are of; of a lost delta, its own */
    uint64_t cpu_start_ns; /* CLOCK_MONOTONIC at gpu_start and gpu_end, by the correlation points */
    uint64_t cpu_end_ns;   /* read so far; where has_cpu_ns */
    uint32_t context;      /* of the first report; TALLY_CONTEXT_IDLE: none. Deltas only */
    unsigned reasons;      /* enum tally_reason bits of the first report. Deltas only */
};

/*
 * Moves on to the next sample. Returns 1 with *out, 0 at the end of the input, -EAGAIN if a stream
 * has no complete sample at present, or a negative errno with *error (-EBADMSG: the input is
 * damaged; everything before has been delivered; later calls return the same). A sample of an
 * interval is complete when a report of a later interval, or the end, has been read.
 */
TALLY_API int tally_pipeline_next(struct tally_pipeline *pipeline, const struct tally_sample **out,
                                  struct tally_error *error);

/*
 * Value of a counter by its symbol, as a double: of an interval the equation over the sum of its
 * deltas. Returns 0; -ENOENT: no counter of that symbol is evaluated; -ENODATA: the sample has no
 * values.
 */
TALLY_API int tally_sample_get(const struct tally_sample *sample, const char *symbol, double *out);

/* Value of counter `index` of the set as a double; NaN if it is not evaluated or has no value. */
TALLY_API double tally_sample_value(const struct tally_sample *sample, size_t index);

/*
 * All of a counter: overall value, minimum, mean and maximum of the sample's deltas, each in the
 * counter's own type. Returns as tally_sample_get(); -ENOENT also if `index` is out of range.
 */
TALLY_API int tally_sample_statistic(const struct tally_sample *sample, size_t index,
                                     struct tally_statistic *out);

/*
 * Reads the whole input and calls `on_group` for each group, the total last, as
 * tally_summary_finish() does; groups of TALLY_BY_INTERVAL as soon as the interval is over.
 * `interval_ns` counts for TALLY_BY_INTERVAL only and must then be at least one timestamp tick.
 * Statistics are set for the counters that tally_pipeline_counters() lists. Returns 0, or a
 * negative errno with *error after the groups of what was readable: -EBADMSG, -EIO and others of
 * reading; -EINVAL: a bad interval, or the pipeline has been read or is fed; -ENOMEM.
 */
TALLY_API int tally_pipeline_summarize(struct tally_pipeline *pipeline, enum tally_group_by by,
                                       uint64_t interval_ns, tally_group_function *on_group,
                                       void *closure, struct tally_error *error);

#ifdef __cplusplus
}
#endif

#endif
