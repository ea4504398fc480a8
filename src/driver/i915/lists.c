/* SPDX-License-Identifier: MIT */
/*
 * Execution lists (Gen8 and later): up to two contexts are submitted together to an engine. A list
 * replaces the one before when the hardware can preempt that; until then, contexts of both may be
 * in the hardware. The context status buffer shows when it has taken a list. A context that the
 * hardware has may be submitted as the first element only, or again as the second one. One that
 * could run on another engine is the first element, so that it does not wait here.
 */
#include "base/bits.h"
#include "driver/i915/device.h"

#define DESCRIPTOR_FLAGS                                                                           \
    (REG_PUT(CTX_DESCRIPTOR, VALID, 1) | REG_PUT(CTX_DESCRIPTOR, ADDRESSING, 3) |                  \
     REG_PUT(CTX_DESCRIPTOR, PRIVILEGE, 1))

#define TAGS 0x7fdu

/* ---- the hardware's state -------------------------------------------------------------------- */

static bool is_one_of(struct i915_state *const ports[2], const struct i915_state *state)
{
    return ports[0] == state || ports[1] == state;
}

/* The hardware has saved a context that it is done with: the head is the tail. */
bool i915_state_in_hardware(const struct i915_state *state)
{
    const struct i915_engine *engine = state->engine;
    return state->submitted_id &&
           (is_one_of(engine->ports, state) ||
            (engine->leaves && is_one_of(engine->leaving, state))) &&
           i915_image_get(state, IMAGE_RING_HEAD) != state->submitted_tail;
}

static struct i915_request *first_of(const struct i915_engine *engine,
                                     const struct i915_state *state)
{
    struct i915_request *r = state ? engine->first : NULL;
    while (r && (r->state != state || i915_request_done(r)))
        r = r->next;
    return r && r->submitted ? r : NULL;
}

struct i915_request *i915_lists_active(const struct i915_engine *engine)
{
    struct i915_request *active = NULL;
    for (unsigned i = 0; i < 2 && !active && engine->leaves; i++)
        active = first_of(engine, engine->leaving[i]);
    for (unsigned i = 0; i < 2 && !active; i++)
        active = first_of(engine, engine->ports[i]);
    return active;
}

/* ---- context status -------------------------------------------------------------------------- */

/* Dwords of the status page (OA-12.1). */
#define EVENTS_AT 0x10u

static uint32_t events_of(const struct i915_engine *engine)
{
    return engine->device->platform->image->status == CONTEXT_STATUS_6 ? 6 : 12;
}

/* The dword that has the index of the latest event. */
static uint8_t *latest_event(const struct i915_engine *engine)
{
    uint32_t dword = engine->device->platform->image->status == CONTEXT_STATUS_6 ? 0x1f : 0x2f;
    return engine->status->bytes + 4 * dword;
}

static bool is_new_list(const struct i915_engine *engine, uint32_t index)
{
    uint32_t event = load_le32(engine->status->bytes + 4 * (EVENTS_AT + 2 * index));
    if (engine->device->platform->image->status == CONTEXT_STATUS_SWITCHES)
        return REG_GET(GEN12_CTX_STATUS, NEW_LIST, event);
    return event & (REG_MASK(GEN8_CTX_STATUS, IDLE_ACTIVE) | REG_MASK(GEN8_CTX_STATUS, PREEMPTED));
}

/* What the hardware was preempted in, it does not have any more. */
static void take(struct i915_engine *engine)
{
    engine->starts = engine->leaves = false;
    for (struct i915_request *r = engine->first; r; r = r->next)
        r->submitted = r->submitted && is_one_of(engine->ports, r->state);
}

void i915_lists_look(struct i915_engine *engine)
{
    bool taken = false;
    while (engine->status_read != load_le32(latest_event(engine))) {
        engine->status_read = (engine->status_read + 1) % events_of(engine);
        taken = is_new_list(engine, engine->status_read) || taken;
    }
    if (taken)
        take(engine);
}

void i915_lists_forget(struct i915_state *state)
{
    struct i915_engine *engine = state->engine;
    for (unsigned i = 0; i < ARRAY_COUNT(engine->ports); i++) {
        if (engine->ports[i] == state)
            engine->ports[i] = NULL;
        if (engine->leaving[i] == state)
            engine->leaving[i] = NULL;
    }
    state->submitted_id = 0;
}

void i915_lists_reset(struct i915_engine *engine)
{
    engine->status_read = events_of(engine) - 1;
    store_le32(latest_event(engine), engine->status_read);
    engine->ports[0] = engine->ports[1] = NULL;
    engine->leaves = engine->starts = false;
    for (struct i915_request *r = engine->first; r; r = r->next)
        r->state->submitted_id = 0;
}

/* ---- choosing -------------------------------------------------------------------------------- */

struct list {
    struct {
        struct i915_state *state;
        const struct i915_request *last;
    } elements[2];
    unsigned count;
};

static void put(struct list *list, const struct i915_request *request)
{
    bool same = list->count && list->elements[list->count - 1].state == request->state;
    unsigned at = same ? list->count - 1 : list->count++;
    if (!same || request->number > list->elements[at].last->number)
        list->elements[at].last = request;
    list->elements[at].state = request->state;
}

/* Whether the requests of a fence are ahead of another one that the list gets, or complete. */
static bool are_ahead(const struct list *list, const struct i915_request *request, uint64_t fence,
                      bool begins)
{
    const struct i915_device *device = request->state->engine->device;
    for (size_t n = 0; fence && n < i915_fence_count(device, fence); n++) {
        const struct i915_request *r = i915_fence_pending(device, fence, n);
        bool ahead = !r || r->state == request->state || (begins && r->began);
        for (unsigned i = 0; i < list->count && !ahead; i++)
            ahead =
                list->elements[i].state == r->state && r->number <= list->elements[i].last->number;
        if (!ahead)
            return false;
    }
    return true;
}

/* Whether what a request waits for is complete after the list, and what it follows has begun. */
static bool is_covered(const struct list *list, const struct i915_request *request)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (!are_ahead(list, request, request->waits.of[id], false) ||
            !are_ahead(list, request, request->follows.of[id], true))
            return false;
    return true;
}

/* Whether this is so for all that the hardware has of a state: a tail does not move back. */
static bool are_covered(const struct i915_engine *engine, const struct list *list,
                        const struct i915_state *state)
{
    for (const struct i915_request *r = engine->first; r; r = r->next)
        if (r->state == state && r->submitted && !i915_request_done(r) && !is_covered(list, r))
            return false;
    return true;
}

/* Adds what the hardware has of a state. */
static void keep(const struct i915_engine *engine, const struct i915_state *state,
                 struct list *list)
{
    for (const struct i915_request *r = state ? engine->first : NULL; r; r = r->next)
        if (r->state == state && r->submitted && !i915_request_done(r))
            put(list, r);
}

/* Adds requests in the order of the queue, of two contexts at most. */
static void fill(struct i915_engine *engine, struct list *list)
{
    engine->looks++;
    for (const struct i915_request *r = engine->front; r; r = r->behind) {
        const struct i915_state *state = r->state;
        bool same = list->count && list->elements[list->count - 1].state == state;
        if (i915_request_done(r) || state->blocked == engine->looks ||
            (list->count == 2 && list->elements[0].state == state))
            continue;
        if (!is_covered(list, r) || (!same && !are_covered(engine, list, state))) {
            r->state->blocked = engine->looks;
            continue;
        }
        if (!same && (list->count == 2 ||
                      (list->count && (state->siblings || (i915_state_in_hardware(state) &&
                                                           engine->ports[1] != state)))))
            return;
        put(list, r);
    }
}

/* The active request stays if it must not be interrupted, and its successor with it. The tail of a
 * ring that the hardware has does not move back. */
static void choose(struct i915_engine *engine, struct list *list)
{
    const struct i915_request *active = i915_engine_active(engine);
    fill(engine, list);
    if (active && list->count && list->elements[0].state != active->state &&
        !i915_schedule_may_switch(active, list->elements[0].last)) {
        *list = (struct list){.count = 0};
        keep(engine, active->state, list);
        if (engine->ports[1] != active->state)
            keep(engine, engine->ports[1], list);
        if (list->count == 1)
            fill(engine, list);
    }
    for (const struct i915_request *r = engine->first; r; r = r->next)
        for (unsigned i = 0; i < list->count; i++)
            if (r->state == list->elements[i].state && r->submitted &&
                r->number > list->elements[i].last->number)
                list->elements[i].last = r;
}

/* ---- submission ------------------------------------------------------------------------------ */

/* Assigns a tag that differs from those of neighbouring submissions. Reports have it as context id.
 */
static uint32_t next_id(struct i915_engine *engine, const struct i915_state *state)
{
    if (state->context->tag && state == render_state(state->context))
        return state->context->tag;
    engine->latest_tag = engine->latest_tag % TAGS + 1;
    return REG_PUT(GEN11_CTX_DESCRIPTOR_UDW, SW_ID, engine->latest_tag);
}

/* Submits an execution list. Unlike the port, the queue ignores writes while the engine sleeps. */
static void write_list(const struct i915_engine *engine, const uint32_t dwords[4])
{
    struct i915_device *device = engine->device;
    if (device->platform->submission == SUBMISSION_PORT) {
        for (unsigned i = 4; i-- > 0;) /* element 1 first, upper halves first */
            write32(device, register_of(engine, RING_ELSP), dwords[i]);
        return;
    }
    i915_wake_get_engine(engine);
    for (unsigned i = 0; i < 4; i++)
        write32(device, register_of(engine, REG_ELEMENT(RING_ELSQ, i)), dwords[i]);
    write32(device, register_of(engine, RING_ELSQ_CONTROL), REG_PUT(RING_ELSQ_CONTROL, LOAD, 1));
    i915_wake_put_engine(engine);
}

bool i915_lists_ready(const struct i915_engine *engine)
{
    return !engine->leaves && !engine->starts;
}

/* Replaces the states of the latest list. Returns false if that has to wait until the hardware has
 * taken the latest one: the driver keeps track of two lists. */
static bool replace(struct i915_engine *engine, struct i915_state *const ports[2])
{
    bool busy = false, drops = false;
    for (unsigned i = 0; i < 2; i++) {
        const struct i915_state *state = engine->ports[i];
        bool has = state && i915_state_in_hardware(state);
        busy = busy || has;
        drops = drops || (has && !is_one_of(ports, state));
    }
    if (drops && !i915_lists_ready(engine))
        return false;
    if (drops) {
        memcpy(engine->leaving, engine->ports, sizeof engine->leaving);
        engine->leaves = true;
        engine->list_ns = now_ns(engine->device);
    }
    engine->starts = engine->starts || (!busy && !engine->leaves);
    memcpy(engine->ports, ports, sizeof engine->ports);
    return true;
}

/* Fills the two dwords of a list for a state, with the tail of its ring. */
static void describe(struct i915_state *state, uint32_t tail, uint32_t dwords[2])
{
    state->submitted_tail = tail;
    i915_image_set(state, IMAGE_RING_TAIL, tail);
    dwords[0] = state->image_address | DESCRIPTOR_FLAGS;
    dwords[1] = state->submitted_id;
}

void i915_lists_submit(struct i915_engine *engine)
{
    struct list list = {.count = 0};
    struct i915_state *ports[2] = {NULL};
    uint32_t dwords[4] = {0};
    bool has[2] = {false}, news = false;
    if (engine->pulse_ns) /* after the pulse */
        return;
    choose(engine, &list);
    for (unsigned i = 0; i < list.count; i++) {
        struct i915_state *state = ports[i] = list.elements[i].state;
        has[i] = i915_state_in_hardware(state);
        news = news || state != engine->ports[i] || !has[i] ||
               state->submitted_tail != list.elements[i].last->ring_end;
    }
    if (!news || !replace(engine, ports))
        return;
    for (unsigned i = 0; i < list.count; i++) {
        if (!has[i])
            ports[i]->submitted_id = next_id(engine, ports[i]);
        describe(ports[i], list.elements[i].last->ring_end, dwords + 2 * i);
    }
    for (struct i915_request *r = engine->first; r; r = r->next)
        for (unsigned i = 0; i < list.count; i++)
            if (r->state == ports[i] && r->number <= list.elements[i].last->number)
                r->submitted = true;
    write_list(engine, dwords);
    i915_lists_look(engine);
}

void i915_lists_submit_alone(struct i915_engine *engine, struct i915_state *state)
{
    struct i915_state *ports[2] = {state};
    uint32_t dwords[4] = {0};
    replace(engine, ports);
    state->submitted_id = next_id(engine, state);
    describe(state, state->ring_tail, dwords);
    write_list(engine, dwords);
    i915_lists_look(engine);
}
