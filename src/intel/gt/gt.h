/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_GT_H
#define TALLY_INTEL_GT_GT_H

/*
 * What the parts of the GT around the counter unit share: the platforms their register tables are
 * about, and the list of these tables, for `tally explain` and `tally list registers`.
 *
 * The parts are separate models: interrupts.h, forcewake.h, routing.h, pci.h, power.h. Each is one
 * plain struct that allocates nothing and looks at no clock; memcpy of it is a snapshot. Their data
 * come from the Lakefield PRM, Volume 13 (document 004), as docs/reference/intel-oa-hardware.md
 * reads it (OA-3 to OA-5, OA-6, OA-9), and decisions from docs/reference/oa-testbench.md (OAT-8).
 */

#include <stddef.h>

#include "intel/revision.h"
#include "regs/index.h"

/* Gen11, and Gen12, which is taken to be like it where PERF-5.3 to PERF-5.6 say nothing else. */
#define GT_GEN11_UP (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | INTEL_BIT(INTEL_TGL))

/* All register tables of this folder. Pass INTEL_BIT(revision) as revision and UINT_MAX as
 * instances to the walks of regs/regs.h; a table may hold nothing for a platform. */
extern const struct reg_map *const gt_maps[];
extern const size_t gt_map_count;

#endif
