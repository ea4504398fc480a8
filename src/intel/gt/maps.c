/* SPDX-License-Identifier: MIT */
/* The list of the register tables of this folder. */
#include "intel/gt/forcewake.h"
#include "intel/gt/fuses.h"
#include "intel/gt/gt.h"
#include "intel/gt/host.h"
#include "intel/gt/interrupts.h"
#include "intel/gt/interrupts_flat.h"
#include "intel/gt/routing.h"
#include "intel/gt/sideband.h"
#include "intel/gt/steering.h"
#include "intel/gt/units.h"

const struct reg_map *const gt_maps[] = {&gt_interrupts_map, &gt_flat_map,  &gt_forcewake_map,
                                         &gt_routing_map,    &gt_units_map, &gt_fuses_map,
                                         &gt_steering_map,   &gt_host_map,  &gt_sideband_map};
const size_t gt_map_count = sizeof gt_maps / sizeof *gt_maps;
