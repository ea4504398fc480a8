/* SPDX-License-Identifier: MIT */
/* Batches of several engines that wait for each other's fences. */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#define MI_STORE_DATA_IMM 0x10000002u
#define MI_SEMAPHORE_WAIT 0x0e00c002u /* in the PPGTT, polling, until memory equals data */

/* Starts a batch that writes a value to a target, on an engine, after a fence. From Gen8 on a gated
 * one waits until the target's second dword is 1. */
static int start(const struct device *device, const struct object *target, uint32_t context,
                 uint64_t ring, uint32_t value, bool gated, int fence)
{
    static struct batch batch;
    batch_begin(&batch, device);
    if (gated && device->platform != HSW) {
        batch_emit(&batch, MI_SEMAPHORE_WAIT + (device->platform == TGL));
        batch_emit(&batch, 1);
        batch_address(&batch, target, 4, false);
        if (device->platform == TGL)
            batch_emit(&batch, 0);
    }
    batch_emit(&batch, MI_STORE_DATA_IMM);
    if (device->platform == HSW)
        batch_emit(&batch, 0);
    batch_address(&batch, target, 0, true);
    batch_emit(&batch, value);
    return batch_run_after(&batch, context, ring | I915_EXEC_FENCE_OUT, fence);
}

/* Each batch is on the next engine and, from Gen8 on, in a context of its own. */
static void in_order(struct device *device)
{
    enum { BATCHES = 12 };
    static const uint64_t rings[] = {I915_EXEC_BLT, I915_EXEC_RENDER, I915_EXEC_BSD,
                                     I915_EXEC_VEBOX};
    struct object target = new_object(device, 4096, true);
    int fences[BATCHES];
    for (unsigned i = 0; i < BATCHES; i++) {
        fences[i] = start(device, &target, i % 2 ? new_context(device) : 0, rings[i % 4], i + 1,
                          i == 0, i ? fences[i - 1] : -1);
        CHECK(fences[i] >= 0, "%s", strerror(-fences[i]));
    }
    sleep_ns(1000000);
    CHECK(device->platform == HSW || !target.map[0], "a batch did not wait");
    target.map[1] = 1;
    struct pollfd entry = {.fd = fences[BATCHES - 1], .events = POLLIN};
    CHECK(poll(&entry, 1, 5000) == 1, "the last fence is not signalled");
    set_domain(device, &target);
    CHECK(target.map[0] == BATCHES, "the last value is %u", target.map[0]);
    for (unsigned i = 0; i < BATCHES; i++) {
        entry.fd = fences[i];
        CHECK(poll(&entry, 1, 0) == 1, "fence %u is not signalled", i);
        close(fences[i]);
    }
    free_object(device, &target);
}

/* A fence is signalled before a call returns that has waited for its batch. */
static void at_once(struct device *device)
{
    enum { BATCHES = 200 };
    struct object target = new_object(device, 4096, true);
    for (unsigned i = 0; i < BATCHES; i++) {
        struct pollfd entry = {.events = POLLIN};
        entry.fd = start(device, &target, 0, I915_EXEC_RENDER, i + 1, false, -1);
        CHECK(entry.fd >= 0, "%s", strerror(-entry.fd));
        set_domain(device, &target);
        CHECK(poll(&entry, 1, 0) == 1, "fence %u is not signalled", i);
        close(entry.fd);
    }
    free_object(device, &target);
}

static void wrong_fences(struct device *device)
{
    struct object target = new_object(device, 4096, true);
    int sockets[2], wrong[] = {device->fd, STDIN_FILENO, 1000000, 0};
    WORKS(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    wrong[3] = sockets[0];
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        int result = start(device, &target, 0, I915_EXEC_RENDER, 1, false, wrong[i]);
        CHECK(result == -EINVAL, "descriptor %d: %d", wrong[i], result);
    }
    close(sockets[0]);
    close(sockets[1]);
    free_object(device, &target);
}

static const struct subtest rows[] = {
    {"fences-between-engines", ALL, 0, NULL,
     "twelve batches in turn on four engines, each with the fence of the one before it, run in "
     "order, after what the first one waits for; all their fences are signalled",
     in_order, false, false},
    {"fences-at-once", ALL, 0, NULL,
     "the fence of a batch is signalled before a call returns that has waited for the batch",
     at_once, false, false},
    {"fences-refused", ALL, 0, NULL,
     "descriptors that are not fences are refused as input fences: EINVAL", wrong_fences, false,
     false},
};
GROUP(fences_group, rows);
