/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_ENGINES_H
#define TALLY_INTEL_CS_ENGINES_H

/*
 * The engines of a GPU. Each has a command streamer with the same registers at its own base
 * address; only the render engine's has all of them.
 */

#include <stddef.h>
#include <stdint.h>

#include "intel/revision.h"
#include "regs/regs.h"

/* Numbered as in the kernel's interface (enum drm_i915_gem_engine_class). */
enum cs_class { CS_RENDER, CS_COPY, CS_VIDEO, CS_VIDEO_ENHANCE, CS_CLASSES };

#define CS_CLASS_BIT(class) (1u << (class))

/* Places of the engines in a GPU. */
enum cs_engine_id { CS_RCS0, CS_BCS0, CS_VCS0, CS_VCS1, CS_VCS2, CS_VECS0, CS_ENGINES };

struct cs_engine {
    const char *name;     /* as the kernel names it: "rcs0" */
    uint8_t id;           /* enum cs_engine_id */
    uint8_t engine_class; /* enum cs_class */
    uint8_t instance;     /* in the class; engines keep their number if others are missing */
    uint32_t revisions;   /* mask of INTEL_BIT() */
    struct reg_map map;   /* its registers; `base` is what offsets are relative to */
};

/* Returns an engine of a revision; NULL if its platforms do not have it. Products may lack it:
 * intel_sku_missing_engine(). */
const struct cs_engine *cs_engine(enum intel_revision revision, enum cs_engine_id id);

/* Returns the engine of its revision that a product lacks, whatever its fuses say; NULL: none. All
 * products have vcs0, and at most one other video engine. skus.c. */
struct intel_sku;
const struct cs_engine *intel_sku_missing_engine(const struct intel_sku *sku);

/* Returns the index-th row of the table; NULL past the end. */
const struct cs_engine *cs_engine_at(size_t index);

#endif
