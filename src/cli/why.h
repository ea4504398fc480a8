/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_WHY_H
#define TALLY_CLI_WHY_H

#include <tally/metrics.h>

#include "cli/cli.h"

/* tally why: what a recording says about one counter, and the reasons for a zero or a missing
 * value. */

/* What was read of a counter. */
struct evidence {
    const struct tally_recording_info *info;
    const struct tally_metric_set *set;
    size_t counter; /* of the set */
    struct tally_environment environment;
    struct tally_recording_totals totals;
    bool used[TALLY_SLOT_COUNT];       /* raw counters that the equation reads */
    uint64_t deltas[TALLY_SLOT_COUNT]; /* sums over the deltas with values */
    uint64_t good, lost, ambiguous;    /* deltas by state */
    uint64_t zero, nonzero, undefined; /* values of the good deltas */
    uint64_t stopped_lost;             /* those of them without a value */
    uint64_t stopped, stopped_ticks;   /* deltas in which the clock stood still, and how long */
    double minimum, maximum;           /* of the values that are defined */
};

/* Explains raw counters that counted nothing: by the workload of a modelled GPU, or by the
 * registers of the set. */
void explain_zeros(struct output *output, const struct evidence *evidence);

#endif
