/* SPDX-License-Identifier: MIT */
/* The register tables of a revision, and an index of all of them. */
#include "intel/registers.h"

#include <limits.h>
#include <stdatomic.h>

#include "base/bits.h"
#include "intel/cs/registers.h"
#include "intel/gpu/gpu.h"
#include "intel/oa/registers.h"

/* Returns the index-th table that every revision has. */
static const struct reg_map *common_map(enum intel_revision revision, size_t index)
{
    if (index == 0)
        return oa_registers(revision);
    if (index == 1)
        return &noa_map;
    if (index == 2)
        return &cs_status_pages_map;
    if (index == 3)
        return &gpu_pipeline_map;
    if (index == 4)
        return &gpu_reset_map;
    if (index == 5)
        return &rc6_map;
    if (index == 6)
        return &rps_map;
    return index - 7 < gt_map_count ? gt_maps[index - 7] : NULL;
}

const struct reg_map *intel_register_map(enum intel_revision revision, size_t index)
{
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = cs_engine(revision, (enum cs_engine_id)id);
        if (engine && index-- == 0)
            return &engine->map;
    }
    return common_map(revision, index);
}

#define COMMON_PARTS 15
#define ENGINE_PARTS 3

static struct reg_index *build(enum intel_revision revision)
{
    struct reg_block oa = oa_block(revision), blocks[CS_ENGINES][ENGINE_PARTS];
    struct reg_part parts[COMMON_PARTS + CS_ENGINES * ENGINE_PARTS] = {
        {&oa, INTEL_PART_OA},
        {&noa_block, INTEL_PART_NOA},
        {&gt_interrupts_block, INTEL_PART_INTERRUPTS},
        {&gt_flat_block, INTEL_PART_FLAT},
        {&gt_forcewake_block, INTEL_PART_FORCEWAKE},
        {&gt_routing_block, INTEL_PART_ROUTING},
        {&gt_units_block, INTEL_PART_UNITS},
        {&gt_fuses_block, INTEL_PART_FUSES},
        {&gt_steering_block, INTEL_PART_STEERING},
        {&gpu_pipeline_block, INTEL_PART_GPU},
        {&gpu_reset_block, INTEL_PART_GPU},
        {&rc6_block, INTEL_PART_GPU},
        {&rps_block, INTEL_PART_GPU},
        {&gt_host_block, INTEL_PART_HOST},
        {&gt_sideband_block, INTEL_PART_SIDEBAND},
    };
    size_t count = COMMON_PARTS;
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = cs_engine(revision, (enum cs_engine_id)id);
        if (!engine)
            continue;
        blocks[id][0] = cs_own_block(engine);
        blocks[id][1] = cs_status_page_block(engine);
        blocks[id][2] = gpu_engine_block(engine);
        parts[count++] = (struct reg_part){&blocks[id][0], INTEL_PART_STREAMERS + id};
        parts[count++] = (struct reg_part){&blocks[id][1], INTEL_PART_STREAMERS + id};
        parts[count++] = (struct reg_part){&blocks[id][2], INTEL_PART_GPU};
    }
    return reg_index_new(parts, count, INTEL_BIT(revision), UINT_MAX);
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
