/* SPDX-License-Identifier: MIT */
/* Recording without a kernel driver. */
#include "capture/registers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "capture/emulated.h"
#include "capture/set.h"
#include "emulation/faults/faults.h"

#define STREAM 1 /* the only descriptor */

struct registers {
    struct emulation *emulation;
    struct mmio_stream *stream; /* or NULL */
};

static struct registers *of_gpu(const struct gpu *gpu)
{
    return gpu->machine->self;
}

struct emulation *registers_emulation(const struct device *machine)
{
    return ((const struct registers *)machine->self)->emulation;
}

/* ---- the calls of the machine ---------------------------------------------------------------- */

static bool has_records(void *stream)
{
    return mmio_stream_poll(stream);
}

static int registers_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    struct registers *registers = self;
    bool waits = stream == STREAM && registers->stream;
    return emulated_wait(registers->emulation, waits ? has_records : NULL, registers->stream, wake,
                         timeout_ns);
}

static int64_t registers_read(void *self, int fd, void *to, size_t bytes)
{
    struct registers *registers = self;
    return fd == STREAM && registers->stream ? mmio_stream_read(registers->stream, to, bytes)
                                             : -EBADF;
}

static int registers_close(void *self, int fd)
{
    struct registers *registers = self;
    if (fd != STREAM || !registers->stream)
        return -EBADF;
    mmio_stream_close(registers->stream);
    registers->stream = NULL;
    return 0;
}

static uint64_t registers_now_ns(void *self)
{
    return emulation_now_ns(((const struct registers *)self)->emulation);
}

static void registers_free(void *self)
{
    struct registers *registers = self;
    emulation_free(registers->emulation); /* closes the stream */
    free(registers);
}

static const struct device_calls registers_calls = {
    .poll = registers_poll,
    .read = registers_read,
    .close = registers_close,
    .now_ns = registers_now_ns,
    .free = registers_free,
};

int registers_device_new(const struct emulation_settings *settings, struct device *out,
                         struct tally_error *error)
{
    struct registers *registers = calloc(1, sizeof *registers);
    struct emulation_settings own = *settings;
    if (!registers)
        return fail_memory(error, "a device");
    own.interface = &emulation_mmio;
    int result = emulation_new(&own, &registers->emulation, error);
    if (result < 0) {
        free(registers);
        return result;
    }
    *out = (struct device){&registers_calls, registers};
    return 0;
}

/* ---- the driver ------------------------------------------------------------------------------ */

/* TIMESTAMP takes time to read if the GT has to wake. */
static uint64_t read_timestamp(const struct gpu *gpu)
{
    return mmio_device_timestamp(of_gpu(gpu)->emulation->mmio);
}

static int correlate(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks)
{
    return gpu_correlate_by(gpu, read_timestamp, cpu_ns, gpu_ticks);
}

/* The lists of a set are written in the order in which the kernel does: NOA, triggers and events,
 * EUs. */
static int open_stream(const struct gpu *gpu, const struct set_in_driver *added, unsigned exponent,
                       struct tally_error *error)
{
    struct registers *registers = of_gpu(gpu);
    const struct set *set = added->set;
    size_t count = 0;
    for (size_t list = 0; list < SET_LISTS; list++)
        count += set->lists[list].count;
    struct mmio_register *writes = calloc(count + 1, sizeof *writes);
    if (!writes)
        return fail_memory(error, "a metric set");
    struct mmio_stream_options options = {
        .layout = tally_layout_for_kernel(gpu->device.platform, gpu->info.oa_format),
        .exponent = exponent,
        .registers = writes,
    };
    for (size_t list = 0; list < SET_LISTS; list++)
        for (uint32_t i = 0; i < set->lists[list].count; i++)
            writes[options.register_count++] = (struct mmio_register){
                set->lists[list].writes[i].address, set->lists[list].writes[i].value};
    int result = mmio_stream_open(registers->emulation->mmio, &options, &registers->stream, error);
    free(writes);
    if (result < 0)
        return result;
    faults_begin(registers->emulation->faults);
    return STREAM;
}

static const struct gpu_driver gpu_mmio = {
    .name = "mmio", .all_layouts = true, .correlate = correlate, .open_stream = open_stream};

void registers_gpu_open(struct device *machine, const char *name, struct gpu *gpu)
{
    const struct emulation *emulation = registers_emulation(machine);
    const struct tally_sku *sku = emulation->sku;
    *gpu = (struct gpu){.machine = machine, .driver = &gpu_mmio, .path = name, .fd = -1};
    tally_device_find(sku->device_id, &gpu->device);
    gpu->info = (struct tally_device_info){
        .timestamp_hz = tally_gpu_timestamp_hz(emulation->gpu),
        .device_id = gpu->device.id,
        .revision = sku->pci_revision,
        .gt_min_hz = sku->gt_min_mhz * 1000000u,
        .gt_max_hz = sku->gt_max_mhz * 1000000u,
        .oa_format = tally_layout_format(tally_layout_default(emulation->platform)),
    };
    gpu->topology = tally_gpu_topology(emulation->gpu);
    gpu->topology_bytes =
        intel_topology_reply(gpu_topology(emulation->gpu), gpu->topology_reply, GPU_TOPOLOGY_BYTES);
}
