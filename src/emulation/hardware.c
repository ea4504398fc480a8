/* SPDX-License-Identifier: MIT */
/* Connects the driver to the modelled GPU: the driver accesses its registers, and the GPU accesses
 * the driver's memory. */
#include <string.h>

#include "emulation/blit.h"
#include "emulation/emulation.h"
#include "intel/skus.h"

/* ---- the driver's side ----------------------------------------------------------------------- */

uint32_t emulation_read32(void *closure, uint32_t address)
{
    return tally_gpu_read32(((struct emulation *)closure)->gpu, address);
}

void emulation_write32(void *closure, uint32_t address, uint32_t value)
{
    tally_gpu_write32(((struct emulation *)closure)->gpu, address, value);
}

uint64_t emulation_gpu_ns(void *closure)
{
    return tally_gpu_now_ns(((struct emulation *)closure)->gpu);
}

static void reset(void *closure, const char *engine)
{
    struct emulation *emulation = closure;
    tally_gpu_engine_reset(emulation->gpu, engine);
    if (!strcmp(engine, "rcs0"))
        emulation_copy_reset(&emulation->copy);
}

/* ---- the GPU's side -------------------------------------------------------------------------- */

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    struct i915_device *device = ((struct emulation *)context)->device;
    return device && i915_memory_read(device, space, address, data, bytes);
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct i915_device *device = ((struct emulation *)context)->device;
    return device && i915_memory_write(device, space, address, data, bytes);
}

static uint64_t work(void *context, enum tally_gpu_work_kind kind,
                     const struct tally_gpu_command *command)
{
    struct emulation *emulation = context;
    if (kind == TALLY_GPU_WORK_PRIMITIVE)
        emulation_copy_draw(&emulation->copy, &emulation->bus, command);
    if (kind == TALLY_GPU_WORK_BLIT)
        emulation_blit(&emulation->bus, emulation->platform, command);
    return 0;
}

static void state(void *context, const struct tally_gpu_command *command)
{
    emulation_copy_state(&((struct emulation *)context)->copy, command);
}

void emulation_set_bus(struct emulation *emulation, const struct tally_gpu_bus *bus)
{
    emulation->bus = *bus;
    emulation->bus.work = work;
    emulation->bus.state = state;
    emulation->bus.context = emulation;
    emulation_copy_init(&emulation->copy, emulation->platform, emulation->gpu);
    tally_gpu_set_bus(emulation->gpu, &emulation->bus);
}

/* Notes why the command streamer stopped. The driver only sees that a request hangs. */
void emulation_hear_fault(void *context, const struct tally_error *error)
{
    struct emulation *emulation = context;
    if (!emulation->stops++)
        emulation->first_stop = *error;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int connect(struct emulation *emulation, const struct i915_settings *settings,
                   struct tally_error *error)
{
    struct i915_settings driver = *settings;
    char name[SKU_NAME_BYTES];
    driver.platform = intel_sku_name(intel_sku_of(emulation->sku), name);
    driver.eus = tally_gpu_eus(emulation->gpu);
    driver.topology = gpu_topology(emulation->gpu);
    driver.timestamp_hz = tally_gpu_timestamp_hz(emulation->gpu);
    emulation->hardware = (struct i915_hardware){
        {emulation_read32, emulation_write32, emulation_gpu_ns, emulation_sleep_ns, emulation},
        reset};
    tally_gpu_set_fault_listener(emulation->gpu, emulation_hear_fault, emulation);
    emulation_set_bus(emulation,
                      &(struct tally_gpu_bus){.read = read_memory, .write = write_memory});
    return i915_device_new(&driver, &emulation->hardware, &emulation->device, error);
}

static void disconnect(struct emulation *emulation)
{
    i915_device_free(emulation->device);
}

static uint64_t next_ns(const struct emulation *emulation)
{
    return i915_device_next_ns(emulation->device);
}

static void tick(struct emulation *emulation)
{
    i915_device_tick(emulation->device);
}

static bool write(struct emulation *emulation, uint32_t space, uint64_t address, const void *data,
                  size_t bytes)
{
    return write_memory(emulation, space, address, data, bytes);
}

const struct emulation_driver emulation_i915 = {connect, disconnect, next_ns, tick, write};
