/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_COST_COST_H
#define TALLY_INTEL_COST_COST_H

/*
 * What a command costs: the clocks that it takes, and what it adds to counters and statistics. The
 * cost model computes this from the command and the state that is bound; the GPU spreads it over
 * the clocks.
 */

#include <tally/gpu.h>

#include "intel/cost/state.h"
#include "intel/cs/streamer.h"
#include "intel/platforms.h"
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

    bool streams_out;                   /* it is a draw with stream output */
    uint64_t so_bytes[COST_SO_BUFFERS]; /* that it stores in each buffer */
};

/* Returns the built-in numbers of a platform (data/cost/). Owned by the module. */
const struct tally_cost *cost_table_default(const struct intel_platform *platform);

/* What the model looks at. */
struct cost_machine {
    const struct intel_platform *platform;
    unsigned eu_threads; /* of one EU */
    const struct tally_cost *table;
    unsigned eus;
    void *context;
    /* Read a dword of memory (false: nothing is mapped), and a register. */
    bool (*read_memory)(void *context, uint32_t space, uint64_t address, uint32_t *out);
    uint32_t (*read_register)(void *context, uint32_t address);
};

/* Takes over the state that a command binds; others are ignored. */
void cost_decode(struct cost_state *state, const struct cost_machine *machine,
                 const struct streamer_work *work);

/* Whether a state command binds a buffer for stream output: that of CS_SO_BUFFER. */
bool cost_binds_so_buffer(const struct streamer_work *work);

/* Whether a state command starts work: a clear or resolve of the depth buffer. */
bool cost_starts_work(const struct streamer_work *work);

/* Computes what a command costs that draws, walks, blits, flushes or decodes, with the state that
 * is bound. */
void cost_compute(const struct cost_machine *machine, const struct cost_state *state,
                  const struct streamer_work *work, struct cost_work *out);

#endif
