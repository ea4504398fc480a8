/* SPDX-License-Identifier: MIT */
/*
 * Tables of the OA unit's registers in its four maps (OA-1.1 to OA-1.4; Gen12: PERF-5.3 to
 * PERF-5.5). OAT-6 lists the writable bits. `flags` of a row is the number of its first element.
 */
#include "intel/oa/registers.h"

#include "base/bits.h"

#define ON(platform) (1u << INTEL_##platform)
#define GEN7         (ON(IVB) | ON(VLV))
#define MAP_A        (ON(SNB) | GEN7)
#define MAP_B        ON(HSW)
#define MAP_AB       (MAP_A | MAP_B)
#define GEN8         (ON(BDW) | ON(CHV))
#define GEN9_UP      (ON(SKL) | ON(ICL) | ON(LKF))
#define MAP_C        (GEN8 | GEN9_UP)
#define MAP_D        ON(TGL)
#define ALL          (MAP_AB | MAP_C | MAP_D)

#include "regs/pass/fields.h"
#include "intel/oa/registers/fields.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg map_ab[] = {
#include "intel/oa/registers/map_ab.def"
};

static const struct reg map_c[] = {
#include "intel/oa/registers/map_c.def"
};

static const struct reg map_d[] = {
#include "intel/oa/registers/map_d.def"
};
#include "regs/pass/end.h"

static const struct reg_map maps[] = {
    {"oa-map-ab", "Observability Performance Counters", 0, 0x10000, map_ab, ARRAY_COUNT(map_ab),
     false},
    {"oa-map-c", "Observability, Gen8 on", 0, 0x10000, map_c, ARRAY_COUNT(map_c), false},
    {"oa-map-d", "docs/reference/i915-perf.md", 0, 0x10000, map_d, ARRAY_COUNT(map_d), false},
};

const struct reg_map *oa_registers(enum intel_revision revision)
{
    uint32_t bit = INTEL_BIT(revision);
    return &maps[bit & MAP_AB ? 0 : bit & MAP_C ? 1 : 2];
}
