/* SPDX-License-Identifier: MIT */
/* Valid and invalid arguments of PERF_OPEN. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"

/* Opening a valid stream works. */
static void accept(const struct device *device, struct properties properties)
{
    close(open_stream(device, 0, properties));
}

static struct properties good(const struct device *device)
{
    return sampling_every(device, 0, exponent_of(device, 1000000));
}

static void invalid_flags(struct device *device)
{
    REFUSE(device, ~0u, good(device), EINVAL);
    for (uint32_t flag = 8; flag; flag <<= 1)
        REFUSE(device, flag, good(device), EINVAL);
    accept(device, good(device));
}

static void invalid_set(struct device *device)
{
    struct properties rest = without(good(device), DRM_I915_PERF_PROP_OA_METRICS_SET);
    REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_METRICS_SET, UINT64_MAX), EINVAL);
    REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_METRICS_SET, 0), EINVAL);
    REFUSE(device, 0, rest, EINVAL);
    accept(device, with(rest, DRM_I915_PERF_PROP_OA_METRICS_SET, device->set));
}

static void invalid_format(struct device *device)
{
    struct properties rest = without(good(device), DRM_I915_PERF_PROP_OA_FORMAT);
    REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_FORMAT, UINT64_MAX), EINVAL);
    REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_FORMAT, 0), EINVAL);
    REFUSE(device, 0, rest, EINVAL);
    accept(device, with(rest, DRM_I915_PERF_PROP_OA_FORMAT, format_of_all(device)->number));
}

static void missing_sample(struct device *device)
{
    REFUSE(device, 0, without(good(device), DRM_I915_PERF_PROP_SAMPLE_OA), EINVAL);
    accept(device, good(device));
}

static void invalid_exponent(struct device *device)
{
    struct properties rest = sampling(device, 0);
    accept(device, with(rest, DRM_I915_PERF_PROP_OA_EXPONENT, 31));
    for (unsigned e = 32; e < 65; e++)
        REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_EXPONENT, e), EINVAL);
}

static void open_and_close(struct device *device)
{
    uint64_t end = wall_ns() + (at_full_length() ? 2000000000 : 300000000);
    unsigned opened = 0;
    pid_t load = load_start(device);
    for (; wall_ns() < end && (at_full_length() || opened < 100); opened++)
        close(open_stream(device, I915_PERF_FLAG_DISABLED, good(device)));
    load_stop(load);
    CHECK(opened, "no stream was opened");
}

/* ---- references ------------------------------------------------------------------------------ */

/* "i915 SIZE REFERENCES" of /proc/modules. */
static unsigned references(void)
{
    char line[256];
    unsigned count;
    FILE *file = fopen("/proc/modules", "r");
    CHECK(file, "/proc/modules: %s", strerror(errno));
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "i915 %*u %u", &count) == 1) {
            fclose(file);
            return count;
        }
    FAIL("i915 is not in /proc/modules");
}

static void count_references(struct device *device)
{
    uint8_t report[256];
    close(device->fd);
    unsigned before = references();
    device->fd = open_card();
    CHECK(device->fd >= 0, "%s", strerror(errno));
    unsigned opened = references();
    CHECK(opened > before, "%u references after %u", opened, before);
    int stream = open_stream(device, 0, good(device));
    CHECK(references() > opened, "%u references after %u", references(), opened);
    close(device->fd);
    CHECK(references() > before, "%u references, %u before", references(), before);
    read_reports(device, stream, format_of_all(device), exponent_of(device, 1000000), false, report,
                 1);
    close(stream);
    CHECK(references() == before, "%u references, not %u", references(), before);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void sysctl_defaults(struct device *device)
{
    (void)device;
    CHECK(sysctl_read("perf_stream_paranoid") == 1, "%lu", sysctl_read("perf_stream_paranoid"));
    CHECK(sysctl_read("oa_max_sample_rate") == 100000, "%lu", sysctl_read("oa_max_sample_rate"));
}

static const struct subtest rows[] = {
    {"i915-ref-count", ALL, 0, NULL,
     "the reference count of the module rises with the device and with the stream, stays while the "
     "stream outlives the device (its reports continue), and returns to its first value",
     count_references, false, false},
    {"sysctl-defaults", ALL, 0, NULL, "perf_stream_paranoid is 1, oa_max_sample_rate 100000",
     sysctl_defaults, false, false},
    {"invalid-open-flags", ALL, 0, NULL, "all flags, and each unknown one alone: EINVAL",
     invalid_flags, false, false},
    {"invalid-oa-metric-set-id", ALL, 0, NULL,
     "the largest number, 0, and no set: EINVAL; the test set opens", invalid_set, false, false},
    {"invalid-oa-format-id", ALL, 0, NULL,
     "the largest number, 0, and no format: EINVAL; the format with all counters opens",
     invalid_format, false, false},
    {"missing-sample-flags", ALL, 0, NULL, "no sample property: EINVAL", missing_sample, false,
     false},
    {"invalid-oa-exponent", ALL, 0, NULL, "31 opens; 32 to 64: EINVAL", invalid_exponent, false,
     false},
    {"stress-open-close", ALL, 0, "with a load",
     "disabled streams open and close for two seconds while a second process draws", open_and_close,
     true, false},
};
GROUP(opening_group, rows);
