/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_GT_H
#define TALLY_INTEL_GT_GT_H

/*
 * What the parts of the GT around the counter unit share: the platforms their register tables are
 * about, and the list of these tables, for `tally explain` and `tally list registers`.
 *
 * The parts are separate models: interrupts.h, forcewake.h, routing.h, pci.h, power.h. Each is one
 * plain struct that allocates nothing and looks at no clock; memcpy of it is a snapshot. Facts come
 * from the Lakefield PRM, Volume 13 ("the document") as intel-oa-hardware.md reads it (sections 3
 * to 5, errata E.., items U..), decisions from oa-testbench.md (D..).
 */

#include <stddef.h>

#include "regs/regs.h"

/* Platforms as revisions of a reg_map: bit GT_BIT(platform) of reg.revisions. */
enum gt_platform {
    GT_SNB,
    GT_IVB,
    GT_HSW,
    GT_VLV,
    GT_CHV,
    GT_BDW,
    GT_SKL,
    GT_ICL,
    GT_LKF,
    GT_PLATFORMS
};

#define GT_BIT(platform) (1u << (platform))
#define GT_GEN11         (GT_BIT(GT_ICL) | GT_BIT(GT_LKF))

/* By name as in struct tally_platform ("lkf", lower case); GT_PLATFORMS: not one of these. */
enum gt_platform gt_platform_find(const char *name);

/* "lkf"; NULL from GT_PLATFORMS on. */
const char *gt_platform_name(enum gt_platform platform);

/* All register tables of this folder. Pass GT_BIT(platform) as revision and UINT_MAX as instances
 * to the walks of regs/regs.h; a table may hold nothing for a platform. */
extern const struct reg_map *const gt_maps[];
extern const size_t gt_map_count;

/* In which of them a platform has a register at a byte address, and which; NULL: in none. */
const struct reg_map *gt_map_find(enum gt_platform platform, uint32_t address,
                                  enum reg_access access, struct reg_place *out);

#endif
