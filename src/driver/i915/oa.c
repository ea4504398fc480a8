/* SPDX-License-Identifier: MIT */
/* What the OA units need done, by generation: i915-perf.md 5.1, 5.2, section 6. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "driver/i915/perf.h"

#define MISCCPCTL        0x9424u /* bit 0: clock gating between units */
#define UCGCTL1          0x9400u /* bit 7: the streamer's clock is not gated */
#define GDT_CHICKEN_BITS 0x9840u /* bit 7: NOA enable */
#define RPM_CONFIG1      0x0d04u /* bit 9: NOA enable */

#define GEN7_CONTROL 0x2360u
#define GEN7_STATUS1 0x2364u /* with the tail */
#define GEN7_STATUS2 0x2368u /* with the head */
#define GEN7_BUFFER  0x23b0u

#define OACTXCONTROL 0x2360u
#define OACONTROL    0x2b00u
#define OA_DEBUG     0x2b04u
#define OASTATUS     0x2b08u
#define OAHEADPTR    0x2b0cu
#define OATAILPTR    0x2b10u
#define OABUFFER     0x2b14u
#define OABUFFER_UDW 0x23b4u
#define POWER_STATE  0x20c8u

#define POINTER  0xffffffc0u
#define SIZE_16M 0x38u
#define IN_GGTT  1u

/* Clock ratios are in the report id, and their changes ask for no report; masked writes. */
#define DEBUG_BITS (1u << 6 | 1u << 5)
#define WRAP_FLAGS (1u << 17 | 1u << 16)

#define TRIES   50
#define STEP_NS 1000000u

static void stop(struct i915_device *device, uint32_t control)
{
    write32(device, control, 0);
    for (unsigned i = 0; i < TRIES && (read32(device, control) & 1); i++)
        sleep_through(device, STEP_NS);
}

/* That takes a while. It has passed before the counters are enabled, and not after. */
static void wipe(struct i915_stream *stream)
{
    const struct i915_hardware *hardware = &stream->device->hardware;
    memset(stream->buffer->bytes, 0, OA_BUFFER_BYTES);
    hardware->sleep_ns(hardware->closure, 0, false);
    stream->head = stream->tail = 0;
    stream->latest_id = INVALID_CONTEXT;
    stream->latched = 0;
}

/* ---- Gen7.5 ---------------------------------------------------------------------------------- */

static void gen7_enable(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    write32(device, GEN7_STATUS2, stream->base | IN_GGTT);
    write32(device, GEN7_BUFFER, stream->base);
    write32(device, GEN7_STATUS1, stream->base | SIZE_16M);
    wipe(stream);
    write32(device, GEN7_CONTROL,
            (stream->context ? stream->own_id : 0) | (uint32_t)stream->exponent << 6 |
                (uint32_t)stream->periodic << 5 | (uint32_t)stream->layout->counter_select << 2 |
                (stream->context ? 2u : 0) | 1);
}

static void gen7_disable(struct i915_stream *stream)
{
    stop(stream->device, GEN7_CONTROL);
}

static uint32_t gen7_tail(const struct i915_stream *stream)
{
    return read32(stream->device, GEN7_STATUS1) & POINTER;
}

static void gen7_set_head(const struct i915_stream *stream, uint32_t address)
{
    write32(stream->device, GEN7_STATUS2, address | IN_GGTT);
}

/* Writing the register would set the tail, so what was told is remembered until it restarts. */
static uint32_t gen7_status(const struct i915_stream *stream)
{
    return read32(stream->device, GEN7_STATUS1) & ~stream->latched;
}

static void gen7_report_lost(struct i915_stream *stream, uint32_t status)
{
    (void)status;
    stream->latched |= STATUS_REPORT_LOST;
}

static int gen7_enable_set(struct i915_stream *stream)
{
    update32(stream->device, MISCCPCTL, 1, 0);
    update32(stream->device, UCGCTL1, 1u << 7, 1u << 7);
    return i915_oa_apply(stream, stream->config, true);
}

static void gen7_disable_set(struct i915_stream *stream)
{
    update32(stream->device, UCGCTL1, 1u << 7, 0);
    update32(stream->device, MISCCPCTL, 1, 1);
    update32(stream->device, GDT_CHICKEN_BITS, 1u << 7, 0);
}

/* ---- Gen8 to Gen11 --------------------------------------------------------------------------- */

static void gen8_enable(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    write32(device, OASTATUS, 0);
    write32(device, OAHEADPTR, stream->base);
    write32(device, OABUFFER_UDW, 0);
    write32(device, OABUFFER, stream->base | SIZE_16M | IN_GGTT);
    write32(device, OATAILPTR, stream->base);
    wipe(stream);
    write32(device, OACONTROL, (uint32_t)stream->layout->counter_select << 2 | 1);
}

static void gen8_disable(struct i915_stream *stream)
{
    stop(stream->device, OACONTROL);
}

static uint32_t gen8_tail(const struct i915_stream *stream)
{
    return read32(stream->device, OATAILPTR) & POINTER;
}

static void gen8_set_head(const struct i915_stream *stream, uint32_t address)
{
    write32(stream->device, OAHEADPTR, address & POINTER);
}

static uint32_t gen8_status(const struct i915_stream *stream)
{
    return read32(stream->device, OASTATUS);
}

/* Without both wrap flags the write would upset the tail (Q12). */
static void gen8_report_lost(struct i915_stream *stream, uint32_t status)
{
    status &= ~(uint32_t)(STATUS_REPORT_LOST | STATUS_COUNTER_OVERFLOW);
    write32(stream->device, OASTATUS, status | WRAP_FLAGS);
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
    return (uint32_t)stream->exponent << 2 | (uint32_t)stream->periodic << 1 | 1;
}

void i915_oa_fill_image(const struct i915_device *device, uint32_t *control,
                        uint32_t flex[FLEX_REGISTERS])
{
    const struct i915_stream *stream = device->perf.stream;
    *control = stream ? context_control(stream) : 0;
    for (unsigned i = 0; i < FLEX_REGISTERS; i++)
        flex[i] = stream ? flex_value(stream->config, flex_registers[i]) : 0;
}

/* The image of a context, which is not running, is written by the kernel's own. */
static void modify_image(struct batch *batch, const struct i915_stream *stream,
                         const struct i915_config *config, const struct i915_context *context)
{
    const struct i915_sseu *sseu = stream->has_sseu && config ? &stream->sseu : &context->sseu;
    uint32_t flex = i915_image_address(context, IMAGE_FLEX);
    batch_store(batch, i915_image_address(context, IMAGE_POWER_STATE),
                i915_sseu_register(stream->device, sseu));
    batch_store(batch, i915_image_address(context, IMAGE_OACTXCONTROL), context_control(stream));
    for (unsigned i = 0; i < FLEX_REGISTERS; i++)
        batch_store(batch, flex + 8 * i, flex_value(config, flex_registers[i]));
}

/* The kernel's own is the one that runs: by registers. */
static void modify_self(struct batch *batch, const struct i915_stream *stream,
                        const struct i915_config *config)
{
    struct register_value values[2 + FLEX_REGISTERS] = {
        {POWER_STATE, i915_sseu_register(stream->device, &stream->device->kernel_context->sseu)},
        {OACTXCONTROL, context_control(stream)}};
    for (unsigned i = 0; i < FLEX_REGISTERS; i++)
        values[2 + i] =
            (struct register_value){flex_registers[i], flex_value(config, flex_registers[i])};
    batch_registers(batch, values, ARRAY_COUNT(values));
}

/* Those that have an image, each held until it is written: what they do now may be their last. */
static size_t hold_contexts(struct i915_device *device, struct i915_context ***out)
{
    size_t count = 0, room = 0;
    struct i915_context **held = NULL, **grown;
    for (struct i915_context *c = device->contexts; c; c = c->next) {
        if (!c->state || c == device->kernel_context)
            continue;
        grown = array_grow(held, &room, count, sizeof(struct i915_context *));
        if (!grown)
            break; /* the rest keep what they have */
        held = grown;
        held[count++] = c;
        c->references++;
    }
    *out = held;
    return count;
}

static int modify_contexts(const struct i915_stream *stream, const struct i915_config *config)
{
    struct i915_device *device = stream->device;
    struct batch batch = {.wide = true};
    struct i915_context **held;
    uint64_t fence;
    size_t count = hold_contexts(device, &held);
    for (size_t i = 0; i < count; i++)
        modify_image(&batch, stream, config, held[i]);
    modify_self(&batch, stream, config);
    int result = batch_submit(&batch, device->kernel_context, &fence);
    if (result == 0)
        i915_engine_finish(device, fence);
    while (count)
        i915_context_drop(held[--count]);
    free(held);
    return result;
}

static int gen8_enable_set(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    if (device->platform->version >= 90)
        write32(device, OA_DEBUG, DEBUG_BITS << 16 | DEBUG_BITS);
    int result = modify_contexts(stream, stream->config);
    return result < 0 ? result : i915_oa_apply(stream, stream->config, true);
}

static void gen8_disable_set(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    modify_contexts(stream, NULL); /* if memory is out, they keep what they have */
    if (device->platform->version >= 100)
        update32(device, RPM_CONFIG1, 1u << 9, 0);
    else
        update32(device, GDT_CHICKEN_BITS, 1u << 7, 0);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Registers, and the wait; in the context that the stream filters by, or the kernel's own. */
int i915_oa_apply(struct i915_stream *stream, const struct i915_config *config, bool wait)
{
    struct i915_device *device = stream->device;
    struct batch batch = {.wide = has_execlists(device)};
    uint32_t resets = device->engine.resets;
    uint64_t fence;
    for (unsigned i = 0; i < REGISTER_GROUPS; i++)
        batch_registers(&batch, config->groups[i].values, config->groups[i].count);
    batch_jump(&batch, device->perf.wait_address, 0);
    int result =
        batch_submit(&batch, stream->context ? stream->context : device->kernel_context, &fence);
    if (result == 0 && wait)
        result = i915_engine_wait(device, fence, UINT64_MAX);
    if (result == 0 && resets != device->engine.resets)
        result = -EIO;
    return result;
}

const struct oa_ops *i915_oa_ops(const struct i915_device *device)
{
    static const struct oa_ops gen7 = {gen7_enable,     gen7_disable,    gen7_tail,
                                       gen7_set_head,   gen7_status,     gen7_report_lost,
                                       gen7_enable_set, gen7_disable_set};
    static const struct oa_ops gen8 = {gen8_enable,     gen8_disable,    gen8_tail,
                                       gen8_set_head,   gen8_status,     gen8_report_lost,
                                       gen8_enable_set, gen8_disable_set};
    return has_execlists(device) ? &gen8 : &gen7;
}
