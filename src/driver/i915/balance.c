/* SPDX-License-Identifier: MIT */
/*
 * Balancing: an index of an engine map can stand for several engines of a class. Its requests run
 * in order, on the engine that is free first, or on one that they may preempt. After they were
 * preempted they may continue on another one. Their state moves with them.
 */
#include "driver/i915/device.h"

/* ---- moving ---------------------------------------------------------------------------------- */

static bool is_active(const struct i915_state *state)
{
    const struct i915_request *active = i915_engine_active(state->engine);
    return active && active->state == state;
}

static bool is_free(const struct i915_state *state)
{
    return !is_active(state) && !i915_state_in_hardware(state);
}

/* Inserts a request by its number. */
static void insert(struct i915_engine *engine, struct i915_request *request)
{
    struct i915_request **link = &engine->first;
    while (*link && (*link)->number < request->number)
        link = &(*link)->next;
    request->next = *link;
    *link = request;
    if (!request->next)
        engine->last = request;
}

void i915_state_move(struct i915_state *state, struct i915_engine *to)
{
    struct i915_engine *from = state->engine;
    struct i915_request **link = &from->first, *r;
    i915_usage_update(state);
    if (state->image)
        i915_image_move(state, to);
    i915_lists_forget(state);
    from->last = NULL;
    while ((r = *link)) {
        if (r->state != state) {
            from->last = r;
            link = &r->next;
            continue;
        }
        *link = r->next;
        i915_schedule_remove(r);
        r->queued = false;
        insert(to, r);
    }
    state->engine = to;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static unsigned length(const struct i915_engine *engine)
{
    unsigned count = 0;
    for (const struct i915_request *r = engine->first; r; r = r->next)
        count++;
    return count;
}

static bool has_requests(const struct i915_state *state)
{
    for (const struct i915_request *r = state->engine->first; r; r = r->next)
        if (r->state == state)
            return true;
    return false;
}

static bool may_move(const struct i915_state *state, const struct i915_engine *to)
{
    return to != state->engine && state->siblings >> to->hardware->id & 1;
}

void i915_state_place(struct i915_state *state)
{
    struct i915_engine *best = state->engine;
    if (!state->siblings || has_requests(state) || !is_free(state))
        return;
    FOR_ENGINES(struct i915_engine, engine, best->device)
    if (may_move(state, engine) && length(engine) < length(best))
        best = engine;
    if (best != state->engine)
        i915_state_move(state, best);
}

/* Returns the first request in the queue of an engine that waits for another one, and may run on
 * `to`. */
static struct i915_request *find(const struct i915_engine *engine, const struct i915_engine *to)
{
    struct i915_request *r = i915_engine_active(engine) ? engine->front : NULL;
    while (r && !(may_move(r->state, to) && is_free(r->state)))
        r = r->behind;
    return r;
}

struct i915_request *i915_balance_rival(const struct i915_engine *engine, int64_t priority)
{
    struct i915_request *best = NULL;
    if (!engine->device->balances)
        return NULL;
    FOR_ENGINES(const struct i915_engine, other, engine->device)
    {
        struct i915_request *r = other == engine ? NULL : find(other, engine);
        if (r && r->priority >= priority &&
            (!best || r->priority > best->priority ||
             (r->priority == best->priority && r->number < best->number)))
            best = r;
    }
    return best;
}

/* An idle engine takes any request; another one only what it lets preempt all that it has. */
void i915_balance(struct i915_engine *engine)
{
    const struct i915_request *active = i915_engine_active(engine), *front = engine->front;
    int64_t priority = front ? (int64_t)front->priority + 1 : INT64_MIN;
    struct i915_request *r = engine->pulse_ns ? NULL : i915_balance_rival(engine, priority);
    if (r && (!active || i915_schedule_may_switch(active, r)))
        i915_state_move(r->state, engine);
}
