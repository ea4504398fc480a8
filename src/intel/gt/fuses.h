/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_FUSES_H
#define TALLY_INTEL_GT_FUSES_H

/*
 * The registers that show which slices, subslices and EUs of a GPU exist (OA-14.8), from Haswell to
 * Gen9, and its range of clocks (OA-16.11). Older generations have none of the former, later ones
 * those of routing.h. From Gen11 on the clocks are in the alias of the memory controller's
 * registers.
 */

#include <stdint.h>

#include "intel/revision.h"
#include "regs/index.h"

struct intel_topology;

enum gt_fuse_word {
    FUSES_FUSE1,
    FUSES_FUSE2,
    FUSES_EU_DISABLE, /* three words */
    FUSES_CHV = FUSES_EU_DISABLE + 3,
    FUSES_CLOCKS,
    FUSES_EFFICIENT,
    FUSES_WORDS
};

struct gt_fuses {
    uint32_t words[FUSES_WORDS];
};

extern const struct reg_map gt_fuses_map;
extern const struct reg_block gt_fuses_block; /* context: struct gt_fuses */

struct gt_routing;

/* Sets the fuses of a GPU to what they show of its topology. */
void gt_fuses_init(struct gt_fuses *fuses, enum intel_revision revision,
                   const struct intel_topology *topology);

/* Copies those whose addresses are in the alias of the memory controller's registers (Gen11 on) to
 * the alias. */
void gt_fuses_alias(const struct gt_fuses *fuses, struct gt_routing *routing);

#endif
