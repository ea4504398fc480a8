/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_COMPARE_H
#define TALLY_COMPARE_COMPARE_H

#include <tally/compare.h>

#include "compare/statistics.h"

/*
 * Compares two sides, each of one recording or several: what differs about the recordings, and
 * which counters have changed (docs/compare.md).
 */

/* Recordings of a side. */
struct compare_inputs {
    const char *const *paths;
    size_t count; /* 1 or more */
};

struct compare_options {
    struct tally_pipeline_options pipeline; /* how to open each recording */
    enum tally_group_by by;
    uint64_t group_ns;       /* of TALLY_BY_INTERVAL */
    uint64_t interval_ns;    /* length of a sample; 0: chosen by the length of the recordings */
    uint64_t from_ns, to_ns; /* as in struct writing */
    double alpha;            /* changes with a corrected p below are significant */
};

/* A recording, after it has been read. */
struct compare_run {
    struct tally_pipeline *pipeline;
    const struct tally_recording_info *info;
    struct tally_recording_totals totals;
    size_t ledger;     /* number of entries of the loss ledger */
    double lost_share; /* of the time or of the reports, the larger one */
};

/* A property that is not the same on both sides. */
struct compare_difference {
    const char *name; /* "losses", "device", "period", ... */
    char *texts[TALLY_SIDE_COUNT];
};

/* A counter of both sides. */
struct compare_counter {
    const char *symbol, *name;
    const char *units; /* of the values: "pixels/s" */
};

/* A counter in a group. */
struct compare_change {
    size_t group, counter;
    struct stat_result result;
    double p;         /* corrected for all tests of the comparison */
    bool significant; /* p is below alpha */
    bool changed;     /* significant, and large enough to matter */
    double score;     /* changes are sorted by this, the largest first */
};

/* A group that at least one side has. */
struct compare_group {
    struct tally_group group;    /* .by and .key only; BY_NOTHING: the total */
    double ns[TALLY_SIDE_COUNT]; /* time of its deltas; 0: the side does not have it */
    uint64_t lost[TALLY_SIDE_COUNT];
    size_t first, count; /* of its changes */
    size_t changed;
};

/* Names that the recordings have in common: index 0 is "". */
struct compare_names {
    char **names;
    size_t count, capacity;
};

struct comparison {
    struct compare_names marks; /* the key of a group of BY_MARK is an index */
    struct compare_run *runs[TALLY_SIDE_COUNT];
    size_t run_count[TALLY_SIDE_COUNT];
    struct compare_counter *counters;
    size_t counter_count;
    size_t only[TALLY_SIDE_COUNT]; /* counters that only one side has */
    struct compare_difference *differences;
    size_t difference_count, difference_capacity;
    struct compare_group *groups; /* the total is the last one */
    size_t group_count;
    struct compare_change *changes; /* by group, in the order in which they matter */
    size_t change_count;
    size_t tests;         /* changes that were tested: not constant */
    size_t changed;       /* number of changes with `changed` */
    uint64_t interval_ns; /* length of a sample */
    bool by_frames;       /* which is whole frames */
    double alpha;
};

/*
 * Reads and compares all recordings. On success the caller frees *out with comparison_free().
 * Errors: those of tally_pipeline_open() and of reading; -EINVAL: an input is not a file, or
 * options do not fit the recordings; -ENOENT: there are no common counters; -EFBIG: too many
 * groups.
 */
int compare_recordings(const struct compare_inputs inputs[TALLY_SIDE_COUNT],
                       const struct compare_options *options, struct comparison **out,
                       struct tally_error *error);
void comparison_free(struct comparison *comparison);

/* Returns the value of a counter over `ns` of GPU time as it is compared, in the units of struct
 * compare_counter: events are a rate, times a share of the time in percent. */
double compared_value(const struct tally_counter *counter, double value, double ns);

/* A limit for changes: of one counter, or of all. */
struct compare_threshold {
    const char *counter; /* a pattern as of -c; NULL: all */
    int direction;       /* 1: only increases, -1: only decreases, 0: both */
    double share;        /* 0.05: 5 % */
};

/* The default of `alpha`. */
#define COMPARE_ALPHA 0.01

/* Parses "5%", "+5%", "EuActive=-5%". Keeps pointers into `text`, which it changes. Returns NULL,
 * or what was expected. */
const char *threshold_parse(char *text, struct compare_threshold *out);

/* Returns the limit that a significant change passes, or NULL. That of a counter, the last one,
 * replaces that of all. */
const struct compare_threshold *threshold_passed(const struct comparison *comparison,
                                                 const struct compare_change *change,
                                                 const struct compare_threshold *thresholds,
                                                 size_t count);

#endif
