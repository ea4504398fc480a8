/* SPDX-License-Identifier: MIT */
/* The register tables of this folder, for those who walk them all. */
#include "intel/gt/gt.h"

#include <limits.h>
#include <string.h>

#include "intel/gt/forcewake.h"
#include "intel/gt/interrupts.h"
#include "intel/gt/routing.h"

static const char *const names[GT_PLATFORMS] = {
    [GT_SNB] = "snb", [GT_IVB] = "ivb", [GT_HSW] = "hsw", [GT_VLV] = "vlv", [GT_CHV] = "chv",
    [GT_BDW] = "bdw", [GT_SKL] = "skl", [GT_ICL] = "icl", [GT_LKF] = "lkf",
};

const struct reg_map *const gt_maps[] = {&gt_interrupts_map, &gt_forcewake_map, &gt_routing_map};
const size_t gt_map_count = sizeof gt_maps / sizeof *gt_maps;

enum gt_platform gt_platform_find(const char *name)
{
    unsigned i = 0;
    while (i < GT_PLATFORMS && strcmp(names[i], name) != 0)
        i++;
    return (enum gt_platform)i;
}

const char *gt_platform_name(enum gt_platform platform)
{
    return (unsigned)platform < GT_PLATFORMS ? names[platform] : NULL;
}

const struct reg_map *gt_map_find(enum gt_platform platform, uint32_t address,
                                  enum reg_access access, struct reg_place *out)
{
    if ((unsigned)platform >= GT_PLATFORMS)
        return NULL;
    for (size_t i = 0; i < gt_map_count; i++)
        if (reg_find(gt_maps[i], GT_BIT(platform), UINT_MAX, address, access, out))
            return gt_maps[i];
    return NULL;
}
