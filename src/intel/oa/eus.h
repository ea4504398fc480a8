/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_EUS_H
#define TALLY_INTEL_OA_EUS_H

/* Flexible events of the EU array, and the work of commands in it (OA-2.12). */

#include "intel/oa/unit.h"

enum increment { INC_FPU0, INC_FPU1, INC_SEND, INC_BOTH, INC_ANY, INC_LOADED, INC_OCCUPANCY = 8 };

#define INC_NOTHING 7 /* reserved, as 6 and those above 8 are */

/* Returns the flexible event of a subslice's n-th counter. */
struct eu_slot eu_slot_of(const struct tally_oa *unit, unsigned subslice, unsigned number);

/* Whether an EU passes the filters by row and number (OA-D37). */
bool eu_position_passes(const struct eu_slot *slot, unsigned eu);

static inline bool eu_counts_nothing(const struct eu_slot *slot)
{
    return slot->increment > INC_OCCUPANCY || slot->increment == 6 ||
           slot->increment == INC_NOTHING;
}

/* Whether a slot filters by dispatcher, and by kind of instruction. */
static inline bool eu_by_ff(const struct eu_slot *slot)
{
    return slot->coarse >= 1 && slot->coarse <= EU_STAGES;
}

static inline bool eu_by_kind(const struct eu_slot *slot)
{
    return slot->fine >= 1 && slot->fine <= EU_KINDS;
}

/* ---- work.c ---------------------------------------------------------------------------------- */

/* Applies new flexible events to the rest of the work in the array at a clock. */
void select_eu_work(struct tally_oa *unit, uint64_t now);

/* Adds what the work in the array counts in a range of clocks. */
void add_eu_work(const struct tally_oa *unit, uint64_t first, uint64_t clocks,
                 uint64_t sums[FLEX_COUNT]);

#endif
