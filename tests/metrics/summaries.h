/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METRICS_SUMMARIES_H
#define TESTS_METRICS_SUMMARIES_H

#include "metrics/tests.h"

#include <tally/summary.h>

/*
 * The reference for summaries: one delta at a time, with the values of the equation reference and
 * sums in wider types than the product's.
 */

#define SUMMARY_COUNTERS_MAX 16
#define DELTAS_MAX           6000

/* A section of a recording on Skylake. */
struct stretch {
    struct tally_batch batch; /* points into the arrays below; count is the number of reports */
    const uint8_t *reports[DELTAS_MAX + 1];
    uint64_t gpu_ticks[DELTAS_MAX + 1];
    uint32_t contexts[DELTAS_MAX + 1];
    uint8_t reasons[DELTAS_MAX + 1];
    uint8_t states[DELTAS_MAX + 1];
    uint8_t bytes[(DELTAS_MAX + 1) * 256];
    uint64_t deltas[DELTAS_MAX][TALLY_SLOT_COUNT];
};

/* Parameters of a section. Runs of deltas share a context; of 100 deltas `lost` are not OK. */
struct stretch_plan {
    size_t deltas;
    uint32_t contexts; /* maximum number of contexts */
    unsigned run;      /* longest run */
    unsigned lost;
};

struct stretch *stretch_new(struct random *rng, const struct stretch_plan *plan);

/* The result of a summary for one group. */
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

/* Runs `program` over deltas `from` to `to` of a section, in blocks of 1 to 64, into a summary. */
void add_stretch(struct random *rng, struct tally_program *program, struct tally_summary *summary,
                 const struct stretch *stretch, size_t from, size_t to);

/* Summarizes a section in one pass. */
struct telling tell_stretch(struct random *rng, struct tally_program *program,
                            const struct stretch *stretch, enum tally_group_by by,
                            uint64_t interval_ticks);

/* Compares with the reference, as rows of `line`. */
void check_telling(unsigned line, const struct telling *telling, struct tally_program *program,
                   const struct tally_environment *environment, const struct stretch *stretch,
                   enum tally_group_by by, uint64_t interval_ticks);

/* Returns whether two results are equal bit for bit in all values that are set. */
bool same_telling(const struct telling *a, const struct telling *b,
                  const struct tally_program *program);

/* The set for summaries of sections, and its program; the test frees them. */
struct tally_metric_file *summary_set(const struct tally_metric_set **set);
struct tally_program *summary_program(const struct tally_metric_set *set,
                                      struct tally_environment *environment);

#endif
