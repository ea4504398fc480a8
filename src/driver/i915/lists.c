/* SPDX-License-Identifier: MIT */
/*
 * Execution lists (Gen8 and later): up to two contexts are submitted together to an engine. The
 * hardware has released a context when the head in its image equals the submitted tail. Only then
 * may it be submitted as an element other than the running one.
 */
#include "base/bits.h"
#include "driver/i915/device.h"

#define DESCRIPTOR_FLAGS                                                                           \
    (REG_PUT(CTX_DESCRIPTOR, VALID, 1) | REG_PUT(CTX_DESCRIPTOR, ADDRESSING, 3) |                  \
     REG_PUT(CTX_DESCRIPTOR, PRIVILEGE, 1))

#define TAGS 0x7fdu

bool i915_state_in_hardware(const struct i915_state *state)
{
    return state->submitted_id && i915_image_get(state, IMAGE_RING_HEAD) != state->submitted_tail;
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
    struct i915_state *state;
    uint32_t tail;
    uint64_t number;
};

/* Collects the contexts of the oldest requests, at most two. */
static unsigned choose(const struct i915_engine *engine, struct element elements[2])
{
    unsigned count = 0;
    for (const struct i915_request *r = engine->first; r; r = r->next) {
        bool same = count && elements[count - 1].state == r->state;
        if (!same && (count == 2 ||
                      (count && i915_state_in_hardware(r->state) && engine->ports[1] != r->state)))
            break;
        if (i915_request_waits(engine->device, r))
            break;
        if (!same)
            elements[count++].state = r->state;
        elements[count - 1].tail = r->ring_end;
        elements[count - 1].number = r->number;
    }
    return count;
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

void i915_lists_submit(struct i915_engine *engine)
{
    struct element elements[2] = {{0}};
    uint32_t dwords[4] = {0};
    bool news = false;
    unsigned count = engine->pulse_ns ? 0 : choose(engine, elements); /* after the pulse */
    if (!count)
        return;
    for (unsigned i = 0; i < count; i++) {
        struct i915_state *state = elements[i].state;
        news = news || state != engine->ports[i] || state->submitted_tail != elements[i].tail;
        if (!i915_state_in_hardware(state))
            state->submitted_id = next_id(engine, state->context);
        state->submitted_tail = elements[i].tail;
        engine->submitted = elements[i].number;
        i915_image_set(state, IMAGE_RING_TAIL, elements[i].tail);
        dwords[2 * i] = state->image_address | DESCRIPTOR_FLAGS;
        dwords[2 * i + 1] = state->submitted_id;
    }
    engine->ports[0] = elements[0].state;
    engine->ports[1] = elements[1].state;
    if (news)
        write_list(engine, dwords);
}

void i915_lists_submit_alone(struct i915_engine *engine, struct i915_state *state)
{
    state->submitted_id = next_id(engine, state->context);
    state->submitted_tail = state->ring_tail;
    i915_image_set(state, IMAGE_RING_TAIL, state->ring_tail);
    write_list(engine, (uint32_t[4]){state->image_address | DESCRIPTOR_FLAGS, state->submitted_id});
}
