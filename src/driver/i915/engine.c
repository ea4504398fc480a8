/* SPDX-License-Identifier: MIT */
/*
 * The render engine executes requests in order: each is a batch, followed by a write of its seqno
 * to the status page. Gen7.5 has one ring, whose requests begin with MI_SET_CONTEXT. From Gen8 on
 * each context has a ring, and up to two contexts are submitted together as an execution list.
 *
 * The hardware has released a context when the head in its image equals the submitted tail. Only
 * then may it be submitted as an element other than the running one.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/batch.h"
#include "intel/symbols.h"

#define LEGACY_RING_BYTES (16 * PAGE_BYTES)
#define CONTEXT_RING      (4 * PAGE_BYTES)
#define STATUS_SEQNO      0x100u

#define SAVE_AND_RESTORE                                                                           \
    (CS_PUT(MI_SET_CONTEXT, RESERVED_MUST_BE_1, 1) |                                               \
     CS_PUT(MI_SET_CONTEXT, RESOURCE_STREAMER_STATE_SAVE_ENABLE, 1) |                              \
     CS_PUT(MI_SET_CONTEXT, RESOURCE_STREAMER_STATE_RESTORE_ENABLE, 1))
#define DESCRIPTOR_FLAGS                                                                           \
    (REG_PUT(CTX_DESCRIPTOR, VALID, 1) | REG_PUT(CTX_DESCRIPTOR, ADDRESSING, 3) |                  \
     REG_PUT(CTX_DESCRIPTOR, PRIVILEGE, 1))

#define TAGS         0x7fdu
#define STEP_NS      20000u
#define BANNED_AFTER 3

/* ---- seqnos ---------------------------------------------------------------------------------- */

/* Returns the seqno of the latest completed request; the status page holds its low half. */
static uint64_t latest_done(const struct i915_device *device)
{
    const struct i915_engine *engine = &device->engine;
    uint32_t low = load_le32(engine->status->bytes + STATUS_SEQNO);
    return engine->issued - (uint32_t)((uint32_t)engine->issued - low);
}

bool i915_fence_done(const struct i915_device *device, uint64_t fence)
{
    return fence <= device->engine.done || fence <= latest_done(device);
}

/* ---- starting -------------------------------------------------------------------------------- */

static int make(struct i915_device *device, uint64_t size, struct i915_object **out, uint32_t *at)
{
    uint64_t address = 0;
    int result = i915_object_new(device, size, out);
    if (result == 0)
        result = i915_space_insert(&device->ggtt, *out, PAGE_BYTES, UINT64_MAX, &address);
    *at = (uint32_t)address;
    return result;
}

/* Restarts Gen7.5's ring with its head behind the commands to skip. */
static void start_ring(struct i915_device *device, uint32_t head)
{
    i915_wake_get(device);
    write32(device, RING_CTL, 0);
    write32(device, RING_START, device->engine.ring_address);
    write32(device, RING_HEAD, head);
    write32(device, RING_TAIL, device->engine.ring_tail);
    write32(device, RING_CTL, (LEGACY_RING_BYTES - PAGE_BYTES) | REG_PUT(RING_CTL, RING_ENABLE, 1));
    i915_wake_put(device);
}

int i915_engine_init(struct i915_device *device)
{
    struct i915_engine *engine = &device->engine;
    int result = make(device, PAGE_BYTES, &engine->status, &engine->status_address);
    if (result == 0 && !has_execlists(device))
        result = make(device, LEGACY_RING_BYTES, &engine->ring, &engine->ring_address);
    if (result < 0)
        return result;
    i915_wake_get(device);
    write32(device, has_execlists(device) ? RING_HWS_PGA : GEN6_RENDER_HWS_PGA,
            engine->status_address);
    i915_wake_put(device);
    if (!has_execlists(device))
        start_ring(device, 0);
    return 0;
}

static bool has_object(const struct i915_request *request, const struct i915_object *object)
{
    for (size_t i = 0; i < request->object_count; i++)
        if (request->objects[i] == object)
            return true;
    return false;
}

bool i915_engine_uses(const struct i915_device *device, const struct i915_space *space,
                      const struct i915_object *object)
{
    for (const struct i915_request *r = device->engine.first; r; r = r->next)
        if (i915_context_space(r->context) == space && has_object(r, object))
            return true;
    return false;
}

/* Unmaps an object without a handle after the last request that uses it in the address space. */
static void leave(struct i915_device *device, struct i915_request *request,
                  struct i915_object *object)
{
    struct i915_space *space = i915_context_space(request->context);
    if (object->closed && !i915_engine_uses(device, space, object))
        i915_space_remove(space, object);
    i915_object_drop(object);
}

static void free_request(struct i915_device *device, struct i915_request *request)
{
    for (size_t i = 0; i < request->object_count; i++)
        leave(device, request, request->objects[i]);
    free(request->objects);
    if (request->batch)
        i915_space_remove(&device->ggtt, request->batch);
    i915_object_drop(request->batch);
    i915_context_drop(request->context);
    free(request);
}

static void pop(struct i915_device *device)
{
    struct i915_engine *engine = &device->engine;
    struct i915_request *request = engine->first;
    engine->first = request->next;
    if (!engine->first)
        engine->last = NULL;
    engine->since_ns = now_ns(device);
    free_request(device, request);
}

void i915_engine_fini(struct i915_device *device)
{
    while (device->engine.first)
        pop(device);
    i915_object_drop(device->engine.status);
    i915_object_drop(device->engine.ring);
    device->engine = (struct i915_engine){0};
}

static void retire(struct i915_device *device)
{
    struct i915_engine *engine = &device->engine;
    uint64_t done = latest_done(device);
    while (engine->first && engine->first->seqno <= done)
        pop(device);
    engine->done = done;
}

/* ---- execution lists ------------------------------------------------------------------------- */

bool i915_context_in_hardware(const struct i915_context *context)
{
    return context->submitted_id &&
           i915_image_get(context, IMAGE_RING_HEAD) != context->submitted_tail;
}

/* Assigns a tag that differs from those of neighbouring submissions. Reports have it as context id.
 */
static uint32_t next_id(struct i915_engine *engine, const struct i915_context *context)
{
    if (context->tag)
        return context->tag;
    engine->latest_tag = engine->latest_tag % TAGS + 1;
    return REG_PUT(GEN11_CTX_DESCRIPTOR_UDW, SW_ID, engine->latest_tag);
}

struct element {
    struct i915_context *context;
    uint32_t tail;
    uint64_t seqno;
};

/* Collects the contexts of the oldest requests, at most two. */
static unsigned choose(const struct i915_engine *engine, struct element elements[2])
{
    unsigned count = 0;
    for (const struct i915_request *r = engine->first; r; r = r->next) {
        bool same = count && elements[count - 1].context == r->context;
        if (!same && (count == 2 || (count && i915_context_in_hardware(r->context) &&
                                     engine->ports[1] != r->context)))
            break;
        if (!same)
            elements[count++].context = r->context;
        elements[count - 1].tail = r->ring_end;
        elements[count - 1].seqno = r->seqno;
    }
    return count;
}

/* Submits an execution list. Unlike the port, the queue ignores writes while the engine sleeps. */
static void write_list(struct i915_device *device, const uint32_t dwords[4])
{
    if (device->platform->submission == SUBMISSION_PORT) {
        for (unsigned i = 4; i-- > 0;) /* element 1 first, upper halves first */
            write32(device, RING_ELSP, dwords[i]);
        return;
    }
    i915_wake_get(device);
    for (unsigned i = 0; i < 4; i++)
        write32(device, REG_ELEMENT(RING_ELSQ, i), dwords[i]);
    write32(device, RING_ELSQ_CONTROL, REG_PUT(RING_ELSQ_CONTROL, LOAD, 1));
    i915_wake_put(device);
}

static void submit_list(struct i915_device *device)
{
    struct i915_engine *engine = &device->engine;
    struct element elements[2] = {{0}};
    uint32_t dwords[4] = {0};
    bool news = false;
    retire(
        device); /* the first remaining request is incomplete, so the hardware is not beyond it */
    unsigned count = choose(engine, elements);
    for (unsigned i = 0; i < count; i++) {
        struct i915_context *context = elements[i].context;
        news = news || context != engine->ports[i] || context->submitted_tail != elements[i].tail;
        if (!i915_context_in_hardware(context))
            context->submitted_id = next_id(engine, context);
        context->submitted_tail = elements[i].tail;
        engine->submitted = elements[i].seqno;
        i915_image_set(context, IMAGE_RING_TAIL, elements[i].tail);
        dwords[2 * i] = context->state_address | DESCRIPTOR_FLAGS;
        dwords[2 * i + 1] = context->submitted_id;
    }
    engine->ports[0] = elements[0].context;
    engine->ports[1] = elements[1].context;
    if (news)
        write_list(device, dwords);
}

static void kick(struct i915_device *device)
{
    if (has_execlists(device))
        submit_list(device);
    else
        write32(device, RING_TAIL, device->engine.ring_tail);
}

bool i915_engine_waits(const struct i915_device *device)
{
    const struct i915_engine *engine = &device->engine;
    return engine->first && has_execlists(device) && engine->submitted < engine->issued;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void write_commands(const struct i915_device *device, const struct i915_work *work,
                           uint64_t seqno, struct batch *batch)
{
    const struct i915_engine *engine = &device->engine;
    uint32_t flags = work->privileged ? 0 : JUMP_PPGTT;
    if (!has_execlists(device)) {
        batch_dword(batch, CS_HEADER(MI_SET_CONTEXT, 2));
        batch_dword(batch, work->context->state_address | SAVE_AND_RESTORE);
        flags |= work->privileged ? 0 : JUMP_UNPRIVILEGED;
    }
    batch_jump(batch, work->address, flags);
    batch_flush(batch);
    batch_store(batch, engine->status_address + STATUS_SEQNO, (uint32_t)seqno);
    batch_dword(batch, MI_USER_INTERRUPT);
    if (batch->bytes.size % 8)
        batch_dword(batch, MI_NOOP);
}

struct ring {
    struct i915_object *object;
    uint32_t size;
    uint32_t *tail;
};

static struct ring ring_of(struct i915_device *device, struct i915_context *context)
{
    struct i915_engine *engine = &device->engine;
    return has_execlists(device)
               ? (struct ring){context->ring, CONTEXT_RING, &context->ring_tail}
               : (struct ring){engine->ring, LEGACY_RING_BYTES, &engine->ring_tail};
}

/* Free bytes of the ring; a full ring would look empty. */
static uint32_t ring_space(const struct i915_device *device, const struct ring *ring,
                           const struct i915_context *context)
{
    for (const struct i915_request *r = device->engine.first; r; r = r->next)
        if (!has_execlists(device) || r->context == context)
            return (r->ring_start - *ring->tail - 8) & (ring->size - 1);
    return ring->size - 8;
}

static void put_in_ring(const struct ring *ring, const struct batch *batch)
{
    for (size_t i = 0; i < batch->bytes.size; i += 4) {
        memcpy(ring->object->bytes + *ring->tail, batch->bytes.bytes + i, 4);
        *ring->tail = (*ring->tail + 4) & (ring->size - 1);
    }
}

/* Waits for free bytes in the ring. Signals do not interrupt the driver's own requests. */
static int wait_for_space(struct i915_device *device, const struct ring *ring,
                          const struct i915_context *context, size_t bytes, bool own)
{
    while (ring_space(device, ring, context) < bytes) {
        int result = own ? 0 : sleep_lightly(device, STEP_NS);
        if (result < 0)
            return result;
        if (own)
            sleep_through(device, STEP_NS);
        i915_device_tick(device);
    }
    return 0;
}

static struct i915_request *new_request(const struct i915_work *work)
{
    struct i915_request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    if (work->object_count) {
        request->objects = calloc(work->object_count, sizeof(struct i915_object *));
        if (!request->objects) {
            free(request);
            return NULL;
        }
    }
    for (size_t i = 0; i < work->object_count; i++)
        request->objects[i] = i915_object_hold(work->objects[i]);
    request->object_count = work->object_count;
    request->context = work->context;
    request->context->references++;
    if (work->batch)
        request->batch = i915_object_hold(work->batch);
    return request;
}

static void append(struct i915_device *device, struct i915_request *request)
{
    struct i915_engine *engine = &device->engine;
    if (engine->last)
        engine->last->next = request;
    else
        engine->first = request;
    engine->last = request;
    if (engine->first == request)
        engine->since_ns = now_ns(device);
}

int i915_engine_submit(struct i915_device *device, const struct i915_work *work, uint64_t *fence)
{
    struct batch batch = {.wide = has_execlists(device)};
    if (work->context->banned)
        return -EIO;
    int result = i915_context_prepare(work->context);
    if (result < 0)
        return result;
    struct ring ring = ring_of(device, work->context);
    write_commands(device, work, device->engine.issued + 1, &batch);
    result = batch.bytes.broken
                 ? -ENOMEM
                 : wait_for_space(device, &ring, work->context, batch.bytes.size, work->privileged);
    struct i915_request *request = result < 0 ? NULL : new_request(work);
    if (request) {
        request->seqno = *fence = ++device->engine.issued;
        request->ring_start = *ring.tail;
        put_in_ring(&ring, &batch);
        request->ring_end = *ring.tail;
        append(device, request);
        kick(device);
    } else if (result == 0) {
        result = -ENOMEM;
    }
    buffer_fini(&batch.bytes);
    return result;
}

/* ---- hangs ----------------------------------------------------------------------------------- */

/* Skips the first request, which took too long, and counts a hang for its context. */
static void reset(struct i915_device *device)
{
    struct i915_engine *engine = &device->engine;
    struct i915_request *guilty = engine->first;
    struct i915_context *context = guilty->context;
    engine->resets++;
    context->hangs++;
    if (context->not_recoverable || (!context->not_bannable && context->hangs >= BANNED_AFTER))
        context->banned = true;
    for (struct i915_request *r = guilty->next; r; r = r->next)
        if (r->context != context)
            r->context->innocent++;
    device->hardware.reset_render(device->hardware.closure);
    store_le32(engine->status->bytes + STATUS_SEQNO, (uint32_t)guilty->seqno);
    engine->ports[0] = engine->ports[1] = NULL;
    if (has_execlists(device)) {
        i915_image_set(context, IMAGE_RING_HEAD, guilty->ring_end);
        for (struct i915_request *r = guilty; r; r = r->next)
            r->context->submitted_id = 0; /* the hardware has released all contexts */
    } else {
        start_ring(device, guilty->ring_end);
    }
}

void i915_engine_tick(struct i915_device *device)
{
    struct i915_engine *engine = &device->engine;
    retire(device);
    if (engine->first && now_ns(device) - engine->since_ns >= device->settings.hang_ns) {
        reset(device);
        retire(device);
    }
    if (engine->first && has_execlists(device))
        kick(device);
}

int i915_engine_wait(struct i915_device *device, uint64_t fence, uint64_t until_ns)
{
    while (!i915_fence_done(device, fence)) {
        uint64_t now = now_ns(device);
        if (now >= until_ns)
            return -ETIME;
        int result = sleep_lightly(device, min_u64(until_ns - now, STEP_NS));
        if (result < 0)
            return result;
        i915_device_tick(device);
    }
    return 0;
}

void i915_engine_finish(struct i915_device *device, uint64_t fence)
{
    while (!i915_fence_done(device, fence)) {
        sleep_through(device, STEP_NS);
        i915_device_tick(device);
    }
}
