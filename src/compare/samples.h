/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_SAMPLES_H
#define TALLY_COMPARE_SAMPLES_H

#include "compare/compare.h"
#include "pipeline/pipeline.h"

/*
 * Samples of a recording: the sums of the deltas that start in one interval of time, by group, and
 * the values of the counters for them. Amounts become rates per second, and times a share of the
 * time in percent, so that intervals of different lengths can be compared.
 */

/* A sample of a group; its values are at the same index of `values`. */
struct group_sample {
    uint32_t run;
    uint64_t ticks;
    double ns; /* length of its deltas */
};

struct group_samples {
    uint64_t key; /* as in struct tally_group; TOTAL_KEY: everything */
    struct group_sample *samples;
    double *values; /* `counters` of each sample; NaN: undefined */
    size_t count, sample_capacity;
    uint64_t lost;      /* deltas without values */
    double ns, lost_ns; /* length of the deltas with values, and of those without */
};

#define TOTAL_KEY (UINT64_MAX - 2)

/* The samples of one side: all of its recordings. */
struct side_samples {
    size_t counters;              /* values of a sample */
    struct group_samples *groups; /* in the order of their keys, after samples_finish() */
    size_t count, capacity;
};

/* How time is cut: the same for all recordings of both sides. */
struct sampling {
    struct compare_names *marks; /* of BY_MARK */
    enum tally_group_by by;
    uint64_t group_ns;       /* of BY_INTERVAL */
    uint64_t interval_ns;    /* of a sample */
    bool by_frames;          /* intervals are whole frames, from the beginning of the workload on */
    uint64_t from_ns, to_ns; /* as in struct writing */
};

/* A counter as a run has it. */
struct run_counter {
    size_t index;     /* in the run's set */
    bool is_number;   /* a rate per second */
    unsigned time_ns; /* not 0: a share of time */
};

/* Reads a pipeline to its end and adds its samples. Returns 0; -EFBIG: too many groups; -ENOMEM, or
 * an error of reading, with *error. */
int samples_read(struct side_samples *side, const struct sampling *sampling,
                 struct tally_pipeline *pipeline, const struct run_counter *counters, uint32_t run,
                 struct tally_error *error);

/* Sorts the groups, and drops samples that are much shorter than others of their group. */
void samples_finish(struct side_samples *side, const struct sampling *sampling);

/* Returns the group with a key, or NULL. */
const struct group_samples *samples_find(const struct side_samples *side, uint64_t key);

void samples_fini(struct side_samples *side);

#endif
