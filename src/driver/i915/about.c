/* SPDX-License-Identifier: MIT */
/* Properties of the device: GETPARAM, REG_READ. */
#include "base/bits.h"
#include "driver/i915/device.h"
#include "intel/symbols.h"

/* ---- GETPARAM -------------------------------------------------------------------------------- */

enum how {
    FIXED,       /* `value` */
    REFUSED,     /* -ENODEV: belongs to the retired DRI1 interface */
    SIZE,        /* a property of the device (enum size); -ENODEV if 0 */
    REVISION_54, /* the perf revision; -EINVAL for revision 1, which did not report it */
    OA_CLOCK,    /* the OA timestamp frequency; -EINVAL before revision 6 */
    LLC,
    COHERENT_GTT,
    PPGTT,
    FIRST_OF,   /* whether the device has an engine of the class */
    SECOND_OF,  /* whether it has two */
    PARSER,     /* `value` on platforms whose batches the kernel parses, otherwise 0 */
    ISOLATION,  /* the classes of engines that have an image of each context */
    HUC,        /* -EOPNOTSUPP: it is disabled; -ENODEV before Gen9, which has none */
    WITH_LISTS, /* `value` on platforms with execution lists, otherwise 0 */
    SCHEDULER,  /* flags */
};

enum size { DEVICE_ID, PCI_REVISION, SUBSLICES, EUS, SLICE_MASK, SUBSLICE_MASK, CS_CLOCK };

static const struct parameter {
    uint8_t number, how;
    int32_t value;
} parameters[] = {
    {I915_PARAM_IRQ_ACTIVE, REFUSED, 0},
    {I915_PARAM_ALLOW_BATCHBUFFER, REFUSED, 0},
    {I915_PARAM_LAST_DISPATCH, REFUSED, 0},
    {I915_PARAM_CHIPSET_ID, SIZE, DEVICE_ID},
    {I915_PARAM_HAS_GEM, FIXED, 1},
    {I915_PARAM_NUM_FENCES_AVAIL, FIXED, 0}, /* tiling is stored for clients, but has no effect */
    {I915_PARAM_HAS_OVERLAY, FIXED, 0},
    {I915_PARAM_HAS_PAGEFLIPPING, FIXED, 1},
    {I915_PARAM_HAS_EXECBUF2, FIXED, 1},
    {I915_PARAM_HAS_BSD, FIRST_OF, CS_VIDEO},
    {I915_PARAM_HAS_BLT, FIRST_OF, CS_COPY},
    {I915_PARAM_HAS_RELAXED_FENCING, FIXED, 1},
    {I915_PARAM_HAS_COHERENT_RINGS, FIXED, 1},
    {I915_PARAM_HAS_EXEC_CONSTANTS, REFUSED, 0},
    {I915_PARAM_HAS_RELAXED_DELTA, FIXED, 1},
    {I915_PARAM_HAS_GEN7_SOL_RESET, FIXED, 1},
    {I915_PARAM_HAS_LLC, LLC, 0},
    {I915_PARAM_HAS_ALIASING_PPGTT, PPGTT, 0}, /* 1 aliasing, 2 full (3 would be 48 bits) */
    {I915_PARAM_HAS_WAIT_TIMEOUT, FIXED, 1},
    {I915_PARAM_HAS_SEMAPHORES, WITH_LISTS, 1},
    {I915_PARAM_HAS_PRIME_VMAP_FLUSH, FIXED, 1},
    {I915_PARAM_HAS_VEBOX, FIRST_OF, CS_VIDEO_ENHANCE},
    {I915_PARAM_HAS_SECURE_BATCHES, FIXED, 0},
    {I915_PARAM_HAS_PINNED_BATCHES, FIXED, 1},
    {I915_PARAM_HAS_EXEC_NO_RELOC, FIXED, 1},
    {I915_PARAM_HAS_EXEC_HANDLE_LUT, FIXED, 1},
    {I915_PARAM_HAS_WT, FIXED, 0},
    {I915_PARAM_CMD_PARSER_VERSION, PARSER, 10},
    {I915_PARAM_HAS_COHERENT_PHYS_GTT, FIXED, 1},
    {I915_PARAM_MMAP_VERSION, FIXED, 1},
    {I915_PARAM_HAS_BSD2, SECOND_OF, CS_VIDEO},
    {I915_PARAM_REVISION, SIZE, PCI_REVISION}, /* 0 is valid */
    {I915_PARAM_SUBSLICE_TOTAL, SIZE, SUBSLICES},
    {I915_PARAM_EU_TOTAL, SIZE, EUS},
    {I915_PARAM_HAS_GPU_RESET, FIXED, 2}, /* resets single engines */
    {I915_PARAM_HAS_RESOURCE_STREAMER, FIXED, 0},
    {I915_PARAM_HAS_EXEC_SOFTPIN, FIXED, 1},
    {I915_PARAM_HAS_POOLED_EU, FIXED, 0},
    {I915_PARAM_MIN_EU_IN_POOL, FIXED, 0},
    {I915_PARAM_MMAP_GTT_VERSION, FIXED, 4}, /* with MMAP_OFFSET */
    {I915_PARAM_HAS_SCHEDULER, SCHEDULER, 0},
    {I915_PARAM_HUC_STATUS, HUC, 0},
    {I915_PARAM_HAS_EXEC_ASYNC, FIXED, 1},
    {I915_PARAM_HAS_EXEC_FENCE, FIXED, 1},
    {I915_PARAM_HAS_EXEC_CAPTURE, FIXED, 1}, /* the flag is accepted */
    {I915_PARAM_SLICE_MASK, SIZE, SLICE_MASK},
    {I915_PARAM_SUBSLICE_MASK, SIZE, SUBSLICE_MASK}, /* of the first slice */
    {I915_PARAM_HAS_EXEC_BATCH_FIRST, FIXED, 1},
    {I915_PARAM_HAS_EXEC_FENCE_ARRAY, FIXED, 1},
    {I915_PARAM_HAS_CONTEXT_ISOLATION, ISOLATION, 0},
    {I915_PARAM_CS_TIMESTAMP_FREQUENCY, SIZE, CS_CLOCK},
    {I915_PARAM_MMAP_GTT_COHERENT, COHERENT_GTT, 0},
    {I915_PARAM_HAS_EXEC_SUBMIT_FENCE, FIXED, 1},
    {I915_PARAM_PERF_REVISION, REVISION_54, 0},
    {I915_PARAM_HAS_EXEC_TIMELINE_FENCES, FIXED, 1},
    {I915_PARAM_HAS_USERPTR_PROBE, FIXED, 1},
    {I915_PARAM_OA_TIMESTAMP_FREQUENCY, OA_CLOCK, 0},
};

static uint32_t size_of(const struct i915_device *device, int32_t which)
{
    switch ((enum size)which) {
    case DEVICE_ID:
        return device->settings.device_id;
    case PCI_REVISION:
        return device->settings.pci_revision;
    case SUBSLICES:
        return device->topology.subslices;
    case EUS:
        return device->topology.eus;
    case SLICE_MASK:
        return device->sseu.slice_mask;
    case SUBSLICE_MASK:
        return device->sseu.subslice_mask;
    case CS_CLOCK:
        break;
    }
    return device->settings.timestamp_hz >> device->platform->info.oa_timestamp_shift;
}

static bool has_engine(const struct i915_device *device, uint16_t class, uint16_t instance)
{
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (engine->named.engine_class == class && engine->named.engine_instance == instance)
        return true;
    return false;
}

/* Requests that wait for another engine are submitted when they need not wait any more, as the
 * kernel does when an engine has too many semaphores. */
static int32_t scheduler_flags(const struct i915_device *device)
{
    return I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY |
           I915_SCHEDULER_CAP_SEMAPHORES | I915_SCHEDULER_CAP_ENGINE_BUSY_STATS |
           (device->platform->preempts ? I915_SCHEDULER_CAP_PREEMPTION : 0);
}

/* Before Gen8 only the render engine has images. */
static int32_t isolated_classes(const struct i915_device *device)
{
    uint32_t classes = 0;
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (has_execlists(device) || engine->hardware->id == CS_RCS0)
        classes |= 1u << engine->named.engine_class;
    return (int32_t)classes;
}

static int evaluate(const struct i915_device *device, const struct parameter *p, int32_t *value)
{
    bool lists = has_execlists(device);
    *value = p->value;
    switch ((enum how)p->how) {
    case FIXED:
        return 0;
    case REFUSED:
        return -ENODEV;
    case SIZE:
        *value = (int32_t)size_of(device, p->value);
        return *value || p->value == PCI_REVISION ? 0 : -ENODEV;
    case REVISION_54:
        *value = (int32_t)device->settings.perf_revision;
        return *value > 1 ? 0 : -EINVAL;
    case OA_CLOCK:
        *value = (int32_t)device->settings.timestamp_hz;
        return device->settings.perf_revision >= 6 ? 0 : -EINVAL;
    case LLC:
        *value = device->platform->llc;
        return 0;
    case COHERENT_GTT:
        *value = device->platform->coherent_ggtt;
        return 0;
    case PPGTT:
        *value = lists ? 2 : 1;
        return 0;
    case FIRST_OF:
    case SECOND_OF:
        *value = has_engine(device, (uint16_t)p->value, p->how == SECOND_OF);
        return 0;
    case PARSER:
        *value = device->platform->parses_batches ? p->value : 0;
        return 0;
    case ISOLATION:
        *value = isolated_classes(device);
        return 0;
    case HUC:
        return device->platform->huc ? -EOPNOTSUPP : -ENODEV;
    case WITH_LISTS:
        *value = lists ? p->value : 0;
        return 0;
    case SCHEDULER:
        *value = lists ? scheduler_flags(device) : 0;
        return 0;
    }
    return -EINVAL;
}

int i915_getparam(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_getparam *args = argument;
    int32_t value;
    for (size_t i = 0; i < ARRAY_COUNT(parameters); i++) {
        if (parameters[i].number != args->param)
            continue;
        int result = evaluate(file->device, &parameters[i], &value);
        return result < 0 ? result : copy_out(caller, (uintptr_t)args->value, &value, sizeof value);
    }
    return -EINVAL;
}

/* ---- REG_READ -------------------------------------------------------------------------------- */

/* Reads again if the upper half changes while the lower half is read. */
static uint64_t read_timestamp(struct i915_device *device)
{
    uint32_t high = read32(device, RING_TIMESTAMP_UDW), low, before;
    do {
        before = high;
        low = read32(device, RING_TIMESTAMP);
        high = read32(device, RING_TIMESTAMP_UDW);
    } while (high != before);
    return (uint64_t)high << 32 | low;
}

int i915_reg_read(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_reg_read *args = argument;
    (void)caller;
    if ((args->offset & ~UINT64_C(7)) != RING_TIMESTAMP || (args->offset & 7) > I915_REG_READ_8B_WA)
        return -EINVAL;
    i915_wake_get(file->device);
    args->val = read_timestamp(file->device);
    i915_wake_put(file->device);
    return 0;
}
