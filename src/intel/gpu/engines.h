/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_ENGINES_H
#define TALLY_INTEL_GPU_ENGINES_H

/* The engines of a GPU: a command streamer each, with its submissions and its time. */

#include "intel/cs/streamer.h"
#include "intel/gt/forcewake.h"
#include "intel/gt/interrupts_flat.h"
#include "intel/gt/power.h"

#define CONTEXT_STATUS_EVENTS 12 /* maximum */

/* The context status buffer: status.c. */
struct context_status {
    uint32_t events[CONTEXT_STATUS_EVENTS][2];
    uint8_t write, read; /* pointers; beyond the buffer before the first event */
};

/* A list: the context descriptors of its two elements, low and high. */
struct execlist {
    uint32_t dwords[4];
};

/* The submission ports, and the lists that were submitted. The contexts of the current list that
 * have not started are the streamer's pending submissions. */
struct execlists {
    uint32_t written[4]; /* ELSP: in the order of the writes; ELSQ: by register */
    uint8_t count;       /* ELSP: dwords written */
    bool active;         /* there is a current list */
    bool starts;         /* its first context is loaded by an idle engine */
    bool has_next;       /* another list waits */
    struct execlist next;
    struct context_status status;
};

struct gpu_engine {
    struct streamer streamer; /* .engine NULL: the GPU does not have the engine */
    struct execlists execlists;
    enum gt_well well;                 /* of its registers before Gen11 */
    uint32_t wait;                     /* clocks until its next step */
    uint64_t busy_until;               /* clock at which the started work ends */
    bool waiting_for_work;             /* its latest step waits for work in progress */
    bool context_loaded;               /* a submitted context is loaded */
    uint32_t context_time;             /* CTX_TIMESTAMP when it was loaded, or written */
    uint64_t context_ticks;            /* the timestamp then */
    uint32_t reset_ctl;                /* RESET_CTL; a request stops the engine */
    uint32_t stored[STREAMER_OWN / 4]; /* registers that are only stored, by offset */
    uint64_t busy_ns;                  /* time in which it had work */
    uint64_t event_ns, semaphore_ns;   /* parts of that in which it waited for them */
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

/* Access CTX_TIMESTAMP: ticks in which the loaded context has run. */
uint32_t gpu_engine_context_time(const struct tally_gpu *gpu, const struct gpu_engine *engine);
void gpu_engine_set_context_time(const struct tally_gpu *gpu, struct gpu_engine *engine,
                                 uint32_t value);

/* Returns the engine as a source of interrupts. */
enum gt_engine gpu_engine_source(const struct gpu_engine *engine);

/* Raises an interrupt of an engine. */
void gpu_engine_raise(struct tally_gpu *gpu, const struct gpu_engine *engine,
                      enum gt_engine_event event);

/* Shows why the streamer has stopped: in the error registers, by an interrupt if the error is not
 * masked, and to the fault listener. */
void gpu_engine_error(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Sets whether the OA unit sees the GPU busy (OA-2.13). Call it when the engines have stepped. */
void gpu_update_busy(struct tally_gpu *gpu);

/* Returns the submission ports of an engine, its context status, RESET_CTL, and its timestamp if it
 * is not the render engine. The handlers' context is the struct tally_gpu. */
struct reg_block gpu_engine_block(const struct cs_engine *engine);

/* ---- status.c -------------------------------------------------------------------------------- */

/* A context switch, as the context status buffer reports it. Ids are upper halves of descriptors.
 */
struct context_event {
    bool has_from, has_to; /* else the engine is idle */
    uint32_t from, to;
    bool new_list; /* `to` begins a new list */
    bool complete; /* `from` has executed its ring */
};

/* Empties the buffer, as a reset does. */
void context_status_reset(const struct tally_gpu *gpu, struct gpu_engine *engine);

/* Adds an event, also to the hardware status page, and raises the interrupt. */
void context_status_add(struct tally_gpu *gpu, struct gpu_engine *engine,
                        const struct context_event *event);

/* Read and write the pointers. */
uint32_t context_status_pointers(const struct tally_gpu *gpu, const struct gpu_engine *engine);
void context_status_set_pointers(const struct tally_gpu *gpu, struct gpu_engine *engine,
                                 uint32_t value);

#endif
