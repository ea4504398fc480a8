/* SPDX-License-Identifier: MIT */
/* Batches that wait for fences: those of other batches, and of software. */
#include <fcntl.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

/* Starts a batch that writes a value to a target, on an engine, after a fence. From Gen8 on a gated
 * one waits until the target's second dword is 1. */
static int start(const struct device *device, const struct object *target, uint32_t context,
                 uint64_t ring, uint32_t value, bool gated, int fence)
{
    static struct batch batch;
    batch_begin(&batch, device);
    if (gated)
        emit_gate(&batch, target, 4);
    emit_store(&batch, target, 0, value);
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

/* ---- software fences ------------------------------------------------------------------------- */

/* As in Linux, drivers/dma-buf/sw_sync.c. */
struct software_fence {
    uint32_t value;
    char name[32];
    int32_t fence;
};
#define SW_SYNC_IOC_CREATE_FENCE _IOWR('W', 0, struct software_fence)
#define SW_SYNC_IOC_INC          _IOW('W', 1, uint32_t)

static int new_timeline(void)
{
    return (int)WORKS(open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC));
}

static int new_fence(int timeline, uint32_t value)
{
    struct software_fence args = {.value = value};
    WORKS(ioctl(timeline, SW_SYNC_IOC_CREATE_FENCE, &args));
    return args.fence;
}

static void advance(int timeline, uint32_t by)
{
    WORKS(ioctl(timeline, SW_SYNC_IOC_INC, &by));
}

static int merge(int first, int second)
{
    struct sync_merge_data args = {.name = "both", .fd2 = second};
    WORKS(ioctl(first, SYNC_IOC_MERGE, &args));
    return args.fence;
}

static bool is_signalled(int fence)
{
    struct pollfd entry = {.fd = fence, .events = POLLIN};
    return poll(&entry, 1, 0) == 1;
}

/* Checks the number of fences of a descriptor and its status; returns the first fence. */
static struct sync_fence_info about(int fence, unsigned count, int status)
{
    struct sync_fence_info list[4];
    struct sync_file_info info = {.num_fences = COUNT(list), .sync_fence_info = (uintptr_t)list};
    WORKS(ioctl(fence, SYNC_IOC_FILE_INFO, &info));
    CHECK(info.num_fences == count, "%u fences", info.num_fences);
    CHECK(info.status == status, "status %d", info.status);
    return list[0];
}

static void software_fences(struct device *device)
{
    struct object target = new_object(device, 4096, true);
    int first = new_timeline(), second = new_timeline();
    int of_first = new_fence(first, 2), of_second = new_fence(second, 1);
    int both = merge(of_first, of_second), same = merge(of_first, new_fence(first, 1));
    struct sync_fence_info info = about(of_first, 1, 0);
    CHECK(!strcmp(info.driver_name, "sw_sync") && !info.status, "%s", info.driver_name);
    about(both, 2, 0);
    about(same, 1, 0);
    int batch = start(device, &target, 0, I915_EXEC_RENDER, 5, false, both);
    CHECK(batch >= 0, "%s", strerror(-batch));
    char context[32];
    snprintf(context, sizeof context, "i915_conformanc[%d]", (int)getpid());
    info = about(batch, 1, 0);
    CHECK(!strcmp(info.obj_name, context), "%s", info.obj_name);
    advance(second, 1);
    advance(first, 1);
    sleep_ns(1000000);
    CHECK(!target.map[0] && !is_signalled(batch), "the batch did not wait");
    CHECK(is_signalled(of_second) && !is_signalled(of_first) && !is_signalled(both), "signalled");
    advance(first, 1);
    CHECK(is_signalled(of_first) && is_signalled(both), "not signalled");
    about(both, 2, 1);
    set_domain(device, &target);
    CHECK(target.map[0] == 5, "%u", target.map[0]);
    int lost = new_fence(first, 9);
    int failed = start(device, &target, 0, I915_EXEC_RENDER, 6, false, lost);
    CHECK(failed >= 0, "%s", strerror(-failed));
    close(first);
    CHECK(is_signalled(lost), "closing does not signal");
    about(lost, 1, -ENOENT);
    set_domain(device, &target);
    CHECK(target.map[0] == 5, "a batch ran although its fence failed");
    about(failed, 1, -ENOENT);
    FAILS(ioctl(second, _IOW('W', 2, uint32_t), &batch), ENOTTY);
    FAILS(ioctl(second, SW_SYNC_IOC_INC, NULL), EFAULT);
    FAILS(read(second, &info, 1), EINVAL);
    FAILS(write(second, &info, 1), EINVAL);
    close(second);
    free_object(device, &target);
}

/* A child opens the gate of a batch later. */
static pid_t open_later(const struct object *target)
{
    pid_t child = (pid_t)WORKS(fork());
    if (child)
        return child;
    sleep_ns(5000000);
    target->map[1] = 1;
    _exit(0);
}

static void drop_waits(struct device *device)
{
    static const struct {
        const char *value;
        bool waits;
    } rows[] = {{"0x40", true}, {"0x8", true}, {"0x27", false}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct object target = new_object(device, 4096, true);
        int batch = start(device, &target, 0, I915_EXEC_BLT, 7, true, -1);
        CHECK(batch >= 0, "%s", strerror(-batch));
        pid_t child = rows[i].waits ? open_later(&target) : 0;
        int fd = (int)WORKS(open("/sys/kernel/debug/dri/0/i915_gem_drop_caches", O_WRONLY));
        ssize_t size = (ssize_t)strlen(rows[i].value);
        CHECK(write(fd, rows[i].value, (size_t)size) == size, "%s", strerror(errno));
        CHECK(device->platform == HSW || is_signalled(batch) == rows[i].waits, "%s", rows[i].value);
        close(fd);
        if (child)
            WORKS(waitpid(child, NULL, 0));
        target.map[1] = 1;
        set_domain(device, &target);
        close(batch);
        free_object(device, &target);
    }
}

static const struct subtest rows[] = {
    {"software-fences", ALL, 0, NULL,
     "fences of debugfs's sync/sw_sync are signalled when their timeline reaches them, those that "
     "were merged when all are; a batch waits for them, and does nothing if the timeline is closed",
     software_fences, false, false},
    {"drop-caches-waits", ALL, 0, NULL,
     "i915_gem_drop_caches with the bits for active or idle waits for all batches", drop_waits,
     false, false},
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
