/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_CONTROL_H
#define TALLY_INTEL_GT_CONTROL_H

/*
 * Registers about clocks and power that software reads beside the counters (intel-oa-hardware.md
 * 1.5): RC6 control, the present clock ratio, and where the timestamp comes from.
 */

#include "intel/gt/gt.h"

struct gt_control {
    uint8_t platform; /* enum intel_model */
    uint32_t rc_control, rc_state;
    uint32_t clock_hz; /* what RPSTAT1 shows; the embedder's to change */
    uint32_t timestamp_hz;
};

/* Power-on. */
void gt_control_init(struct gt_control *control, enum intel_model platform, uint32_t clock_hz,
                     uint32_t timestamp_hz);

/* GT global reset: the written ones are 0. */
void gt_control_reset(struct gt_control *control);

/* May the GT enter RC6? Not while RC_CONTROL[31] is 1 and RC_STATE is 0 (1.5). */
bool gt_control_allows_rc6(const struct gt_control *control);

/* Is it one of the registers? Elsewhere reads give 0, and writes are ignored. */
bool gt_control_owns(const struct gt_control *control, uint32_t address);
uint32_t gt_control_read32(const struct gt_control *control, uint32_t address);
void gt_control_write32(struct gt_control *control, uint32_t address, uint32_t value);

extern const struct reg_map gt_control_map;

#endif
