/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_COST_COST_H
#define TALLY_INTEL_COST_COST_H

/*
 * What a command costs: the clocks that it takes, and what it adds to counters and statistics. The
 * cost model computes this from the command and the state that is bound; the GPU spreads it over
 * the clocks.
 */

#include "intel/workload/units.h"

/* The pipeline's statistics, in the order of their registers. */
enum cost_statistic {
    COST_HS_INVOCATIONS,
    COST_DS_INVOCATIONS,
    COST_IA_VERTICES,
    COST_IA_PRIMITIVES,
    COST_VS_INVOCATIONS,
    COST_GS_INVOCATIONS,
    COST_GS_PRIMITIVES,
    COST_CL_INVOCATIONS,
    COST_CL_PRIMITIVES,
    COST_PS_INVOCATIONS,
    COST_PS_DEPTH,
    COST_CS_INVOCATIONS,
    COST_SO_WRITTEN,                      /* SO_NUM_PRIMS_WRITTEN of streams 0 to 3 */
    COST_SO_NEEDED = COST_SO_WRITTEN + 4, /* SO_PRIM_STORAGE_NEEDED of streams 0 to 3 */
    COST_STATISTICS = COST_SO_NEEDED + 4
};

struct cost_work {
    uint64_t clocks; /* of the render clock */

    /* By enum unit_id, summed over the duration: CLASS_EVENTS: events; CLASS_FLAG: clocks;
     * CLASS_ARRAY, CLASS_PIPE and CLASS_KIND: clocks summed over the EUs; CLASS_LEVEL: loaded
     * threads, summed over EUs and clocks. */
    uint64_t units[UNITS];

    uint64_t statistics[COST_STATISTICS]; /* by enum cost_statistic */
};

#endif
