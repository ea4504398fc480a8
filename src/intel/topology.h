/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_TOPOLOGY_H
#define TALLY_INTEL_TOPOLOGY_H

/*
 * The slices, subslices and EUs of a GPU. This is the only place that computes them: the fuse
 * registers, the OA unit's array of EUs, steering, the cost model and the driver's replies follow
 * from struct intel_topology.
 */

#include <tally/platform.h>

#include "intel/skus.h"

#define INTEL_SLICES    TALLY_FUSE_SLICES
#define INTEL_SUBSLICES 32 /* per slice, of DG2 */

struct intel_topology {
    const struct intel_sku *sku;
    uint8_t slices;                              /* mask of the enabled ones */
    uint32_t subslices[INTEL_SLICES];            /* masks, by slice */
    uint16_t eus[INTEL_SLICES][INTEL_SUBSLICES]; /* masks, by slice and subslice */
};

/* Fills in the topology of a SKU with `eus` EUs, at most those of the SKU; 0: all. With fewer, the
 * highest subslices are disabled, in all slices evenly. */
void intel_topology_of(const struct intel_sku *sku, unsigned eus, struct intel_topology *out);

/* Fills in what fuses leave of a SKU. Returns 0 or -EINVAL, as tally_sku_fuse(). fuses.c. */
int intel_topology_fuse(const struct intel_sku *sku, const struct tally_fuses *fuses,
                        struct intel_topology *out, struct tally_error *error);

/* Returns the public form. */
struct tally_topology intel_topology_public(const struct intel_topology *topology);

/* Writes the reply to DRM_I915_QUERY_TOPOLOGY_INFO, which has all masks. Returns its size in bytes;
 * writes nothing if that is larger than `capacity`. */
size_t intel_topology_reply(const struct intel_topology *topology, void *bytes, size_t capacity);

/* Returns a mask of the enabled subslices of all slices. Subslice n of slice s has bit
 * s * tally_sku.subslices + n, the number by which models address it. */
uint32_t intel_topology_subslices(const struct intel_topology *topology);

/* The place of an EU: its subslice, numbered as above, and its number there. */
struct eu_place {
    uint8_t subslice, number;
};

/* Fills in the places of the enabled EUs in order, at most `capacity`. Returns their number. */
unsigned intel_topology_places(const struct intel_topology *topology, struct eu_place *places,
                               unsigned capacity);

struct tally_gpu;

/* Returns the topology of a GPU. gpu/gpu.c. */
const struct intel_topology *gpu_topology(const struct tally_gpu *gpu);

/* ---- texts ----------------------------------------------------------------------------------- */

struct tally_gpu_config;

/*
 * Parses a list of fuses, such as "slice=0x4,subslice=0:0x6,eu=0:1:0xc0,vdbox=4", and adds them to
 * those of a configuration, whose SKU is valid. Masks apply to the named slice or subslice, or to
 * all. Returns 0, or -EINVAL and a message. fuses.c.
 */
int intel_fuses_parse(const char *text, struct tally_gpu_config *config, struct tally_error *error);

#endif
