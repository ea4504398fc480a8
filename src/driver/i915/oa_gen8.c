/* SPDX-License-Identifier: MIT */
/*
 * The OA unit of Gen8 and later, and the metric sets of contexts before Gen12 (PERF-5.2, PERF-5.3,
 * PERF-6).
 */
#include <stdlib.h>

#include "base/bits.h"
#include "driver/i915/perf.h"

#define WRAP_FLAGS (REG_MASK(GEN8_OASTATUS, TAIL_WRAP) | REG_MASK(GEN8_OASTATUS, HEAD_WRAP))

/* ---- the unit -------------------------------------------------------------------------------- */

/* Registers of the unit. On Gen12 it is called OAG, and its status has no wrap flags. */
static const struct unit {
    uint32_t control, status, head, tail, buffer, wraps;
} gen8_unit = {GEN8_OACONTROL, GEN8_OASTATUS, GEN8_OAHEADPTR,
               GEN8_OATAILPTR, GEN8_OABUFFER, WRAP_FLAGS},
  gen12_unit = {GEN12_OAG_OACONTROL, GEN12_OAG_OASTATUS, GEN12_OAG_OAHEADPTR,
                GEN12_OAG_OATAILPTR, GEN12_OAG_OABUFFER, 0};

static const struct unit *unit_of(const struct i915_stream *stream)
{
    return has_oag(stream->device) ? &gen12_unit : &gen8_unit;
}

/* On Gen12 a stream without samples only uses its context's counters: OAG stays off. */
void i915_oa_gen8_enable(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    const struct unit *unit = unit_of(stream);
    if (!stream->sample_oa)
        return;
    write32(device, unit->status, 0);
    write32(device, unit->head, stream->base);
    if (!has_oag(device))
        write32(device, GEN8_OABUFFER_UDW, 0);
    write32(
        device, unit->buffer,
        stream->base | REG_PUT(GEN8_OABUFFER, SIZE, OA_SIZE_16M) | REG_PUT(GEN8_OABUFFER, GGTT, 1));
    write32(device, unit->tail, stream->base);
    i915_oa_wipe(stream);
    write32(device, unit->control,
            REG_PUT(GEN8_OACONTROL, COUNTER_SELECT, stream->layout->counter_select) |
                REG_PUT(GEN8_OACONTROL, ENABLE, 1));
}

/* Gen12 might still write through a cached translation of the buffer's page (PERF-Q14). */
void i915_oa_gen8_disable(struct i915_stream *stream)
{
    i915_oa_stop(stream->device, unit_of(stream)->control);
    if (has_oag(stream->device)) {
        write32(stream->device, OA_TLB_INV_CR, REG_PUT(OA_TLB_INV_CR, INVALIDATE, 1));
        i915_oa_await_clear(stream->device, OA_TLB_INV_CR);
    }
}

uint32_t i915_oa_gen8_tail(const struct i915_stream *stream)
{
    return read32(stream->device, unit_of(stream)->tail) & REG_MASK(OA_POINTER, POINTER);
}

void i915_oa_gen8_set_head(const struct i915_stream *stream, uint32_t address)
{
    write32(stream->device, unit_of(stream)->head, address & REG_MASK(OA_POINTER, POINTER));
}

uint32_t i915_oa_gen8_status(const struct i915_stream *stream)
{
    return read32(stream->device, unit_of(stream)->status);
}

/* Before Gen12 a write without both wrap flags would corrupt the tail (PERF-Q12). */
void i915_oa_gen8_report_lost(struct i915_stream *stream, uint32_t status)
{
    const struct unit *unit = unit_of(stream);
    status &= ~(uint32_t)(STATUS_REPORT_LOST | STATUS_COUNTER_OVERFLOW);
    write32(stream->device, unit->status, status | unit->wraps);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static uint32_t flex_value(const struct i915_config *config, uint32_t address)
{
    const struct register_list *list = config ? &config->groups[GROUP_FLEX] : NULL;
    for (uint32_t i = 0; list && i < list->count; i++)
        if (list->values[i].address == address)
            return list->values[i].value;
    return 0;
}

static uint32_t context_control(const struct i915_stream *stream)
{
    return REG_PUT(GEN8_OACTXCONTROL, TIMER_PERIOD, stream->exponent) |
           REG_PUT(GEN8_OACTXCONTROL, TIMER_ENABLE, stream->periodic) |
           REG_PUT(GEN8_OACTXCONTROL, RUN, 1);
}

/* On Gen12 contexts are not set up until a stream filters by them. */
void i915_oa_fill_image(const struct i915_device *device, uint32_t *control,
                        uint32_t flex[FLEX_REGISTERS])
{
    const struct i915_stream *stream = has_oag(device) ? NULL : device->perf.stream;
    *control = stream ? context_control(stream) : 0;
    for (unsigned i = 0; i < FLEX_REGISTERS; i++)
        flex[i] = stream ? flex_value(stream->config, flex_registers[i]) : 0;
}

/* Writes the image of a context that is not running, from the kernel context. */
static void modify_image(struct batch *batch, const struct i915_stream *stream,
                         const struct i915_config *config, const struct i915_state *state)
{
    const struct i915_sseu *sseu = stream->has_sseu && config ? &stream->sseu : &state->sseu;
    uint32_t flex = i915_image_address(state, IMAGE_FLEX);
    batch_store(batch, i915_image_address(state, IMAGE_POWER_STATE),
                i915_sseu_register(stream->device, sseu));
    batch_store(batch, i915_image_address(state, IMAGE_OACTXCONTROL), context_control(stream));
    for (unsigned i = 0; i < FLEX_REGISTERS; i++)
        batch_store(batch, flex + 8 * i, flex_value(config, flex_registers[i]));
}

/* The kernel context is running, so its registers are written instead. */
static void modify_self(struct batch *batch, const struct i915_stream *stream,
                        const struct i915_config *config)
{
    struct register_value values[2 + FLEX_REGISTERS] = {
        {GEN8_R_PWR_CLK_STATE,
         i915_sseu_register(stream->device, &render_state(stream->device->kernel_context)->sseu)},
        {GEN8_OACTXCONTROL, context_control(stream)}};
    for (unsigned i = 0; i < FLEX_REGISTERS; i++)
        values[2 + i] =
            (struct register_value){flex_registers[i], flex_value(config, flex_registers[i])};
    batch_registers(batch, values, ARRAY_COUNT(values));
}

struct held {
    struct i915_state **states;
    size_t count, capacity;
};

/* Collects the states of the render engine of a context that have an image. */
static void hold_context(struct i915_context *context, struct held *held)
{
    for (size_t row = 0; row < context->rows; row++) {
        struct i915_state *state = &context->states[row * CS_ENGINES + CS_RCS0];
        struct i915_state **grown = state->image
                                        ? array_grow(held->states, &held->capacity, held->count,
                                                     sizeof(struct i915_state *))
                                        : NULL;
        if (!grown)
            continue; /* without memory it stays as it is */
        held->states = grown;
        grown[held->count++] = state;
        context->references++;
    }
}

/* Collects those of all contexts, with a reference for each, because a context's last request may
 * complete in the meantime. */
static void hold_all(struct i915_device *device, struct held *held)
{
    for (struct i915_context *c = device->contexts; c; c = c->next)
        if (c != device->kernel_context)
            hold_context(c, held);
}

static int modify_contexts(const struct i915_stream *stream, const struct i915_config *config)
{
    struct i915_device *device = stream->device;
    struct batch batch = {.wide = true};
    struct held held = {0};
    uint64_t fence;
    hold_all(device, &held);
    for (size_t i = 0; i < held.count; i++)
        modify_image(&batch, stream, config, held.states[i]);
    modify_self(&batch, stream, config);
    int result = batch_submit(&batch, device->kernel_context, &fence);
    if (result == 0)
        i915_engine_finish(device, fence);
    while (held.count)
        i915_context_drop(held.states[--held.count]->context);
    free(held.states);
    return result;
}

/* ---- metric sets ----------------------------------------------------------------------------- */

static int enable_set(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    if (device->platform->oa->ratio_reports)
        write32(device, GEN9_OA_DEBUG, REG_MASKED_BITS(OA_DEBUG_BITS, OA_DEBUG_BITS));
    int result = modify_contexts(stream, stream->config);
    return result < 0 ? result : i915_oa_apply(stream, stream->config, true);
}

static void disable_set(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    modify_contexts(stream, NULL); /* out of memory: the others keep their state */
    if (device->platform->noa_on_by_rpm_config1)
        update32(device, GEN11_RPM_CONFIG1, REG_MASK(RPM_CONFIG1, NOA_ENABLE), 0);
    else
        update32(device, GDT_CHICKEN_BITS, REG_MASK(GDT_CHICKEN_BITS, NOA_ENABLE), 0);
}

const struct oa_ops i915_oa_gen8 = {
    i915_oa_gen8_enable, i915_oa_gen8_disable,     i915_oa_gen8_tail, i915_oa_gen8_set_head,
    i915_oa_gen8_status, i915_oa_gen8_report_lost, enable_set,        disable_set};
