/* SPDX-License-Identifier: MIT */
/*
 * A context's state of an engine: an image of registers, and from Gen8 on a ring. The registers are
 * in the second page of the image: MI_LOAD_REGISTER_IMM commands with registers at the documented
 * dwords (PERF-5.2). It has no page tables: the page's address identifies the address space.
 */
#include <errno.h>

#include "base/bits.h"
#include "driver/i915/perf.h"

#define IMAGE_AT    PAGE_BYTES
#define STATE_BYTES (4 * PAGE_BYTES)
#define RING_BYTES  (4 * PAGE_BYTES)

#define RING_AT     1u /* offsets of the commands in dwords */
#define TIME_AT     0x21u
#define POWER_AT    0x41u
#define DEFAULTS_AT 0x51u

static const struct intel_context_image *image_of(const struct i915_device *device)
{
    return device->platform->image;
}

static uint32_t dword_of(const struct i915_device *device, enum image_word word)
{
    switch (word) {
    case IMAGE_RING_HEAD:
        return RING_AT + 3;
    case IMAGE_RING_TAIL:
        return RING_AT + 5;
    case IMAGE_BATCH:
        return RING_AT + 13;
    case IMAGE_CONTEXT_TIME:
        return TIME_AT + 1;
    case IMAGE_POWER_STATE:
        return POWER_AT + 1;
    case IMAGE_OACTXCONTROL:
        return image_of(device)->oactxcontrol;
    default:
        return image_of(device)->flex;
    }
}

static uint32_t offset_of(const struct i915_state *state, enum image_word word)
{
    return IMAGE_AT + 4 * (dword_of(state->context->device, word) + 1);
}

uint32_t i915_image_address(const struct i915_state *state, enum image_word word)
{
    return state->image_address + offset_of(state, word);
}

uint32_t i915_image_get(const struct i915_state *state, enum image_word word)
{
    return load_le32(state->image->bytes + offset_of(state, word));
}

void i915_image_set(struct i915_state *state, enum image_word word, uint32_t value)
{
    store_le32(state->image->bytes + offset_of(state, word), value);
}

/* All registers of an image are its engine's, except those of the render engine's. */
void i915_image_move(const struct i915_state *state, const struct i915_engine *to)
{
    uint32_t distance = to->hardware->map.base - state->engine->hardware->map.base;
    uint8_t *at = state->image->bytes + IMAGE_AT;
    for (uint32_t dword; (dword = load_le32(at)) != MI_BATCH_BUFFER_END; at += 4)
        if (CS_IS(MI_LOAD_REGISTER_IMM, dword))
            for (uint32_t i = 1; i < CS_DWORDS(MI_LOAD_REGISTER_IMM, dword); i += 2, at += 8)
                store_le32(at + 4, load_le32(at + 4) + distance);
}

/* ---- creation -------------------------------------------------------------------------------- */

static void put_list(const struct i915_state *state, uint32_t at,
                     const struct register_value *values, size_t count)
{
    struct batch list = {.wide = true};
    batch_registers(&list, values, count);
    if (!list.bytes.broken)
        memcpy(state->image->bytes + IMAGE_AT + 4 * at, list.bytes.bytes, list.bytes.size);
    buffer_fini(&list.bytes);
}

/* Returns the index of the dword after the command. */
static uint32_t put_oa(const struct i915_state *state)
{
    const struct i915_device *device = state->context->device;
    const struct intel_context_image *image = image_of(device);
    uint32_t control, values[FLEX_REGISTERS];
    struct register_value flex[FLEX_REGISTERS], oar = {GEN12_OAR_OACONTROL, 0};
    i915_oa_fill_image(device, &control, values);
    put_list(state, image->oactxcontrol - 1u, &(struct register_value){GEN8_OACTXCONTROL, control},
             1);
    if (image->oar_control) {
        put_list(state, image->oar_control - 1u, &oar, 1);
        return image->oar_control + 2u;
    }
    for (size_t i = 0; i < FLEX_REGISTERS; i++)
        flex[i] = (struct register_value){flex_registers[i], values[i]};
    put_list(state, image->flex - 1u, flex, FLEX_REGISTERS);
    return image->flex + 2u * FLEX_REGISTERS;
}

#define STREAMS(counter)                                                                           \
    REG_ELEMENT(counter, 0), REG_ELEMENT(counter, 1), REG_ELEMENT(counter, 2),                     \
        REG_ELEMENT(counter, 3)

/* Sets the registers that a context can see to 0, so that it does not see another context's. The
 * kernel copies the image of a context that did nothing. Returns the index of the dword after the
 * command. */
static uint32_t put_defaults(const struct i915_state *state)
{
    static const uint32_t wide[] = {/* 64 bits */
                                    MI_PREDICATE_SRC0,
                                    MI_PREDICATE_SRC1,
                                    MI_PREDICATE_DATA,
                                    CS_INVOCATION_COUNT,
                                    HS_INVOCATION_COUNT,
                                    DS_INVOCATION_COUNT,
                                    IA_VERTICES_COUNT,
                                    IA_PRIMITIVES_COUNT,
                                    VS_INVOCATION_COUNT,
                                    GS_INVOCATION_COUNT,
                                    GS_PRIMITIVES_COUNT,
                                    CL_INVOCATION_COUNT,
                                    CL_PRIMITIVES_COUNT,
                                    PS_INVOCATION_COUNT,
                                    PS_DEPTH_COUNT,
                                    STREAMS(SO_NUM_PRIMS_WRITTEN),
                                    STREAMS(SO_PRIM_STORAGE_NEEDED)};
    static const uint32_t narrow[] = {
        MI_PREDICATE_RESULT,        MI_PREDICATE_RESULT_1,    GEN7_3DPRIM_END_OFFSET,
        GEN7_3DPRIM_START_VERTEX,   GEN7_3DPRIM_VERTEX_COUNT, GEN7_3DPRIM_INSTANCE_COUNT,
        GEN7_3DPRIM_START_INSTANCE, GEN7_3DPRIM_BASE_VERTEX,  GEN7_GPGPU_DISPATCHDIMX,
        GEN7_GPGPU_DISPATCHDIMY,    GEN7_GPGPU_DISPATCHDIMZ,  RING_BB_OFFSET,
        STREAMS(SO_WRITE_OFFSET)};
    struct register_value values[2 * (CS_GPR__COUNT + ARRAY_COUNT(wide)) + ARRAY_COUNT(narrow)];
    bool render = state->engine->hardware->id == CS_RCS0;
    size_t count = 0;
    for (uint32_t i = 0; i < 2 * CS_GPR__COUNT; i++)
        values[count++] = (struct register_value){register_of(state->engine, CS_GPR + 4 * i), 0};
    for (uint32_t i = 0; render && i < 2 * ARRAY_COUNT(wide); i++)
        values[count++] = (struct register_value){wide[i / 2] + i % 2 * 4, 0};
    for (size_t i = 0; render && i < ARRAY_COUNT(narrow); i++)
        values[count++] = (struct register_value){narrow[i], 0};
    put_list(state, DEFAULTS_AT, values, count);
    return DEFAULTS_AT + 1 + 2 * (uint32_t)count;
}

/* Fills the image. Only the render engine has registers of the pipeline and of OA. */
static void fill(const struct i915_state *state)
{
    const struct i915_context *context = state->context;
    const struct i915_engine *engine = state->engine;
    uint32_t end = put_defaults(state);
    struct register_value ring[] = {
        {register_of(engine, RING_CONTEXT_CONTROL), 0},
        {register_of(engine, RING_HEAD), 0},
        {register_of(engine, RING_TAIL), 0},
        {register_of(engine, RING_START), state->ring_address},
        {register_of(engine, RING_CTL),
         (RING_BYTES - PAGE_BYTES) | REG_PUT(RING_CTL, RING_ENABLE, 1)},
    };
    struct register_value time = {register_of(engine, RING_CTX_TIMESTAMP), 0};
    struct register_value power = {GEN8_R_PWR_CLK_STATE,
                                   i915_sseu_register(context->device, &state->sseu)};
    put_list(state, RING_AT, ring, ARRAY_COUNT(ring));
    put_list(state, TIME_AT, &time, 1);
    if (engine->hardware->id == CS_RCS0) {
        put_list(state, POWER_AT, &power, 1);
        end = put_oa(state);
    }
    store_le32(state->image->bytes + IMAGE_AT + 4 * end, MI_BATCH_BUFFER_END);
}

static int add(struct i915_device *device, uint64_t size, struct i915_object **out, uint32_t *where)
{
    uint64_t address;
    struct i915_object *object;
    int result = i915_object_new(device, size, &object);
    if (result < 0)
        return result;
    result = i915_space_insert(&device->ggtt, object, PAGE_BYTES, UINT64_C(1) << 32, &address);
    if (result < 0) {
        i915_object_drop(object);
        return result;
    }
    *out = object;
    *where = (uint32_t)address;
    return 0;
}

int i915_state_prepare(struct i915_state *state)
{
    struct i915_device *device = state->context->device;
    bool lists = has_execlists(device), render = state->engine->hardware->id == CS_RCS0;
    if (state->image || (!lists && !render))
        return 0;
    if (lists && !state->ring) {
        int result = add(device, RING_BYTES, &state->ring, &state->ring_address);
        if (result < 0)
            return result;
    }
    int result = add(device, STATE_BYTES, &state->image, &state->image_address);
    if (result == 0 && lists)
        fill(state);
    return result;
}
