/* SPDX-License-Identifier: MIT */
#include "preload/server/node.h"

static int open_file(struct server *server, bool render_node, void **file)
{
    struct nouveau_file *opened;
    int result = nouveau_file_open(server->emulation->nouveau, render_node, &opened);
    if (result == 0)
        *file = opened;
    return result;
}

static void close_file(void *file)
{
    nouveau_file_close(file);
}

static int call(struct session *session, void *file, uint32_t request, uint64_t argument)
{
    struct drm_caller caller = drm_caller_of(session);
    descriptors_reap(session->server); /* a closed file's perfmon no longer prevents another */
    return nouveau_ioctl(file, request, argument, &caller);
}

static int mapping(void *file, uint64_t offset, uint64_t bytes)
{
    uint64_t cookie;
    int result = nouveau_file_mapping(file, offset, bytes, &cookie);
    return result < 0 ? result : (int)cookie;
}

const struct node_driver node_nouveau = {"nouveau", 2433024, open_file, close_file,
                                         call,      mapping, NULL};
