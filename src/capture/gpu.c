/* SPDX-License-Identifier: MIT */
/* Opens a GPU and identifies it: PERF-1.6 to PERF-1.8, PERF-2.3. */
#include "capture/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/ratio.h"
#include "driver/i915/uapi.h"
#include "intel/platforms.h"

#define PARANOID "/proc/sys/dev/i915/perf_stream_paranoid"

/* The render timestamp. Bit 0 selects the read that works on every generation. */
#define TIMESTAMP_REGISTER 0x2359u

/* DRM_IOCTL_I915_GETPARAM. Returns 0 or an errno. */
static int gpu_parameter(const struct gpu *gpu, int parameter, int *out)
{
    struct drm_i915_getparam get = {.param = parameter, .value = out};
    return device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_GETPARAM, &get);
}

/* ---- permission ------------------------------------------------------------------------------ */

/* CAP_PERFMON is bit 38, CAP_SYS_ADMIN bit 21. After an error such as EIO the kernel
 * decides. */
static bool has_capability(struct device *machine)
{
    char text[4096];
    unsigned long long effective;
    int result = machine->calls->text(machine->self, "/proc/self/status", text, sizeof text);
    if (result < 0)
        return result != -ENOENT && result != -EACCES;
    const char *line = strstr(text, "CapEff:");
    return line && sscanf(line, "CapEff: %llx", &effective) == 1 &&
           (effective >> 38 & 1 || effective >> 21 & 1);
}

int gpu_permitted(struct device *machine, struct tally_error *error)
{
    uint64_t paranoid;
    if (device_number(machine, PARANOID, &paranoid) < 0 || paranoid == 0 || has_capability(machine))
        return 0;
    return fail(error, -EACCES,
                "no permission for counters of the whole system: needs CAP_PERFMON (or root), or "
                "sysctl dev.i915.perf_stream_paranoid=0, which is %u",
                (unsigned)paranoid);
}

/* ---- identity -------------------------------------------------------------------------------- */

static int check_driver(const struct gpu *gpu, struct tally_error *error)
{
    char name[16] = "";
    struct drm_version version = {.name_len = sizeof name - 1, .name = name};
    int result = device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_VERSION, &version);
    if (result < 0)
        return fail(error, -ENODEV, "%s is not a GPU: cannot read its driver's name: %s", gpu->path,
                    strerror(-result));
    if (strcmp(name, "i915") != 0)
        return fail(error, -ENODEV, "%s has the driver %s, expected i915", gpu->path, name);
    return 0;
}

static int read_identity(struct gpu *gpu, struct tally_error *error)
{
    int id = 0, revision = 0, hz = 0, perf = 1;
    int result = gpu_parameter(gpu, I915_PARAM_CHIPSET_ID, &id);
    if (result < 0)
        return fail(error, -ENODEV, "%s: cannot read its PCI id: %s", gpu->path, strerror(-result));
    if (tally_device_find((uint32_t)id, &gpu->device) < 0)
        return fail(error, -ENODEV, "%s: unknown PCI device 8086:%04x", gpu->path, (unsigned)id);
    gpu_parameter(gpu, I915_PARAM_REVISION, &revision);
    if (gpu_parameter(gpu, I915_PARAM_PERF_REVISION, &perf) < 0)
        perf = 1; /* older kernels lack the parameter */
    if (gpu_parameter(gpu, I915_PARAM_OA_TIMESTAMP_FREQUENCY, &hz) < 0 || hz <= 0) {
        /* Older kernels lack this one, too. The command streamer's clock has the same rate, or is
         * slower by 2^shift. */
        hz = 0;
        gpu_parameter(gpu, I915_PARAM_CS_TIMESTAMP_FREQUENCY, &hz);
        hz = (int)((unsigned)hz << gpu->device.platform->oa_timestamp_shift);
    }
    if (hz <= 0)
        hz = (int)gpu->device.platform->timestamp_hz;
    gpu->perf_revision = (unsigned)perf;
    gpu->info = (struct tally_device_info){
        .timestamp_hz = (uint64_t)hz,
        .device_id = (uint32_t)id,
        .revision = (uint32_t)revision,
        .oa_format = gpu->device.platform->default_format,
    };
    return 0;
}

static int read_topology(struct gpu *gpu, struct tally_error *error)
{
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_TOPOLOGY_INFO};
    struct drm_i915_query query = {.num_items = 1, .items_ptr = (uint64_t)(uintptr_t)&item};
    int result = device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_QUERY, &query);
    if (result == 0 && item.length > 0 && item.length <= GPU_TOPOLOGY_BYTES) {
        item.data_ptr = (uint64_t)(uintptr_t)gpu->topology_reply;
        result = device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_QUERY, &query);
    }
    if (result < 0 || item.length <= 0 || item.length > GPU_TOPOLOGY_BYTES) {
        /* Kernels before 4.17 lack the query: use the topology of the SKU. */
        tally_sku_topology(tally_sku_of_device(gpu->device.id), 0, &gpu->topology);
        gpu->topology_bytes =
            tally_topology_format(&gpu->topology, gpu->topology_reply, GPU_TOPOLOGY_BYTES);
        return 0;
    }
    gpu->topology_bytes = (size_t)item.length;
    result = tally_topology_parse(gpu->device.platform, gpu->topology_reply, gpu->topology_bytes,
                                  &gpu->topology, error);
    if (result < 0)
        fail_in(error, "%s: the driver's topology", gpu->path);
    return result;
}

/* Reads a frequency in MHz from `file` or, on older kernels, from `older`. */
static uint32_t read_mhz(const struct gpu *gpu, const char *file, const char *older,
                         uint32_t fallback)
{
    const char *const files[] = {file, older};
    for (size_t i = 0; i < 2 && *gpu->card; i++) {
        char path[512];
        uint64_t mhz;
        snprintf(path, sizeof path, "%s/%s", gpu->card, files[i]);
        if (device_number(gpu->machine, path, &mhz) == 0 && mhz > 0 && mhz < 100000)
            return (uint32_t)mhz;
    }
    return fallback;
}

static void read_clocks(struct gpu *gpu)
{
    const struct tally_sku *sku = tally_sku_of_device(gpu->device.id);
    if (gpu->machine->calls->card(gpu->machine->self, gpu->fd, gpu->card, sizeof gpu->card) < 0)
        gpu->card[0] = '\0';
    /* In Hz, in 32 bits as in DEVICE_INFO. */
    gpu->info.gt_min_hz =
        1000000u * read_mhz(gpu, "gt/gt0/rps_min_freq_mhz", "gt_min_freq_mhz", sku->gt_min_mhz);
    gpu->info.gt_max_hz =
        1000000u * read_mhz(gpu, "gt/gt0/rps_max_freq_mhz", "gt_max_freq_mhz", sku->gt_max_mhz);
}

int gpu_open(struct device *machine, const char *path, struct gpu *gpu, struct tally_error *error)
{
    *gpu = (struct gpu){.machine = machine, .driver = &gpu_i915, .path = path};
    gpu->fd = machine->calls->open(machine->self, path);
    if (gpu->fd == -EACCES || gpu->fd == -EPERM)
        return fail(error, gpu->fd, "%s: %s, expected membership in its group (render or video)",
                    path, strerror(-gpu->fd));
    if (gpu->fd < 0)
        return fail(error, gpu->fd == -ENOENT ? -ENODEV : gpu->fd, "%s: %s", path,
                    strerror(-gpu->fd));
    int result = check_driver(gpu, error);
    if (result == 0)
        result = read_identity(gpu, error);
    if (result == 0 && !gpu->device.platform->default_format)
        result = fail(error, -ENODEV, "%s is %s, which i915 perf does not support", path,
                      gpu->device.platform->title);
    if (result == 0)
        result = read_topology(gpu, error);
    if (result == 0)
        read_clocks(gpu);
    return result;
}

void gpu_close(struct gpu *gpu)
{
    if (gpu->machine && gpu->fd >= 0)
        gpu->machine->calls->close(gpu->machine->self, gpu->fd);
    gpu->fd = -1;
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t gpu_period_ticks(const struct gpu *gpu, unsigned exponent)
{
    if (gpu->chipset)
        return gpu->period_ns;
    return intel_timer_ticks(intel_platform_of(gpu->device.platform), exponent);
}

uint64_t gpu_period_ns(const struct gpu *gpu, unsigned exponent)
{
    uint128 ticks = gpu_period_ticks(gpu, exponent);
    return (uint64_t)((ticks * NS_PER_SECOND + gpu->info.timestamp_hz - 1) /
                      gpu->info.timestamp_hz);
}

unsigned gpu_nearest_exponent(const struct gpu *gpu, uint64_t period_ns)
{
    unsigned best = 0;
    uint64_t nearest = UINT64_MAX;
    for (unsigned exponent = 0; exponent < 32; exponent++) {
        uint64_t period = gpu_period_ns(gpu, exponent);
        uint64_t distance = period > period_ns ? period - period_ns : period_ns - period;
        if (distance < nearest) {
            nearest = distance;
            best = exponent;
        }
    }
    return best;
}

int gpu_correlate(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks)
{
    uint64_t shortest = UINT64_MAX;
    for (unsigned i = 0; i < 3; i++) {
        struct drm_i915_reg_read reg = {.offset = TIMESTAMP_REGISTER};
        uint64_t before = device_now_ns(gpu->machine);
        int result = device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_REG_READ, &reg);
        uint64_t took = device_now_ns(gpu->machine) - before;
        if (result < 0)
            return result;
        if (took < shortest) {
            shortest = took;
            *cpu_ns = before + took / 2;
            *gpu_ticks = reg.val;
        }
    }
    return 0;
}

int gpu_correlate_by(const struct gpu *gpu, uint64_t (*read_ticks)(const struct gpu *gpu),
                     uint64_t *cpu_ns, uint64_t *gpu_ticks)
{
    uint64_t before = device_now_ns(gpu->machine);
    *gpu_ticks = read_ticks(gpu);
    *cpu_ns = before + (device_now_ns(gpu->machine) - before) / 2;
    return 0;
}
