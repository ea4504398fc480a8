/* SPDX-License-Identifier: MIT */
/* Timelines of software fences, as in Linux, drivers/dma-buf/sw_sync.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/i915/device.h"

#define NAME_BYTES 32

struct i915_timeline {
    struct i915_device *device;
    char name[NAME_BYTES];
    uint32_t value;
};

/* Values are ordered modulo 2^32. */
static bool is_after(uint32_t value, uint32_t other)
{
    return (int32_t)(value - other) > 0;
}

/* ---- finding --------------------------------------------------------------------------------- */

struct i915_software *i915_software_find(const struct i915_device *device, uint64_t fence)
{
    struct i915_software *software = fence_source(fence) == I915_SOFTWARE ? device->software : NULL;
    while (software && software->number != fence_number(fence))
        software = software->next;
    return software;
}

uint64_t i915_software_later(const struct i915_device *device, uint64_t first, uint64_t second)
{
    const struct i915_software *a = i915_software_find(device, first),
                               *b = i915_software_find(device, second);
    if (!a || !b || a->timeline != b->timeline)
        return 0;
    return is_after(a->value, b->value) ? first : second;
}

bool i915_device_has_software(const struct i915_device *device)
{
    return device->software != NULL;
}

bool i915_fences_timeline(const struct i915_device *device, const struct i915_fences *fences,
                          char *name, size_t size)
{
    const struct i915_software *software = i915_software_find(device, fences->of[I915_SOFTWARE]);
    const struct i915_request *request = NULL;
    for (unsigned id = 0; id < I915_SOFTWARE && !request; id++)
        request = fences->of[id] ? i915_fence_request(device, fences->of[id]) : NULL;
    const struct i915_file *file = request ? request->state->context->file : NULL;
    if (software)
        snprintf(name, size, "%s", software->timeline->name);
    else if (file)
        snprintf(name, size, "%s[%d]", file->drm.opener_name, file->drm.opener);
    else
        *name = '\0';
    return software || file;
}

/* ---- signalling ------------------------------------------------------------------------------ */

static bool has_failed(struct i915_request *request, void *closure)
{
    (void)closure;
    return request->failed;
}

/* Requests that wait for a fence that failed, and those that wait for them, are not executed, as in
 * the kernel. */
static void fail_waiters(struct i915_device *device, uint64_t fence, int error)
{
    bool more = true;
    while (more) {
        more = false;
        FOR_ENGINES(struct i915_engine, engine, device)
        for (struct i915_request *r = engine->first; r; r = r->next) {
            if (r->submitted || r->failed ||
                !(i915_fence_has(device, r->waits.of[I915_SOFTWARE], fence) ||
                  i915_request_any_before(r, has_failed, NULL)))
                continue;
            i915_request_empty(r);
            i915_fence_fail(device, r->fence, error);
            r->failed = more = true;
        }
    }
}

/* Signals the fences of a timeline that it has reached, or all of them with an error. */
static void signal_fences(const struct i915_timeline *timeline, int error)
{
    struct i915_device *device = timeline->device;
    struct i915_software **link = &device->software, *software;
    while ((software = *link)) {
        uint64_t fence = fence_of(software->number, I915_SOFTWARE);
        if (software->timeline != timeline ||
            (!error && is_after(software->value, timeline->value))) {
            link = &software->next;
            continue;
        }
        if (error) {
            fail_waiters(device, fence, error);
            i915_fence_fail(device, fence, error);
        }
        *link = software->next;
        free(software);
    }
    i915_joints_retire(device, I915_SOFTWARE);
}

/* ---- timelines ------------------------------------------------------------------------------- */

struct i915_timeline *i915_timeline_new(struct i915_device *device, const char *name)
{
    struct i915_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline) {
        timeline->device = device;
        snprintf(timeline->name, sizeof timeline->name, "%s", name);
    }
    return timeline;
}

void i915_timeline_close(struct i915_timeline *timeline)
{
    if (timeline)
        signal_fences(timeline, -ENOENT);
    free(timeline);
}

int i915_timeline_fence(struct i915_timeline *timeline, uint32_t value, struct i915_fences *out)
{
    struct i915_device *device = timeline->device;
    struct i915_software **link = &device->software;
    *out = (struct i915_fences){{0}};
    for (; *link; link = &(*link)->next)
        if ((*link)->timeline == timeline && (*link)->value == value) {
            out->of[I915_SOFTWARE] = fence_of((*link)->number, I915_SOFTWARE);
            return 0;
        }
    uint64_t number = ++device->requests;
    out->of[I915_SOFTWARE] = fence_of(number, I915_SOFTWARE);
    if (!is_after(value, timeline->value))
        return 0;
    struct i915_software *software = calloc(1, sizeof *software);
    if (!software)
        return -ENOMEM;
    *software = (struct i915_software){NULL, timeline, number, value};
    *link = software;
    return 0;
}

void i915_timeline_advance(struct i915_timeline *timeline, uint32_t by)
{
    for (uint32_t step; by; by -= step) { /* the order of values lasts for 2^31 - 1 */
        step = min_u32(by, INT32_MAX);
        timeline->value += step;
        signal_fences(timeline, 0);
    }
    i915_device_tick(timeline->device); /* submits the requests that have waited */
}
