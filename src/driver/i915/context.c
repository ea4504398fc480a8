/* SPDX-License-Identifier: MIT */
/* Contexts, address spaces, and the slices, subslices and EUs that a context powers. */
#include <stdlib.h>

#include "base/bits.h"
#include "driver/i915/device.h"
#include "intel/symbols.h"

#define PPGTT_END (UINT64_C(1) << 48)

/* ---- address spaces -------------------------------------------------------------------------- */

struct i915_vm *i915_vm_new(struct i915_device *device)
{
    struct i915_vm *vm = calloc(1, sizeof *vm);
    if (vm) {
        vm->references = 1;
        vm->serial = ++device->space_count;
        i915_space_init(&vm->space, 0, PPGTT_END);
    }
    return vm;
}

void i915_vm_drop(struct i915_vm *vm)
{
    if (!vm || --vm->references)
        return;
    i915_space_fini(&vm->space);
    free(vm);
}

struct i915_vm *i915_vm_find(const struct i915_file *file, uint32_t id)
{
    return id && id <= file->vm_count ? file->vms[id - 1] : NULL;
}

/* ---- contexts -------------------------------------------------------------------------------- */

int i915_context_new(struct i915_device *device, struct i915_file *file, struct i915_context **out)
{
    struct i915_context *context = calloc(1, sizeof *context);
    if (!context)
        return -ENOMEM;
    if (file && has_execlists(device)) {
        context->vm = i915_vm_new(device);
        if (!context->vm) {
            free(context);
            return -ENOMEM;
        }
    }
    context->references = 1;
    context->device = device;
    context->file = file;
    context->serial = file ? ++device->context_count : 0;
    if (i915_context_set_rows(context, 1) < 0) {
        i915_vm_drop(context->vm);
        free(context);
        return -ENOMEM;
    }
    context->next = device->contexts;
    device->contexts = context;
    *out = context;
    return 0;
}

int i915_context_set_rows(struct i915_context *context, size_t rows)
{
    struct i915_state *states = calloc(rows * CS_ENGINES, sizeof *states);
    if (!states)
        return -ENOMEM;
    for (size_t i = 0; i < rows * CS_ENGINES; i++) {
        states[i].context = context;
        states[i].engine = &context->device->engines[i % CS_ENGINES];
        states[i].sseu = context->device->sseu;
    }
    free(context->states);
    context->states = states;
    context->rows = rows;
    return 0;
}

#define TRIES   1000
#define STEP_NS 1000u

/* Waits for the hardware to release a state, shortly after its last request completes. */
static void await_hardware(const struct i915_state *state)
{
    struct i915_device *device = state->context->device;
    if (!state->image || !has_execlists(device))
        return;
    for (unsigned i = 0; i < TRIES && i915_state_in_hardware(state); i++)
        sleep_through(device, STEP_NS);
}

static void remove_object(struct i915_device *device, struct i915_object *object)
{
    if (object)
        i915_space_remove(&device->ggtt, object);
    i915_object_drop(object);
}

static void free_state(struct i915_device *device, struct i915_state *state)
{
    i915_lists_forget(state);
    if (device->latest_state == state)
        device->latest_state = NULL;
    remove_object(device, state->image);
    remove_object(device, state->ring);
}

void i915_context_drop(struct i915_context *context)
{
    struct i915_device *device = context->device;
    struct i915_context **link = &device->contexts;
    if (--context->references)
        return;
    FOR_STATES(const struct i915_state, state, context)
    await_hardware(state);
    i915_usage_keep(context);
    if (context->serial)
        i915_trace_context(context, I915_CONTEXT_FREE);
    while (*link != context)
        link = &(*link)->next;
    *link = context->next;
    FOR_STATES(struct i915_state, state, context)
    free_state(device, state);
    i915_vm_drop(context->vm);
    free(context->states);
    free(context);
}

struct i915_space *i915_context_space(struct i915_context *context)
{
    return context->vm ? &context->vm->space : &context->device->ggtt;
}

struct i915_context *i915_context_peek(const struct i915_file *file, uint32_t id)
{
    for (struct i915_context *c = file->device->contexts; c; c = c->next)
        if (c->file == file && c->id == id && !c->closed)
            return c;
    return NULL;
}

int i915_context_use(const struct i915_file *file, uint32_t id, struct i915_context **out)
{
    struct i915_context *context = i915_context_peek(file, id);
    *out = NULL;
    if (!context || context->is_invalid)
        return context ? -EINVAL : -ENOENT;
    context->is_used = true;
    *out = context;
    return 0;
}

/* ---- power ----------------------------------------------------------------------------------- */

/* Checks a client's configuration on platforms that accept one: either everything is powered, or
 * one slice with all or half of its subslices; EUs cannot be switched off. */
static bool is_client_sseu(const struct i915_sseu *all, const struct i915_sseu *wanted)
{
    unsigned slices = count_bits(wanted->slice_mask), max = count_bits(all->slice_mask);
    unsigned subslices = count_bits(wanted->subslice_mask), full = count_bits(all->subslice_mask);
    if (wanted->min_eus != all->max_eus || wanted->max_eus != all->max_eus)
        return false;
    if (slices > 1)
        return slices == max && subslices == full;
    return subslices == full || (subslices == full / 2 && !(subslices > 4 && subslices % 2));
}

int i915_sseu_check(const struct i915_device *device,
                    const struct drm_i915_gem_context_param_sseu *from, struct i915_sseu *out)
{
    const struct i915_sseu *all = &device->sseu;
    if (!from->slice_mask || !from->subslice_mask || !from->min_eus_per_subslice ||
        !from->max_eus_per_subslice || from->max_eus_per_subslice < from->min_eus_per_subslice)
        return -EINVAL;
    if (from->slice_mask & ~(uint64_t)all->slice_mask ||
        from->subslice_mask & ~(uint64_t)all->subslice_mask ||
        from->max_eus_per_subslice > all->max_eus)
        return -EINVAL;
    struct i915_sseu wanted = {(uint8_t)from->slice_mask, (uint8_t)from->subslice_mask,
                               (uint8_t)from->min_eus_per_subslice,
                               (uint8_t)from->max_eus_per_subslice};
    if (device->platform->client_sseu && !is_client_sseu(all, &wanted))
        return -EINVAL;
    *out = wanted;
    return 0;
}

/* R_PWR_CLK_STATE has an enable bit and a count for slices and for subslices; EUs count in pairs.
 */
uint32_t i915_sseu_register(const struct i915_device *device, const struct i915_sseu *sseu)
{
    uint32_t slices = count_bits(sseu->slice_mask), subslices = count_bits(sseu->subslice_mask);
    enum intel_power_state fields = device->platform->power_state;
    if (fields == POWER_STATE_NONE)
        return 0;
    uint32_t value = REG_PUT(GEN8_R_PWR_CLK_STATE, ENABLE, 1) |
                     REG_PUT(GEN8_R_PWR_CLK_STATE, SLICE_COUNT_ENABLE, 1) |
                     REG_PUT(GEN8_R_PWR_CLK_STATE, SUBSLICE_COUNT_ENABLE, 1) |
                     REG_PUT(GEN8_R_PWR_CLK_STATE, SUBSLICE_COUNT, subslices);
    value |= fields == POWER_STATE_SLICES_6 ? REG_PUT(GEN11_R_PWR_CLK_STATE, SLICE_COUNT, slices)
                                            : REG_PUT(GEN8_R_PWR_CLK_STATE, SLICE_COUNT, slices);
    return value | REG_PUT(GEN8_R_PWR_CLK_STATE, EU_MIN, sseu->min_eus) |
           REG_PUT(GEN8_R_PWR_CLK_STATE, EU_MAX, sseu->max_eus);
}
