/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_DEVICE_H
#define TALLY_CAPTURE_DEVICE_H

/*
 * A machine with GPUs, as a recorder needs one: the system calls of the i915 perf interface
 * (PERF-1), and small files of sysfs and procfs. Behind the table stands the real
 * kernel (real.h), the emulated one (emulated.h), or a test's script; who calls cannot tell.
 *
 * Results are those of the system calls, with errors as negative errno. A device belongs to one
 * thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/* What poll() found. */
enum { DEVICE_STREAM = 1 << 0, DEVICE_WAKE = 1 << 1 };

struct device_calls {
    /* open() of a device node, for reading and writing. */
    int (*open)(void *self, const char *path);
    int (*ioctl)(void *self, int fd, uint32_t request, void *argument);

    /*
     * Waits until a stream has something to read or `wake`, a descriptor of this process (-1:
     * none), has, at most so long by the device's clock. Returns DEVICE_... bits; 0: time is over.
     */
    int (*poll)(void *self, int stream, int wake, uint64_t timeout_ns);
    int64_t (*read)(void *self, int fd, void *to, size_t bytes);
    int (*close)(void *self, int fd);

    /* The directory in sysfs of the card that an open node belongs to: ".../drm/card0". */
    int (*card)(void *self, int fd, char *directory, size_t room);

    /* The contents of a small file, NUL terminated, without the newline at the end. */
    int (*text)(void *self, const char *path, char *text, size_t room);

    /* CLOCK_MONOTONIC. */
    uint64_t (*now_ns)(void *self);

    void (*free)(void *self);
};

struct device {
    const struct device_calls *calls;
    void *self;
};

static inline int device_ioctl(const struct device *device, int fd, uint32_t request,
                               void *argument)
{
    return device->calls->ioctl(device->self, fd, request, argument);
}

static inline uint64_t device_now_ns(const struct device *device)
{
    return device->calls->now_ns(device->self);
}

/* A whole number in a small file. Returns 0; -EINVAL: it holds something else; an errno. */
int device_number(const struct device *device, const char *path, uint64_t *out);

/* Frees it; {0} is allowed. */
void device_free(struct device *device);

#endif
