/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_ENGINES_H
#define TALLY_INTEL_GPU_ENGINES_H

/* The engines of a GPU: a command streamer each, with its submissions and its time. */

#include "intel/cs/streamer.h"
#include "intel/gt/forcewake.h"
#include "intel/gt/interrupts_flat.h"

/* Submission ports: the dwords of a list that have been written so far. */
struct execlists {
    uint32_t written[4]; /* ELSP: in the order of the writes; ELSQ: by register */
    uint8_t count;       /* ELSP: dwords written */
};

struct gpu_engine {
    struct streamer streamer; /* .engine NULL: the platform does not have the engine */
    struct execlists execlists;
    uint32_t wait;                   /* clocks until its next step */
    uint64_t busy_until;             /* clock at which the started work ends */
    bool waiting_for_work;           /* its latest step waits for work in progress */
    bool context_loaded;             /* a submitted context is loaded */
    uint64_t busy_ns;                /* time in which it had work */
    uint64_t event_ns, semaphore_ns; /* parts of that in which it waited for them */
};

static inline bool engine_exists(const struct gpu_engine *engine)
{
    return engine->streamer.engine;
}

/* Whether the engine has nothing to do; false after a fault. */
static inline bool engine_is_idle(const struct gpu_engine *engine)
{
    return !engine_exists(engine) || (!engine->wait && streamer_is_idle(&engine->streamer));
}

/* Iterates over the ids of the engines in a mask such as tally_gpu.used. */
#define FOR_EACH_ENGINE(id, mask)                                                                  \
    for (uint32_t left_##id = (mask), id;                                                          \
         left_##id && (id = (uint32_t)__builtin_ctz(left_##id), true); left_##id &= left_##id - 1)

struct tally_gpu;

/* Initializes the engines of the platform, or resets one, which loses its submissions. */
void gpu_engines_init(struct tally_gpu *gpu);
void gpu_engine_reset(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Returns for how long an engine has waited for semaphores, or for events, in ns; 0 if the GPU does
 * not have it. */
uint64_t gpu_engine_wait_ns(const struct tally_gpu *gpu, const char *name, bool semaphore);

/* Returns the engine whose registers contain an address; NULL: none. */
struct gpu_engine *gpu_engine_at(struct tally_gpu *gpu, uint32_t address);

/* Returns the domains that an engine needs: a mask of GT_DOMAIN_BIT(). */
uint32_t gpu_engine_domains(const struct tally_gpu *gpu, const struct gpu_engine *engine);

/* Raises an interrupt of an engine. */
void gpu_engine_raise(struct tally_gpu *gpu, const struct gpu_engine *engine,
                      enum gt_engine_event event);

/* Sets whether the OA unit sees the GPU busy (OA-2.13). Call it when the engines have stepped. */
void gpu_update_busy(struct tally_gpu *gpu);

/* Returns the only engine that has something to do; NULL if none or several have. */
struct gpu_engine *gpu_sole_engine(struct tally_gpu *gpu);

/* Returns the submission ports of an engine, and its timestamp if it is not the render engine. The
 * handlers' context is the struct tally_gpu. */
struct reg_block gpu_engine_block(const struct cs_engine *engine);

#endif
