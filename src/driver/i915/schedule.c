/* SPDX-License-Identifier: MIT */
/*
 * Which request an engine with execution lists runs next: that of the highest priority, among these
 * the one that was ready first. A request is ready when those of other engines that it waits for
 * are complete, and those of its own engine are in the queue. They get its priority, if theirs is
 * lower. Where the platform preempts, a request of a higher priority interrupts one of a lower one,
 * and contexts of the same priority take turns.
 */
#include "driver/i915/device.h"

#define MS_NS      UINT64_C(1000000)
#define PREEMPT_MS 640

uint32_t i915_engine_default_preempt_ms(const struct i915_engine *engine)
{
    bool endless = engine->device->platform->endless_render && engine->hardware->id == CS_RCS0;
    return endless ? 0 : PREEMPT_MS;
}

void i915_engine_set_timeslice(struct i915_device *device, const char *name, uint32_t ms)
{
    struct i915_engine *engine = i915_engine_named(device, name);
    if (engine)
        engine->timeslice_ms = ms;
}

void i915_engine_set_preemption(struct i915_device *device, const char *name, uint32_t ms)
{
    struct i915_engine *engine = i915_engine_named(device, name);
    if (engine)
        engine->preempt_ms = ms;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Whether the requests of a fence are complete or, with `begins`, have begun. Of those of its own
 * engine it is enough that they are queued: lists.c keeps the order. */
static bool has_reached(const struct i915_request *request, uint64_t fence, bool begins)
{
    const struct i915_engine *own = request->state->engine;
    for (size_t i = 0; fence && i < i915_fence_count(own->device, fence); i++) {
        const struct i915_request *r = i915_fence_pending(own->device, fence, i);
        if (r && !(r->state->engine == own ? r->queued : begins && r->began))
            return false;
    }
    return true;
}

/* A software fence is never submitted, so what follows it waits for it, too. */
static bool waits_for_software(const struct i915_device *device, const struct i915_request *request)
{
    return !i915_fence_done(device, request->waits.of[I915_SOFTWARE]) ||
           !i915_fence_done(device, request->follows.of[I915_SOFTWARE]);
}

/* A request that has waited for too long runs, but its fence has an error. */
static void expire(struct i915_device *device, struct i915_request *request)
{
    request->waits.of[I915_SOFTWARE] = request->follows.of[I915_SOFTWARE] = 0;
    i915_fence_fail(device, request->fence, -ETIMEDOUT);
}

bool i915_request_waits(struct i915_device *device, struct i915_request *request)
{
    if (waits_for_software(device, request)) {
        if (now_ns(device) < request->expires_ns)
            return true;
        expire(device, request);
    }
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (!has_reached(request, request->waits.of[id], false) ||
            !has_reached(request, request->follows.of[id], true))
            return true;
    return false;
}

bool i915_request_any_before(const struct i915_request *request, i915_before *is, void *closure)
{
    const struct i915_device *device = request->state->engine->device;
    struct i915_request *previous = NULL;
    for (struct i915_request *r = request->state->engine->first; r != request; r = r->next)
        if (r->state == request->state)
            previous = r;
    if (previous && is(previous, closure))
        return true;
    for (unsigned id = 0; id < CS_ENGINES; id++)
        for (size_t i = 0; i < i915_fence_count(device, request->waits.of[id]); i++) {
            struct i915_request *r = i915_fence_pending(device, request->waits.of[id], i);
            if (r && is(r, closure))
                return true;
        }
    return false;
}

/* Whether a request waits for software, directly or through others. The answer is kept until the
 * next look. */
static bool is_held(struct i915_request *request, void *closure)
{
    struct i915_device *device = request->state->engine->device;
    if (request->look != device->held_looks) {
        request->look = device->held_looks;
        request->held = (!request->submitted && waits_for_software(device, request)) ||
                        i915_request_any_before(request, is_held, closure);
    }
    return request->held;
}

uint64_t i915_engine_unheld(struct i915_engine *engine)
{
    struct i915_device *device = engine->device;
    uint64_t fence = 0;
    if (!i915_device_has_software(device))
        return i915_engine_all(engine);
    device->held_looks++;
    for (struct i915_request *r = engine->first; r; r = r->next)
        if (!is_held(r, NULL))
            i915_fence_add(device, &fence, r->fence);
    return fence;
}

/* ---- the queue ------------------------------------------------------------------------------- */

static void unlink_request(struct i915_request *request)
{
    struct i915_engine *engine = request->state->engine;
    *(request->ahead ? &request->ahead->behind : &engine->front) = request->behind;
    *(request->behind ? &request->behind->ahead : &engine->back) = request->ahead;
    request->ahead = request->behind = NULL;
}

/* Inserts a request behind all of its priority. */
static void insert(struct i915_request *request)
{
    struct i915_engine *engine = request->state->engine;
    struct i915_request *ahead = engine->back;
    while (ahead && ahead->priority < request->priority)
        ahead = ahead->ahead;
    request->ahead = ahead;
    request->behind = ahead ? ahead->behind : engine->front;
    *(request->ahead ? &request->ahead->behind : &engine->front) = request;
    *(request->behind ? &request->behind->ahead : &engine->back) = request;
}

/* The requests of a state are queued in order. */
void i915_schedule_queue(struct i915_engine *engine)
{
    engine->looks++;
    for (struct i915_request *r = engine->first; r; r = r->next) {
        if (r->queued || r->state->blocked == engine->looks)
            continue;
        if (i915_request_waits(engine->device, r)) {
            r->state->blocked = engine->looks;
            continue;
        }
        r->queued = true;
        insert(r);
    }
}

void i915_schedule_remove(struct i915_request *request)
{
    if (request->queued)
        unlink_request(request);
}

/* ---- priorities ------------------------------------------------------------------------------ */

struct wish {
    struct i915_request *first; /* of the requests to raise: the latest one */
    int32_t priority;
};

/* Adds a request to those to raise, unless its priority is high enough. */
static bool want(struct i915_request *request, void *closure)
{
    struct wish *wish = closure;
    struct i915_request **link = &wish->first;
    while (*link && (*link)->number > request->number)
        link = &(*link)->raised;
    if (*link != request && request->priority < wish->priority) {
        request->raised = *link;
        *link = request;
    }
    return false;
}

/* Requests wait for earlier ones only. These are raised from the latest on, and queued again from
 * the earliest on. */
void i915_schedule_add(struct i915_request *request)
{
    struct wish wish = {NULL, request->priority};
    struct i915_request *raised = NULL, *next;
    i915_request_any_before(request, want, &wish);
    while (wish.first) {
        struct i915_request *r = wish.first;
        wish.first = r->raised;
        r->priority = wish.priority;
        if (r->queued)
            unlink_request(r);
        r->raised = raised;
        raised = r;
        i915_request_any_before(r, want, &wish);
    }
    for (; raised; raised = next) {
        next = raised->raised;
        raised->raised = NULL;
        if (raised->queued)
            insert(raised);
    }
}

/* ---- preemption ------------------------------------------------------------------------------ */

static bool is_preemptible(const struct i915_request *request)
{
    return request->state->engine->device->platform->preempts &&
           !request->state->context->not_preemptible;
}

/* Among priorities below the default one, nothing is interrupted. */
bool i915_schedule_may_switch(const struct i915_request *active, const struct i915_request *to)
{
    bool is_higher =
        to->priority > active->priority && to->priority >= I915_CONTEXT_DEFAULT_PRIORITY;
    return is_preemptible(active) && (is_higher || active->number == active->state->engine->yields);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Whether another context waits for the engine of the active request, or could run there. */
static bool has_rival(const struct i915_request *active)
{
    const struct i915_engine *engine = active->state->engine;
    for (const struct i915_request *r = engine->front; r && r->priority >= active->priority;
         r = r->behind)
        if (r->state != active->state)
            return true;
    return i915_balance_rival(engine, active->priority);
}

/* Moves a state's requests behind those of their priority, and behind one that waits for another
 * engine. */
static void yield(struct i915_request *active)
{
    struct i915_engine *engine = active->state->engine;
    struct i915_request *last = active, *next = active, *r;
    struct i915_request *rival = i915_balance_rival(engine, active->priority);
    engine->yields = active->number;
    if (rival) {
        i915_state_move(rival->state, engine);
        i915_schedule_queue(engine);
    }
    while (last->behind && last->behind->priority == active->priority)
        last = last->behind;
    do {
        r = next;
        next = r->behind;
        if (r->state == active->state) {
            unlink_request(r);
            insert(r);
        }
    } while (r != last);
}

static uint64_t slice_ends(const struct i915_engine *engine)
{
    const struct i915_request *active = i915_engine_active(engine);
    if (!active || engine->leaves || engine->pulse_ns || !engine->timeslice_ms ||
        !is_preemptible(active) || !has_rival(active))
        return UINT64_MAX;
    return engine->slice_ns + engine->timeslice_ms * MS_NS;
}

bool i915_schedule_tick(struct i915_engine *engine)
{
    uint64_t now = now_ns(engine->device);
    if (now >= slice_ends(engine)) {
        yield(i915_engine_active(engine));
        engine->slice_ns = now;
    }
    return engine->leaves && !engine->pulse_ns && engine->preempt_ms &&
           now >= engine->list_ns + engine->preempt_ms * MS_NS && i915_engine_active(engine);
}

/* Looks for the end of a preemption. */
uint64_t i915_schedule_next_ns(const struct i915_engine *engine)
{
    if (!has_execlists(engine->device))
        return UINT64_MAX;
    if (engine->leaves && !engine->pulse_ns)
        return next_look_ns(engine->device, engine->list_ns);
    return slice_ends(engine);
}
