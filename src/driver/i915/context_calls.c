/* SPDX-License-Identifier: MIT */
/* The ioctls for contexts and address spaces. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "driver/i915/device.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static int set_flag(const struct drm_i915_gem_context_param *args, bool *flag, bool inverted)
{
    if (args->size)
        return -EINVAL;
    *flag = inverted ? !args->value : args->value != 0;
    return 0;
}

/* Contexts whose requests stop when their file is closed need preemption. */
static int set_persistence(struct i915_context *context,
                           const struct drm_i915_gem_context_param *args)
{
    if (!args->size && !args->value && !context->device->platform->preempts)
        return -ENODEV;
    return set_flag(args, &context->not_persistent, true);
}

/* Protected content is not supported. Whether a context has it is decided before its first use. */
static int set_protected(const struct i915_context *context,
                         const struct drm_i915_gem_context_param *args)
{
    if (context->is_used)
        return -EINVAL;
    return args->value ? -ENODEV : 0;
}

static int set_priority(struct i915_context *context, const struct drm_i915_gem_context_param *args,
                        const struct i915_caller *caller)
{
    int64_t priority = (int64_t)args->value;
    if (args->size)
        return -EINVAL;
    if (!has_execlists(context->device))
        return -ENODEV;
    if (priority > I915_CONTEXT_MAX_USER_PRIORITY || priority < I915_CONTEXT_MIN_USER_PRIORITY)
        return -EINVAL;
    if (priority > 0 && !caller->drm.privileged)
        return -EPERM;
    context->priority = (int32_t)priority;
    return 0;
}

static int read_sseu(const struct i915_context *context, const struct i915_caller *caller,
                     const struct drm_i915_gem_context_param *args,
                     struct drm_i915_gem_context_param_sseu *out, struct i915_state **state)
{
    if (args->size < sizeof *out)
        return -EINVAL;
    int result = copy_in(caller, out, args->value, sizeof *out);
    if (result < 0)
        return result;
    if (out->flags & ~I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX || out->rsvd)
        return -EINVAL;
    return i915_context_find_state(context, out->flags & I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX,
                                   &out->engine, state);
}

/* -ENODEV on platforms whose clients cannot change the power of slices, and for engines other than
 * render. */
static int set_sseu(struct i915_context *context, struct drm_i915_gem_context_param *args,
                    const struct i915_caller *caller)
{
    struct drm_i915_gem_context_param_sseu user;
    struct i915_state *state;
    struct i915_sseu sseu;
    if (args->size < sizeof user)
        return -EINVAL;
    if (!context->device->platform->client_sseu)
        return -ENODEV;
    int result = read_sseu(context, caller, args, &user, &state);
    if (result == 0 && state->engine->hardware->id != CS_RCS0)
        result = context->is_used ? -ENODEV : -EINVAL;
    if (result == 0)
        result = i915_sseu_check(context->device, &user, &sseu);
    if (result < 0)
        return result;
    state->sseu = sseu;
    if (state->image) {
        result = i915_engine_wait(context->device, fence_of(state->issued, CS_RCS0),
                                  I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
        i915_image_set(state, IMAGE_POWER_STATE, i915_sseu_register(context->device, &sseu));
    }
    args->size = sizeof user;
    return result;
}

static int set_vm(struct i915_context *context, const struct drm_i915_gem_context_param *args)
{
    struct i915_vm *vm = i915_vm_find(context->file, (uint32_t)args->value);
    if (args->size || context->is_used)
        return -EINVAL;
    if (!context->vm)
        return -ENODEV;
    if (!vm || args->value > UINT32_MAX)
        return -ENOENT;
    vm->references++;
    i915_vm_drop(context->vm);
    context->vm = vm;
    return 0;
}

static int set_parameter(struct i915_context *context, struct drm_i915_gem_context_param *args,
                         const struct i915_caller *caller)
{
    switch (args->param) {
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        return set_flag(args, &context->no_error_capture, false);
    case I915_CONTEXT_PARAM_BANNABLE:
        if (!args->size && !args->value && !caller->drm.privileged)
            return -EPERM;
        return set_flag(args, &context->not_bannable, true);
    case I915_CONTEXT_PARAM_RECOVERABLE:
        return set_flag(args, &context->not_recoverable, true);
    case I915_CONTEXT_PARAM_PERSISTENCE:
        return set_persistence(context, args);
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        return set_protected(context, args);
    case I915_CONTEXT_PARAM_PRIORITY:
        return set_priority(context, args, caller);
    case I915_CONTEXT_PARAM_SSEU:
        return set_sseu(context, args, caller);
    case I915_CONTEXT_PARAM_VM:
        return set_vm(context, args);
    case I915_CONTEXT_PARAM_ENGINES:
        return i915_context_set_engines(context, args, caller);
    default:
        return -EINVAL;
    }
}

int i915_context_setparam(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_context_param *args = argument;
    struct i915_context *context = i915_context_peek(file, args->ctx_id);
    return context ? set_parameter(context, args, caller) : -ENOENT;
}

static int get_sseu(const struct i915_context *context, struct drm_i915_gem_context_param *args,
                    const struct i915_caller *caller)
{
    struct drm_i915_gem_context_param_sseu user;
    if (args->size) {
        struct i915_state *state;
        int result = read_sseu(context, caller, args, &user, &state);
        if (result < 0)
            return result;
        user.slice_mask = state->sseu.slice_mask;
        user.subslice_mask = state->sseu.subslice_mask;
        user.min_eus_per_subslice = state->sseu.min_eus;
        user.max_eus_per_subslice = state->sseu.max_eus;
        result = copy_out(caller, args->value, &user, sizeof user);
        if (result < 0)
            return result;
    }
    args->size = sizeof user;
    return 0;
}

static int add_vm(struct i915_file *file, struct i915_vm *vm, uint32_t *out)
{
    struct i915_vm **grown =
        array_grow(file->vms, &file->vm_capacity, file->vm_count, sizeof(struct i915_vm *));
    if (!grown)
        return -ENOMEM;
    file->vms = grown;
    size_t at = 0;
    while (at < file->vm_count && grown[at])
        at++;
    grown[at] = vm;
    file->vm_count += at == file->vm_count;
    *out = (uint32_t)at + 1;
    return 0;
}

static int get_vm(struct i915_file *file, const struct i915_context *context,
                  struct drm_i915_gem_context_param *args)
{
    uint32_t id;
    if (!context->vm)
        return -ENODEV;
    int result = add_vm(file, context->vm, &id);
    if (result < 0)
        return result;
    context->vm->references++;
    args->value = id;
    return 0;
}

int i915_context_getparam(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_context_param *args = argument;
    struct i915_context *context;
    int result = i915_context_use(file, args->ctx_id, &context);
    if (result < 0)
        return result;
    uint32_t size = args->size;
    args->size = 0;
    switch (args->param) {
    case I915_CONTEXT_PARAM_SSEU:
        args->size = size;
        return get_sseu(context, args, caller);
    case I915_CONTEXT_PARAM_GTT_SIZE:
        args->value = context->vm ? context->vm->space.end : file->device->ggtt.end;
        return 0;
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        args->value = 0;
        return 0;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        args->value = context->no_error_capture;
        return 0;
    case I915_CONTEXT_PARAM_BANNABLE:
        args->value = !context->not_bannable;
        return 0;
    case I915_CONTEXT_PARAM_PRIORITY:
        args->value = (__u64)context->priority;
        return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE:
        args->value = !context->not_recoverable;
        return 0;
    case I915_CONTEXT_PARAM_PERSISTENCE:
        args->value = !context->not_persistent;
        return 0;
    case I915_CONTEXT_PARAM_VM:
        result = get_vm(file, context, args);
        args->size = result < 0 ? size : 0;
        return result;
    default:
        args->size = size;
        return -EINVAL;
    }
}

/* ---- contexts -------------------------------------------------------------------------------- */

static int create_setparam(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct drm_i915_gem_context_create_ext_setparam link;
    int result = copy_in(caller, &link, at, sizeof link);
    if (result < 0)
        return result;
    return link.param.ctx_id ? -EINVAL : set_parameter(closure, &link.param, caller);
}

static void close_context(struct i915_context *context)
{
    i915_context_end(context);
    context->closed = true;
    i915_context_drop(context);
}

/* Returns the lowest free handle; 0 is the default context. */
static uint32_t free_id(const struct i915_file *file)
{
    uint32_t id = 1;
    while (i915_context_peek(file, id))
        id++;
    return id;
}

int i915_context_create(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    static i915_extension *const table[] = {[I915_CONTEXT_CREATE_EXT_SETPARAM] = create_setparam};
    struct drm_i915_gem_context_create_ext *args = argument;
    struct i915_context *context;
    if (args->flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN ||
        (args->flags & I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE && !has_execlists(file->device)))
        return -EINVAL;
    if (file->device->wedged || i915_file_is_banned(file))
        return -EIO;
    uint32_t id = free_id(file);
    int result = i915_context_new(file->device, file, &context);
    if (result < 0)
        return result;
    context->id = id;
    context->single_timeline = args->flags & I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE;
    if (args->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS)
        result =
            i915_extensions_apply(caller, args->extensions, table, ARRAY_COUNT(table), context);
    if (result < 0) {
        close_context(context);
        return result;
    }
    i915_trace_context(context, I915_CONTEXT_CREATE);
    args->ctx_id = id;
    return 0;
}

int i915_context_destroy(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_context_destroy *args = argument;
    (void)caller;
    if (args->pad)
        return -EINVAL;
    struct i915_context *context = args->ctx_id ? i915_context_peek(file, args->ctx_id) : NULL;
    if (!context) /* the default context cannot be destroyed */
        return -ENOENT;
    close_context(context);
    return 0;
}

int i915_reset_stats(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_reset_stats *args = argument;
    if (args->flags || args->pad)
        return -EINVAL;
    struct i915_context *context;
    int result = i915_context_use(file, args->ctx_id, &context);
    if (result < 0)
        return result;
    args->reset_count = caller->drm.privileged ? file->device->full_resets : 0;
    args->batch_active = context->hangs;
    args->batch_pending = context->innocent;
    return 0;
}

/* ---- address spaces -------------------------------------------------------------------------- */

int i915_vm_create(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_vm_control *args = argument;
    if (!has_execlists(file->device))
        return -ENODEV;
    if (args->flags)
        return -EINVAL;
    int result = i915_extensions_apply(caller, args->extensions, NULL, 0, NULL);
    if (result < 0)
        return result;
    struct i915_vm *vm = i915_vm_new(file->device);
    result = vm ? add_vm(file, vm, &args->vm_id) : -ENOMEM;
    if (result < 0)
        i915_vm_drop(vm);
    return result;
}

int i915_vm_destroy(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_vm_control *args = argument;
    (void)caller;
    if (args->flags || args->extensions)
        return -EINVAL;
    struct i915_vm *vm = i915_vm_find(file, args->vm_id);
    if (!vm)
        return -ENOENT;
    file->vms[args->vm_id - 1] = NULL;
    i915_vm_drop(vm);
    return 0;
}
