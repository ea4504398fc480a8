/* SPDX-License-Identifier: MIT */
/* The device and its files: creation, destruction, and time. */
#include "driver/i915/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/minmax.h"
#include "driver/i915/perf.h"
#include "driver/i915/syncobj.h"

#define MEMORY_BYTES (UINT64_C(2) << 30)
#define NOA_DELAY_NS 500000u
#define HANG_NS      640000000u
#define REVISION     7

#define GGTT_FIRST  0x100000u /* addresses below are reserved for firmware */
#define PARANOID    1
#define SAMPLE_RATE 100000

/* ---- creation -------------------------------------------------------------------------------- */

static int check(struct i915_device *device, struct tally_error *error)
{
    struct i915_settings *s = &device->settings;
    const char *name = s->platform ? s->platform : "";
    device->sku = intel_sku_modelled(name, "GPU", error);
    if (!device->sku)
        return -EINVAL;
    device->platform = intel_sku_platform(device->sku);
    if (s->perf_revision > REVISION)
        return fail(error, -EINVAL, "perf revision %u, expected 1 to %d", s->perf_revision,
                    REVISION);
    unsigned max = sku_eus(&device->sku->info);
    if (s->eus > max)
        return fail(error, -EINVAL, "%s with %u EUs, expected at most %u", name, s->eus, max);
    return 0;
}

static void set_defaults(struct i915_device *device)
{
    struct i915_settings *s = &device->settings;
    const struct tally_platform *info = &device->platform->info;
    const struct tally_sku *sku = &device->sku->info;
    s->platform = info->name;
    s->eus = s->eus ? s->eus : sku_eus(sku);
    s->timestamp_hz = s->timestamp_hz ? s->timestamp_hz : info->timestamp_hz;
    s->device_id = s->device_id ? s->device_id : sku->device_id;
    s->pci_revision = s->pci_revision ? s->pci_revision : sku->pci_revision;
    s->perf_revision = s->perf_revision ? s->perf_revision : REVISION;
    s->memory_bytes = s->memory_bytes ? s->memory_bytes : MEMORY_BYTES;
    s->noa_delay_ns = s->noa_delay_ns ? s->noa_delay_ns : NOA_DELAY_NS;
    s->hang_ns = s->hang_ns ? s->hang_ns : HANG_NS;
}

static void set_topology(struct i915_device *device)
{
    struct intel_topology topology;
    if (device->settings.topology)
        topology = *device->settings.topology;
    else
        intel_topology_of(device->sku, device->settings.eus, &topology);
    device->settings.topology = NULL; /* the caller's */
    device->topology = intel_topology_public(&topology);
    device->topology_size =
        intel_topology_reply(&topology, device->topology_bytes, sizeof device->topology_bytes);
    uint8_t each = (uint8_t)device->topology.max_eus;
    /* As in the kernel, the subslices are those of slice 0. */
    device->sseu = (struct i915_sseu){topology.slices, (uint8_t)topology.subslices[0], each, each};
}

static int start(struct i915_device *device)
{
    i915_space_init(&device->ggtt, GGTT_FIRST, UINT64_C(1) << device->platform->ggtt_bits);
    int result = i915_engines_init(device);
    if (result == 0)
        result = i915_context_new(device, NULL, &device->kernel_context);
    if (result == 0 && has_perf(device))
        result = i915_perf_init(device);
    return result;
}

int i915_device_new(const struct i915_settings *settings, const struct i915_hardware *hardware,
                    struct i915_device **out, struct tally_error *error)
{
    struct i915_device *device = calloc(1, sizeof *device);
    if (!device)
        return fail_memory(error, "the i915 device");
    device->settings = *settings;
    device->hardware = *hardware;
    device->drm.driver = &i915_driver;
    device->reset_level = I915_RESET_ENGINES;
    device->syncobj_changes = 1;
    device->perf.paranoid = PARANOID;
    device->perf.max_sample_rate = SAMPLE_RATE;
    int result = check(device, error);
    if (result < 0) {
        free(device);
        return result;
    }
    set_defaults(device);
    set_topology(device);
    i915_limits_init(device);
    /* Set early: initialization accesses memory and registers, and the embedder may need *out then.
     */
    *out = device;
    result = start(device);
    if (result < 0) {
        i915_device_free(device);
        *out = NULL;
        return fail(error, result, "the i915 device: %s", strerror(-result));
    }
    return 0;
}

void i915_device_free(struct i915_device *device)
{
    if (!device)
        return;
    while (device->files)
        i915_file_close(device->files);
    i915_perf_fini(device);
    i915_engines_fini(device);
    if (device->kernel_context)
        i915_context_drop(device->kernel_context);
    while (device->contexts) { /* an open stream may hold a context */
        device->contexts->references = 1;
        i915_context_drop(device->contexts);
    }
    i915_space_fini(&device->ggtt);
    free(device->named);
    buffer_fini(&device->error);
    free(device);
}

/* ---- time ------------------------------------------------------------------------------------ */

void i915_device_tick(struct i915_device *device)
{
    i915_engines_tick(device);
    if (device->perf.stream) {
        i915_heartbeat_tick(device->perf.stream);
        i915_stream_tick(device->perf.stream);
    }
}

/* Whether the hardware has a request. */
static bool is_running(const struct i915_device *device)
{
    FOR_ENGINES(const struct i915_engine, engine, device)
    for (const struct i915_request *r = engine->first; r; r = r->next)
        if (r->submitted)
            return true;
    return false;
}

uint64_t i915_device_next_ns(const struct i915_device *device)
{
    const struct i915_stream *stream = device->perf.stream;
    uint64_t next = UINT64_MAX,
             look_ns = !device->software || is_running(device) ? LOOK_NS : IDLE_LOOK_NS;
    FOR_ENGINES(const struct i915_engine, engine, device)
    {
        next = min_u64(next, i915_engine_hangs_at(engine));
        next = min_u64(next, i915_pulse_next_ns(engine));
        next = min_u64(next, i915_schedule_next_ns(engine));
        if (i915_engine_waits(engine))
            next = min_u64(next, now_ns(device) + look_ns);
    }
    if (stream && stream->enabled && stream->sample_oa && stream->next_check_ns < next)
        next = stream->next_check_ns;
    if (stream)
        next = min_u64(next, i915_heartbeat_next_ns(stream));
    return next;
}

/* ---- files ----------------------------------------------------------------------------------- */

int i915_file_open(struct i915_device *device, bool render_node, struct i915_file **out)
{
    struct i915_file *file = calloc(1, sizeof *file);
    if (!file)
        return -ENOMEM;
    file->device = device;
    file->hang_ns = now_ns(device);
    file->video = device->opened++ % 2;
    file->id = device->opened;
    int result = i915_context_new(device, file, &file->context);
    if (result < 0) {
        free(file);
        return result;
    }
    file->context->is_used = true;
    i915_trace_context(file->context, I915_CONTEXT_CREATE);
    file->next = device->files;
    device->files = file;
    drm_file_open(&device->drm, render_node, &file->drm);
    *out = file;
    return 0;
}

/* Contexts stay alive while a stream or a request holds a reference. */
static void leave_contexts(struct i915_file *file)
{
    struct i915_context *next;
    for (struct i915_context *c = file->device->contexts; c; c = next) {
        next = c->next;
        if (c->file != file)
            continue;
        bool known = !c->closed;
        if (known)
            i915_context_end(c);
        c->file = NULL;
        c->closed = true;
        if (known)
            i915_context_drop(c);
    }
}

void i915_file_close(struct i915_file *file)
{
    struct i915_file **link = &file->device->files;
    while (*link != file)
        link = &(*link)->next;
    *link = file->next;
    drm_file_close(&file->drm);
    i915_file_close_objects(file);
    leave_contexts(file);
    for (size_t i = 0; i < file->vm_count; i++)
        i915_vm_drop(file->vms[i]);
    free(file->vms);
    i915_file_close_syncobjs(file);
    free(file);
}
