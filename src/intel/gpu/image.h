/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_IMAGE_H
#define TALLY_INTEL_GPU_IMAGE_H

/*
 * Images of contexts in memory (OA-12.6): MI_LOAD_REGISTER_IMM commands in the second page of a
 * context's pages, executed to load the context, and laid down by the hardware when it saves it.
 */

#include "intel/gpu/engines.h"

/* Reads the ring of the context `submission->ppgtt` from its image. ring_size stays 0 if there is
 * none. */
void image_read_ring(struct tally_gpu *gpu, const struct gpu_engine *engine,
                     struct streamer_submission *submission);

/* Load the registers of the engine's running context from its image, or save them. */
void image_load(struct tally_gpu *gpu, struct gpu_engine *engine);
void image_save(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Loads only the OA unit's registers, those of the render engine's running context. */
void image_load_oa(struct tally_gpu *gpu);

/* Returns the address of a context's image. space: as in streamer.ppgtt. */
static inline uint64_t image_address(uint32_t space)
{
    return streamer_context_page(space) + 0x1000;
}

/* Save or load the pipeline of a context that MI_SET_CONTEXT switches from or to (before Gen8).
 * space: its address in the GGTT, in pages. */
void image_save_pipeline(struct tally_gpu *gpu, uint32_t space);
void image_load_pipeline(struct tally_gpu *gpu, uint32_t space);

#endif
