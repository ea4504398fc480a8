/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_UNITS_H
#define TALLY_INTEL_WORKLOAD_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intel/oa/registers.h"
#include "intel/skus.h"

/* Classes of units, which have different kinds of activities (docs/workloads.md). */
enum unit_class {
    CLASS_FLAG,   /* on or off */
    CLASS_ARRAY,  /* a share of the EU array */
    CLASS_EVENTS, /* events, any number per clock */
    CLASS_LEVEL,  /* loaded threads */
    CLASS_PIPE,   /* a share of an EU's active clocks */
    CLASS_KIND,   /* the same; an EU runs one kind at a time */
    CLASS_NOA     /* a raw NOA bit */
};

#define STAGES 6

/* The units of a stage are adjacent; stages are in the order of their dispatcher's number
 * (TALLY_OA_FF), from 1. */
enum unit_id {
    UNIT_GPU_BUSY,
    UNIT_EU_ACTIVE,
    UNIT_EU_STALLED,
    UNIT_EU_OCCUPANCY,
    UNIT_EU_FPU0,
    UNIT_EU_FPU1,
    UNIT_EU_SEND,
    UNIT_EU_HYBRID, /* kinds in the order of their number (TALLY_OA_KIND), from 1 */
    UNIT_EU_TERNARY,
    UNIT_EU_BINARY,
    UNIT_EU_MOV,
    UNIT_EU_SEND_START,
    UNIT_EU_BARRIERS,
    UNIT_VS_ACTIVE,
    UNIT_VS_STALLED,
    UNIT_VS_READY,
    UNIT_VS_THREADS,
    UNIT_HS_ACTIVE,
    UNIT_HS_STALLED,
    UNIT_HS_READY,
    UNIT_HS_THREADS,
    UNIT_DS_ACTIVE,
    UNIT_DS_STALLED,
    UNIT_DS_READY,
    UNIT_DS_THREADS,
    UNIT_GS_ACTIVE,
    UNIT_GS_STALLED,
    UNIT_GS_READY,
    UNIT_GS_THREADS,
    UNIT_PS_ACTIVE,
    UNIT_PS_STALLED,
    UNIT_PS_READY,
    UNIT_PS_THREADS,
    UNIT_CS_ACTIVE,
    UNIT_CS_STALLED,
    UNIT_CS_READY,
    UNIT_CS_THREADS,
    UNIT_VS_BOTTLENECK,
    UNIT_GS_BOTTLENECK,
    UNIT_CLIPPER_ACTIVE,
    UNIT_SETUP_ACTIVE,
    UNIT_DEPTH_HIZ_PASS,
    UNIT_DEPTH_HIZ_FAIL,
    UNIT_DEPTH_EARLY_PASS,
    UNIT_DEPTH_EARLY_FAIL,
    UNIT_DEPTH_LATE_FAIL,
    UNIT_STENCIL_EARLY_PASS,
    UNIT_STENCIL_EARLY_FAIL,
    UNIT_STENCIL_LATE_FAIL,
    UNIT_PIXELS_RASTERIZED,
    UNIT_PIXELS_KILLED,
    UNIT_PIXELS_ALPHA_FAIL,
    UNIT_PIXELS_WRITTEN,
    UNIT_PIXELS_BLENDED,
    UNIT_SAMPLER_BUSY,
    UNIT_SAMPLER_BOTTLENECK,
    UNIT_SAMPLER_TEXELS,
    UNIT_SAMPLER_MISSES,
    UNIT_SLM_READS,
    UNIT_SLM_WRITES,
    UNIT_MEMORY_ACCESSES,
    UNIT_MEMORY_MISSES,
    UNIT_MEMORY_ATOMICS,
    UNIT_GTI_READS,
    UNIT_GTI_WRITES,
    UNIT_NOA, /* bit 0 to 15 */
    UNITS = UNIT_NOA + 16
};

#define STAGE_UNITS (UNIT_HS_ACTIVE - UNIT_VS_ACTIVE)

struct unit_info {
    const char *name;
    enum unit_class kind;
};

/* The counter, NOA bit or EU signal for a unit on a platform. */
enum unit_place { PLACE_A, PLACE_NOA, PLACE_EU };

struct unit_row {
    uint16_t revisions; /* mask of INTEL_BIT() */
    uint8_t unit;       /* enum unit_id */
    uint8_t place;      /* enum unit_place */
    uint8_t index;      /* A counter, or NOA bit */
    uint8_t times, per; /* an event adds times / per to the counter; 0 means 1 */
};

const struct unit_info *unit_info(unsigned unit);

/* Finds a unit by name; UNITS if there is none. */
unsigned unit_find(const char *name);

extern const struct unit_row unit_rows[];
extern const size_t unit_row_count;

/* Whether a SKU has the counter, NOA bit or EU signal of a row. */
bool unit_row_is_of(const struct unit_row *row, const struct intel_sku *sku,
                    enum intel_revision revision);

/* Whether a SKU has a counter for a unit. */
bool unit_is_counted(const struct intel_sku *sku, unsigned unit);

#endif
