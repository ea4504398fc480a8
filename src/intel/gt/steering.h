/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_STEERING_H
#define TALLY_INTEL_GT_STEERING_H

/*
 * Steering of Gen8 and Gen9: MCR_SELECTOR (FDCh) selects the slice and subslice that the CPU's
 * reads of the replicated ranges are routed to (OA-4.6). Writes reach all instances. Later
 * generations have that of routing.h, earlier ones none.
 */

#include "intel/gt/routing.h"

struct gt_steering {
    uint8_t revision;            /* enum intel_revision */
    uint8_t subslices_per_slice; /* of the SKU */
    uint32_t slices, subslices; /* masks of the enabled instances; see intel_topology_subslices() */
    uint32_t selector;
};

void gt_steering_init(struct gt_steering *steering, enum intel_revision revision,
                      const struct intel_topology *topology);

/* GT reset. */
void gt_steering_reset(struct gt_steering *steering);

/* Returns the replication group of a byte address; GT_GROUP_NONE on other revisions, too. */
enum gt_group gt_steering_group(const struct gt_steering *steering, uint32_t address);

/* Completes the route of an access that reaches its range: sets the instances, or the outcome
 * GT_FUSED_OFF. */
void gt_steer(const struct gt_steering *steering, enum gt_agent agent, uint32_t address, bool write,
              struct gt_route *route);

/* Returns the first enabled instance of a group. */
unsigned gt_steering_first(const struct gt_steering *steering, enum gt_group group);

extern const struct reg_map gt_steering_map;

/* The map with its handlers, whose context is a struct gt_steering. */
extern const struct reg_block gt_steering_block;

#endif
