/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_TIMELINE_H
#define TALLY_SINK_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/metrics.h>

#include "sink/sink.h"

/*
 * A timeline: the deltas of a recording of any length in a limited number of buckets, built in one
 * pass. A bucket covers 2^shift consecutive deltas, and has minimum, mean and maximum of each
 * counter. If all buckets are used, pairs of neighbours are merged, so that short recordings keep
 * every delta, and long ones lose detail evenly.
 *
 * Minimum, mean and maximum are those of docs/values.md: deltas whose state is not OK have no
 * values, undefined values do not count, the mean is weighted by the length of the deltas, and
 * deltas shorter than half of the period are in the mean only. What has no value is NaN.
 */

struct timeline_bucket {
    uint64_t start_ticks; /* unwrapped time of the first delta's start, and of the last one's end */
    uint64_t end_ticks;
    uint32_t deltas;        /* whose state is OK */
    uint32_t lost;          /* whose state is LOST or AMBIGUOUS */
    uint32_t context;       /* that of the longest time; valid if `deltas` is not 0 */
    bool mixed;             /* deltas of several contexts */
    uint64_t context_ticks; /* time of `context` */
};

/* A counter in a bucket. Of a single delta, the mean is its value, bit for bit. */
struct timeline_value {
    double minimum, maximum; /* NaN: all deltas are shorter than half of the period */
    double mean;             /* NaN: no delta has a value */
    double ticks;            /* length of the deltas that have one */
};

/* The values of one counter for the deltas of a block; `values` NULL: it has none. */
struct timeline_column {
    const union tally_value *values;
    enum tally_data_type type;
};

struct timeline {
    const struct tally_layout *layout;
    size_t counter_count;
    size_t slot_count;
    uint8_t slots[TALLY_SLOT_COUNT]; /* those of the layout that count */
    size_t capacity;                 /* buckets; even */
    size_t count;
    unsigned shift;
    uint64_t first_index;  /* of the first delta, in the recording */
    uint64_t period_ticks; /* of the latest batch */
    struct timeline_bucket *buckets;
    /* Of counter or slot i and bucket b at index i * capacity + b. */
    struct timeline_value *values;
    uint64_t *sums; /* differences of the raw counters, summed over the deltas with values */
    struct timeline_column *columns; /* of timeline_add_results() */
};

/* Creates a timeline for counters of reports of a layout, whose buckets use at most `max_bytes`,
 * but are at least two. The layout must outlive it. Returns NULL if out of memory. */
struct timeline *timeline_new(const struct tally_layout *layout, size_t counter_count,
                              size_t max_bytes);
void timeline_free(struct timeline *timeline);

/* Adds the deltas from element `start` to `start` + `count` of a batch, in the order of the
 * recording. `columns` has an element for each counter. */
void timeline_add(struct timeline *timeline, const struct tally_batch *batch, size_t start,
                  size_t count, const struct timeline_column *columns);

/* The same for the latest results of the context's program. */
void timeline_add_results(struct timeline *timeline, const struct sink_context *context,
                          const struct tally_batch *batch, size_t start, size_t count);

/* Merges pairs of neighbouring buckets until there are at most `max_buckets`, which is not 0. */
void timeline_reduce(struct timeline *timeline, size_t max_buckets);

#endif
