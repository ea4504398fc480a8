/* SPDX-License-Identifier: MIT */
/* The register tables of a revision, and an index of all of them. */
#include "intel/registers.h"

#include <limits.h>
#include <stdatomic.h>

#include "base/bits.h"
#include "intel/cs/registers.h"
#include "intel/gpu/gpu.h"
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

static struct reg_index *build(enum intel_revision revision)
{
    struct reg_block oa = oa_block(revision);
    const struct reg_part parts[] = {
        {&oa, INTEL_PART_OA},
        {&noa_block, INTEL_PART_NOA},
        {&cs_registers_block, INTEL_PART_STREAMER},
        {&execlists_block, INTEL_PART_EXECLISTS},
        {&gt_interrupts_block, INTEL_PART_INTERRUPTS},
        {&gt_flat_block, INTEL_PART_FLAT},
        {&gt_forcewake_block, INTEL_PART_FORCEWAKE},
        {&gt_routing_block, INTEL_PART_ROUTING},
    };
    return reg_index_new(parts, ARRAY_COUNT(parts), INTEL_BIT(revision), UINT_MAX);
}

const struct reg_index *intel_register_index(enum intel_revision revision)
{
    static struct reg_index *_Atomic indexes[INTEL_REVISIONS];
    struct reg_index *built = atomic_load_explicit(&indexes[revision], memory_order_acquire);
    return built ? built : reg_index_publish(&indexes[revision], build(revision));
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
