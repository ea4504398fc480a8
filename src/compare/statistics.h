/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_STATISTICS_H
#define TALLY_COMPARE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Statistics of two lists of samples (docs/compare.md). Samples of a run are in the order of time;
 * neighbours may depend on each other, and samples of one run more than those of different ones.
 */
struct stat_sample {
    double value;  /* not NaN */
    double weight; /* its length */
    uint32_t run;  /* ascending */
};

/* What a comparison of two lists finds. */
struct stat_result {
    double means[2];    /* weighted by length; NaN: no sample */
    double medians[2];  /* of the samples */
    double spreads[2];  /* half of the interquartile range of the samples */
    size_t blocks[2];   /* number of values that the test compared */
    double change;      /* (B - A) / |A| of the means; infinite from 0, 0 if both are equal */
    double delta;       /* Cliff's delta of the blocks: -1 if all of B are below A, 1 above */
    double p;           /* two-sided, not corrected for other counters */
    double correlation; /* of neighbouring blocks */
    bool constant;      /* all values of both lists are equal: there is nothing to test */
    bool exact;         /* `p` is that of the exact distribution */
};

/* Below this number of values, blocks are not made longer. */
#define STAT_BLOCKS_MIN 12

/* Compares two lists, whose contents are replaced. Returns 0 or -ENOMEM. */
int stat_compare(struct stat_sample *a, size_t a_count, struct stat_sample *b, size_t b_count,
                 struct stat_result *out);

/* Merges pairs of neighbours of the same run; an odd one at its end is added to the last pair.
 * Returns the number of samples that are left. */
size_t stat_merge_pairs(struct stat_sample *samples, size_t count);

/* The Mann-Whitney test of two lists: *u is the number of pairs in which B is above A, ties counted
 * by half. Returns the two-sided p, of the exact distribution up to STAT_EXACT_MAX values in total
 * and of the normal approximation with corrections for ties and continuity beyond; NaN if out of
 * memory. */
#define STAT_EXACT_MAX 40
double stat_mann_whitney(const struct stat_sample *a, size_t a_count, const struct stat_sample *b,
                         size_t b_count, double *u);

/* Returns the p that is left if the variance of the test is `factor` times as large. */
double stat_inflate(double p, double factor);

/* Returns the smallest two-sided p that lists of these lengths can have. */
double stat_p_min(size_t a_count, size_t b_count);

/* Corrects p values for their number as Holm does, in place. Returns 0 or -ENOMEM. */
int stat_holm(double *p, size_t count);

#endif
