/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SUMMARY_H
#define TALLY_SUMMARY_H

/*
 * Summaries: minimum, mean and maximum of each counter over many reports, in groups (by context,
 * by reason, by interval of GPU time) and in total, in memory that does not grow with the
 * recording. Deltas whose state is not OK are counted, and left out of every value.
 *
 * Threads: a summary belongs to one thread at a time.
 */

#include <tally/metrics.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tally_group_by {
    TALLY_BY_NOTHING, /* the total alone */
    TALLY_BY_CONTEXT, /* the context of the report that starts a delta */
    TALLY_BY_REASON,  /* the reason of that report */
    TALLY_BY_INTERVAL /* the interval of GPU time, from the first report on, in which it starts */
};

/*
 * The key of the group that stands for all keys beyond the 1,024 lowest: a recording may hold more
 * contexts than there is memory for.
 */
#define TALLY_KEY_OTHERS UINT64_MAX

/* One group. Plain data, valid during the callback. */
struct tally_group {
    enum tally_group_by by; /* TALLY_BY_NOTHING: the total */
    uint64_t key;           /* context id, reason bits, number of the interval, or OTHERS */
    uint64_t deltas;        /* deltas that the values are of */
    uint64_t lost;          /* deltas left out because their state is not OK */
    uint64_t ticks;         /* GPU time of the deltas, OA timestamp ticks */
    uint64_t first_ticks;   /* unwrapped time of the first report and of the last one */
    uint64_t last_ticks;
};

/* A counter over one group. The mean is of the values of single deltas. */
struct tally_statistic {
    enum tally_data_type type;
    union tally_value overall; /* the equation over the sum of all deltas */
    union tally_value minimum;
    union tally_value maximum;
    double mean;
};

struct tally_summary;

/*
 * Called once for each group, with the statistic of each counter of the set (only those whose
 * state is OK are set).
 */
typedef void tally_group_function(void *closure, const struct tally_group *group,
                                  const struct tally_statistic *statistics);

/*
 * A summary of what `program` computes. `interval_ticks` counts for TALLY_BY_INTERVAL only and must
 * then not be 0: intervals are closed, and `on_group` called, as time passes; other groups when
 * the summary is finished, the total last. NULL if there is no memory.
 */
TALLY_API struct tally_summary *tally_summary_new(struct tally_program *program,
                                                  enum tally_group_by by, uint64_t interval_ticks,
                                                  tally_group_function *on_group, void *closure);
TALLY_API void tally_summary_free(struct tally_summary *summary);

/*
 * Takes the deltas from element `start` of a batch to element `start` + `count`, which `program`
 * has just run over. For TALLY_BY_INTERVAL deltas must come in the order of the recording. Returns
 * 0 or -ENOMEM.
 */
TALLY_API int tally_summary_add(struct tally_summary *summary, const struct tally_batch *batch,
                                size_t start, size_t count);

/*
 * Tells that no delta will start before `gpu_ticks` (an unwrapped time, such as that of the latest
 * report read): an interval that ends there or before is closed now, not when the next delta comes.
 * Does nothing for other groupings.
 */
TALLY_API void tally_summary_advance(struct tally_summary *summary, uint64_t gpu_ticks);

/*
 * Adds what `from` has gathered to `into`. Both are of the same set, layout and grouping, which is
 * not TALLY_BY_INTERVAL, and of different parts of one recording; the order of merging does not
 * matter, to the bit. So several threads, each with a program and a summary of its own, can share
 * a recording's batches. Returns 0 or -ENOMEM.
 */
TALLY_API int tally_summary_merge(struct tally_summary *into, struct tally_summary *from);

/* Closes every group: calls `on_group` for each, contexts and reasons in ascending order. */
TALLY_API void tally_summary_finish(struct tally_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
