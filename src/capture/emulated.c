/* SPDX-License-Identifier: MIT */
/* The emulated kernel, in this process. */
#include "capture/emulated.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "emulation/faults/faults.h"
#include "intel/platforms.h"
#include "intel/skus.h"

#define CARD "/sys/class/drm/card0"

/* Descriptor numbers: first those of open nodes, then those of streams. */
#define FILES        4
#define STREAMS      4
#define FIRST_FILE   1000
#define FIRST_STREAM (FIRST_FILE + FILES)

struct emulated {
    struct emulation *emulation;
    bool privileged;
    struct i915_file *files[FILES];
    struct i915_stream *streams[STREAMS];
    bool blocking[STREAMS];
};

/* ---- the caller, in the same address space --------------------------------------------------- */

static bool copy_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    (void)closure;
    if (!from)
        return bytes == 0;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

static bool copy_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    (void)closure;
    if (!to)
        return bytes == 0;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return true;
}

static int take_stream(void *closure, struct i915_stream *stream, unsigned flags)
{
    struct emulated *emulated = closure;
    for (int i = 0; i < STREAMS; i++) {
        if (emulated->streams[i])
            continue;
        emulated->streams[i] = stream;
        emulated->blocking[i] = !(flags & I915_PERF_FLAG_FD_NONBLOCK);
        return FIRST_STREAM + i;
    }
    return -EMFILE;
}

static struct i915_caller caller_of(struct emulated *emulated)
{
    return (struct i915_caller){.drm = {emulated->privileged, copy_in, copy_out, emulated, 0},
                                .open_stream = take_stream};
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static struct i915_file **file_of(struct emulated *emulated, int fd)
{
    bool valid = fd >= FIRST_FILE && fd < FIRST_FILE + FILES && emulated->files[fd - FIRST_FILE];
    return valid ? &emulated->files[fd - FIRST_FILE] : NULL;
}

static struct i915_stream **stream_of(struct emulated *emulated, int fd)
{
    bool valid =
        fd >= FIRST_STREAM && fd < FIRST_STREAM + STREAMS && emulated->streams[fd - FIRST_STREAM];
    return valid ? &emulated->streams[fd - FIRST_STREAM] : NULL;
}

static int emulated_open(void *self, const char *path)
{
    struct emulated *emulated = self;
    bool render = !strcmp(path, EMULATED_NODE);
    if (!render && strcmp(path, "/dev/dri/card0") != 0)
        return -ENOENT;
    for (int i = 0; i < FILES; i++) {
        if (emulated->files[i])
            continue;
        int result = i915_file_open(emulated->emulation->device, render, &emulated->files[i]);
        return result < 0 ? result : FIRST_FILE + i;
    }
    return -EMFILE;
}

static int call(struct emulated *emulated, int fd, uint32_t request, void *argument)
{
    struct i915_caller caller = caller_of(emulated);
    struct i915_file **file = file_of(emulated, fd);
    struct i915_stream **stream = stream_of(emulated, fd);
    if (stream)
        return i915_stream_ioctl(*stream, request, (uint64_t)(uintptr_t)argument);
    return file ? i915_ioctl(*file, request, (uint64_t)(uintptr_t)argument, &caller) : -EBADF;
}

/* Retries an interrupted call, as drmIoctl() and the real device do. */
static int emulated_ioctl(void *self, int fd, uint32_t request, void *argument)
{
    struct emulated *emulated = self;
    int result;
    do {
        result = faults_call(emulated->emulation->faults, request);
        result = result < 0 ? result : call(emulated, fd, request, argument);
    } while (result == -EINTR || (result == -EAGAIN && _IOC_TYPE(request) == DRM_IOCTL_BASE));
    faults_called(emulated->emulation->faults, request, result);
    return result;
}

static int64_t emulated_read(void *self, int fd, void *to, size_t bytes)
{
    struct emulated *emulated = self;
    struct i915_caller caller = caller_of(emulated);
    struct i915_stream **stream = stream_of(emulated, fd);
    if (!stream)
        return file_of(emulated, fd) ? -EINVAL : -EBADF;
    if (emulated->blocking[fd - FIRST_STREAM])
        return i915_stream_wait(*stream, &caller, (uint64_t)(uintptr_t)to, bytes);
    return i915_stream_read(*stream, &caller, (uint64_t)(uintptr_t)to, bytes, false);
}

static int emulated_close(void *self, int fd)
{
    struct emulated *emulated = self;
    struct i915_file **file = file_of(emulated, fd);
    struct i915_stream **stream = stream_of(emulated, fd);
    if (stream) {
        i915_stream_close(*stream);
        *stream = NULL;
    } else if (file) {
        i915_file_close(*file);
        *file = NULL;
    }
    return stream || file ? 0 : -EBADF;
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t emulated_now_ns(void *self)
{
    return emulation_now_ns(((const struct emulated *)self)->emulation);
}

static bool has_records(void *stream)
{
    return i915_stream_poll(stream);
}

static int emulated_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    struct emulated *emulated = self;
    struct i915_stream **of = stream_of(emulated, stream);
    return emulated_wait(emulated->emulation, of ? has_records : NULL, of ? *of : NULL, wake,
                         timeout_ns);
}

struct emulation *emulated_device(const struct device *machine)
{
    return ((const struct emulated *)machine->self)->emulation;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int emulated_card(void *self, int fd, char *directory, size_t size)
{
    if (!file_of(self, fd))
        return -EBADF;
    return (size_t)snprintf(directory, size, "%s", CARD) < size ? 0 : -ENAMETOOLONG;
}

/* Returns the number in metrics/<uuid>/id, or an errno. */
static int64_t metric_id(const struct emulated *emulated, const char *path)
{
    static const char prefix[] = CARD "/metrics/", suffix[] = "/id";
    struct i915_metric metrics[256];
    size_t length = strlen(path), fixed = sizeof prefix - 1 + sizeof suffix - 1;
    if (length != fixed + UUID_STRING_LEN || strncmp(path, prefix, sizeof prefix - 1) != 0 ||
        strcmp(path + sizeof prefix - 1 + UUID_STRING_LEN, suffix) != 0)
        return -ENOENT;
    size_t count = i915_metrics_list(emulated->emulation->device, metrics, ARRAY_COUNT(metrics));
    for (size_t i = 0; i < count && i < ARRAY_COUNT(metrics); i++)
        if (!strncmp(metrics[i].uuid, path + sizeof prefix - 1, UUID_STRING_LEN))
            return (int64_t)metrics[i].id;
    return -ENOENT;
}

static int emulated_text(void *self, const char *path, char *text, size_t size)
{
    const struct emulated *emulated = self;
    const struct i915_device *device = emulated->emulation->device;
    if (!strcmp(path, "/proc/self/status")) {
        snprintf(text, size, "CapEff:\t%016llx",
                 emulated->privileged ? 1ull << 38 /* CAP_PERFMON */ : 0);
        return 0;
    }
    int64_t value = metric_id(emulated, path);
    if (!strcmp(path, "/proc/sys/dev/i915/perf_stream_paranoid"))
        value = i915_sysctl_get(device, I915_PARANOID);
    if (!strcmp(path, "/proc/sys/dev/i915/oa_max_sample_rate"))
        value = i915_sysctl_get(device, I915_MAX_SAMPLE_RATE);
    if (!strcmp(path, CARD "/gt_min_freq_mhz"))
        value = i915_frequency_get(device, I915_MIN);
    if (!strcmp(path, CARD "/gt_max_freq_mhz"))
        value = i915_frequency_get(device, I915_MAX);
    if (value < 0)
        return (int)value;
    snprintf(text, size, "%lld", (long long)value);
    return 0;
}

/* ---- construction ---------------------------------------------------------------------------- */

static void emulated_free(void *self)
{
    struct emulated *emulated = self;
    for (int i = 0; i < STREAMS; i++)
        if (emulated->streams[i])
            i915_stream_close(emulated->streams[i]);
    emulation_free(emulated->emulation); /* closes the open files */
    free(emulated);
}

static const struct device_calls emulated_calls = {
    .open = emulated_open,
    .ioctl = emulated_ioctl,
    .poll = emulated_poll,
    .read = emulated_read,
    .close = emulated_close,
    .card = emulated_card,
    .text = emulated_text,
    .now_ns = emulated_now_ns,
    .free = emulated_free,
};

/* Finds the SKU of a model that the kernel's interface supports. */
static int check_model(const char *name, struct tally_error *error)
{
    char names[INTEL_NAMES_MAX];
    struct tally_error unknown = {0};
    const struct intel_sku *sku = intel_sku_modelled(name, "GPU", &unknown);
    if (sku && intel_has_perf(intel_sku_platform(sku)))
        return 0;
    if (!sku && intel_sku_check(name, error) < 0)
        return -ENODEV;
    if (sku)
        return fail(error, -ENODEV,
                    "sim:%s: the kernel has no counter interface for %s, expected the driver mmio",
                    name, intel_sku_platform(sku)->info.title);
    return fail(error, -ENODEV, "unknown model \"sim:%s\", expected sim:%s", name,
                intel_modelled_names(false, ", ", " or ", names));
}

int emulated_device_new(const struct emulated_settings *settings, struct device *out,
                        struct tally_error *error)
{
    int result = check_model(settings->device.gpu.platform, error);
    if (result < 0)
        return result;
    struct emulated *emulated = calloc(1, sizeof *emulated);
    if (!emulated)
        return fail_memory(error, "a device");
    emulated->privileged = !settings->unprivileged;
    result = emulation_new(&settings->device, &emulated->emulation, error);
    if (result < 0) {
        free(emulated);
        return result;
    }
    *out = (struct device){&emulated_calls, emulated};
    return 0;
}
