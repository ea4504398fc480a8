/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REGISTERS_H
#define TALLY_INTEL_REGISTERS_H

/*
 * The register tables of a revision: those of the engines, the OA unit, the NOA network and
 * the GT. For a revision, no two tables have a register at the same address. Pass
 * INTEL_BIT(revision) as revision and UINT_MAX as instances to the functions of regs/regs.h. A
 * table may have no registers of a revision.
 */

#include <stddef.h>

#include "intel/revision.h"
#include "regs/index.h"

/* Returns the table at an index from 0 on; NULL past the end. revision: below INTEL_REVISIONS. */
const struct reg_map *intel_register_map(enum intel_revision revision, size_t index);

/* Finds the register at a byte address, preferably one that allows the access. Returns its table;
 * NULL if there is no register. */
const struct reg_map *intel_register_find(enum intel_revision revision, uint32_t address,
                                          enum reg_access access, struct reg_place *out);

/* The part of the GPU that a register belongs to: the context of its handlers. */
enum intel_part {
    INTEL_PART_OA,         /* struct tally_oa */
    INTEL_PART_NOA,        /* struct noa */
    INTEL_PART_GPU,        /* struct tally_gpu */
    INTEL_PART_INTERRUPTS, /* struct gt_interrupt_copy */
    INTEL_PART_FLAT,       /* struct gt_flat */
    INTEL_PART_FORCEWAKE,  /* struct gt_forcewake */
    INTEL_PART_ROUTING,    /* struct gt_routing */
    INTEL_PART_UNITS,      /* struct gt_units */
    INTEL_PART_FUSES,      /* struct gt_fuses */
    INTEL_PART_HOST,       /* struct gt_host */
    INTEL_PART_STEERING,   /* struct gt_steering */
    INTEL_PART_SIDEBAND,   /* struct gt_sideband */
    INTEL_PART_STREAMERS   /* struct streamer; one part for each enum cs_engine_id */
};

/* Returns an index of all registers, which all GPUs of a revision share. Built by the first call
 * for the revision, from any thread. NULL: no memory. */
const struct reg_index *intel_register_index(enum intel_revision revision);

#endif
