/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_SKUS_H
#define TALLY_INTEL_SKUS_H

/*
 * The table of SKUs: the products of each platform, and the PCI device ids of each. skus.def has
 * the rows. A GPU is named "hsw", which is the platform's common SKU, or "hsw/gt3".
 */

#include <stdbool.h>

#include <tally/error.h>
#include <tally/platform.h>

struct intel_platform;

#define SKU_IDS 33

struct intel_sku {
    struct tally_sku info;
    uint64_t reserved_a;   /* a bit for each A counter that counts nothing and reads 0 */
    uint8_t video_engines; /* mask of the instances */
    uint16_t ids[SKU_IDS]; /* PCI device ids, ends at the first 0 */
};

extern const struct intel_sku intel_skus[];
extern const size_t intel_sku_count;

/* Constants of the SKUs, for the platform table: HSW_GT2_EUS, ... */
enum {
#define A_COUNTER(n)      0
#define VCS(n)            0
#define FIRST(first, ...) first
#define IDS(...)          FIRST(__VA_ARGS__, 0)
#define IDS_OF(symbol)    symbol##_DEVICE
#define SKU(symbol, platform, name, title, chipset, slices, subslices, eus, threads, low, high,    \
            revision, reserved, video, ids)                                                        \
    symbol##_EUS = (slices) * (subslices) * (eus), symbol##_THREADS = (threads),                   \
    symbol##_MIN_MHZ = (low), symbol##_MAX_MHZ = (high), symbol##_DEVICE = (ids),
#include "intel/skus.def"
#undef SKU
#undef IDS_OF
#undef IDS
#undef FIRST
#undef VCS
#undef A_COUNTER
};

/* Returns the row of a public SKU. */
const struct intel_sku *intel_sku_of(const struct tally_sku *sku);

/* Returns the common SKU of a platform. */
const struct intel_sku *intel_sku_common(const struct tally_platform *platform);

/* Returns the platform of a SKU. */
const struct intel_platform *intel_sku_platform(const struct intel_sku *sku);

/*
 * Finds the SKU of a modelled GPU, "hsw" or "hsw/gt3". NULL if the platform has no model or the SKU
 * is unknown; then `error` has a message. `what` names the model: "GPU" or "OA".
 */
const struct intel_sku *intel_sku_modelled(const char *name, const char *what,
                                           struct tally_error *error);

/* Checks the SKU in a name such as "hsw/gt3". Returns 0, also if the name has no SKU or its
 * platform is unknown; or -EINVAL and a message with the SKUs of the platform. */
int intel_sku_check(const char *name, struct tally_error *error);

/* Writes the name of a SKU to `text`: "hsw/gt3". Returns `text`. */
#define SKU_NAME_BYTES 24
const char *intel_sku_name(const struct intel_sku *sku, char text[SKU_NAME_BYTES]);

/* Returns the number of EUs of a SKU. */
static inline unsigned sku_eus(const struct tally_sku *sku)
{
    return (unsigned)sku->slices * sku->subslices * sku->subslice_eus;
}

/* Whether an A counter of the platform counts nothing on a SKU. */
static inline bool intel_sku_reserves(const struct intel_sku *sku, unsigned a_counter)
{
    return a_counter < 64 && sku->reserved_a >> a_counter & 1;
}

#endif
