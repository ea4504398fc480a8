/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_CHECK_H
#define TALLY_COMPARE_CHECK_H

#include <tally/compare.h>

#include "base/buffer.h"
#include "base/findings.h"
#include "base/yaml.h"

/*
 * Checks: conditions that a recording must meet, such as "p95(EuActive) > 60% in every phase"
 * (docs/compare.md).
 */

enum check_statistic {
    CHECK_OVERALL,
    CHECK_MIN,
    CHECK_MEAN,
    CHECK_P50,
    CHECK_P95,
    CHECK_P99,
    CHECK_MAX,
    CHECK_SUM,
    CHECK_STATISTICS
};

/* Their names. */
extern const char *const check_statistics[CHECK_STATISTICS];

enum check_kind {
    CHECK_ABOVE,        /* > */
    CHECK_NOT_BELOW,    /* >= */
    CHECK_BELOW,        /* < */
    CHECK_NOT_ABOVE,    /* <= */
    CHECK_WITHIN,       /* of the baseline, in both directions */
    CHECK_WITHIN_ABOVE, /* within +5% */
    CHECK_WITHIN_BELOW  /* within -5% */
};

/* What a bound is measured in. */
struct check_unit {
    const char *name;
    double factor;     /* of `units` */
    const char *units; /* of counters that have it: "percent", "ns", ...; NULL: any */
};

#define CHECK_TEXT 64 /* bytes of names and places */

struct check {
    char name[80]; /* of a budget; or empty */
    char counter[CHECK_TEXT];
    enum check_statistic statistic;
    enum check_kind kind;
    double bound; /* as written; of WITHIN: the share, 0.05 */
    const struct check_unit *unit;
    bool per_second; /* the bound is a rate */
    bool has_place;  /* `by`, `every` and `key` are given */
    enum tally_group_by by;
    bool every; /* each group; else that of `key` */
    uint64_t key;
    char mark[TALLY_MARK_NAME_MAX + 1]; /* of BY_MARK, in place of the key */
    unsigned line;                      /* in the budget, or 0 */
};

/* Parse a condition "p95(EuActive) > 60% in phase 2", or parts of it. Return NULL, or what was
 * expected. */
const char *check_parse(const char *text, struct check *check);
const char *check_parse_bound(const char *text, struct check *check);
const char *check_parse_within(const char *text, struct check *check);
const char *check_parse_place(const char *text, struct check *check);
const char *check_parse_statistic(const char *text, struct check *check);

/* Appends the condition as text, without its name: "p95(EuActive) > 60 %". */
void check_text(struct buffer *text, const struct check *check);

/* A budget: a file of checks. */
struct budget {
    char *title;         /* NULL: it is not of a file */
    char *baseline;      /* path of a recording, from the budget's directory; or NULL */
    double allowed_lost; /* share; negative: not given */
    struct check *checks;
    size_t count;
};

/* Reads a budget as yaml_read() does. On success the caller frees *out, which may be NULL for
 * checking only, with budget_free(). */
int budget_read(const struct yaml_source *source, struct budget **out, findings_visit *found,
                void *closure, struct tally_error *error);
void budget_free(struct budget *budget);

/* Makes a budget without checks, and appends a condition to one. budget_add() returns 0; -EINVAL
 * with what was expected; -ENOMEM. */
struct budget *budget_new(void);
int budget_add(struct budget *budget, const char *condition, const char **expected);

/* Whether a YAML file is meant as a budget: it has "checks". */
bool budget_is(const char *path);

/* Parses a share: "0.1%" or "0.001". Returns NULL, or what was expected. */
const char *share_parse(const char *text, double *share);

/* ---- results --------------------------------------------------------------------------------- */

#define CHECK_OUTCOMES 3 /* of enum tally_check_outcome */

/* A check in one group. */
struct check_result {
    const struct check *check;
    struct tally_group group; /* .by, .key, .deltas and .lost only */
    enum tally_check_outcome outcome;
    double value;       /* NaN: there is none */
    double baseline;    /* of WITHIN; else NaN */
    double low, high;   /* the value must be between; infinite: no limit */
    const char *units;  /* of the value: "percent", "pixels/s" */
    const char *reason; /* why it did not pass: static text; NULL: the value */
};

/* What is known about the losses of a recording. */
struct check_losses {
    double share; /* of the time or of the reports, the larger one */
    size_t ledger;
    uint64_t missing;
};

struct check_report {
    struct tally_pipeline *pipeline;
    struct tally_pipeline *baseline; /* or NULL */
    struct check_losses losses, baseline_losses;
    struct check_result *results;
    size_t count, capacity;
    size_t outcomes[CHECK_OUTCOMES];
};

struct check_options {
    struct tally_pipeline_options pipeline;
    enum tally_group_by by; /* of conditions without a place; BY_NOTHING: the total */
    uint64_t interval_ns;
    double allowed_lost;  /* share of losses up to which checks can pass */
    const char *baseline; /* path, or NULL */
};

/* Sets what a budget states: the share of losses, and the baseline, which it owns. */
void budget_set_options(const struct budget *budget, struct check_options *options);

/*
 * Checks a recording. On success the caller frees *out with check_report_free(). Errors: those of
 * tally_pipeline_open() and of reading; -ENOENT: an unknown counter, with the nearest one, a
 * statistic or unit that the counter does not have, or no baseline.
 */
int check_recording(const char *path, const struct check *checks, size_t count,
                    const struct check_options *options, struct check_report **out,
                    struct tally_error *error);
void check_report_free(struct check_report *report);

#endif
