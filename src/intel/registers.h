/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REGISTERS_H
#define TALLY_INTEL_REGISTERS_H

/*
 * The register tables of a revision, one after another: the OA unit's, those around it
 * (NOA), those of the command streamer and of the GT. No two of them have a register at the same
 * address of a revision. Pass INTEL_BIT(revision) as revision and UINT_MAX as instances to the
 * walks of regs/regs.h; a table may hold nothing for a revision.
 */

#include <stddef.h>

#include "intel/revision.h"
#include "regs/index.h"

/* The table of an index from 0 on; NULL after the last. revision: below INTEL_REVISIONS. */
const struct reg_map *intel_register_map(enum intel_revision revision, size_t index);

/* The table that has a register at a byte address, and which: one that has the access, if there is
 * any. NULL: there is no register. */
const struct reg_map *intel_register_find(enum intel_revision revision, uint32_t address,
                                          enum reg_access access, struct reg_place *out);

/* Whose a register is: the part of the GPU that its handlers take as context. */
enum intel_part {
    INTEL_PART_OA,         /* struct tally_oa */
    INTEL_PART_NOA,        /* struct noa */
    INTEL_PART_STREAMER,   /* struct streamer */
    INTEL_PART_EXECLISTS,  /* struct tally_gpu */
    INTEL_PART_INTERRUPTS, /* struct gt_interrupt_copy */
    INTEL_PART_FLAT,       /* struct gt_flat */
    INTEL_PART_FORCEWAKE,  /* struct gt_forcewake */
    INTEL_PART_ROUTING     /* struct gt_routing */
};

/* All of them in one index, which all GPUs of a revision share. Built by the first call for the
 * revision, from any thread; NULL: no memory. */
const struct reg_index *intel_register_index(enum intel_revision revision);

#endif
