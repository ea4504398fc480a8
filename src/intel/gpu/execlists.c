/* SPDX-License-Identifier: MIT */
/*
 * Execution lists (from Gen8 on): software submits a list of two context descriptors through a
 * port. The list starts when the running context is done or can be preempted, and replaces a
 * submitted list that has not started. If it begins with the running context, only the ring's tail
 * is updated.
 *
 * A descriptor has bit 0 valid, bits 31:12 address of the context's pages in the GGTT (LRCA), and
 * in its upper half the context id. The second page is the image: image.c.
 */
#include <errno.h>

#include "base/minmax.h"
#include "intel/gpu/gpu.h"
#include "intel/gpu/image.h"

#define PREEMPT_CLOCKS 8 /* as the end of a context */

/* ---- submission ------------------------------------------------------------------------------ */

static void submit_element(struct tally_gpu *gpu, struct gpu_engine *engine, uint32_t low,
                           uint32_t high)
{
    struct streamer_submission submission = {.id = high,
                                             .ppgtt = REG_GET(CTX_DESCRIPTOR, ADDRESS, low)};
    if (!REG_GET(CTX_DESCRIPTOR, VALID, low))
        return;
    image_read_ring(gpu, engine, &submission);
    if (!submission.ring_size || streamer_submit(&engine->streamer, &submission) == -EINVAL) {
        streamer_reject(&engine->streamer, image_address(submission.ppgtt), low);
        gpu_engine_error(gpu, engine);
    }
}

/* Makes a list the current one. If its first context is running, only the tail is updated. */
static void take_list(struct tally_gpu *gpu, struct gpu_engine *engine, const struct execlist *list)
{
    const uint32_t *d = list->dwords;
    engine->execlists.has_next = false;
    engine->execlists.active = true;
    engine->streamer.pending_count = 0;
    submit_element(gpu, engine, d[0], d[1]);
    submit_element(gpu, engine, d[2], d[3]);
}

/* Takes a list on an engine without one. */
static void start_list(struct tally_gpu *gpu, struct gpu_engine *engine,
                       const struct execlist *list)
{
    take_list(gpu, engine, list);
    engine->execlists.active = engine->execlists.starts = engine->streamer.pending_count;
}

static void submit_list(struct tally_gpu *gpu, struct gpu_engine *engine,
                        const struct execlist *list)
{
    struct execlists *lists = &engine->execlists;
    if (!engine->streamer.running && !engine->streamer.pending_count) {
        start_list(gpu, engine, list);
        return;
    }
    lists->next = *list;
    lists->has_next = true;
    gpu_loop_leave(gpu, engine);
}

void execlists_write(struct tally_gpu *gpu, struct gpu_engine *engine,
                     const struct reg_request *request, uint32_t value)
{
    struct execlists *lists = &engine->execlists;
    const uint32_t *w = lists->written;
    uint32_t offset = request->address - engine->streamer.engine->map.base;
    if (offset == RING_ELSQ_CONTROL - RENDER_RING_BASE) {
        if (value & REG_MASK(RING_ELSQ_CONTROL, LOAD))
            submit_list(gpu, engine, &(struct execlist){{w[0], w[1], w[2], w[3]}});
    } else if (gpu->platform->submission == SUBMISSION_QUEUE) {
        lists->written[request->element] = value;
    } else { /* element 1 high and low, element 0 high and low */
        lists->written[lists->count++] = value;
        if (lists->count < 4)
            return;
        lists->count = 0;
        submit_list(gpu, engine, &(struct execlist){{w[3], w[2], w[1], w[0]}});
    }
}

uint32_t execlists_status(const struct gpu_engine *engine)
{
    const struct execlists *lists = &engine->execlists;
    return REG_PUT(RING_EXECLIST_STATUS, LIST_0_ACTIVE, lists->active && !lists->starts) |
           REG_PUT(RING_EXECLIST_STATUS, ARBITRATION_ENABLE, engine->streamer.arbitration) |
           REG_PUT(RING_EXECLIST_STATUS, LIST_0_VALID, lists->active) |
           REG_PUT(RING_EXECLIST_STATUS, LIST_1_VALID, lists->has_next) |
           REG_PUT(RING_EXECLIST_STATUS, QUEUE_FULL, lists->has_next);
}

/* ---- switches -------------------------------------------------------------------------------- */

/* Whether a list begins with the running context, which is then neither saved nor restored. */
static bool continues(const struct streamer *streamer, const struct execlist *list)
{
    uint32_t low = list->dwords[0];
    return REG_GET(CTX_DESCRIPTOR, VALID, low) && !REG_GET(CTX_DESCRIPTOR, FORCE_RESTORE, low) &&
           streamer->context_id == list->dwords[1] &&
           streamer->ppgtt == REG_GET(CTX_DESCRIPTOR, ADDRESS, low);
}

/* Lite restore: the running context continues with the tail of its image. */
static void update_tail(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    uint32_t id = engine->streamer.context_id;
    gpu_loop_break(gpu);
    take_list(gpu, engine, &lists->next);
    context_status_add(
        gpu, engine,
        &(struct context_event){
            .has_from = true, .has_to = true, .from = id, .to = id, .new_list = true});
}

/* Saves the running context before it is done, and takes the list that waits. */
static void preempt(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    struct streamer *streamer = &engine->streamer;
    struct context_event event = {.has_from = true, .from = streamer->context_id, .new_list = true};
    gpu_loop_break(gpu);
    image_save(gpu, engine);
    streamer_suspend(streamer);
    take_list(gpu, engine, &lists->next);
    lists->active = event.has_to = streamer->pending_count;
    event.to = event.has_to ? streamer->pending[0].id : 0;
    context_status_add(gpu, engine, &event);
    if (!event.has_to)
        gpu_leave_context(gpu, engine);
}

bool execlists_arbitrate(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    const struct streamer *streamer = &engine->streamer;
    if (!lists->has_next || !lists->active || !streamer->running || !streamer->arbitration)
        return false;
    if (continues(streamer, &lists->next)) {
        update_tail(gpu, engine);
        return false;
    }
    if (!streamer_can_suspend(streamer))
        return false;
    if (gpu_now(gpu) < engine->busy_until) { /* the work in progress is part of the context */
        gpu_loop_drop(gpu);
        engine->wait = (uint32_t)min_u64(engine->busy_until - gpu_now(gpu), UINT32_MAX);
        return true;
    }
    preempt(gpu, engine);
    engine->wait = PREEMPT_CLOCKS;
    return true;
}

void execlists_start(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    if (!lists->starts)
        return;
    lists->starts = false;
    context_status_add(gpu, engine,
                       &(struct context_event){
                           .has_to = true, .to = engine->streamer.context_id, .new_list = true});
}

void execlists_end(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    const struct streamer *streamer = &engine->streamer;
    struct context_event event = {
        .has_from = true,
        .from = streamer->context_id,
        .new_list = lists->has_next,
        .complete = true,
    };
    if (!lists->active || lists->starts) { /* a batch without a context */
        gpu_engine_raise(gpu, engine, GT_ENGINE_SWITCH);
        if (lists->has_next)
            start_list(gpu, engine, &lists->next);
        return;
    }
    if (lists->has_next)
        take_list(gpu, engine, &lists->next);
    lists->active = event.has_to = streamer->pending_count;
    event.to = event.has_to ? streamer->pending[0].id : 0;
    context_status_add(gpu, engine, &event);
}
