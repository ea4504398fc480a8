/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_SIDEBAND_H
#define TALLY_INTEL_GT_SIDEBAND_H

/*
 * The sideband of Valleyview and Cherryview (OA-16.6): the power unit, the fuses of the north
 * cluster and the clocks, which the driver needs to turn on the display's power wells and to choose
 * the GPU's frequency, and the power status of Cherryview's PHYs, which follows those wells.
 *
 * struct gt_sideband is plain data: a copy is a snapshot.
 */

#include "intel/gt/gt.h"

/* The numbers of rows of both tables. */
#include "regs/pass/count.h"
enum {
    SIDEBAND_REGISTERS = 0
#include "intel/gt/sideband.def"
    ,
    SIDEBAND_UNIT_REGISTERS = 0
#include "intel/gt/sideband_units.def"
};
#include "regs/pass/end.h"

struct gt_sideband {
    uint8_t revision;                        /* enum intel_revision */
    uint32_t words[SIDEBAND_REGISTERS];      /* values, by row */
    uint32_t units[SIDEBAND_UNIT_REGISTERS]; /* of the units' registers, by row */
    uint32_t steps;                          /* of the GT's clock, which the owner sets */
};

/* Power-on, and a reset of the chip: all registers have their reset values. */
void gt_sideband_init(struct gt_sideband *sideband, enum intel_revision revision);

/* Returns the GPU's requested frequency, as a code of the unit and in steps of the GT's clock; 0:
 * none was requested. */
uint32_t gt_sideband_ratio(const struct gt_sideband *sideband);
uint32_t gt_sideband_steps(const struct gt_sideband *sideband);

/* Convert a frequency in steps, on VLV or CHV, to its code and back. */
uint32_t gt_sideband_code(enum intel_revision revision, uint32_t steps);
uint32_t gt_sideband_decode(enum intel_revision revision, uint32_t code);

extern const struct reg_map gt_sideband_map;

/* The map with its handlers, whose context is a struct gt_sideband. */
extern const struct reg_block gt_sideband_block;

#endif
