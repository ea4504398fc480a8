/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_NODE_H
#define TALLY_PRELOAD_SERVER_NODE_H

/* The device nodes of a driver, for programs: node_i915.c, node_nouveau.c. */

#include "preload/server/server.h"

struct node_driver {
    const char *name;      /* as in sysfs: "i915" */
    uint32_t module_bytes; /* as /proc/modules shows it */

    /* Opens a file of the device. Returns 0 or an errno. */
    int (*open)(struct server *server, bool render_node, void **file);
    void (*close)(void *file);

    /* ioctl() of a file, in the call of a session. NULL: session.c performs it, as it may wait. */
    int (*ioctl)(struct session *session, void *file, uint32_t request, uint64_t argument);

    /* Finds the memory file that mmap() maps at an offset. Returns its descriptor, or an errno. */
    int (*mapping)(void *file, uint64_t offset, uint64_t bytes);

    /* Appends the lines of fdinfo that the driver adds. NULL: none. */
    void (*describe)(const struct server *server, void *file, struct buffer *out);
};
extern const struct node_driver node_i915, node_nouveau;

/* Returns the driver of the server's device. */
static inline const struct node_driver *node_of(const struct server *server)
{
    return server->emulation->nouveau ? &node_nouveau : &node_i915;
}

#endif
