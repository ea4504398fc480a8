/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_GT_H
#define TALLY_INTEL_GT_GT_H

/*
 * The list of the GT's register tables, for `tally explain` and `tally list registers`, and
 * definitions that the parts of the GT share.
 *
 * The parts are separate models: interrupts.h, forcewake.h, routing.h, pci.h, power.h. Each is one
 * struct without allocations, so memcpy() makes a snapshot; time advances only by calls. The data
 * are from the Lakefield PRM, Volume 13 (document 004), as interpreted in
 * docs/reference/intel-oa-hardware.md (OA-3 to OA-5, OA-6, OA-9); decisions are in
 * docs/reference/oa-testbench.md (OAT-8).
 */

#include <stddef.h>

#include "intel/revision.h"
#include "regs/index.h"

/* Gen11 and Gen12. Gen12 is assumed to be the same, except where PERF-5.3 to PERF-5.6 differ. */
#define GT_GEN11_UP (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | INTEL_BIT(INTEL_TGL))

/* All register tables of this folder. Pass INTEL_BIT(revision) as revision and UINT_MAX as
 * instances to the functions of regs/regs.h. A table may have no registers of a platform. */
extern const struct reg_map *const gt_maps[];
extern const size_t gt_map_count;

#endif
