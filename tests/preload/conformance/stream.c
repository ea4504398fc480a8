/* SPDX-License-Identifier: MIT */
/* Opens streams and reads their records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

/* ---- properties ------------------------------------------------------------------------------ */

struct properties with(struct properties properties, uint64_t id, uint64_t value)
{
    CHECK(properties.count < COUNT(properties.pairs), "too many");
    properties.pairs[properties.count][0] = id;
    properties.pairs[properties.count++][1] = value;
    return properties;
}

struct properties without(struct properties properties, uint64_t id)
{
    struct properties left = {.count = 0};
    for (unsigned i = 0; i < properties.count; i++)
        if (properties.pairs[i][0] != id)
            left = with(left, properties.pairs[i][0], properties.pairs[i][1]);
    return left;
}

struct properties sampling(const struct device *device, unsigned format)
{
    struct properties p = {.count = 0};
    p = with(p, DRM_I915_PERF_PROP_SAMPLE_OA, 1);
    p = with(p, DRM_I915_PERF_PROP_OA_METRICS_SET, device->set);
    p = with(p, DRM_I915_PERF_PROP_OA_FORMAT, format ? format : format_of_all(device)->number);
    if (device->by_engine) {
        p = with(p, DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 0);
        p = with(p, DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 0);
    }
    return p;
}

struct properties sampling_every(const struct device *device, unsigned format, unsigned exponent)
{
    return with(sampling(device, format), DRM_I915_PERF_PROP_OA_EXPONENT, exponent);
}

/* ---- opening --------------------------------------------------------------------------------- */

int try_open(const struct device *device, uint32_t flags, const struct properties *properties)
{
    struct drm_i915_perf_open_param open = {
        .flags = flags,
        .num_properties = properties->count,
        .properties_ptr = (uintptr_t)properties->pairs,
    };
    return call(device->fd, DRM_IOCTL_I915_PERF_OPEN, &open);
}

int open_stream(const struct device *device, uint32_t flags, struct properties properties)
{
    return (int)WORKS(try_open(device, flags | I915_PERF_FLAG_FD_CLOEXEC, &properties));
}

void refuse(const struct device *device, uint32_t flags, struct properties properties, int code,
            int line)
{
    errno = 0;
    int result = try_open(device, flags, &properties);
    if (result >= 0 || errno != code)
        fail_at("PERF_OPEN of line", line, "", "%d, %s; expected %s", result, strerror(errno),
                strerror(code));
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t period_of(const struct device *device, unsigned exponent)
{
    return (UINT64_C(2) << exponent) * 1000000000 / device->timestamp_hz;
}

unsigned exponent_of(const struct device *device, uint64_t ns)
{
    unsigned exponent = 0;
    while (exponent < 31 && period_of(device, exponent + 1) <= ns)
        exponent++;
    return exponent;
}

/* ---- records --------------------------------------------------------------------------------- */

uint8_t *read_memory(void)
{
    uint8_t *room = malloc(MAX_READ_BYTES);
    CHECK(room, "no memory");
    return room;
}

const struct drm_i915_perf_record_header *next_record(const uint8_t *bytes, size_t size, size_t *at)
{
    const struct drm_i915_perf_record_header *header = (const void *)(bytes + *at);
    if (*at >= size)
        return NULL;
    CHECK(size - *at >= sizeof *header, "%zu bytes left", size - *at);
    CHECK(header->size >= sizeof *header && header->size <= size - *at && !header->pad,
          "a record of %u bytes with %zu left", header->size, size - *at);
    CHECK(header->type >= DRM_I915_PERF_RECORD_SAMPLE &&
              header->type <= DRM_I915_PERF_RECORD_OA_BUFFER_LOST,
          "type %u", header->type);
    CHECK(header->type == DRM_I915_PERF_RECORD_SAMPLE || header->size == sizeof *header, "%u bytes",
          header->size);
    *at += header->size;
    return header;
}
