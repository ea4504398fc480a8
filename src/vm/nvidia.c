/* SPDX-License-Identifier: MIT */
/* An NVIDIA GPU as the device of a virtual machine. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "emulation/nvidia/driven.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"
#include "regs/trace.h"
#include "vm/device.h"
#include "vm/server.h"
#include "vm/signals.h"
#include "vm/transport.h"

struct nvidia_device {
    struct vm_device base;
    struct driven_gpu driven;
    struct vm_signals *signals; /* NULL: none */
    bool warned;                /* of a narrow write */
};

static struct nvidia_device *nvidia_device_of(struct vm_device *device)
{
    return (struct nvidia_device *)device;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static uint32_t read_config(struct vm_device *device, unsigned offset, unsigned bytes)
{
    return nvidia_pci_read(nvidia_device_of(device)->driven.gpu, offset, bytes);
}

static void write_config(struct vm_device *device, unsigned offset, unsigned bytes, uint32_t value)
{
    nvidia_pci_write(nvidia_device_of(device)->driven.gpu, offset, bytes, value);
}

static uint64_t read_memory(struct vm_device *device, uint64_t address, unsigned bytes)
{
    struct nvidia_gpu *gpu = nvidia_device_of(device)->driven.gpu;
    uint8_t data[8] = {0};
    enum nvidia_bar bar;
    uint32_t offset;
    if (!bytes || bytes > 8 || address % bytes || !nvidia_pci_decode(gpu, address, &bar, &offset))
        return low_bits(8 * bytes);
    if (bar == NVIDIA_BAR0)
        return nvidia_registers_read(gpu, offset, bytes);
    nvidia_bar_read(gpu, bar, offset, data, bytes);
    return load_le64(data);
}

/* A narrow write is ignored (PC-AMB-11). */
static void note_narrow(struct nvidia_device *device, uint32_t offset, unsigned bytes)
{
    char text[128];
    if (device->warned)
        return;
    device->warned = true;
    snprintf(text, sizeof text,
             "a write of %u bits at 0x%06" PRIx32 " is ignored, expected 32, aligned", 8 * bytes,
             offset);
    vm_device_note(&device->base, text);
}

static void write_registers(struct nvidia_device *device, uint32_t offset, unsigned bytes,
                            uint64_t value)
{
    if (!nvidia_registers_write(device->driven.gpu, offset, bytes, value))
        note_narrow(device, offset, bytes);
}

static void write_memory(struct vm_device *base, uint64_t address, unsigned bytes, uint64_t value)
{
    struct nvidia_device *device = nvidia_device_of(base);
    uint8_t data[8];
    enum nvidia_bar bar;
    uint32_t offset;
    if (bytes > sizeof data || !nvidia_pci_decode(device->driven.gpu, address, &bar, &offset))
        return;
    if (bar == NVIDIA_BAR0) {
        write_registers(device, offset, bytes, value);
        return;
    }
    store_le64(data, value);
    nvidia_bar_write(device->driven.gpu, bar, offset, data, bytes);
}

/* The device has no ports. */
static uint32_t read_port(struct vm_device *device, uint32_t port, unsigned bytes)
{
    (void)device, (void)port, (void)bytes;
    return UINT32_MAX;
}

static void write_port(struct vm_device *device, uint32_t port, unsigned bytes, uint32_t value)
{
    (void)device, (void)port, (void)bytes, (void)value;
}

static void reset(struct vm_device *device)
{
    nvidia_gpu_reset(nvidia_device_of(device)->driven.gpu);
}

/* Registers do; configuration space and memory do not. */
static bool depends_on_time(struct vm_device *device, const struct vm_request *request)
{
    enum nvidia_bar bar;
    uint32_t offset;
    return (request->kind == VM_MEMORY_READ || request->kind == VM_MEMORY_WRITE) &&
           nvidia_pci_decode(nvidia_device_of(device)->driven.gpu, request->address, &bar,
                             &offset) &&
           bar == NVIDIA_BAR0;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void hear_access(void *closure, const struct nvidia_access *access)
{
    struct nvidia_device *device = closure;
    char text[REG_TRACE_LINE];
    if (access->outcome == TALLY_PCOUNTER_UNKNOWN_REGISTER)
        vm_unknown_add(&device->base.unknown, access->address, access->write);
    if (device->base.settings.mmio)
        fputs(nvidia_trace_line(device->driven.gpu, access, text), device->base.settings.mmio);
}

/* Record buffers: no virtual memory of channels is modelled, so that an address is one of the
 * guest's memory (decided). */
static int faults(void *context, uint64_t address, size_t bytes)
{
    const struct nvidia_device *device = context;
    return !nvidia_pci_is_master(device->driven.gpu) ||
           !vm_memory_has(&device->base.memory, address, bytes);
}

static void write_packet(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    const struct nvidia_device *device = context;
    vm_memory_write(&device->base.memory, address, data, bytes);
}

static bool read_host(void *context, uint64_t address, void *data, size_t bytes)
{
    const struct nvidia_device *device = context;
    return vm_memory_read(&device->base.memory, address, data, bytes);
}

static bool write_host(void *context, uint64_t address, const void *data, size_t bytes)
{
    const struct nvidia_device *device = context;
    return vm_memory_write(&device->base.memory, address, data, bytes);
}

static void message(void *context, uint64_t address, uint32_t data)
{
    struct nvidia_device *device = context;
    vm_device_message(&device->base, address, data);
}

static const struct nvidia_host host = {read_host, write_host, message};

/* ---- time ------------------------------------------------------------------------------------ */

/* Runs to the next change of the signals at most, and makes it. */
static void run(struct vm_device *base, uint64_t ns)
{
    driven_gpu_step(&nvidia_device_of(base)->driven, ns);
}

static uint64_t now(const struct vm_device *device)
{
    return ((const struct nvidia_device *)device)->driven.gpu->ns;
}

/* What the counters count is only seen by an access. */
static bool is_idle(const struct vm_device *device)
{
    (void)device;
    return true;
}

/* ---- use ------------------------------------------------------------------------------------- */

static bool has(const char *gpu)
{
    return tally_chipset_find(gpu) != NULL;
}

static const char *name_at(size_t index)
{
    const struct tally_chipset *chipset = tally_chipset_at(index);
    return chipset ? chipset->name : NULL;
}

static void destroy(struct vm_device *base)
{
    struct nvidia_device *device = nvidia_device_of(base);
    vm_signals_free(device->signals);
    driven_gpu_fini(&device->driven);
    free(device);
}

static int fail_setting(const struct vm_device_settings *settings, const char *what,
                        struct tally_error *error)
{
    return fail(error, -EINVAL, "%s: %s for Intel's platforms, expected signals or a workload",
                settings->gpu, what);
}

static int check_settings(const struct vm_device_settings *settings, struct tally_error *error)
{
    if (settings->workload && settings->signals)
        return fail(error, -EINVAL, "%s: signals and a workload, expected one of them",
                    settings->gpu);
    if (settings->cost)
        return fail_setting(settings, "costs are", error);
    if (settings->fuses)
        return fail_setting(settings, "fuses are", error);
    return settings->faults ? fail_setting(settings, "faults are", error) : 0;
}

static void note_unit(void *closure, unsigned line, const char *message)
{
    (void)line;
    vm_device_note(closure, message);
}

/* Lets a script or a workload drive the signals. */
static int drive_signals(struct nvidia_device *device, struct tally_error *error)
{
    const struct vm_device_settings *settings = &device->base.settings;
    if (settings->workload)
        return driven_gpu_load(&device->driven, settings->workload, note_unit, &device->base,
                               error);
    return settings->signals ? vm_signals_new(settings->signals, &device->driven, settings->note,
                                              settings->closure, &device->signals, error)
                             : 0;
}

static int create(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error)
{
    int result = check_settings(settings, error);
    if (result < 0)
        return result;
    struct nvidia_device *device = calloc(1, sizeof *device);
    if (!device)
        return fail_memory(error, "a device");
    device->base.calls = &vm_nvidia;
    device->base.settings = *settings;
    result = driven_gpu_init(&device->driven, tally_chipset_find(settings->gpu), error);
    if (result == 0)
        result = drive_signals(device, error);
    if (result < 0) {
        destroy(&device->base);
        return result;
    }
    nvidia_gpu_listen(device->driven.gpu, hear_access, device);
    device->driven.gpu->host = &host;
    device->driven.gpu->closure = device;
    tally_pcounter_set_memory(device->driven.gpu->pcounter,
                              &(struct tally_pcounter_memory){faults, write_packet, device});
    *out = &device->base;
    return 0;
}

/* Neither outputs nor channels, which the model does not have; the VBIOS is that of the ROM. */
static const struct vm_driver *driver(const struct vm_device *device)
{
    static const struct vm_driver nouveau = {
        "nouveau",
        "nouveau.modeset=2 nouveau.noaccel=1 nouveau.runpm=0 nouveau.config=NvBios=PROM"};
    return ((const struct nvidia_device *)device)->driven.gpu->vram ? &nouveau : NULL;
}

const struct vm_device_calls vm_nvidia = {
    .has = has,
    .name_at = name_at,
    .create = create,
    .destroy = destroy,
    .driver = driver,
    .read_config = read_config,
    .write_config = write_config,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .read_port = read_port,
    .write_port = write_port,
    .reset = reset,
    .depends_on_time = depends_on_time,
    .run = run,
    .now = now,
    /* A millisecond of the GPU takes 0.2 ms of a processor on G92 and 0.8 ms on GF100, if all
     * domains have 500 MHz. With the clocks of nvidia_gpu_set_clocks() it takes 1.1 ms: the model
     * never catches up, and the guest must not wait for it. */
    .pace = {.slice_ns = 100000,
             .catch_up_ns = 20000000,
             .falls_behind = true,
             .max_lag_ns = 1000000000},
    .is_idle = is_idle,
};
