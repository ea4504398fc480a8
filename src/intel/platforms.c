/* SPDX-License-Identifier: MIT */
/*
 * Platform facts: OA-7, PERF-1.7 and PERF-2.3. Clock ranges are those
 * of common parts; a recording carries its own.
 */
#include <tally/platform.h>

#include <strings.h>

#include "base/bits.h"
#include "intel/platforms.h"

/* PERF-4.1: which of enum drm_i915_oa_format the driver accepts. */
#define FORMATS(first, last) ((2u << (last)) - (1u << (first)))
#define HSW_FORMATS          FORMATS(1, 7)
#define GEN8_FORMATS         FORMATS(7, 10)
#define DG2_FORMATS          FORMATS(11, 12)
#define MTL_FORMATS          FORMATS(11, 14)

// clang-format off
static const struct tally_platform platforms[] = {
/*  name   title           layouts version identity            fmt accepted   thr shift  max s, ss, eu  example      MHz         timestamp */
  { "snb", "Sandy Bridge",  "snb",   60, TALLY_IDENTITY_GEN6,   0, 0,            5, 0,  1,  1, 12,  12, 0x0126, 350, 1350, 12500000 },
  { "ivb", "Ivy Bridge",    "ivb",   70, TALLY_IDENTITY_GEN6,   0, 0,            8, 0,  1,  1, 16,  16, 0x0166, 350, 1350, 12500000 },
  { "vlv", "Valleyview",    "ivb",   70, TALLY_IDENTITY_GEN6,   0, 0,            8, 0,  1,  1,  4,   4, 0x0f31, 311,  896, 12500000 },
  { "hsw", "Haswell",       "hsw",   75, TALLY_IDENTITY_GEN6,   5, HSW_FORMATS,  7, 0,  1,  2, 10,  20, 0x0416, 200, 1350, 12500000 },
  { "bdw", "Broadwell",     "gen8",  80, TALLY_IDENTITY_GEN8,  10, GEN8_FORMATS,  7, 0,  3,  3,  8,  24, 0x1616, 300,  950, 12500000 },
  { "chv", "Cherryview",    "gen8",  80, TALLY_IDENTITY_GEN8,  10, GEN8_FORMATS,  7, 0,  1,  2,  8,  16, 0x22b1, 200,  700, 12500000 },
  { "skl", "Skylake",       "gen8",  90, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  3,  4,  8,  24, 0x1912, 300, 1150, 12000000 },
  { "bxt", "Broxton",       "gen8",  90, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  6, 0,  1,  3,  8,  18, 0x5a84, 100,  800, 19200000 },
  { "glk", "Gemini Lake",   "gen8",  90, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  6, 0,  1,  3,  8,  18, 0x3184, 100,  800, 19200000 },
  { "kbl", "Kaby Lake",     "gen8",  90, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  3,  4,  8,  24, 0x5912, 300, 1150, 12000000 },
  { "cfl", "Coffee Lake",   "gen8",  90, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  3,  4,  8,  24, 0x3e92, 300, 1200, 12000000 },
  { "cnl", "Cannon Lake",   "gen8", 100, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  1,  5,  8,  40, 0x5a52, 300, 1000, 12000000 },
  { "icl", "Ice Lake",      "gen8", 110, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  1,  8,  8,  64, 0x8a52, 300, 1100, 12000000 },
  { "lkf", "Lakefield",     "gen8", 110, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  1,  8,  8,  64, 0x9840, 200,  500, 19200000 },
  { "ehl", "Elkhart Lake",  "gen8", 110, TALLY_IDENTITY_GEN9,  10, GEN8_FORMATS,  7, 0,  1,  4,  8,  32, 0x4571, 250,  850, 12000000 },
  { "tgl", "Tiger Lake",    "gen8", 120, TALLY_IDENTITY_GEN12, 10, GEN8_FORMATS,  7, 0,  1,  6, 16,  96, 0x9a49, 350, 1350, 19200000 },
  { "rkl", "Rocket Lake",   "gen8", 120, TALLY_IDENTITY_GEN12, 10, GEN8_FORMATS,  7, 0,  1,  6, 16,  32, 0x4c8a, 350, 1300, 19200000 },
  { "dg1", "DG1",           "gen8", 120, TALLY_IDENTITY_GEN12, 10, GEN8_FORMATS,  7, 0,  1,  6, 16,  96, 0x4905, 300, 1650, 19200000 },
  { "adl", "Alder Lake",    "gen8", 120, TALLY_IDENTITY_GEN12, 10, GEN8_FORMATS,  7, 0,  1,  6, 16,  96, 0x46a6, 300, 1400, 19200000 },
  { "dg2", "DG2",           "xehp",125, TALLY_IDENTITY_GEN12, 12, DG2_FORMATS,  8, 1,  1, 32, 16, 512, 0x56a0, 300, 2400, 38400000 },
  { "mtl", "Meteor Lake",   "xehp",127, TALLY_IDENTITY_GEN12, 12, MTL_FORMATS,  8, 1,  1,  8, 16, 128, 0x7d55, 300, 2300, 38400000 },
};
// clang-format on

size_t tally_platform_count(void)
{
    return ARRAY_COUNT(platforms);
}

const struct tally_platform *tally_platform_at(size_t index)
{
    return index < ARRAY_COUNT(platforms) ? &platforms[index] : NULL;
}

const struct tally_platform *tally_platform_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(platforms); i++)
        if (!strcasecmp(platforms[i].name, name))
            return &platforms[i];
    return NULL;
}
