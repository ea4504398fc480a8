/* SPDX-License-Identifier: MIT */
/* An NVIDIA GPU as the device of a virtual machine. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "emulation/nvidia/program.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"
#include "regs/trace.h"
#include "vm/device.h"
#include "vm/server.h"
#include "vm/signals.h"
#include "vm/transport.h"

struct nvidia_device {
    struct vm_device base;
    struct nvidia_gpu *gpu;
    struct vm_signals *signals; /* NULL: none */
    struct tally_workload *workload;
    struct nvidia_program *program; /* of the workload, NULL: none */
    struct nvidia_player player;
    bool warned; /* of a narrow write */
};

static struct nvidia_device *nvidia_device_of(struct vm_device *device)
{
    return (struct nvidia_device *)device;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static uint32_t read_config(struct vm_device *device, unsigned offset, unsigned bytes)
{
    return nvidia_pci_read(nvidia_device_of(device)->gpu, offset, bytes);
}

static void write_config(struct vm_device *device, unsigned offset, unsigned bytes, uint32_t value)
{
    nvidia_pci_write(nvidia_device_of(device)->gpu, offset, bytes, value);
}

/* Registers have 32 bits. A narrow read returns a part of one, a read of 64 bits two of them. */
static uint64_t read_registers(struct nvidia_gpu *gpu, uint32_t offset, unsigned bytes)
{
    unsigned within = offset % 4;
    uint64_t value = nvidia_gpu_read32(gpu, offset - within);
    if (bytes == 8)
        value |= (uint64_t)nvidia_gpu_read32(gpu, offset + 4) << 32;
    return value >> 8 * within & low_bits(8 * bytes);
}

static uint64_t read_memory(struct vm_device *device, uint64_t address, unsigned bytes)
{
    struct nvidia_gpu *gpu = nvidia_device_of(device)->gpu;
    uint8_t data[8] = {0};
    enum nvidia_bar bar;
    uint32_t offset;
    if (!bytes || bytes > 8 || address % bytes || !nvidia_pci_decode(gpu, address, &bar, &offset))
        return low_bits(8 * bytes);
    if (bar == NVIDIA_BAR0)
        return read_registers(gpu, offset, bytes);
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
    if ((bytes != 4 && bytes != 8) || offset % bytes) {
        note_narrow(device, offset, bytes);
        return;
    }
    nvidia_gpu_write32(device->gpu, offset, (uint32_t)value);
    if (bytes == 8)
        nvidia_gpu_write32(device->gpu, offset + 4, (uint32_t)(value >> 32));
}

static void write_memory(struct vm_device *base, uint64_t address, unsigned bytes, uint64_t value)
{
    struct nvidia_device *device = nvidia_device_of(base);
    uint8_t data[8];
    enum nvidia_bar bar;
    uint32_t offset;
    if (bytes > sizeof data || !nvidia_pci_decode(device->gpu, address, &bar, &offset))
        return;
    if (bar == NVIDIA_BAR0) {
        write_registers(device, offset, bytes, value);
        return;
    }
    store_le64(data, value);
    nvidia_bar_write(device->gpu, bar, offset, data, bytes);
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
    nvidia_gpu_reset(nvidia_device_of(device)->gpu);
}

/* Registers do; configuration space and memory do not. */
static bool depends_on_time(struct vm_device *device, const struct vm_request *request)
{
    enum nvidia_bar bar;
    uint32_t offset;
    return (request->kind == VM_MEMORY_READ || request->kind == VM_MEMORY_WRITE) &&
           nvidia_pci_decode(nvidia_device_of(device)->gpu, request->address, &bar, &offset) &&
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
        fputs(nvidia_trace_line(device->gpu, access, text), device->base.settings.mmio);
}

/* Record buffers: no virtual memory of channels is modelled, so that an address is one of the
 * guest's memory (decided). */
static int faults(void *context, uint64_t address, size_t bytes)
{
    const struct nvidia_device *device = context;
    return !nvidia_pci_is_master(device->gpu) ||
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

static void play(struct nvidia_device *device)
{
    struct tally_error error = {0};
    if (vm_signals_play(device->signals, &error) < 0)
        vm_device_note(&device->base, error.message);
}

/* Returns when the signals change next. */
static uint64_t next_change_ns(const struct nvidia_device *device)
{
    if (device->signals)
        return vm_signals_next_ns(device->signals);
    return device->program ? device->player.next_ns : UINT64_MAX;
}

/* Runs to the next change of the signals at most, and makes it. */
static void run(struct vm_device *base, uint64_t ns)
{
    struct nvidia_device *device = nvidia_device_of(base);
    uint64_t next = next_change_ns(device);
    nvidia_gpu_run(device->gpu, min_u64(ns, next - device->gpu->ns));
    if (device->gpu->ns != next)
        return;
    if (device->signals)
        play(device);
    else
        nvidia_player_act(&device->player);
}

static uint64_t now(const struct vm_device *device)
{
    return ((const struct nvidia_device *)device)->gpu->ns;
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
    nvidia_gpu_free(device->gpu);
    nvidia_program_free(device->program);
    tally_workload_free(device->workload);
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

static int start_workload(struct nvidia_device *device, struct tally_error *error)
{
    int result = tally_workload_load(device->base.settings.workload, &device->workload, error);
    if (result < 0)
        return result;
    nvidia_gpu_set_clocks(device->gpu);
    result = nvidia_program_new(device->workload, device->gpu, note_unit, &device->base,
                                &device->program, error);
    if (result == 0)
        nvidia_player_start(&device->player, device->program, device->gpu);
    return result;
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
    result = nvidia_gpu_new(tally_chipset_find(settings->gpu), &device->gpu, error);
    if (result == 0 && settings->signals)
        result = vm_signals_new(settings->signals, device->gpu, settings->note, settings->closure,
                                &device->signals, error);
    if (result == 0 && settings->workload)
        result = start_workload(device, error);
    if (result < 0) {
        destroy(&device->base);
        return result;
    }
    nvidia_gpu_listen(device->gpu, hear_access, device);
    device->gpu->host = &host;
    device->gpu->closure = device;
    tally_pcounter_set_memory(device->gpu->pcounter,
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
    return ((const struct nvidia_device *)device)->gpu->vram ? &nouveau : NULL;
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
