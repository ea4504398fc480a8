/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PERFMON_EXHAUSTIVE_H
#define TESTS_PERFMON_EXHAUSTIVE_H

/* Random requests, and the fewest passes for them by trying every division into passes, every
 * counter mode, every assignment to counters and every order of arguments. */

#include "driver/perfmon/perfmon.h"
#include "perfmon/trees.h"

#define EXHAUSTIVE_REQUESTS 6

struct random_requests {
    const struct tally_chipset *chipset;
    unsigned count;
    struct tree trees[EXHAUSTIVE_REQUESTS];
    struct perfmon_selector selectors[EXHAUSTIVE_REQUESTS];
    struct perfmon_request requests[EXHAUSTIVE_REQUESTS];
};

void exhaustive_random(const struct tally_chipset *chipset, struct random_requests *out,
                       uint64_t *seed);

/* Returns the fewest passes; 0: the requests cannot be counted. */
unsigned exhaustive_passes(const struct random_requests *random);

#endif
