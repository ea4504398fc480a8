/* SPDX-License-Identifier: MIT */
/* debugfs's sync/sw_sync: each open file is a timeline of software fences, as in Linux,
 * drivers/dma-buf/sw_sync.c. */
#include <errno.h>
#include <linux/ioctl.h>
#include <string.h>

#include "preload/server/server.h"

/* The kernel has no public header for these. */
struct sw_sync_create_fence_data {
    uint32_t value;
    char name[32];
    int32_t fence;
};
#define SW_SYNC_IOC_MAGIC        'W'
#define SW_SYNC_IOC_CREATE_FENCE _IOWR(SW_SYNC_IOC_MAGIC, 0, struct sw_sync_create_fence_data)
#define SW_SYNC_IOC_INC          _IOW(SW_SYNC_IOC_MAGIC, 1, uint32_t)

int software_open(const struct session *session, struct descriptor *descriptor)
{
    char name[32];
    peer_name(session, session->caller, name, sizeof name);
    descriptor->timeline = i915_timeline_new(session->server->emulation->device, name);
    return descriptor->timeline ? 0 : -ENOMEM;
}

static int create_fence(struct session *session, struct i915_timeline *timeline)
{
    struct sw_sync_create_fence_data args;
    struct i915_fences fences;
    int result = caller_copy_in(session, &args, sizeof args);
    if (result == 0)
        result = i915_timeline_fence(timeline, args.value, &fences);
    if (result == 0)
        result = caller_open_fence(session, &fences, "sw_sync");
    if (result < 0)
        return result;
    args.fence = result;
    return caller_copy_out(session, &args, sizeof args);
}

static int advance(struct session *session, struct i915_timeline *timeline)
{
    uint32_t by;
    int result = caller_copy_in(session, &by, sizeof by);
    if (result == 0)
        i915_timeline_advance(timeline, by);
    return result;
}

int software_ioctl(struct session *session, struct i915_timeline *timeline, uint32_t request)
{
    switch (request) {
    case (uint32_t)SW_SYNC_IOC_CREATE_FENCE:
        return create_fence(session, timeline);
    case (uint32_t)SW_SYNC_IOC_INC:
        return advance(session, timeline);
    default:
        return -ENOTTY;
    }
}
