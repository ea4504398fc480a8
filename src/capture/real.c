/* SPDX-License-Identifier: MIT */
/* The real kernel. */
#include "capture/real.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/ratio.h"
#include "driver/i915/uapi.h"

/* The kernel has 64 render nodes, from minor 128 on. */
#define FIRST_RENDER_NODE 128
#define RENDER_NODES      64

struct real {
    char root[256];
};

/* Puts the root in front of a path. */
static int full_path(const struct real *real, const char *path, char *full, size_t size)
{
    int length = snprintf(full, size, "%s%s", real->root, path);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int real_open(void *self, const char *path)
{
    char full[512];
    int result = full_path(self, path, full, sizeof full);
    if (result < 0)
        return result;
    int fd = open(full, O_RDWR | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Restarts interrupted calls of the device as libdrm does; streams return EAGAIN (PERF-1.1). */
static int real_ioctl(void *self, int fd, uint32_t request, void *argument)
{
    int result;
    (void)self;
    do {
        result = ioctl(fd, request, argument);
    } while (result < 0 &&
             (errno == EINTR || (errno == EAGAIN && _IOC_TYPE(request) == DRM_IOCTL_BASE)));
    return result < 0 ? -errno : result;
}

static int real_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    struct pollfd fds[] = {{.fd = stream, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    struct timespec timeout = timespec_of_ns(timeout_ns);
    (void)self;
    int result = ppoll(fds, 2, &timeout, NULL);
    if (result < 0)
        return errno == EINTR ? 0 : -errno;
    return (fds[0].revents ? DEVICE_STREAM : 0) | (fds[1].revents ? DEVICE_WAKE : 0);
}

static int64_t real_read(void *self, int fd, void *to, size_t bytes)
{
    (void)self;
    for (;;) {
        ssize_t got = read(fd, to, bytes);
        if (got >= 0 || errno != EINTR)
            return got < 0 ? -errno : got;
    }
}

static int real_close(void *self, int fd)
{
    (void)self;
    return close(fd) < 0 ? -errno : 0;
}

/* The card of a node is the card* directory in the drm directory of its device (PERF-1.8). */
static int real_card(void *self, int fd, char *directory, size_t size)
{
    char path[64], full[512];
    struct stat node;
    if (fstat(fd, &node) < 0)
        return -errno;
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/device/drm", major(node.st_rdev),
             minor(node.st_rdev));
    int result = full_path(self, path, full, sizeof full);
    DIR *drm = result < 0 ? NULL : opendir(full);
    if (!drm)
        return result < 0 ? result : -errno;
    result = -ENOENT;
    for (struct dirent *entry; result < 0 && (entry = readdir(drm));)
        if (!strncmp(entry->d_name, "card", 4))
            result = (size_t)snprintf(directory, size, "%s/%s", path, entry->d_name) < size
                         ? 0
                         : -ENAMETOOLONG;
    closedir(drm);
    return result;
}

static int real_text(void *self, const char *path, char *text, size_t size)
{
    char full[512];
    int result = full_path(self, path, full, sizeof full);
    if (result < 0)
        return result;
    return text_load(full, text, size);
}

static uint64_t real_now_ns(void *self)
{
    (void)self;
    return clock_ns(CLOCK_MONOTONIC);
}

static const struct device_calls real_calls = {
    .open = real_open,
    .ioctl = real_ioctl,
    .poll = real_poll,
    .read = real_read,
    .close = real_close,
    .card = real_card,
    .text = real_text,
    .now_ns = real_now_ns,
    .free = free,
};

int real_device_new(const char *root, struct device *out, struct tally_error *error)
{
    struct real *real = calloc(1, sizeof *real);
    if (!real)
        return fail_memory(error, "a device");
    snprintf(real->root, sizeof real->root, "%s", root);
    *out = (struct device){&real_calls, real};
    return 0;
}

int real_device_nodes(const char *root, void (*visit)(void *closure, const char *path),
                      void *closure)
{
    int count = 0;
    for (unsigned node = FIRST_RENDER_NODE; node < FIRST_RENDER_NODE + RENDER_NODES; node++) {
        char path[32], full[512];
        snprintf(path, sizeof path, "/dev/dri/renderD%u", node);
        if ((size_t)snprintf(full, sizeof full, "%s%s", root, path) < sizeof full &&
            access(full, F_OK) == 0) {
            visit(closure, path);
            count++;
        }
    }
    return count;
}

bool real_device_is_modelled(void)
{
    return getenv("TALLY_EMULATE") != NULL; /* EMULATE_ENVIRONMENT of preload/protocol.h */
}
