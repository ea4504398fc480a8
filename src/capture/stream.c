/* SPDX-License-Identifier: MIT */
/* Opens a stream: PERF-2. */
#include "capture/stream.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "capture/set.h"
#include "driver/i915/uapi.h"

#define MAX_RATE "/proc/sys/dev/i915/oa_max_sample_rate"

/* The kernel's report buffer, and the default and minimum period of its checks (PERF-2.8). */
#define BUFFER_BYTES     (16u << 20)
#define DEFAULT_CHECK_NS 5000000u
#define MIN_CHECK_NS     100000u
#define MAX_REPORT_BYTES 256u

/* EACCES means that system-wide streams need privileges, or that the rate is too high (PERF-2.1).
 */
static int explain_denial(const struct gpu *gpu, unsigned exponent, struct tally_error *error)
{
    struct tally_error reason = {0};
    uint64_t limit, rate = NS_PER_SECOND / gpu_period_ns(gpu, exponent);
    if (gpu_permitted(gpu->machine, &reason) < 0)
        return fail(error, -EACCES, "%s: %s", gpu->path, reason.message);
    if (device_number(gpu->machine, MAX_RATE, &limit) == 0 && rate > limit)
        return fail(error, -EACCES,
                    "%s: %llu reports a second, but sysctl dev.i915.oa_max_sample_rate is %llu: "
                    "needs a longer period, a higher limit, or CAP_PERFMON",
                    gpu->path, (unsigned long long)rate, (unsigned long long)limit);
    return fail(error, -EACCES, "%s: the kernel denies the stream: needs CAP_PERFMON", gpu->path);
}

static int explain(const struct gpu *gpu, unsigned exponent, int result, struct tally_error *error)
{
    switch (-result) {
    case EACCES:
        return explain_denial(gpu, exponent, error);
    case EBUSY:
        return fail(error, result, "%s: another program is using its counters", gpu->path);
    case ENOTSUPP:
    case EOPNOTSUPP:
    case ENODEV:
        return fail(error, -ENODEV, "%s: this kernel has no i915 perf for %s", gpu->path,
                    gpu->device.platform->title);
    default:
        return fail(error, result, "%s: cannot open a stream: %s", gpu->path, strerror(-result));
    }
}

/* Returns the period of the kernel's checks: at least eight before the buffer is full. */
static uint64_t check_ns(const struct gpu *gpu, unsigned exponent)
{
    uint64_t full_ns = gpu_period_ns(gpu, exponent) * (BUFFER_BYTES / MAX_REPORT_BYTES);
    return max_u64(min_u64(full_ns / 8, DEFAULT_CHECK_NS), MIN_CHECK_NS);
}

int stream_open(const struct gpu *gpu, uint64_t set_id, unsigned exponent,
                struct tally_error *error)
{
    uint64_t properties[][2] = {
        {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
        {DRM_I915_PERF_PROP_OA_METRICS_SET, set_id},
        {DRM_I915_PERF_PROP_OA_FORMAT, gpu->info.oa_format},
        {DRM_I915_PERF_PROP_OA_EXPONENT, exponent},
        {DRM_I915_PERF_PROP_POLL_OA_PERIOD, check_ns(gpu, exponent)}, /* since revision 5 */
    };
    struct drm_i915_perf_open_param args = {
        .flags = I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK,
        .num_properties = gpu->perf_revision >= 5 ? 5 : 4,
        .properties_ptr = (uint64_t)(uintptr_t)properties,
    };
    int result = device_ioctl(gpu->machine, gpu->fd, DRM_IOCTL_I915_PERF_OPEN, &args);
    return result < 0 ? explain(gpu, exponent, result, error) : result;
}

static int open_stream(const struct gpu *gpu, const struct set_in_driver *set, unsigned exponent,
                       struct tally_error *error)
{
    return stream_open(gpu, set->id, exponent, error);
}

const struct gpu_driver gpu_i915 = {.name = "i915",
                                    .in_kernel = true,
                                    .correlate = gpu_correlate,
                                    .add_set = set_upload,
                                    .remove_set = set_remove,
                                    .open_stream = open_stream};
