/* SPDX-License-Identifier: MIT */
/* All register tables of a revision. */
#include "intel/registers.h"

#include <limits.h>

#include "intel/cs/registers.h"
#include "intel/gt/gt.h"
#include "intel/oa/noa.h"
#include "intel/oa/registers.h"

const struct reg_map *intel_register_map(enum intel_revision revision, size_t index)
{
    if (index == 0)
        return oa_registers(revision);
    if (index == 1)
        return &noa_map;
    if (index == 2)
        return &cs_registers_map;
    return index - 3 < gt_map_count ? gt_maps[index - 3] : NULL;
}

const struct reg_map *intel_register_find(enum intel_revision revision, uint32_t address,
                                          enum reg_access access, struct reg_place *out)
{
    const struct reg_map *map;
    for (size_t i = 0; (map = intel_register_map(revision, i)); i++)
        if (reg_find(map, INTEL_BIT(revision), UINT_MAX, address, access, out))
            return map;
    return NULL;
}
