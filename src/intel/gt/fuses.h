/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_FUSES_H
#define TALLY_INTEL_GT_FUSES_H

/*
 * The fuses that show which slices, subslices and EUs of a Gen8 or Gen9 GPU exist (OA-14.8). Other
 * generations have no such registers, or those of routing.h.
 */

#include <stdint.h>

#include "intel/revision.h"
#include "regs/index.h"

struct tally_topology;

#define GT_FUSE_EU_WORDS 3

struct gt_fuses {
    uint32_t fuse2, eu_disable[GT_FUSE_EU_WORDS], chv;
};

extern const struct reg_map gt_fuses_map;
extern const struct reg_block gt_fuses_block; /* context: struct gt_fuses */

/* Sets the fuses of a GPU with `topology`, whose subslice mask has `slice_bits` bits for each
 * slice, and whose subslices have `eus` EUs each, 1 to 8. The lower EUs of a subslice exist. */
void gt_fuses_init(struct gt_fuses *fuses, enum intel_revision revision,
                   const struct tally_topology *topology, unsigned slice_bits, unsigned eus);

#endif
