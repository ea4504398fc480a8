/* SPDX-License-Identifier: MIT */
/* The subtests of IGT for Gen12 and later: engines, and one stream per group of engines. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

/* ---- invalid engines ------------------------------------------------------------------------- */

static void invalid_engine(struct device *device)
{
    static const struct {
        uint64_t engine_class, instance;
    } wrong[] = {{1, 0}, {10, 0}, {0, 100}, {0, 248}};
    struct properties rest = sampling_every(device, 0, exponent_of(device, 1000000));
    rest = without(rest, DRM_I915_PERF_PROP_OA_ENGINE_CLASS);
    rest = without(rest, DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct properties p = with(rest, DRM_I915_PERF_PROP_OA_ENGINE_CLASS, wrong[i].engine_class);
        REFUSE(device, 0, with(p, DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, wrong[i].instance),
               EINVAL);
    }
    struct properties p = with(rest, DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 0);
    close(open_stream(device, 0, with(p, DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 0)));
}

/* ---- one stream ------------------------------------------------------------------------------ */

static struct properties of_context(const struct device *device, uint32_t context)
{
    struct properties p = without(sampling(device, 0), DRM_I915_PERF_PROP_SAMPLE_OA);
    return with(p, DRM_I915_PERF_PROP_CTX_HANDLE, context);
}

static void exclusive_samples(struct device *device)
{
    struct properties p = sampling_every(device, 0, exponent_of(device, 1000000));
    int stream = open_stream(device, 0, p);
    REFUSE(device, 0, p, EBUSY);
    REFUSE(device, 0, of_context(device, 0), EBUSY);
    close(stream);
    close(open_stream(device, 0, p));
}

static void exclusive_context(struct device *device)
{
    uint32_t a = new_context(device), b = new_context(device);
    int stream = open_stream(device, 0, of_context(device, a));
    REFUSE(device, 0, of_context(device, a), EBUSY);
    REFUSE(device, 0, of_context(device, b), EBUSY);
    REFUSE(device, 0, sampling_every(device, 0, exponent_of(device, 1000000)), EBUSY);
    close(stream);
    close(open_stream(device, 0, of_context(device, b)));
    free_context(device, a);
    free_context(device, b);
}

/* ---- stale reports in a buffer --------------------------------------------------------------- */

/* Counts the timer reports of a new stream during a time. */
static void count_reports(const struct device *device, uint64_t length)
{
    static uint8_t bytes[1 << 20];
    unsigned exponent = exponent_of(device, 30000000), reports = 0;
    int stream = open_stream(device, I915_PERF_FLAG_DISABLED, sampling_every(device, 0, exponent));
    uint64_t start = wall_ns();
    WORKS(call(stream, I915_PERF_IOCTL_ENABLE, NULL));
    while (wall_ns() - start < length) {
        ssize_t size = read(stream, bytes, sizeof bytes);
        const struct drm_i915_perf_record_header *header;
        CHECK(size > 0, "%s", strerror(errno));
        for (size_t at = 0; (header = next_record(bytes, (size_t)size, &at));)
            reports += header->type == DRM_I915_PERF_RECORD_SAMPLE &&
                       is_periodic(device, exponent, (const uint8_t *)(header + 1));
    }
    /* The latest report becomes visible when the next one is written (PERF-Q1). */
    uint64_t expected = (wall_ns() - start) / period_of(device, exponent);
    close(stream);
    CHECK(reports >= expected * 95 / 100, "%u reports of %llu", reports,
          (unsigned long long)expected);
}

static void fresh_buffer(struct device *device)
{
    for (unsigned i = 0; i < 2; i++)
        count_reports(device, at_full_length() ? 5000000000 : 900000000);
}

static const struct subtest rows[] = {
    {"gen12-oa-tlb-invalidate", GEN12, 0, NULL,
     "two runs of five seconds at 30 ms or less, each with its own buffer, give at least 95 % of "
     "the "
     "reports",
     fresh_buffer, true, true},
    {"gen12-invalid-class-instance", GEN12, 6, NULL,
     "the copy engine, class 10, instances 100 and 248: EINVAL; render opens", invalid_engine,
     false, false},
    {"gen12-group-exclusive-stream-sample-oa", GEN12, 0, NULL,
     "while a stream with samples is open, no other opens, with samples or for a context: EBUSY",
     exclusive_samples, false, false},
    {"gen12-group-exclusive-stream-ctx-handle", GEN12, 0, NULL,
     "while a stream of a context is open, no other opens, for this or another context or with "
     "samples: EBUSY",
     exclusive_context, false, false},
};
GROUP(engines_group, rows);
