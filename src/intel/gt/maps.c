/* SPDX-License-Identifier: MIT */
/* The register tables of this folder, for those who walk them all. */
#include "intel/gt/gt.h"

#include <limits.h>

#include "intel/gt/forcewake.h"
#include "intel/gt/interrupts.h"
#include "intel/gt/interrupts_flat.h"
#include "intel/gt/routing.h"

const struct reg_map *const gt_maps[] = {&gt_interrupts_map, &gt_flat_map, &gt_forcewake_map,
                                         &gt_routing_map};
const size_t gt_map_count = sizeof gt_maps / sizeof *gt_maps;

const struct reg_map *gt_map_find(enum intel_model platform, uint32_t address,
                                  enum reg_access access, struct reg_place *out)
{
    if ((unsigned)platform >= INTEL_MODELS)
        return NULL;
    for (size_t i = 0; i < gt_map_count; i++)
        if (reg_find(gt_maps[i], INTEL_BIT(platform), UINT_MAX, address, access, out))
            return gt_maps[i];
    return NULL;
}
