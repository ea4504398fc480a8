/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METRICS_SUMMARIES_H
#define TESTS_METRICS_SUMMARIES_H

#include "metrics/tests.h"

#include <tally/summary.h>

/*
 * Summaries the plain way, for the tests of summaries: one delta after the other, values by the
 * reference, sums in wider types than the product's.
 */

#define SUMMARY_COUNTERS_MAX 16
#define DELTAS_MAX           6000

/* A stretch of a recording on Skylake. */
struct stretch {
    struct tally_batch batch; /* points into what follows; count is the number of reports */
    const uint8_t *reports[DELTAS_MAX + 1];
    uint64_t gpu_ticks[DELTAS_MAX + 1];
    uint32_t contexts[DELTAS_MAX + 1];
    uint8_t reasons[DELTAS_MAX + 1];
    uint8_t states[DELTAS_MAX + 1];
    uint8_t bytes[(DELTAS_MAX + 1) * 256];
    uint64_t deltas[DELTAS_MAX][TALLY_SLOT_COUNT];
};

/* How a stretch is made. Runs of deltas share a context; of 100 deltas `lost` are not OK. */
struct stretch_plan {
    size_t deltas;
    uint32_t contexts; /* how many there are at most */
    unsigned run;      /* longest run */
    unsigned lost;
};

struct stretch *stretch_new(struct random *rng, const struct stretch_plan *plan);

/* What a summary told of one group. */
struct told {
    struct tally_group group;
    struct tally_statistic statistics[SUMMARY_COUNTERS_MAX];
};

struct telling {
    struct told *groups;
    size_t count, capacity;
    size_t counters;
};

void telling_fini(struct telling *telling);
void take_group(void *closure, const struct tally_group *group,
                const struct tally_statistic *statistics); /* a tally_group_function */

/* Runs `program` over deltas `from` to `to` of a stretch, in blocks of 1 to 64, into a summary. */
void add_stretch(struct random *rng, struct tally_program *program, struct tally_summary *summary,
                 const struct stretch *stretch, size_t from, size_t to);

/* A stretch summarized in one pass. */
struct telling tell_stretch(struct random *rng, struct tally_program *program,
                            const struct stretch *stretch, enum tally_group_by by,
                            uint64_t interval_ticks);

/* Compares with the plain way, as rows of `line`. */
void check_telling(unsigned line, const struct telling *telling, struct tally_program *program,
                   const struct tally_environment *environment, const struct stretch *stretch,
                   enum tally_group_by by, uint64_t interval_ticks);

/* Are two tellings the same, to the bit (of values that are set)? */
bool same_telling(const struct telling *a, const struct telling *b,
                  const struct tally_program *program);

/* The set that stretches are summarized by, and its program; freed by the test. */
struct tally_metric_file *summary_set(const struct tally_metric_set **set);
struct tally_program *summary_program(const struct tally_metric_set *set,
                                      struct tally_environment *environment);

#endif
