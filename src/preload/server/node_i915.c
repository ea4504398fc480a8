/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/bits.h"
#include "preload/server/node.h"

/* Revisions of i915-perf since which fdinfo shows engines (Linux 5.19), and memory (6.7). */
#define ENGINES_SINCE 5u
#define MEMORY_SINCE  7u

static int open_file(struct server *server, bool render_node, void **file)
{
    struct i915_file *opened;
    int result = i915_file_open(server->emulation->device, render_node, &opened);
    if (result == 0)
        *file = opened;
    return result;
}

static void close_file(void *file)
{
    i915_file_close(file);
}

static int mapping(void *file, uint64_t offset, uint64_t bytes)
{
    struct i915_object *object;
    uint64_t size, cookie;
    int result = i915_file_mapping(file, offset, bytes, &object);
    if (result < 0)
        return result;
    i915_object_bytes(object, &size, &cookie);
    return (int)cookie;
}

/* A number of bytes in the largest unit that divides it, as the kernel shows it. */
static void put_bytes(struct buffer *out, const char *what, uint64_t bytes)
{
    static const char *const units[] = {"", " KiB", " MiB"};
    size_t unit = 0;
    for (; unit + 1 < ARRAY_COUNT(units) && bytes && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    buffer_printf(out, "drm-%s-system0:\t%" PRIu64 "%s\n", what, bytes, units[unit]);
}

/* Linux, Documentation/gpu/drm-usage-stats.rst. */
static void describe(const struct server *server, void *file, struct buffer *out)
{
    struct i915_usage usage;
    unsigned revision = server->settings->device.driver.perf_revision;
    if (revision && revision < ENGINES_SINCE)
        return;
    i915_file_usage(file, &usage);
    buffer_printf(out, "drm-driver:\ti915\ndrm-client-id:\t%" PRIu64 "\ndrm-pdev:\t0000:00:02.0\n",
                  usage.client);
    if (!revision || revision >= MEMORY_SINCE) {
        put_bytes(out, "total", usage.total);
        put_bytes(out, "shared", usage.shared);
        put_bytes(out, "active", usage.active);
        put_bytes(out, "resident", usage.resident);
        put_bytes(out, "purgeable", usage.purgeable);
    }
    for (size_t i = 0; i < usage.class_count; i++) {
        buffer_printf(out, "drm-engine-%s:\t%" PRIu64 " ns\n", usage.classes[i].name,
                      usage.classes[i].ns);
        if (usage.classes[i].capacity > 1)
            buffer_printf(out, "drm-engine-capacity-%s:\t%u\n", usage.classes[i].name,
                          usage.classes[i].capacity);
    }
}

const struct node_driver node_i915 = {"i915", 3444736, open_file, close_file,
                                      NULL,   mapping, describe};
