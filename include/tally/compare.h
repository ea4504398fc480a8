/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_H
#define TALLY_COMPARE_H

/*
 * What has changed between recordings, and whether a recording meets conditions: the results of
 * `tally compare` and `tally check` as arrays. docs/compare.md explains the statistics and the
 * syntax of conditions and budgets.
 *
 *     const char *before[] = {"a.i915-perf"}, *after[] = {"b.i915-perf"};
 *     struct tally_comparison *comparison;
 *     const struct tally_change *changes;
 *     if (tally_compare(before, 1, after, 1, NULL, &comparison, &error) == 0) {
 *         size_t count = tally_comparison_changes(comparison, &changes);
 *         for (size_t i = 0; i < count && changes[i].changed; i++)
 *             printf("%s %+.1f %%\n", changes[i].counter, 100 * changes[i].change);
 *         tally_comparison_free(comparison);
 *     }
 *
 * Threads: functions may be called from any thread; a result may be read by several. Reading starts
 * threads, which are joined before the functions return.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/pipeline.h>
#include <tally/summary.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- comparisons --------------------------------------------------------------------------- */

/* The sides of a comparison: indices of the arrays below. */
enum tally_side { TALLY_SIDE_A, TALLY_SIDE_B, TALLY_SIDE_COUNT };

/* `size` is as in struct tally_pipeline_options. All other members may be zero. */
struct tally_compare_options {
    size_t size;
    const struct tally_pipeline_options *pipeline; /* how to open each recording: set, counters, ...
                                                    * or NULL; `interval_ns` is not used */
    enum tally_group_by by;                        /* groups that are compared beside the total */
    uint64_t group_ns;                             /* of TALLY_BY_INTERVAL: length of a group */
    uint64_t sample_ns;      /* length of a sample; 0: chosen by the length of the recordings */
    uint64_t from_ns, to_ns; /* compare this range, from the first report on; to_ns 0: the end */
    double alpha;            /* changes with a corrected p below are significant; 0: 0.01 */
};

/* struct tally_compare_options options = TALLY_COMPARE_OPTIONS_INIT; */
#define TALLY_COMPARE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(struct tally_compare_options), NULL, TALLY_BY_NOTHING, 0, 0, 0, 0, 0                \
    }

/* A recording of a side. Texts of this and the following structs belong to the comparison. */
struct tally_compared_recording {
    const char *path;
    const char *device; /* as commands print it */
    const char *set;    /* symbol of the metric set */
    bool modelled;
    uint64_t duration_ns; /* GPU time */
    uint64_t reports;
    uint64_t missing_reports;
    size_t losses;     /* entries of the loss ledger */
    double lost_share; /* of the time or of the reports, the larger one: 0 to 1 */
};

/* A property that is not the same on both sides. */
struct tally_difference {
    const char *name;                    /* "losses", "device", "period", ... */
    const char *texts[TALLY_SIDE_COUNT]; /* as commands print it */
};

/*
 * A counter in the total or in one group. Values are those of the samples: events are rates per
 * second, times a share of the time in percent, as `units` says. Values that are not defined are
 * NaN.
 */
struct tally_change {
    enum tally_group_by by; /* TALLY_BY_NOTHING: the total */
    const char *group;      /* as `tally report` prints it: "total", "2", "0x1f", a mark's name */
    const char *counter;    /* symbol */
    const char *name, *units;
    double means[TALLY_SIDE_COUNT]; /* weighted by length */
    double medians[TALLY_SIDE_COUNT];
    double spreads[TALLY_SIDE_COUNT]; /* half of the interquartile range */
    size_t samples[TALLY_SIDE_COUNT]; /* values that the test compared */
    double change;                    /* (B - A) / |A| of the means; infinite from 0 */
    double delta;                     /* Cliff's delta: -1, all of B are below A, to 1 */
    double p;                         /* two-sided, of the Mann-Whitney test */
    double p_corrected;               /* for all tests of the comparison, by Holm */
    bool tested;                      /* false: all values of both sides are equal */
    bool exact;                       /* `p` is of the exact distribution */
    bool significant;                 /* p_corrected is below alpha */
    bool changed;                     /* significant, and large enough to matter */
};

/* What a comparison is made of. */
struct tally_comparison_info {
    uint64_t sample_ns; /* length of a sample */
    bool by_frames;     /* samples are whole frames of a modelled GPU's workload */
    double alpha;
    size_t tests;   /* changes with `tested` */
    size_t changed; /* changes with `changed` */
};

struct tally_comparison;

/*
 * Reads and compares the recordings whose paths are in `a` and `b`, at least one each. `options`
 * may be NULL. On success returns 0, and the caller frees *out with tally_comparison_free(). A
 * pipe, also "-", is refused, since a comparison reads the length of its inputs first.
 * Errors: those of tally_pipeline_open() and of reading; -EINVAL: no path, or an invalid option;
 * -ENOENT: the sides have no counter in common, an input is a pipe, or a recording has no marks,
 * phases or frames to group by; -EFBIG: too many groups; -E2BIG: an unknown option; -ENOMEM.
 */
TALLY_API int tally_compare(const char *const *a, size_t a_count, const char *const *b,
                            size_t b_count, const struct tally_compare_options *options,
                            struct tally_comparison **out, struct tally_error *error);

/* Frees a comparison; accepts NULL. Its arrays become invalid. */
TALLY_API void tally_comparison_free(struct tally_comparison *comparison);

TALLY_API struct tally_comparison_info
tally_comparison_info(const struct tally_comparison *comparison);

/* Return the number of elements, and in *out the elements, which the comparison owns: the
 * recordings of a side; the differences, the most important first; the changes, those of the total
 * first, and in each group the most important first. */
TALLY_API size_t tally_comparison_recordings(const struct tally_comparison *comparison,
                                             enum tally_side side,
                                             const struct tally_compared_recording **out);
TALLY_API size_t tally_comparison_differences(const struct tally_comparison *comparison,
                                              const struct tally_difference **out);
TALLY_API size_t tally_comparison_changes(const struct tally_comparison *comparison,
                                          const struct tally_change **out);

/* ---- checks -------------------------------------------------------------------------------- */

/* `size` is as in struct tally_pipeline_options. All other members may be zero. */
struct tally_check_options {
    size_t size;
    const struct tally_pipeline_options *pipeline; /* as in struct tally_compare_options */
    enum tally_group_by by;                        /* of conditions without a place */
    uint64_t interval_ns;                          /* of TALLY_BY_INTERVAL */
    double allowed_lost;  /* share of losses, 0 to 1, up to which checks can pass; 0: that of the
                           * budget, or none */
    const char *budget;   /* path of a budget, whose checks come first, or NULL */
    const char *baseline; /* path of a recording for conditions with "within"; NULL: the budget's */
};

/* struct tally_check_options options = TALLY_CHECK_OPTIONS_INIT; */
#define TALLY_CHECK_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(struct tally_check_options), NULL, TALLY_BY_NOTHING, 0, 0, NULL, NULL               \
    }

enum tally_check_outcome {
    TALLY_CHECK_PASSED,
    TALLY_CHECK_FAILED,
    TALLY_CHECK_INCONCLUSIVE /* it would have passed, but too much was lost */
};

/* Returns "passed", "failed" or "inconclusive". Static text. */
TALLY_API const char *tally_check_outcome_name(enum tally_check_outcome outcome);

/* A condition in the recording or in one group. Texts belong to the checks. */
struct tally_check_result {
    enum tally_check_outcome outcome;
    const char *name;    /* the condition, or its name in the budget, and where */
    const char *message; /* "mean(EuActive) is 45.2 %, expected > 60.0 %" */
    const char *counter, *statistic;
    enum tally_group_by by; /* TALLY_BY_NOTHING: the total */
    const char *group;      /* as `tally report` prints it */
    double value;           /* in `units`; NaN: there is none */
    double low, high;       /* the value must be between; infinite: no limit */
    double baseline;        /* NaN: the condition has none */
    const char *units;
    uint64_t deltas, lost; /* of the group */
};

struct tally_checks;

/*
 * Checks a recording by `count` conditions such as "p95(EuActive) > 60% in every phase", and by
 * those of a budget. `options` may be NULL. On success returns 0, whatever the outcomes are, and
 * the caller frees *out with tally_checks_free().
 * Errors: those of tally_pipeline_open() and of reading; -EINVAL: a condition that cannot be
 * parsed, options that do not fit the recording, or nothing to check; -EBADMSG also: an invalid
 * budget; -ENOENT also: an unknown counter, a statistic or unit that it does not have, or no
 * baseline; -E2BIG: an unknown option; -ENOMEM.
 */
TALLY_API int tally_check(const char *path, const char *const *conditions, size_t count,
                          const struct tally_check_options *options, struct tally_checks **out,
                          struct tally_error *error);

/* Frees checks; accepts NULL. Their results become invalid. */
TALLY_API void tally_checks_free(struct tally_checks *checks);

/* Returns the number of results, and in *out the results, in the order of the conditions and
 * groups. */
TALLY_API size_t tally_check_results(const struct tally_checks *checks,
                                     const struct tally_check_result **out);

#ifdef __cplusplus
}
#endif

#endif
