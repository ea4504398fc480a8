/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_SPREAD_H
#define TALLY_INTEL_OA_SPREAD_H

/* Events that are spread evenly over some clocks: what the work of commands adds to counters. */

#include <stdbool.h>
#include <stdint.h>

#include "base/minmax.h"
#include "base/ratio.h"

struct spread {
    uint64_t origin, clocks, count; /* `count` events in `clocks` clocks from `origin` on */
};

/* Returns the events before a clock. */
static inline uint64_t spread_before(const struct spread *spread, uint64_t clock)
{
    if (clock <= spread->origin)
        return 0;
    uint64_t passed = clock - spread->origin;
    return passed >= spread->clocks ? spread->count
                                    : (uint64_t)((uint128)spread->count * passed / spread->clocks);
}

/* Returns the events in a range of clocks. */
static inline uint64_t spread_between(const struct spread *spread, uint64_t first, uint64_t clocks)
{
    return spread->count ? spread_before(spread, first + clocks) - spread_before(spread, first) : 0;
}

/* Returns the events from a clock on. */
static inline uint64_t spread_rest(const struct spread *spread, uint64_t clock)
{
    return spread->count - spread_before(spread, clock);
}

/* Returns the clock of the n-th event, from 1 on. */
static inline uint64_t spread_clock(const struct spread *spread, uint64_t n)
{
    uint128 end = ((uint128)n * spread->clocks + spread->count - 1) / spread->count;
    return spread->origin + (uint64_t)end - 1;
}

/* Returns the clock after the last event. */
static inline uint64_t spread_end(const struct spread *spread)
{
    return spread->origin + spread->clocks;
}

/* Adds events between `now` and `end`. The rest of the earlier events is spread with them. */
static inline void spread_add(struct spread *spread, uint64_t now, uint64_t count, uint64_t end)
{
    uint64_t rest = spread_rest(spread, now);
    if (!count)
        return;
    end = rest ? max_u64(end, spread_end(spread)) : end;
    *spread = (struct spread){now, end - now, rest + count};
}

#endif
