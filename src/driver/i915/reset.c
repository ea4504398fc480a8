/* SPDX-License-Identifier: MIT */
/*
 * Hangs: which context is to blame, when contexts and clients are banned, and resets of engines or
 * of the whole GPU, with the rules of the public i915 driver.
 */
#include "driver/i915/device.h"

#define SECOND_NS       UINT64_C(1000000000)
#define CONTEXT_FAST_NS (120 * SECOND_NS) /* the third hang within this time bans a context */
#define CLIENT_FAST_NS  (60 * SECOND_NS)

/* What a client is charged for, and from when on it gets no contexts. */
enum { SCORE_FAST_HANG = 1, SCORE_BANNED_CONTEXT = 3, SCORE_BANNED = 9 };

/* ---- blame ----------------------------------------------------------------------------------- */

bool i915_file_is_banned(const struct i915_file *file)
{
    return file->ban_score >= SCORE_BANNED;
}

static void charge(struct i915_file *file, bool banned, uint64_t now)
{
    if (banned)
        file->ban_score += SCORE_BANNED_CONTEXT;
    if (now < file->hang_ns + CLIENT_FAST_NS)
        file->ban_score += SCORE_FAST_HANG;
    file->hang_ns = now;
}

/* A ban is for the context on this engine. One that is closed is banned by its first hang. */
static void blame(struct i915_state *state)
{
    struct i915_context *context = state->context;
    uint64_t now = now_ns(context->device), earliest = context->hang_ns[0];
    context->hangs++;
    state->banned = state->banned || context->closed;
    if (context->not_bannable || context->closed)
        return;
    context->hang_ns[0] = context->hang_ns[1];
    context->hang_ns[1] = now;
    bool banned = context->not_recoverable || (earliest && now < earliest + CONTEXT_FAST_NS);
    if (banned)
        state->banned = true;
    if (context->file)
        charge(context->file, banned, now);
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* Ends a request without executing its batch, which the hardware has not reached. */
static void cancel(struct i915_request *request)
{
    i915_request_empty(request);
    i915_fence_fail(request->state->engine->device, request->fence, -EIO);
}

/* Skips the request that runs, and cancels the others of a context that is banned. */
static void reset_engine(struct i915_engine *engine)
{
    struct i915_request *active = i915_engine_active(engine);
    engine->resets++;
    if (active) {
        blame(active->state);
        active->skipped = true;
        for (struct i915_request *r = active->next; r && active->state->banned; r = r->next)
            if (r->state == active->state)
                cancel(r);
    }
    i915_engine_skip(engine);
}

/* Ends all requests. Only execution lists know which of them hung: those that run on `engines`. */
static void lose(struct i915_device *device, unsigned engines)
{
    FOR_ENGINES(struct i915_engine, engine, device)
    {
        const struct i915_request *active = i915_engine_active(engine);
        if (!engine->first)
            continue;
        if (engines >> engine->hardware->id & 1 && has_execlists(device) && active)
            blame(active->state);
        engine->resets++;
        for (struct i915_request *r = engine->first; r; r = r->next)
            r->skipped = true;
        i915_engine_skip(engine);
    }
    device->wedged = true;
}

/* Resets the GPU because of some engines. The requests of others run again. */
static void reset_gpu(struct i915_device *device, unsigned engines)
{
    device->wedged = false;
    device->full_resets++;
    if (device->reset_level == I915_RESET_NONE) {
        lose(device, engines);
        return;
    }
    FOR_ENGINES(struct i915_engine, engine, device)
    {
        const struct i915_request *active = i915_engine_active(engine);
        if (!active)
            continue;
        if (engines >> engine->hardware->id & 1)
            reset_engine(engine);
        else
            active->state->context->innocent++;
    }
}

static bool resets_engines(const struct i915_device *device)
{
    return device->reset_level == I915_RESET_ENGINES && !device->wedged;
}

void i915_reset(struct i915_device *device, unsigned engines)
{
    i915_error_capture(device, engines);
    if (!resets_engines(device)) {
        if (engines)
            reset_gpu(device, engines);
        return;
    }
    FOR_ENGINES(struct i915_engine, engine, device)
    if (engines >> engine->hardware->id & 1 && (i915_engine_active(engine) || engine->pulse_ns))
        reset_engine(engine);
}

/* ---- contexts that are closed ---------------------------------------------------------------- */

static bool is_of(const struct i915_request *request, const struct i915_context *context)
{
    return context ? request->state->context == context : request->state->context->closed;
}

/* Ends the requests of a context, or those of all closed ones (NULL), on an engine, which is reset
 * without blame. */
static void end_requests(struct i915_engine *engine, const struct i915_context *context)
{
    struct i915_request *active = i915_engine_active(engine);
    for (struct i915_request *r = engine->first; r; r = r->next) {
        if (!is_of(r, context))
            continue;
        if (r == active || (has_execlists(engine->device) && !i915_state_in_hardware(r->state))) {
            r->skipped = true;
            continue;
        }
        cancel(r);
    }
    if (active && active->skipped)
        i915_engine_skip(engine);
    else
        i915_requests_skip(engine);
}

/* Requests of persistent contexts run on, where hangs are detected. */
void i915_context_end(struct i915_context *context)
{
    FOR_ENGINES(struct i915_engine, engine, context->device)
    if (context->not_persistent || i915_engine_limit_ns(engine) == UINT64_MAX)
        end_requests(engine, context);
}

void i915_engine_end_closed(struct i915_engine *engine)
{
    end_requests(engine, NULL);
}

/* ---- for the embedder ------------------------------------------------------------------------ */

void i915_device_set_reset(struct i915_device *device, enum i915_reset_level level)
{
    device->reset_level = level;
}

void i915_device_reset(struct i915_device *device, uint64_t mask)
{
    static const unsigned first[] = {[I915_ENGINE_CLASS_RENDER] = 0,
                                     [I915_ENGINE_CLASS_COPY] = 1,
                                     [I915_ENGINE_CLASS_VIDEO] = 10,
                                     [I915_ENGINE_CLASS_VIDEO_ENHANCE] = 18};
    unsigned engines = 0;
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (mask >> (first[engine->named.engine_class] + engine->hardware->instance) & 1)
        engines |= 1u << engine->hardware->id;
    i915_reset(device, engines);
}

void i915_device_wedge(struct i915_device *device)
{
    lose(device, 0);
}

bool i915_device_is_wedged(const struct i915_device *device)
{
    return device->wedged;
}

void i915_device_recover(struct i915_device *device)
{
    if (device->wedged)
        reset_gpu(device, 0);
}
