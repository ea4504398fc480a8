/* SPDX-License-Identifier: MIT */
#include "preload/server/node.h"

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

const struct node_driver node_i915 = {"i915", 3444736, open_file, close_file, NULL, mapping};
