/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_MEASURE_H
#define TALLY_COMPARE_MEASURE_H

#include "compare/check.h"

/* The values that checks need of a recording, by group, in one pass. */
struct measured_group {
    struct tally_group group;
    double *values; /* one for each check; NaN: not of this grouping, or there is none */
};

struct measured {
    const struct check *checks;
    size_t check_count;
    size_t *counters; /* of each check: its index in the set */
    struct tally_pipeline *pipeline;
    struct measured_group *groups;
    size_t count, capacity;
    uint64_t good_ticks; /* of the deltas that were not lost */
    struct check_losses losses;
    bool out_of_memory;
};

/* Opens and reads a recording. `measured` must be freed in any case; its pipeline is closed by the
 * caller. Returns as check_recording(). */
int measure_recording(struct measured *measured, const char *path,
                      const struct check_options *options, struct tally_error *error);
void measured_fini(struct measured *measured);

/* Returns the grouping of a check. */
enum tally_group_by check_by(const struct check *check, const struct check_options *options);

/* Returns the name of a group of BY_MARK; NULL: of others. */
const char *measured_mark(const struct measured *measured, const struct tally_group *group);

/* Returns the units of the value of a check. */
const char *measured_units(const struct measured *measured, size_t check);

#endif
