/* SPDX-License-Identifier: MIT */
/* Adds metric sets to the kernel and removes them: PERF-1.8 and PERF-3. */
#include "capture/set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/uuid.h"
#include "driver/i915/uapi.h"

/* Returns the id of a set in sysfs; ids begin at 1. 0: not found. */
static uint64_t find(const struct gpu *gpu, const struct set *set)
{
    char path[512];
    uint64_t id;
    if (!*gpu->card || (size_t)snprintf(path, sizeof path, "%s/metrics/%s/id", gpu->card,
                                        set->uuid) >= sizeof path)
        return 0;
    return device_number(gpu->machine, path, &id) == 0 ? id : 0;
}

static int explain(const struct gpu *gpu, const struct set *set, int result,
                   struct tally_error *error)
{
    struct tally_error reason = {0};
    switch (-result) {
    case EACCES:
        if (gpu_permitted(gpu->machine, &reason) == 0)
            return fail(error, result, "%s: the kernel denies metric set %s: %s", gpu->path,
                        set->symbol, strerror(EACCES));
        return fail(error, result, "%s: cannot add metric set %s: %s", gpu->path, set->symbol,
                    reason.message);
    case EINVAL:
        return fail(error, result,
                    "%s: the kernel rejects metric set %s: it may not write one of the registers",
                    gpu->path, set->symbol);
    case ENOTSUPP:
    case EOPNOTSUPP:
    case ENODEV:
        return fail(error, -ENODEV, "%s: this kernel has no i915 perf for %s", gpu->path,
                    gpu->device.platform->title);
    default:
        return fail(error, result, "%s: cannot add metric set %s: %s", gpu->path, set->symbol,
                    strerror(-result));
    }
}

int set_upload(const struct gpu *gpu, const struct set *set, struct set_in_driver *out,
               struct tally_error *error)
{
    struct drm_i915_perf_oa_config config = {
        .n_mux_regs = set->lists[SET_MUX].count,
        .n_boolean_regs = set->lists[SET_BOOLEAN].count,
        .n_flex_regs = set->lists[SET_FLEX].count,
        .mux_regs_ptr = (uint64_t)(uintptr_t)set->lists[SET_MUX].writes,
        .boolean_regs_ptr = (uint64_t)(uintptr_t)set->lists[SET_BOOLEAN].writes,
        .flex_regs_ptr = (uint64_t)(uintptr_t)set->lists[SET_FLEX].writes,
    };
    *out = (struct set_in_driver){set, find(gpu, set), false};
    if (out->id)
        return 0;
    if (!is_uuid(set->uuid, strlen(set->uuid)))
        return fail(error, -EINVAL,
                    "metric set %s has the UUID \"%s\", expected 36 characters like "
                    "403d8832-1a27-4aa6-a64e-f5389ce7b212",
                    set->symbol, set->uuid);
    if (!config.n_mux_regs && !config.n_boolean_regs && !config.n_flex_regs)
        return fail(error, -EINVAL,
                    "metric set %s programs no registers on this GPU, and the kernel does not "
                    "have it",
                    set->symbol);
    memcpy(config.uuid, set->uuid, UUID_STRING_LEN);
    int result = device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
    if (result == -EADDRINUSE) {
        /* Another program added it in between. */
        out->id = find(gpu, set);
        if (out->id)
            return 0;
    }
    if (result < 0)
        return explain(gpu, set, result, error);
    *out = (struct set_in_driver){set, (uint64_t)result, true};
    return 0;
}

void set_remove(const struct gpu *gpu, struct set_in_driver *set)
{
    if (set->added)
        device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &set->id);
    *set = (struct set_in_driver){0};
}
