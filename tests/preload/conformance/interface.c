/* SPDX-License-Identifier: MIT */
/* What depends on perf's revision, and what each has (PERF-1.3 to PERF-1.6). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

static struct properties every_ms(const struct device *device)
{
    return sampling_every(device, 0, exponent_of(device, 1000000));
}

static void version(struct device *device)
{
    char name[16] = "", shortened[4] = "";
    struct drm_version args = {.name_len = sizeof name, .name = name};
    WORKS(call(device->fd, DRM_IOCTL_VERSION, &args));
    CHECK(args.name_len == 4 && !strcmp(name, "i915"), "%s", name);
    args = (struct drm_version){.name_len = 3, .name = shortened};
    WORKS(call(device->fd, DRM_IOCTL_VERSION, &args));
    CHECK(args.name_len == 4 && !strcmp(shortened, "i91"), "%s", shortened);
}

static void parameters(struct device *device)
{
    int value = 0;
    if (device->revision > 1)
        WORKS(getparam(device->fd, 54, &value));
    else
        FAILS(getparam(device->fd, 54, &value), EINVAL);
    CHECK(device->revision == 1 || value == device->revision, "revision %d", value);
    if (device->revision >= 6)
        WORKS(getparam(device->fd, 57, &value));
    else
        FAILS(getparam(device->fd, 57, &value), EINVAL);
    WORKS(getparam(device->fd, 51, &value));
    CHECK((uint32_t)value == device->timestamp_hz, "%d Hz", value);
    WORKS(getparam(device->fd, 40, &value));
    CHECK(value == 4, "mmap version %d", value);
    FAILS(getparam(device->fd, 9999, &value), EINVAL);
}

/* Each property is accepted from its revision on and unknown before. */
static void properties(struct device *device)
{
    static const struct {
        uint8_t id, revision;
    } since[] = {{DRM_I915_PERF_PROP_HOLD_PREEMPTION, 3},
                 {DRM_I915_PERF_PROP_GLOBAL_SSEU, 4},
                 {DRM_I915_PERF_PROP_POLL_OA_PERIOD, 5},
                 {DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 6}};
    struct drm_i915_gem_context_param_sseu sseu = {0};
    struct drm_i915_gem_context_param args = {
        .size = sizeof sseu, .param = I915_CONTEXT_PARAM_SSEU, .value = (uintptr_t)&sseu};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args));
    uint32_t context = new_context(device);
    for (size_t i = 0; i < COUNT(since); i++) {
        struct properties p = every_ms(device);
        if (since[i].id == DRM_I915_PERF_PROP_HOLD_PREEMPTION)
            p = with(with(p, DRM_I915_PERF_PROP_CTX_HANDLE, context), since[i].id, 1);
        else if (since[i].id == DRM_I915_PERF_PROP_GLOBAL_SSEU)
            p = with(p, since[i].id, (uintptr_t)&sseu);
        else if (since[i].id == DRM_I915_PERF_PROP_POLL_OA_PERIOD)
            p = with(p, since[i].id, 1000000);
        else
            p = with(with(p, since[i].id, 0), DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 0);
        if (device->revision >= since[i].revision)
            close(open_stream(device, 0, p));
        else
            REFUSE(device, 0, p, EINVAL);
    }
    REFUSE(device, 0, with(every_ms(device), 11, 0), EINVAL);
    free_context(device, context);
}

/* From revision 6 on an engine can be selected; only render has an OA unit. */
static void engines(struct device *device)
{
    static const struct {
        uint16_t engine_class, instance;
    } wrong[] = {{1, 0}, {10, 0}, {0, 100}, {0, 248}, {0, 1}};
    struct properties p = every_ms(device);
    for (size_t i = 0; i < COUNT(wrong); i++)
        REFUSE(device, 0,
               with(with(p, DRM_I915_PERF_PROP_OA_ENGINE_CLASS, wrong[i].engine_class),
                    DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, wrong[i].instance),
               EINVAL);
    REFUSE(device, 0, with(p, DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 0), EINVAL);
    REFUSE(device, 0, with(p, DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 0), EINVAL);
}

/* Revision 2 introduced CONFIG. */
static void change_set(struct device *device)
{
    int stream = open_stream(device, 0, every_ms(device));
    if (device->revision < 2)
        FAILS(call(stream, I915_PERF_IOCTL_CONFIG, (void *)(uintptr_t)device->set), EINVAL);
    else
        CHECK(call(stream, I915_PERF_IOCTL_CONFIG, (void *)(uintptr_t)device->set) ==
                  (int)device->set,
              "%s", strerror(errno));
    FAILS(call(stream, I915_PERF_IOCTL_CONFIG, (void *)(uintptr_t)77), EINVAL);
    close(stream);
}

static const struct subtest rows[] = {
    {"version", ALL, 0, NULL, "VERSION returns the name i915, cut to the caller's buffer", version,
     false, false},
    {"parameters", ALL, 0, NULL,
     "PERF_REVISION exists from revision 2 on, OA_TIMESTAMP_FREQUENCY from 6 on; unknown "
     "parameters: EINVAL",
     parameters, false, false},
    {"properties", ALL, 0, NULL,
     "HOLD_PREEMPTION exists from revision 3 on, GLOBAL_SSEU from 4, POLL_OA_PERIOD from 5, the "
     "engine from 6; before: EINVAL",
     properties, false, false},
    {"engines", ALL, 6, NULL, "engines other than render, or a class or instance alone: EINVAL",
     engines, false, false},
    {"change-set", ALL, 0, NULL,
     "CONFIG returns the previous set, from revision 2 on; an unknown set: EINVAL", change_set,
     false, false},
};
GROUP(interface_group, rows);
