/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SUMMARY_H
#define TALLY_SUMMARY_H

/*
 * Summaries: minimum, mean, maximum and percentiles of each counter over many reports, in groups
 * (by context, by reason, by interval of GPU time) and in total, in memory that does not grow with
 * the recording. Deltas whose state is not OK are counted but excluded from all values.
 *
 *     struct tally_summary *summary =
 *         tally_summary_new(program, TALLY_BY_CONTEXT, 0, on_group, closure);
 *     while (tally_recording_read(recording, batch, &error) > 0)
 *         for (size_t start = 0, count; start + 1 < batch->count; start += count) {
 *             size_t left = batch->count - 1 - start;
 *             count = left < TALLY_BLOCK ? left : TALLY_BLOCK;
 *             tally_program_run(program, batch->reports + start, count);
 *             tally_summary_add(summary, batch, start, count);
 *         }
 *     tally_summary_finish(summary);
 *     tally_summary_free(summary);
 *
 * tally_pipeline_summarize() of <tally/pipeline.h> does this for a recording.
 *
 * Threads: a summary belongs to one thread at a time.
 */

#include <tally/metrics.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tally_group_by {
    TALLY_BY_NOTHING,  /* only the total */
    TALLY_BY_CONTEXT,  /* the context of the report that starts a delta */
    TALLY_BY_REASON,   /* the reason of that report */
    TALLY_BY_INTERVAL, /* the interval of GPU time in which a delta starts, from the first report */
    TALLY_BY_PHASE,    /* the phase of the workload in which a delta lies (tally_recorded_phases) */
    TALLY_BY_FRAME,    /* the frame in which a delta starts: of marks (tally_recorded_marks), else
                          the repetition of the workload */
    TALLY_BY_MARK      /* the section of marks in which a delta lies; those with the same name are
                          one group */
};

/* Key of the group of all deltas in which one phase or section ends and another begins, or may do
 * so within the uncertainty of a mark. */
#define TALLY_KEY_CHANGE (UINT64_MAX - 1)

/*
 * Key of the group for all keys beyond the 1,024 lowest, since a recording may have any number of
 * contexts.
 */
#define TALLY_KEY_OTHERS UINT64_MAX

/* One group. Plain data, valid during the callback. */
struct tally_group {
    enum tally_group_by by; /* TALLY_BY_NOTHING: the total */
    uint64_t key;           /* context id, reason bits, number of the interval, phase or frame
                             * from 0, index of the name of a mark, CHANGE, or OTHERS */
    uint64_t deltas;        /* evaluated deltas */
    uint64_t lost;          /* deltas excluded because their state is LOST or AMBIGUOUS */
    uint64_t ticks;         /* GPU time of the deltas, OA timestamp ticks */
    uint64_t first_ticks;   /* unwrapped time of the first report and of the last one */
    uint64_t last_ticks;
};

/*
 * A counter over one group. Values that are not defined are excluded; if none is defined, neither
 * is the statistic (<tally/metrics.h>; the mean is NaN).
 */
struct tally_statistic {
    enum tally_data_type type;
    union tally_value overall; /* the equation over the sum of all deltas */
    union tally_value minimum; /* of the deltas that last at least half of the timer's period */
    union tally_value maximum; /* (period_ticks of the batch) */
    double mean;               /* of the values of all deltas, weighted by their length */
    /*
     * Percentiles of the values of all deltas, weighted by their length: of the group's time, 50,
     * 95 or 99 percent had this value or a lower one. They are estimated from the distribution of
     * the values in buckets, 64 from each power of two to the next: the error is at most 1/64 of
     * the value, and 1/2^22 where all values of the bucket are equal. Undefined unless requested
     * (tally_summary_add_percentiles()), and where no delta with a value has a length. If a counter
     * needs more than 1,024 buckets, or fewer in more than 32 groups (down to 32 in 1,024 groups),
     * neighbouring buckets are merged, and the error is 1/32, 1/16, ... of the value.
     */
    union tally_value p50, p95, p99;
};

struct tally_summary;

/*
 * Called once per group with the statistics of all counters of the set; only those of counters
 * whose state is OK are set.
 */
typedef void tally_group_function(void *closure, const struct tally_group *group,
                                  const struct tally_statistic *statistics);

/*
 * Creates a summary of the counters of `program`, which must outlive it. `interval_ticks` is used
 * for TALLY_BY_INTERVAL only and must then not be 0. `on_group` is called for intervals and frames
 * as soon as they end, and for other groups by tally_summary_finish(), the total last. Returns NULL
 * if out of memory.
 */
TALLY_API struct tally_summary *tally_summary_new(struct tally_program *program,
                                                  enum tally_group_by by, uint64_t interval_ticks,
                                                  tally_group_function *on_group, void *closure);

/*
 * Requests percentiles, which take time and memory. Must be called before the first
 * tally_summary_add(). Returns 0; -EINVAL: too late; -ENOMEM.
 */
TALLY_API int tally_summary_add_percentiles(struct tally_summary *summary);

/*
 * Sets the phases for TALLY_BY_PHASE and TALLY_BY_FRAME, which must outlive the summary, and the
 * frequency of the GPU time. Must be called before the first tally_summary_add().
 */
TALLY_API void tally_summary_set_phases(struct tally_summary *summary,
                                        const struct tally_recorded_phases *phases,
                                        uint64_t timestamp_hz);

/*
 * Sets the marks for TALLY_BY_MARK, and for TALLY_BY_FRAME if they have frames: those of
 * tally_recording_info() of a recording that outlives the summary. Must be called before the first
 * tally_summary_add().
 */
TALLY_API void tally_summary_set_marks(struct tally_summary *summary,
                                       const struct tally_recorded_marks *marks,
                                       uint64_t timestamp_hz);

/* Frees a summary without delivering groups; accepts NULL. */
TALLY_API void tally_summary_free(struct tally_summary *summary);

/*
 * Adds the deltas from element `start` to element `start` + `count` of a batch: those of the latest
 * tally_program_run(). For intervals and frames, deltas must be added in the order of the
 * recording. Returns 0; -EINVAL: phases or marks are not set; -ENOMEM.
 */
TALLY_API int tally_summary_add(struct tally_summary *summary, const struct tally_batch *batch,
                                size_t start, size_t count);

/*
 * Closes the intervals that end at or before `gpu_ticks` (an unwrapped time, such as that of the
 * latest report read). No delta may start before it afterwards. Does nothing for other groupings.
 */
TALLY_API void tally_summary_advance(struct tally_summary *summary, uint64_t gpu_ticks);

/*
 * Adds the contents of `from` to `into`. Both must have the same set, layout and grouping, which
 * must not be intervals or frames, and cover different parts of one recording. The order of merging
 * does not change a bit of the result, so several threads, each with its program and summary, can
 * share the batches of a recording. Returns 0 or -ENOMEM.
 */
TALLY_API int tally_summary_merge(struct tally_summary *into, struct tally_summary *from);

/* Closes every group: calls `on_group` for each, contexts and reasons in ascending order. */
TALLY_API void tally_summary_finish(struct tally_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
