/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_MODEL_H
#define TALLY_INTEL_MODEL_H

#include <stdint.h>

/* The platforms that are modelled, oldest first. A register table's revisions are bits of these. */
enum intel_model {
    INTEL_SNB,
    INTEL_IVB,
    INTEL_VLV,
    INTEL_HSW,
    INTEL_BDW,
    INTEL_CHV,
    INTEL_SKL,
    INTEL_ICL,
    INTEL_LKF,
    INTEL_TGL,
    INTEL_MODELS
};

#define INTEL_BIT(model) (1u << (model))

/* By name as in struct tally_platform ("lkf", lower case); INTEL_MODELS: not one of these. */
enum intel_model intel_model_find(const char *name);

/* "lkf"; NULL from INTEL_MODELS on. */
const char *intel_model_name(enum intel_model model);

/* A clock as ratios have it, in steps of 50/3 MHz (OA-7). */
static inline uint32_t intel_clock_ratio(uint64_t hz)
{
    return (uint32_t)((hz * 3 + 25000000) / 50000000);
}

#endif
