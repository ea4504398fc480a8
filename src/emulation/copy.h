/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_COPY_H
#define TALLY_EMULATION_COPY_H

/*
 * Copies a rectangle from one surface to another, as the batches of counter clients do by drawing
 * it (IGT-3.4). No EU program runs: the pipeline state that the batch has set determines what is
 * copied. The rows are copied at once; the cost model decides how long the copy takes, and what it
 * counts. Other primitives have no effect.
 */

#include <tally/gpu.h>
#include <tally/platform.h>

struct emulation_copy {
    struct tally_oa *oa;
    const struct intel_platform *platform;
    unsigned eus;

    /* Pipeline state, set by the latest commands, all in one address space. */
    uint32_t space;
    bool has_surfaces, has_vertices;
    uint64_t surface_base, table, vertices;
    uint32_t vertex_stride;
};

void emulation_copy_init(struct emulation_copy *copy, const struct tally_platform *platform,
                         struct tally_gpu *gpu);
void emulation_copy_reset(struct emulation_copy *copy);

/* Handles a command that sets pipeline state. */
void emulation_copy_state(struct emulation_copy *copy, const struct tally_gpu_command *command);

/* Draws a primitive if it is a copy. */
void emulation_copy_draw(struct emulation_copy *copy, const struct tally_gpu_bus *bus,
                         const struct tally_gpu_command *command);

#endif
