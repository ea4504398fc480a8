/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_DISTRIBUTION_H
#define TALLY_METRICS_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/metrics.h>

/*
 * The distribution of a counter's values, each weighted by the length of its delta, for
 * percentiles. Values are counted in log-linear buckets: 64 of equal width between a power of two
 * and the next one. All contents are sums of integers, so they depend neither on the order of the
 * values nor on how they are divided among threads.
 *
 * A value has a position: the upper 34 bits of its double, changed so that their order is that of
 * the values. The upper 18 bits of a position are the bucket, the others the place in it. A bucket
 * also sums up the places, so that it gives their mean.
 *
 * A distribution that needs more buckets than its limit merges neighbours, all in the same way, as
 * often as necessary. This too depends on the set of values alone.
 */
#define PLACE_BITS       16
#define POSITION_BITS    34
#define POSITION_DROPPED (64 - POSITION_BITS)

struct bucket {
    uint64_t ticks;  /* length of the deltas */
    uint64_t places; /* sum of the places, each times the length of its delta; modulo 2^64 */
};

/* {0} is an empty distribution without memory. */
struct distribution {
    uint32_t *keys; /* hash table: numbers of buckets >> level, or NO_BUCKET */
    struct bucket *buckets;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    unsigned level; /* 2^level buckets have been merged into one */
};

/* Maximum number of buckets of one distribution. */
#define BUCKETS_MAX 1024

/* Returns the limit for a counter's distributions in this number of groups, up to BUCKETS_MAX: a
 * recording has any number of contexts, and their distributions share a fixed amount of memory. */
size_t distribution_limit(size_t groups);

void distribution_fini(struct distribution *distribution);

/* Removes the values, and keeps the memory. */
void distribution_clear(struct distribution *distribution);

/* Adds a value that is defined, of a delta that is `ticks` long. `limit` is that of
 * distribution_limit(). Returns 0 or -ENOMEM. */
int distribution_add(struct distribution *distribution, double value, uint64_t ticks, size_t limit);

/*
 * Lanes: values of deltas with the same length, counted in a table without keys that kernels find
 * places in, before they are added to a distribution. Entry 0 is for 0, the others are the buckets
 * from 2^-24 up to 2^40.
 */
#define LANE_FIRST_KEY ((1023u - 24) << 6)
#define LANE_KEYS      (64u << 6)
#define NO_PLACE       UINT32_MAX
#define LANES_MAX      65536 /* values; the sum of their places is below 2^32 */

struct distribution_lanes {
    uint64_t entries[1 + LANE_KEYS]; /* number of values << 32 + sum of their places */
    uint16_t used[1 + LANE_KEYS];    /* entries that are not 0 */
    uint32_t used_count;
    /* Keeps the entries of different counters, of which the same are used, in different sets of a
     * cache. */
    uint8_t spacing[1601];
};

/*
 * Adds `count` values by their places, and to the distribution those without a place, of deltas
 * that are `ticks` long. `values` are doubles or, with `integers`, uint64_t. There may be LANES_MAX
 * values before distribution_fold(). Returns 0 or -ENOMEM.
 */
int distribution_add_places(struct distribution *distribution, struct distribution_lanes *lanes,
                            const uint32_t *places, const union tally_value *values,
                            enum tally_data_type type, size_t count, uint64_t ticks, size_t limit);

/* Moves the contents of the lanes to a distribution. Returns 0 or -ENOMEM. */
int distribution_fold(struct distribution *distribution, struct distribution_lanes *lanes,
                      uint64_t ticks, size_t limit);

/* Adds the contents of another distribution. Returns 0 or -ENOMEM. */
int distribution_merge(struct distribution *into, const struct distribution *from, size_t limit);

/* Merges buckets until there are at most `limit`. Returns 0 or -ENOMEM. */
int distribution_limit_to(struct distribution *distribution, size_t limit);

/* Estimates percentiles: for each of `percents`, in ascending order, the lowest value for which the
 * values up to it cover that part of the time. Returns false if there is no value with a length. */
bool distribution_percentiles(const struct distribution *distribution, const unsigned *percents,
                              size_t count, double *values);

#endif
