/* SPDX-License-Identifier: MIT */
/* An NVIDIA GPU with nouveau on it: signals that a workload drives, registers and time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "emulation/emulation.h"
#include "emulation/nvidia/driven.h"
#include "nvidia/pcounter/engine.h"

struct nvidia_model {
    struct driven_gpu driven;
    struct tally_gpu_mmio_stats stats;
    FILE *trace; /* or NULL */
};

static struct nvidia_gpu *gpu_of(const struct emulation *emulation)
{
    return emulation->nvidia->driven.gpu;
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static uint64_t now_ns(const struct emulation *emulation)
{
    return gpu_of(emulation)->ns;
}

static void run_ns(struct emulation *emulation, uint64_t ns)
{
    driven_gpu_run(&emulation->nvidia->driven, ns);
}

static void release(struct emulation *emulation)
{
    struct nvidia_model *nvidia = emulation->nvidia;
    if (!nvidia)
        return;
    driven_gpu_fini(&nvidia->driven);
    free(nvidia);
}

static uint32_t pci_read(const struct emulation *emulation, unsigned offset, unsigned bytes)
{
    return nvidia_pci_read(gpu_of(emulation), offset, bytes);
}

static void pci_write(struct emulation *emulation, unsigned offset, unsigned bytes, uint32_t value)
{
    nvidia_pci_write(gpu_of(emulation), offset, bytes, value);
}

static struct tally_gpu_mmio_stats mmio_stats(const struct emulation *emulation)
{
    return emulation->nvidia->stats;
}

static uint64_t bar_read(struct emulation *emulation, uint32_t offset, unsigned bytes)
{
    return nvidia_registers_read(gpu_of(emulation), offset, bytes);
}

static void bar_write(struct emulation *emulation, uint32_t offset, unsigned bytes, uint64_t value)
{
    nvidia_registers_write(gpu_of(emulation), offset, bytes, value);
}

const struct emulation_model emulation_nvidia_model = {now_ns,    run_ns,     release,  pci_read,
                                                       pci_write, mmio_stats, bar_read, bar_write};

/* Counts what the registers' model does not have, and writes the trace. */
static void hear_access(void *closure, const struct nvidia_access *access)
{
    struct nvidia_model *nvidia = closure;
    char text[REG_TRACE_LINE];
    struct tally_gpu_mmio_stats *stats = &nvidia->stats;
    stats->reads += !access->write;
    stats->writes += access->write;
    stats->unknown_register += access->outcome == TALLY_PCOUNTER_UNKNOWN_REGISTER;
    stats->read_only += access->outcome == TALLY_PCOUNTER_READ_ONLY;
    stats->reserved_bits += access->outcome == TALLY_PCOUNTER_RESERVED_BITS;
    stats->asleep += access->outcome == TALLY_PCOUNTER_DISABLED;
    if (nvidia->trace)
        fputs(nvidia_trace_line(nvidia->driven.gpu, access, text), nvidia->trace);
}

/* ---- nouveau --------------------------------------------------------------------------------- */

static uint32_t read32(void *closure, uint32_t address)
{
    return driven_gpu_read32(&((struct emulation *)closure)->nvidia->driven, address);
}

static void write32(void *closure, uint32_t address, uint32_t value)
{
    driven_gpu_write32(&((struct emulation *)closure)->nvidia->driven, address, value);
}

static uint64_t driver_ns(void *closure)
{
    return now_ns(closure);
}

static int connect(struct emulation *emulation, const struct i915_settings *settings,
                   struct tally_error *error)
{
    const struct nvidia_gpu *gpu = gpu_of(emulation);
    uint32_t id = nvidia_pci_read(gpu, 0, sizeof id);
    const struct nouveau_settings driver = {.chipset = gpu->chipset,
                                            .product = nvidia_product(gpu->chipset),
                                            .pci_vendor = (uint16_t)id,
                                            .pci_device = (uint16_t)(id >> 16),
                                            .vram_bytes = gpu->vram ? gpu->vram_bytes : 0,
                                            .allocate = settings->allocate,
                                            .release = settings->release,
                                            .closure = settings->closure};
    const struct driver_io io = {read32, write32, driver_ns, emulation_sleep_ns, emulation};
    return nouveau_device_new(&driver, &io, &emulation->nouveau, error);
}

static void disconnect(struct emulation *emulation)
{
    nouveau_device_free(emulation->nouveau);
}

/* The driver has no timers. */
static uint64_t next_ns(const struct emulation *emulation)
{
    (void)emulation;
    return UINT64_MAX;
}

static void tick(struct emulation *emulation)
{
    (void)emulation;
}

static const struct emulation_driver nouveau = {connect, disconnect, next_ns, tick, NULL};

/* ---- both ------------------------------------------------------------------------------------ */

int emulation_nvidia_build(struct emulation *emulation, const struct emulation_settings *settings,
                           const struct tally_chipset *chipset, struct tally_error *error)
{
    struct nvidia_model *nvidia;
    if (settings->faults || settings->cost || settings->interface)
        return fail(error, -EINVAL, "%s: faults and costs are for Intel's GPUs", chipset->title);
    emulation->driver = &nouveau;
    nvidia = emulation->nvidia = calloc(1, sizeof *nvidia);
    if (!nvidia)
        return fail_memory(error, "a GPU");
    int result = driven_gpu_init(&nvidia->driven, chipset, error);
    if (result < 0)
        return result;
    nvidia->trace = settings->mmio;
    nvidia_gpu_listen(nvidia->driven.gpu, hear_access, nvidia);
    if (settings->workload)
        result = driven_gpu_load(&nvidia->driven, settings->workload, settings->note,
                                 settings->closure, error);
    return result < 0 ? result : emulation->driver->connect(emulation, &settings->driver, error);
}
