/* SPDX-License-Identifier: MIT */
/*
 * The requests of an engine: each is a batch, followed by a write of its number to a status page. A
 * request that uses an object after a request of another engine waits until that one is complete;
 * the driver submits it only then. Before Gen8 an engine has one ring, in which all requests are
 * complete in order; those of the render engine begin with MI_SET_CONTEXT. From Gen8 on each
 * context has a ring for each engine, is complete by itself, and is submitted in execution lists
 * (schedule.c, lists.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/batch.h"
#include "intel/symbols.h"

#define LEGACY_RING_BYTES (16 * PAGE_BYTES)
#define CONTEXT_RING      (4 * PAGE_BYTES)
#define STATUS_NUMBER     0x100u

#define SAVE_AND_RESTORE                                                                           \
    (CS_PUT(MI_SET_CONTEXT, RESERVED_MUST_BE_1, 1) |                                               \
     CS_PUT(MI_SET_CONTEXT, RESOURCE_STREAMER_STATE_SAVE_ENABLE, 1) |                              \
     CS_PUT(MI_SET_CONTEXT, RESOURCE_STREAMER_STATE_RESTORE_ENABLE, 1))

#define STEP_NS 20000u

/* The kernel's CONFIG_DRM_I915_FENCE_TIMEOUT. */
#define SOFTWARE_NS UINT64_C(10000000000)

/* ---- completion ------------------------------------------------------------------------------ */

/* Requests write their number to the status page of their context, which is the first page of its
 * image. Before Gen8 there is only that of the engine. */
static uint32_t number_address(const struct i915_state *state)
{
    return (has_execlists(state->engine->device) ? state->image_address
                                                 : state->engine->status_address) +
           STATUS_NUMBER;
}

static uint8_t *number_at(const struct i915_state *state)
{
    const struct i915_object *page =
        has_execlists(state->engine->device) ? state->image : state->engine->status;
    return page->bytes + STATUS_NUMBER;
}

/* The page has the low half of the number of the latest request that is complete. */
bool i915_request_done(const struct i915_request *request)
{
    const struct i915_state *state = request->state;
    uint64_t issued = has_execlists(state->engine->device) ? state->issued : state->engine->issued;
    uint32_t low = load_le32(number_at(state));
    return request->number <= issued - (uint32_t)((uint32_t)issued - low);
}

struct i915_request *i915_engine_active(const struct i915_engine *engine)
{
    return engine->active;
}

/* Notes which request runs, and since when. */
static void look(struct i915_engine *engine)
{
    struct i915_request *active = engine->first;
    if (has_execlists(engine->device))
        active = i915_lists_active(engine);
    else if (active && !active->submitted)
        active = NULL;
    engine->active = active;
    if (!active || active->number == engine->since)
        return;
    active->began = true;
    engine->since = active->number;
    engine->since_ns = engine->slice_ns = now_ns(engine->device);
    engine->yields = 0;
}

/* ---- starting -------------------------------------------------------------------------------- */

static int make(struct i915_device *device, uint64_t size, struct i915_object **out, uint32_t *at)
{
    uint64_t address;
    int result = i915_object_new(device, size, out);
    if (result == 0)
        result = i915_space_insert(&device->ggtt, *out, PAGE_BYTES, UINT64_MAX, &address);
    if (result == 0)
        *at = (uint32_t)address;
    return result;
}

/* Restarts the ring with its head behind the commands to skip. The tail stays there: requests are
 * submitted again. */
static void start_ring(struct i915_engine *engine, uint32_t head)
{
    struct i915_device *device = engine->device;
    i915_wake_get_engine(engine);
    write32(device, register_of(engine, RING_CTL), 0);
    write32(device, register_of(engine, RING_START), engine->ring_address);
    write32(device, register_of(engine, RING_HEAD), head);
    write32(device, register_of(engine, RING_TAIL), head);
    write32(device, register_of(engine, RING_CTL),
            (LEGACY_RING_BYTES - PAGE_BYTES) | REG_PUT(RING_CTL, RING_ENABLE, 1));
    i915_wake_put_engine(engine);
}

/* Returns the address of the register for the status page (OA-11.10). Before Gen8 it is among the
 * engine's own registers, or those of all engines are together. */
static uint32_t status_register(const struct i915_engine *engine)
{
    static const uint32_t together[CS_ENGINES] = {[CS_BCS0] = GEN7_COPY_HWS_PGA,
                                                  [CS_VCS0] = GEN7_VIDEO_HWS_PGA,
                                                  [CS_VECS0] = HSW_VIDEO_ENHANCE_HWS_PGA};
    uint32_t revision = INTEL_BIT(engine->device->platform->revision);
    uint32_t own = register_of(engine, GEN6_RING_HWS_PGA);
    struct reg_place place;
    if (has_execlists(engine->device))
        return register_of(engine, RING_HWS_PGA);
    if (engine->hardware->id == CS_RCS0)
        return GEN6_RENDER_HWS_PGA;
    return reg_find(&engine->hardware->map, revision, UINT_MAX, own, REG_WRITE, &place)
               ? own
               : together[engine->hardware->id];
}

static void set_status(const struct i915_engine *engine)
{
    i915_wake_get_engine(engine);
    write32(engine->device, status_register(engine), engine->status_address);
    i915_wake_put_engine(engine);
}

static int start(struct i915_engine *engine)
{
    struct i915_device *device = engine->device;
    int result = make(device, PAGE_BYTES, &engine->status, &engine->status_address);
    if (result == 0 && !has_execlists(device))
        result = make(device, LEGACY_RING_BYTES, &engine->ring, &engine->ring_address);
    if (result < 0)
        return result;
    set_status(engine);
    if (has_execlists(device))
        i915_lists_reset(engine);
    else
        start_ring(engine, 0);
    return 0;
}

int i915_engines_init(struct i915_device *device)
{
    int result = 0;
    i915_engines_name(device);
    FOR_ENGINES(struct i915_engine, engine, device)
    {
        engine->heartbeat_ms = I915_HEARTBEAT_MS;
        engine->timeslice_ms = I915_TIMESLICE_MS;
        engine->preempt_ms = i915_engine_default_preempt_ms(engine);
        result = result < 0 ? result : start(engine);
    }
    return result;
}

/* ---- retiring -------------------------------------------------------------------------------- */

static bool has_object(const struct i915_request *request, const struct i915_object *object)
{
    for (size_t i = 0; i < request->object_count; i++)
        if (request->objects[i] == object)
            return true;
    return false;
}

bool i915_engines_use(struct i915_device *device, const struct i915_space *space,
                      const struct i915_object *object)
{
    FOR_ENGINES(const struct i915_engine, engine, device)
    for (const struct i915_request *r = engine->first; r; r = r->next)
        if (i915_context_space(r->state->context) == space && has_object(r, object))
            return true;
    return false;
}

/* Unmaps an object without a handle after the last request that uses it in the address space. */
static void leave(struct i915_device *device, struct i915_request *request,
                  struct i915_object *object)
{
    struct i915_space *space = i915_context_space(request->state->context);
    if (object->closed && !i915_engines_use(device, space, object))
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
    i915_context_drop(request->state->context);
    free(request);
}

static void remove_request(struct i915_request **link)
{
    struct i915_request *request = *link;
    struct i915_engine *engine = request->state->engine;
    i915_usage_update(request->state);
    *link = request->next;
    i915_schedule_remove(request);
    free_request(engine->device, request);
}

void i915_engines_fini(struct i915_device *device)
{
    FOR_ENGINES(struct i915_engine, engine, device)
    {
        while (engine->first)
            remove_request(&engine->first);
        i915_object_drop(engine->status);
        i915_object_drop(engine->ring);
        *engine = (struct i915_engine){0};
    }
    i915_joints_fini(device);
}

static void retire(struct i915_engine *engine)
{
    struct i915_request **link = &engine->first;
    i915_joints_retire(engine->device, engine->hardware->id);
    engine->last = NULL;
    while (*link) {
        if (i915_request_done(*link)) {
            i915_trace_request(*link, I915_REQUEST_RETIRE);
            engine->interrupts++;
            remove_request(link);
        } else {
            engine->last = *link;
            link = &(*link)->next;
        }
    }
    if (has_execlists(engine->device))
        i915_lists_look(engine);
    look(engine);
}

/* ---- submitting ------------------------------------------------------------------------------ */

/* Moves the tail behind the requests that are ready. */
static void submit_ring(struct i915_engine *engine)
{
    const struct i915_request *ready = NULL;
    for (struct i915_request *r = engine->first; r; r = r->next) {
        if (r->submitted)
            continue;
        if (i915_request_waits(engine->device, r))
            break;
        r->submitted = true;
        ready = r;
    }
    if (ready)
        write32(engine->device, register_of(engine, RING_TAIL), ready->ring_end);
}

/* What is complete is retired first: the hardware is not beyond the requests that remain. */
static void submit(struct i915_engine *engine)
{
    retire(engine);
    i915_balance(engine);
    if (!engine->first)
        return;
    if (has_execlists(engine->device)) {
        i915_schedule_queue(engine);
        i915_lists_submit(engine);
    } else {
        submit_ring(engine);
    }
    look(engine);
}

bool i915_engine_waits(const struct i915_engine *engine)
{
    const struct i915_request *r = engine->first;
    while (r && r->submitted)
        r = r->next;
    return r != NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Waits for the commands before it. */
static void write_flush(const struct i915_engine *engine, struct batch *batch)
{
    if (engine->hardware->id == CS_RCS0)
        batch_flush(batch);
    else
        batch_flush_dw(batch);
}

/* A context must not be preempted between the end of a batch and the write of its number. */
static void arbitrate(const struct i915_engine *engine, struct batch *batch, bool enable)
{
    if (engine->device->platform->preempts)
        batch_dword(batch, MI_ARB_ON_OFF | CS_PUT(MI_ARB_ON_OFF, ARBITRATION_ENABLE, enable));
}

/* I915_EXEC_GEN7_SOL_RESET: a command with an even number of dwords. */
#define STREAM_DWORDS (2 + 2 * SO_WRITE_OFFSET__COUNT)
static void reset_streams(struct batch *batch)
{
    batch_dword(batch, CS_HEADER(MI_LOAD_REGISTER_IMM, 1 + 2 * SO_WRITE_OFFSET__COUNT));
    for (uint32_t i = 0; i < SO_WRITE_OFFSET__COUNT; i++) {
        batch_dword(batch, REG_ELEMENT(SO_WRITE_OFFSET, i));
        batch_dword(batch, 0);
    }
    batch_dword(batch, MI_NOOP);
}

/* Returns the offset of the dword for the request's number. */
static size_t write_commands(const struct i915_work *work, struct batch *batch)
{
    const struct i915_engine *engine = work->state->engine;
    uint32_t flags = work->privileged ? 0 : JUMP_PPGTT;
    if (!has_execlists(engine->device)) {
        if (engine->hardware->id == CS_RCS0) {
            batch_dword(batch, CS_HEADER(MI_SET_CONTEXT, 2));
            batch_dword(batch, work->state->image_address | SAVE_AND_RESTORE);
        }
        flags |= work->privileged ? 0 : JUMP_UNPRIVILEGED;
    }
    if (work->resets_streams)
        reset_streams(batch);
    batch_jump(batch, work->address, flags);
    arbitrate(engine, batch, false);
    write_flush(engine, batch);
    batch_store(batch, number_address(work->state), 0);
    size_t number_at = batch->bytes.size - 4;
    batch_dword(batch, MI_USER_INTERRUPT);
    arbitrate(engine, batch, true);
    if (batch->bytes.size % 8)
        batch_dword(batch, MI_NOOP);
    return number_at;
}

/* Bytes of commands in front of the jump to a batch. */
static uint32_t batch_offset(const struct i915_request *request)
{
    const struct i915_engine *engine = request->state->engine;
    bool sets_context = !has_execlists(engine->device) && engine->hardware->id == CS_RCS0;
    return (sets_context ? 8u : 0) + (request->resets_streams ? 4u * STREAM_DWORDS : 0);
}

struct ring {
    struct i915_object *object;
    uint32_t size;
    uint32_t *tail;
};

static struct ring ring_of(struct i915_state *state)
{
    struct i915_engine *engine = state->engine;
    return has_execlists(engine->device)
               ? (struct ring){state->ring, CONTEXT_RING, &state->ring_tail}
               : (struct ring){engine->ring, LEGACY_RING_BYTES, &engine->ring_tail};
}

/* Free bytes of the ring; a full ring would look empty. */
static uint32_t ring_space(const struct ring *ring, const struct i915_state *state)
{
    for (const struct i915_request *r = state->engine->first; r; r = r->next)
        if (!has_execlists(state->engine->device) || r->state == state)
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

void i915_state_append(struct i915_state *state, const struct batch *batch)
{
    struct ring ring = ring_of(state);
    put_in_ring(&ring, batch);
}

void i915_request_empty(const struct i915_request *request)
{
    const struct i915_engine *engine = request->state->engine;
    struct ring ring = ring_of(request->state);
    uint32_t dwords = has_execlists(engine->device) ? 3 : 2;
    for (uint32_t i = 0; i < dwords; i++) {
        uint32_t at = request->ring_start + batch_offset(request) + 4 * i;
        store_le32(ring.object->bytes + (at & (ring.size - 1)), MI_NOOP);
    }
}

/* Returns the fence of the oldest request in the ring of a state. */
static uint64_t oldest_in_ring(const struct i915_state *state)
{
    const struct i915_engine *engine = state->engine;
    const struct i915_request *r = engine->first;
    while (r && has_execlists(engine->device) && r->state != state)
        r = r->next;
    return r ? r->fence : 0;
}

/* Waits for free bytes in the ring. Signals do not interrupt the driver's own requests. */
static int wait_for_space(const struct ring *ring, const struct i915_state *state, size_t bytes,
                          bool own)
{
    struct i915_device *device = state->engine->device;
    while (ring_space(ring, state) < bytes) {
        if (own) {
            sleep_through(device, STEP_NS);
            i915_device_tick(device);
            continue;
        }
        struct i915_wait wait = i915_wait_for(oldest_in_ring(state));
        int result = i915_wait_step(device, &wait);
        if (result < 0)
            return result;
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
    request->state = work->state;
    request->batch_address = work->address;
    request->resets_streams = work->resets_streams;
    request->priority = work->state->context->priority;
    request->waits = work->waits;
    request->follows = work->follows;
    request->expires_ns = now_ns(work->state->engine->device) + SOFTWARE_NS;
    work->state->context->references++;
    if (work->batch)
        request->batch = i915_object_hold(work->batch);
    return request;
}

/* With execution lists a timeline has a number for the begin of each request, too. */
static void number_request(struct i915_request *request)
{
    struct i915_state *state = request->state;
    struct i915_device *device = state->engine->device;
    if (!state->timeline)
        state->timeline = ++device->timelines;
    state->seqno += has_execlists(device) ? 2 : 1;
    request->seqno = state->seqno;
}

static void append(struct i915_engine *engine, struct i915_request *request)
{
    if (engine->last)
        engine->last->next = request;
    else
        engine->first = request;
    engine->last = request;
    engine->issued = request->state->issued = request->number;
}

/* Requests of the driver run after all that came before, except those that wait for software, and
 * before all that come later. */
static void put_first(struct i915_request *request)
{
    struct i915_engine *engine = request->state->engine;
    request->priority = INT32_MAX;
    if (has_execlists(engine->device))
        i915_fences_add(engine->device, &request->waits, i915_engine_unheld(engine));
}

int i915_engine_submit(struct i915_device *device, const struct i915_work *work, uint64_t *fence)
{
    struct i915_state *state = work->state;
    struct batch batch = {.wide = has_execlists(device)};
    if (state->banned || device->wedged)
        return -EIO;
    int result = i915_state_prepare(state);
    if (result < 0)
        return result;
    struct ring ring = ring_of(state);
    size_t number_at = write_commands(work, &batch), bytes = batch.bytes.size;
    result = batch.bytes.broken ? -ENOMEM : wait_for_space(&ring, state, bytes, work->privileged);
    struct i915_request *request = result < 0 ? NULL : new_request(work);
    if (request) {
        struct i915_engine *engine = state->engine; /* it may have moved meanwhile */
        request->number = ++device->requests;
        store_le32(batch.bytes.bytes + number_at, (uint32_t)request->number);
        *fence = request->fence = fence_of(request->number, engine->hardware->id);
        request->ring_start = *ring.tail;
        put_in_ring(&ring, &batch);
        request->ring_end = *ring.tail;
        number_request(request);
        if (!work->privileged)
            i915_trace_queue(request, work->flags);
        i915_trace_request(request, I915_REQUEST_ADD);
        if (work->privileged)
            put_first(request);
        append(engine, request);
        i915_schedule_add(request);
        if (!work->privileged)
            engine->client_request = request->number;
        submit(engine);
    } else if (result == 0) {
        result = -ENOMEM;
    }
    buffer_fini(&batch.bytes);
    return result;
}

/* ---- skipping -------------------------------------------------------------------------------- */

void i915_requests_skip(struct i915_engine *engine)
{
    for (const struct i915_request *r = engine->first; r; r = r->next) {
        if (!r->skipped)
            continue;
        i915_fence_fail(engine->device, r->fence, -EIO);
        store_le32(number_at(r->state), (uint32_t)r->number);
        if (!has_execlists(engine->device))
            continue;
        i915_image_set(r->state, IMAGE_RING_HEAD, r->ring_end);
        i915_image_set(r->state, IMAGE_BATCH, 0); /* it may have been preempted there */
    }
    retire(engine);
}

void i915_engine_skip(struct i915_engine *engine)
{
    struct i915_device *device = engine->device;
    uint32_t head = 0;
    device->hardware.reset_engine(device->hardware.io.closure, engine->hardware->name);
    set_status(engine);
    i915_pulse_reset(engine);
    for (struct i915_request *r = engine->first; r; r = r->next) {
        i915_usage_reset(r->state);
        r->submitted = false;
        head = r->skipped ? r->ring_end : head;
    }
    if (has_execlists(device))
        i915_lists_reset(engine);
    else
        start_ring(engine, head);
    i915_requests_skip(engine);
}

/* ---- time ------------------------------------------------------------------------------------ */

void i915_engines_tick(struct i915_device *device)
{
    FOR_ENGINES(struct i915_engine, engine, device)
    {
        retire(engine);
        i915_pulse_tick(engine);
        if (now_ns(device) >= i915_engine_hangs_at(engine) || i915_schedule_tick(engine))
            i915_reset(device, 1u << engine->hardware->id);
    }
    FOR_ENGINES(struct i915_engine, engine, device)
    submit(engine);
}

uint64_t i915_device_interrupts(const struct i915_device *device)
{
    uint64_t interrupts = 0;
    FOR_ENGINES(const struct i915_engine, engine, device)
    interrupts += engine->interrupts;
    return interrupts;
}

bool i915_device_is_idle(const struct i915_device *device)
{
    FOR_ENGINES(const struct i915_engine, engine, device)
    for (const struct i915_request *r = engine->first; r; r = r->next)
        if (!i915_request_done(r))
            return false;
    return true;
}
