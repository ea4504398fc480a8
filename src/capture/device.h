/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_DEVICE_H
#define TALLY_CAPTURE_DEVICE_H

/*
 * A machine with GPUs as a recorder uses it: the system calls of i915 perf (PERF-1), and small
 * files of sysfs and procfs. It is implemented by the real kernel (real.h), by the emulated one
 * (emulated.h) and by tests.
 *
 * Calls return the result of the system call, or a negative errno. A device belongs to one thread
 * at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/* Result of poll(), a bit mask. */
enum { DEVICE_STREAM = 1 << 0, DEVICE_WAKE = 1 << 1 };

struct device_calls {
    /* open() of a device node, for reading and writing. */
    int (*open)(void *self, const char *path);
    int (*ioctl)(void *self, int fd, uint32_t request, void *argument);

    /*
     * Waits until `stream` or `wake`, a descriptor of this process (-1: none), is readable, for at
     * most timeout_ns of the device's clock. Returns DEVICE_... bits; 0: timeout.
     */
    int (*poll)(void *self, int stream, int wake, uint64_t timeout_ns);
    int64_t (*read)(void *self, int fd, void *to, size_t bytes);
    int (*close)(void *self, int fd);

    /* Gets the sysfs directory of the card that an open node belongs to: ".../drm/card0". */
    int (*card)(void *self, int fd, char *directory, size_t size);

    /* Reads a small file as a string, without the newline at its end. */
    int (*text)(void *self, const char *path, char *text, size_t size);

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

/* Reads a whole number from a small file. Returns 0; -EINVAL: not a number; or another errno. */
int device_number(const struct device *device, const char *path, uint64_t *out);

/* Frees a device; a zeroed one is allowed. */
void device_free(struct device *device);

#endif
