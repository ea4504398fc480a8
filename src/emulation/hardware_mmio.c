/* SPDX-License-Identifier: MIT */
/* Connects the driver that only uses registers to the modelled GPU. Its only memory is the report
 * buffer, and it submits no commands. */
#include "emulation/emulation.h"

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const struct emulation *emulation = context;
    return emulation->mmio && mmio_memory_read(emulation->mmio, space, address, data, bytes);
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct emulation *emulation = context;
    return emulation->mmio && mmio_memory_write(emulation->mmio, space, address, data, bytes);
}

static int connect(struct emulation *emulation, const struct i915_settings *settings,
                   struct tally_error *error)
{
    (void)settings;
    struct driver_io io = {emulation_read32, emulation_write32, emulation_gpu_ns,
                           emulation_sleep_ns, emulation};
    tally_gpu_set_fault_listener(emulation->gpu, emulation_hear_fault, emulation);
    tally_gpu_set_bus(
        emulation->gpu,
        &(struct tally_gpu_bus){.read = read_memory, .write = write_memory, .context = emulation});
    return mmio_device_new(emulation->platform->name, &io, &emulation->mmio, error);
}

static void disconnect(struct emulation *emulation)
{
    mmio_device_free(emulation->mmio);
}

static uint64_t next_ns(const struct emulation *emulation)
{
    return mmio_device_next_ns(emulation->mmio);
}

static void tick(struct emulation *emulation)
{
    mmio_device_tick(emulation->mmio);
}

static bool write(struct emulation *emulation, uint32_t space, uint64_t address, const void *data,
                  size_t bytes)
{
    return write_memory(emulation, space, address, data, bytes);
}

const struct emulation_driver emulation_mmio = {connect, disconnect, next_ns, tick, write};
