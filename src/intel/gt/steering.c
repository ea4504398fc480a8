/* SPDX-License-Identifier: MIT */
/* Steering of Gen8 and Gen9 (OA-4.6). */
#include "intel/gt/steering.h"

#include "base/bits.h"
#include "intel/symbols.h"
#include "intel/topology.h"

#define GEN8_GEN9 (INTEL_BIT(INTEL_BDW) | INTEL_BIT(INTEL_CHV) | INTEL_BIT(INTEL_SKL))

#include "regs/pass/fields.h"
#include "intel/gt/steering.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/steering.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_steering_map = {
    .name = "gt-steering",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = GEN8_MCR_SELECTOR + 4,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

static uint32_t read_selector(void *context, const struct reg_request *request)
{
    (void)request;
    return ((const struct gt_steering *)context)->selector;
}

static void write_selector(void *context, const struct reg_request *request, uint32_t value)
{
    ((struct gt_steering *)context)->selector = value & request->row->writable;
}

const struct reg_block gt_steering_block = {
    .map = &gt_steering_map,
    .common = {read_selector, write_selector},
};

void gt_steering_init(struct gt_steering *steering, enum intel_revision revision,
                      const struct intel_topology *topology)
{
    *steering = (struct gt_steering){
        .revision = (uint8_t)revision,
        .subslices_per_slice = topology->sku->info.subslices,
        .slices = topology->slices,
        .subslices = intel_topology_subslices(topology),
    };
}

void gt_steering_reset(struct gt_steering *steering)
{
    steering->selector = REG_RESET(GEN8_MCR_SELECTOR);
}

/* ---- instances ------------------------------------------------------------------------------- */

/* The ranges that the public driver lists for Gen8 and Gen9, as far as units with instances are in
 * them on Lakefield. */
static const struct {
    uint32_t first, last;
    enum gt_group group;
} ranges[] = {
    {0x5500, 0x55ff, GT_GROUP_SLICE},    {0x7000, 0x7fff, GT_GROUP_SLICE},
    {0x94d0, 0x951f, GT_GROUP_SLICE},    {0x9520, 0x955f, GT_GROUP_SUBSLICE},
    {0xb000, 0xb3ff, GT_GROUP_SLICE}, /* L3 banks: those of a slice as one */
    {0xe000, 0xe7ff, GT_GROUP_SUBSLICE},
};

enum gt_group gt_steering_group(const struct gt_steering *steering, uint32_t address)
{
    bool steers = INTEL_BIT(steering->revision) & GEN8_GEN9;
    for (size_t i = 0; steers && i < ARRAY_COUNT(ranges); i++)
        if (address >= ranges[i].first && address <= ranges[i].last)
            return ranges[i].group;
    return GT_GROUP_NONE;
}

static uint32_t instances_of(const struct gt_steering *steering, enum gt_group group)
{
    return group == GT_GROUP_SLICE ? steering->slices : steering->subslices;
}

unsigned gt_steering_first(const struct gt_steering *steering, enum gt_group group)
{
    return group == GT_GROUP_NONE ? 0 : (unsigned)__builtin_ctz(instances_of(steering, group));
}

/* Returns a mask of the selected instance, 0 if it is not enabled. */
static uint32_t selected(const struct gt_steering *steering, enum gt_group group)
{
    unsigned slice = REG_GET(GEN8_MCR_SELECTOR, SLICE, steering->selector);
    unsigned subslice = REG_GET(GEN8_MCR_SELECTOR, SUBSLICE, steering->selector);
    unsigned instance =
        group == GT_GROUP_SLICE ? slice : slice * steering->subslices_per_slice + subslice;
    if (group == GT_GROUP_SUBSLICE && subslice >= steering->subslices_per_slice)
        return 0;
    return instances_of(steering, group) & 1u << instance;
}

void gt_steer(const struct gt_steering *steering, enum gt_agent agent, uint32_t address, bool write,
              struct gt_route *route)
{
    enum gt_group group = gt_steering_group(steering, address);
    if (group == GT_GROUP_NONE)
        return;
    route->instances = instances_of(steering, group);
    if (write)
        return;
    /* The selector does not steer commands. */
    route->instances =
        agent == GT_AGENT_HOST ? selected(steering, group) : route->instances & -route->instances;
    route->instance = route->instances ? (unsigned)__builtin_ctz(route->instances) : 0;
    if (!route->instances)
        route->outcome = GT_FUSED_OFF;
}
