/* SPDX-License-Identifier: MIT */
#include "emulation/faults/faults.h"
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

static bool changes_configurations(uint32_t request)
{
    return request == DRM_IOCTL_I915_PERF_ADD_CONFIG ||
           request == DRM_IOCTL_I915_PERF_REMOVE_CONFIG;
}

static int call(struct session *session, void *file, uint32_t request, uint64_t argument)
{
    struct server *server = session->server;
    struct i915_caller caller = caller_of(session);
    if (request == DRM_IOCTL_I915_PERF_OPEN || changes_configurations(request))
        tree_read_sysctls(server);
    int result = faults_call(server->emulation->faults, request);
    if (result == 0)
        result = i915_ioctl(file, request, argument, &caller);
    faults_called(server->emulation->faults, request, result);
    if (changes_configurations(request))
        tree_update_metrics(server);
    return result;
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

const struct node_driver node_i915 = {"i915", 3444736, open_file, close_file, call, mapping};
