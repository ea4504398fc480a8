/* SPDX-License-Identifier: MIT */
/*
 * PERF_OPEN: properties and checks in the order of PERF-2.1. Numbers in comments are rows of its
 * table.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "driver/i915/perf.h"

#define OPEN_FLAGS                                                                                 \
    ((uint32_t)(I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_DISABLED))

struct properties {
    uint32_t context;
    bool has_context, sample_oa, periodic, hold_preemption, has_sseu;
    bool has_class, has_instance;
    uint64_t metrics_set;
    uint32_t format;
    uint8_t exponent, engine_class, engine_instance;
    uint64_t poll_period_ns;
    struct drm_i915_gem_context_param_sseu user_sseu;
    struct i915_sseu sseu;
};

/* ---- properties ------------------------------------------------------------------------------ */

/* Returns the first property id that a kernel of this revision does not support. */
static uint64_t property_max(const struct i915_device *device)
{
    static const uint8_t max[] = {6, 6, 7, 8, 9, 11, 11};
    return max[device->settings.perf_revision - 1];
}

/* Returns the period of reports in ns, rounded up as in the kernel. */
static uint64_t period_ns(const struct i915_device *device, unsigned exponent)
{
    uint64_t ns = (UINT64_C(2) << exponent) * 1000000000, hz = device->settings.timestamp_hz;
    return (ns + hz - 1) / hz;
}

static int take_format(const struct i915_device *device, uint64_t value, uint32_t *out)
{
    if (!value || value > I915_OAM_FORMAT_MPEC8u32_B8_C8 ||
        !(device->platform->info.kernel_formats >> value & 1))
        return -EINVAL; /* 5b */
    *out = (uint32_t)value;
    return 0;
}

static int take_exponent(const struct i915_device *device, const struct i915_caller *caller,
                         uint64_t value, struct properties *out)
{
    if (value > 31)
        return -EINVAL; /* 5c */
    uint64_t period = period_ns(device, (unsigned)value);
    uint64_t rate = period <= 1000000000 ? 1000000000 / period : 0;
    if (rate > device->perf.max_sample_rate && !caller->drm.privileged)
        return -EACCES; /* 5d */
    out->periodic = true;
    out->exponent = (uint8_t)value;
    return 0;
}

static int take(const struct i915_device *device, const struct i915_caller *caller, uint64_t id,
                uint64_t value, struct properties *out)
{
    switch (id) {
    case DRM_I915_PERF_PROP_CTX_HANDLE:
        out->has_context = true;
        out->context = (uint32_t)value;
        return 0;
    case DRM_I915_PERF_PROP_SAMPLE_OA:
        out->sample_oa = out->sample_oa || value; /* cannot be switched off again (PERF-Q9) */
        return 0;
    case DRM_I915_PERF_PROP_OA_METRICS_SET:
        out->metrics_set = value;
        return value ? 0 : -EINVAL; /* 5a */
    case DRM_I915_PERF_PROP_OA_FORMAT:
        return take_format(device, value, &out->format);
    case DRM_I915_PERF_PROP_OA_EXPONENT:
        return take_exponent(device, caller, value, out);
    case DRM_I915_PERF_PROP_HOLD_PREEMPTION:
        out->hold_preemption = value;
        return 0;
    case DRM_I915_PERF_PROP_GLOBAL_SSEU:
        out->has_sseu = true;
        return copy_in(caller, &out->user_sseu, value, sizeof out->user_sseu); /* 5f */
    case DRM_I915_PERF_PROP_POLL_OA_PERIOD:
        out->poll_period_ns = value;
        return value < MIN_POLL_PERIOD_NS ? -EINVAL : 0; /* 5g */
    case DRM_I915_PERF_PROP_OA_ENGINE_CLASS:
        out->has_class = true;
        out->engine_class = (uint8_t)value;
        return 0;
    case DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE:
        out->has_instance = true;
        out->engine_instance = (uint8_t)value;
        return 0;
    default:
        return -EINVAL;
    }
}

/* Rows 6 to 11: checks combinations. Only the render engine has an OA unit. */
static int check_together(const struct i915_device *device, struct properties *p)
{
    if (p->has_class != p->has_instance)
        return -EINVAL;
    if (p->engine_class || p->engine_instance)
        return -EINVAL;
    if (!p->has_sseu)
        return 0;
    if (p->user_sseu.engine.engine_class || p->user_sseu.engine.engine_instance)
        return -EINVAL;
    return i915_sseu_check(device, &p->user_sseu, &p->sseu);
}

static int read_properties(const struct i915_device *device, const struct i915_caller *caller,
                           const struct drm_i915_perf_open_param *from, struct properties *out)
{
    uint64_t max = property_max(device);
    *out = (struct properties){.poll_period_ns = DEFAULT_POLL_PERIOD_NS};
    if (!from->num_properties || from->num_properties >= max)
        return -EINVAL; /* 3 */
    for (uint32_t i = 0; i < from->num_properties; i++) {
        uint64_t pair[2], at = from->properties_ptr + UINT64_C(16) * i;
        int result = copy_in(caller, &pair[0], at, 8);
        if (result == 0)
            result = copy_in(caller, &pair[1], at + 8, 8);
        if (result == 0)
            result =
                pair[0] && pair[0] < max ? take(device, caller, pair[0], pair[1], out) : -EINVAL;
        if (result < 0)
            return result;
    }
    return check_together(device, out);
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* Gen12: the client only uses its context's counters, which it reads in batches. */
static bool is_oar_only(const struct i915_device *device, const struct properties *p)
{
    return has_oag(device) && p->has_context && !p->sample_oa;
}

/* PERF-2.2: Gen7.5, and OAR on Gen12, can restrict counters to one context. */
static bool is_privileged(const struct i915_device *device, const struct properties *p)
{
    bool own_counters =
        is_oar_only(device, p) || (p->has_context && device->platform->filters_in_unit);
    return !own_counters || p->hold_preemption || p->has_sseu;
}

/* Sets the context id of reports (PERF-2.11): from Gen8 on a tag that no other context gets. */
static int filter_by_context(struct i915_stream *stream)
{
    struct i915_context *context = stream->context;
    if (!i915_context_has_render(context))
        return -ENODEV; /* 21 */
    int result = i915_state_prepare(render_state(context));
    if (result < 0)
        return result;
    if (!has_execlists(stream->device)) {
        stream->own_id = render_state(context)->image_address;
        return 0;
    }
    stream->own_id = stream->device->platform->tag.id;
    stream->own_mask = stream->device->platform->tag.mask;
    context->tag = stream->own_id;
    return 0;
}

static int add_buffer(struct i915_stream *stream)
{
    uint64_t address;
    int result = i915_object_new(stream->device, OA_BUFFER_BYTES, &stream->buffer);
    if (result == 0)
        result = i915_space_insert(&stream->device->ggtt, stream->buffer, OA_BUFFER_BYTES,
                                   UINT64_MAX, &address);
    stream->base = result < 0 ? 0 : (uint32_t)address;
    return result;
}

/* Rows 17 to 26. */
static int init(struct i915_stream *stream, const struct properties *p)
{
    struct i915_device *device = stream->device;
    if (!p->sample_oa && !is_oar_only(device, p))
        return -EINVAL;
    if (device->perf.stream)
        return -EBUSY;
    if (!p->format)
        return -EINVAL;
    int result = stream->context ? filter_by_context(stream) : 0;
    if (result < 0)
        return result;
    struct i915_config *config = i915_config_get(device, p->metrics_set);
    if (!config)
        return -EINVAL;
    stream->config = i915_config_hold(config);
    i915_wake_get(device);
    stream->awake = true;
    result = add_buffer(stream);
    if (result < 0)
        return result;
    device->perf.stream = stream;
    stream->owns_unit = stream->programmed = true;
    return i915_oa_ops(device)->enable_set(stream);
}

static struct i915_stream *new_stream(struct i915_device *device, const struct properties *p,
                                      struct i915_context *context)
{
    struct i915_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct i915_stream){
        .device = device,
        .context = context,
        .layout = tally_layout_for_kernel(&device->platform->info, p->format),
        .sample_oa = p->sample_oa,
        .periodic = p->periodic,
        .hold_preemption = p->hold_preemption,
        .exponent = p->exponent,
        .has_sseu = p->has_sseu,
        .sseu = p->sseu,
        .poll_period_ns = p->poll_period_ns,
        .latest_id = INVALID_CONTEXT,
    };
    if (context)
        context->references++;
    return stream;
}

/* If the call can be made again, waits for the requests that were there before it: those of its own
 * run behind them, and the waits for these cannot be interrupted without starting anew. */
static int settle(struct i915_device *device)
{
    struct i915_attempt *attempt = device->attempt;
    if (!attempt)
        return 0;
    if (!attempt->waits)
        attempt->before = i915_engine_all(render_engine(device));
    attempt->waits = true;
    return i915_engine_wait(device, attempt->before, I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
}

static int open_stream(struct i915_file *file, const struct properties *p, uint32_t flags,
                       const struct i915_caller *caller)
{
    struct i915_device *device = file->device;
    struct i915_context *context = NULL;
    int result = p->has_context ? i915_context_use(file, p->context, &context) : 0;
    if (result < 0)
        return result; /* 12 */
    if (p->hold_preemption && !context)
        return -EINVAL; /* 13 */
    if (is_privileged(device, p) && device->perf.paranoid && !caller->drm.privileged)
        return -EACCES; /* 14 */
    result = settle(device);
    if (result < 0)
        return result;
    struct i915_stream *stream = new_stream(device, p, context);
    if (!stream)
        return -ENOMEM; /* 15 */
    result = init(stream, p);
    if (result == 0)
        result = caller->open_stream(caller->drm.closure, stream, flags); /* 27 */
    if (result < 0)
        i915_stream_fini(stream);
    else if (!(flags & I915_PERF_FLAG_DISABLED))
        i915_stream_enable(stream);
    return result;
}

int i915_perf_open(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_perf_open_param *from = argument;
    struct properties properties;
    if (!has_perf(file->device))
        return -ENOTSUPP; /* 1 */
    if (from->flags & ~OPEN_FLAGS)
        return -EINVAL; /* 2 */
    int result = read_properties(file->device, caller, from, &properties);
    return result < 0 ? result : open_stream(file, &properties, from->flags, caller);
}
