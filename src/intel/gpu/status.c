/* SPDX-License-Identifier: MIT */
/*
 * The context status buffer of an engine (OA-12.1): a ring of events, in registers and in the
 * hardware status page, where a dword has the index of the latest one.
 */
#include "intel/gpu/gpu.h"

/* Dwords of the status page. */
#define PAGE_EVENTS      0x10u
#define PAGE_WRITE_OF_6  0x1fu
#define PAGE_WRITE_OF_12 0x2fu

#define IDLE_ID UINT32_MAX /* shows as the largest id of the field */

static enum intel_context_status form_of(const struct tally_gpu *gpu)
{
    return (enum intel_context_status)gpu->platform->image->status;
}

static bool is_large(const struct tally_gpu *gpu)
{
    return form_of(gpu) != CONTEXT_STATUS_6;
}

void context_status_reset(const struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct context_status *status = &engine->execlists.status;
    *status = (struct context_status){0};
    if (!has_execlists(gpu))
        return;
    context_status_set_pointers(gpu, engine,
                                is_large(gpu)
                                    ? REG_MASKED(GEN11_RING_CONTEXT_STATUS_PTR, WRITE, UINT32_MAX)
                                    : REG_MASKED(RING_CONTEXT_STATUS_PTR, WRITE, UINT32_MAX));
}

/* ---- pointers -------------------------------------------------------------------------------- */

uint32_t context_status_pointers(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    const struct context_status *status = &engine->execlists.status;
    return is_large(gpu) ? REG_PUT(GEN11_RING_CONTEXT_STATUS_PTR, WRITE, status->write) |
                               REG_PUT(GEN11_RING_CONTEXT_STATUS_PTR, READ, status->read)
                         : REG_PUT(RING_CONTEXT_STATUS_PTR, WRITE, status->write) |
                               REG_PUT(RING_CONTEXT_STATUS_PTR, READ, status->read);
}

void context_status_set_pointers(const struct tally_gpu *gpu, struct gpu_engine *engine,
                                 uint32_t value)
{
    struct context_status *status = &engine->execlists.status;
    value = reg_write_masked(context_status_pointers(gpu, engine), value);
    if (is_large(gpu)) {
        status->write = (uint8_t)REG_GET(GEN11_RING_CONTEXT_STATUS_PTR, WRITE, value);
        status->read = (uint8_t)REG_GET(GEN11_RING_CONTEXT_STATUS_PTR, READ, value);
    } else {
        status->write = (uint8_t)REG_GET(RING_CONTEXT_STATUS_PTR, WRITE, value);
        status->read = (uint8_t)REG_GET(RING_CONTEXT_STATUS_PTR, READ, value);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A new list that begins with the running context. */
static bool is_lite_restore(const struct context_event *event)
{
    return event->new_list && event->has_from && !event->complete && event->from == event->to;
}

static uint32_t reasons(const struct context_event *event)
{
    if (!event->has_from)
        return REG_MASK(GEN8_CTX_STATUS, IDLE_ACTIVE);
    uint32_t bits = event->complete ? REG_MASK(GEN8_CTX_STATUS, COMPLETE) : 0;
    if (event->new_list)
        bits |= REG_MASK(GEN8_CTX_STATUS, PREEMPTED);
    else if (event->has_to)
        bits |= REG_MASK(GEN8_CTX_STATUS, ELEMENT_SWITCH);
    else
        bits |= REG_MASK(GEN8_CTX_STATUS, ACTIVE_IDLE);
    return bits | REG_PUT(GEN8_CTX_STATUS, LITE_RESTORE, is_lite_restore(event));
}

static void fill(const struct gpu_engine *engine, const struct context_event *event,
                 uint32_t dwords[2])
{
    const struct gt_engine_info *info = &gt_engines[gpu_engine_source(engine)];
    uint32_t to = event->has_to ? event->to : IDLE_ID;
    uint32_t from = event->has_from ? event->from : IDLE_ID;
    bool preempted = event->has_from && !event->complete;
    dwords[0] =
        REG_PUT(GEN12_CTX_STATUS, SW_COUNTER, REG_GET(GEN11_CTX_DESCRIPTOR_UDW, SW_COUNTER, to)) |
        REG_PUT(GEN12_CTX_STATUS, SW_ID, REG_GET(GEN11_CTX_DESCRIPTOR_UDW, SW_ID, to)) |
        REG_PUT(GEN12_CTX_STATUS, INSTANCE, info->instance) |
        REG_PUT(GEN12_CTX_STATUS, CLASS, info->engine_class) |
        REG_PUT(GEN12_CTX_STATUS, NEW_LIST, event->new_list);
    dwords[1] =
        REG_PUT(GEN12_CTX_STATUS_UDW, SW_COUNTER,
                REG_GET(GEN11_CTX_DESCRIPTOR_UDW, SW_COUNTER, from)) |
        REG_PUT(GEN12_CTX_STATUS_UDW, SW_ID, REG_GET(GEN11_CTX_DESCRIPTOR_UDW, SW_ID, from)) |
        REG_PUT(GEN12_CTX_STATUS_UDW, DETAIL,
                preempted ? GEN12_CTX_SWITCH__PREEMPTED : GEN12_CTX_SWITCH__COMPLETE);
}

/* Writes an event to the status page, then its index. */
static void write_page(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    const struct context_status *status = &engine->execlists.status;
    uint64_t page = engine->streamer.hws_pga & REG_MASK(RING_PAGE, ADDRESS);
    uint64_t at = page + 4 * (PAGE_EVENTS + 2u * status->write);
    if (!page) /* software has not set one */
        return;
    for (unsigned half = 0; half < 2; half++)
        gpu_write_memory(gpu, TALLY_GPU_GGTT, at + 4 * half, status->events[status->write][half]);
    gpu_write_memory(gpu, TALLY_GPU_GGTT,
                     page + 4 * (is_large(gpu) ? PAGE_WRITE_OF_12 : PAGE_WRITE_OF_6),
                     status->write);
}

void context_status_add(struct tally_gpu *gpu, struct gpu_engine *engine,
                        const struct context_event *event)
{
    struct context_status *status = &engine->execlists.status;
    unsigned size = is_large(gpu) ? CONTEXT_STATUS_EVENTS : RING_CONTEXT_STATUS_BUF__COUNT;
    status->write = status->write + 1u < size ? (uint8_t)(status->write + 1) : 0;
    uint32_t *dwords = status->events[status->write];
    if (form_of(gpu) == CONTEXT_STATUS_SWITCHES) {
        fill(engine, event, dwords);
    } else {
        dwords[0] = reasons(event);
        dwords[1] = event->has_from ? event->from : 0;
    }
    write_page(gpu, engine);
    gpu_engine_raise(gpu, engine, GT_ENGINE_SWITCH);
}
