/* SPDX-License-Identifier: MIT */
#include "driver/i915/modelled.h"

/* ---- the driver's side ----------------------------------------------------------------------- */

static uint32_t mmio_read(void *closure, uint32_t address)
{
    return tally_gpu_read32(((struct i915_modelled *)closure)->gpu, address);
}

static void mmio_write(void *closure, uint32_t address, uint32_t value)
{
    tally_gpu_write32(((struct i915_modelled *)closure)->gpu, address, value);
}

static uint64_t now(void *closure)
{
    return tally_gpu_now_ns(((struct i915_modelled *)closure)->gpu);
}

static int sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    struct i915_modelled *modelled = closure;
    if (modelled->sleep_ns)
        return modelled->sleep_ns(modelled->sleep_closure, ns, interruptible);
    tally_gpu_run_ns(modelled->gpu, ns); /* there are no signals */
    return 0;
}

static void reset(void *closure)
{
    struct i915_modelled *modelled = closure;
    tally_gpu_reset(modelled->gpu, TALLY_GPU_RESET_ENGINE);
    i915_copy_reset(&modelled->copy);
}

/* ---- the GPU's side -------------------------------------------------------------------------- */

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    struct i915_device *device = ((struct i915_modelled *)context)->device;
    return device && i915_memory_read(device, space, address, data, bytes);
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct i915_device *device = ((struct i915_modelled *)context)->device;
    return device && i915_memory_write(device, space, address, data, bytes);
}

static uint64_t work(void *context, enum tally_gpu_work_kind kind,
                     const struct tally_gpu_command *command)
{
    struct i915_modelled *modelled = context;
    return kind == TALLY_GPU_WORK_PRIMITIVE
               ? i915_copy_draw(&modelled->copy, modelled->device, command)
               : 0;
}

static void state(void *context, const struct tally_gpu_command *command)
{
    i915_copy_state(&((struct i915_modelled *)context)->copy, command);
}

/* ---- making ---------------------------------------------------------------------------------- */

int i915_modelled_init(struct i915_modelled *modelled, struct tally_gpu *gpu, const char *platform,
                       const struct i915_settings *settings, struct tally_error *error)
{
    struct i915_settings known = *settings;
    known.platform = platform;
    known.eus = tally_gpu_eus(gpu);
    known.timestamp_hz = tally_gpu_timestamp_hz(gpu);
    *modelled = (struct i915_modelled){.gpu = gpu};
    modelled->hardware =
        (struct i915_hardware){mmio_read, mmio_write, now, sleep_ns, reset, modelled};
    i915_copy_init(&modelled->copy, platform, gpu);
    tally_gpu_set_bus(gpu, &(struct tally_gpu_bus){.read = read_memory,
                                                   .write = write_memory,
                                                   .work = work,
                                                   .state = state,
                                                   .context = modelled});
    return i915_device_new(&known, &modelled->hardware, &modelled->device, error);
}

void i915_modelled_fini(struct i915_modelled *modelled)
{
    i915_device_free(modelled->device);
    modelled->device = NULL;
}

void i915_modelled_run_ns(struct i915_modelled *modelled, uint64_t ns)
{
    uint64_t end = now(modelled) + ns;
    for (uint64_t at = now(modelled); at < end; at = now(modelled)) {
        uint64_t next = i915_device_next_ns(modelled->device);
        uint64_t until = next < end ? next : end;
        tally_gpu_run_ns(modelled->gpu, until > at ? until - at : 1);
        i915_device_tick(modelled->device);
    }
}
