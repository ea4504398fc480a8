/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_UNITS_H
#define TALLY_INTEL_GT_UNITS_H

/*
 * Configuration registers of the units in slices, subslices, L3 banks and media engines, with a
 * copy for each instance (document 004: "Multicast Steering and Die Recovery"; OA-14.3, OA-14.4).
 * Routing decides which instances an access reaches. What the bits do is not modelled.
 *
 * struct gt_units is plain data: a copy is a snapshot.
 */

#include "intel/gt/gt.h"

enum gt_unit {
    UNIT_COMMON_SLICE,                         /* 7010h to 731Ch */
    UNIT_SLICE_GATING = UNIT_COMMON_SLICE + 6, /* 94D4h, 94DCh */
    UNIT_LNCF = UNIT_SLICE_GATING + 2,         /* B004h to B09Ch */
    UNIT_L3 = UNIT_LNCF + 34,                  /* B100h to B140h */
    UNIT_SUBSLICE_GATING = UNIT_L3 + 5,        /* 9524h, 9528h */
    UNIT_SUBSLICE = UNIT_SUBSLICE_GATING + 2,  /* E100h to E4F4h */
    UNIT_VDBOX0 = UNIT_SUBSLICE + 4,
    UNIT_VDBOX2 = UNIT_VDBOX0 + 4,
    UNIT_VEBOX0 = UNIT_VDBOX2 + 4,
    UNIT_WORDS
};

enum gt_unit_flag { UNIT_MASKED_WRITE = 1 }; /* bits 31:16 are write enables for bits 15:0 */

#define GT_INSTANCES 9 /* maximum of any replication group: the subslices of SKL GT4 */

struct gt_units {
    uint8_t revision; /* enum intel_revision */
    uint32_t words[UNIT_WORDS][GT_INSTANCES];
};

/* Sets all registers of a revision to their reset values, as power-on and a GT reset do. */
void gt_units_init(struct gt_units *units, enum intel_revision revision);

/* Whether the table has a register at a byte address. */
bool gt_units_own(const struct gt_units *units, uint32_t address);

/* Read or set a register of one or more instances, without write enables, as the save and restore
 * of the power context do. instances: mask. Other addresses read 0 and are ignored. */
uint32_t gt_units_get(const struct gt_units *units, unsigned instance, uint32_t address);
void gt_units_set(struct gt_units *units, uint32_t instances, uint32_t address, uint32_t value);

extern const struct reg_map gt_units_map;

/* The map with its handlers, whose context is a struct gt_units. */
extern const struct reg_block gt_units_block;

#endif
