/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_DRM_DRM_H
#define TALLY_DRIVER_DRM_DRM_H

/*
 * The DRM core that the emulated drivers share, as in the public one of Linux: the dispatch of
 * ioctls by their number, permissions, versions, capabilities, masters and authentication. There is
 * one bus id for all masters.
 *
 * A driver embeds a drm_device in its device, and a drm_file at the start of its files. Thread
 * rule: a device and its files are used by one thread at a time.
 */

#include <drm.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The calling program. */
struct drm_caller {
    bool privileged; /* CAP_PERFMON or CAP_SYS_ADMIN */

    /* Access the caller's memory; false means EFAULT. */
    bool (*copy_in)(void *closure, void *to, uint64_t from, size_t bytes);
    bool (*copy_out)(void *closure, uint64_t to, const void *from, size_t bytes);
    void *closure;
    int process; /* its number; 0: all are one */
};

struct drm_file {
    struct drm_file *next; /* in the device's list */
    struct drm_device *device;
    bool render_node;
    bool is_master;   /* it has been the master */
    unsigned masters; /* the line of masters that it belongs to */
    int opener;       /* process that opened it, set after drm_file_open(), and its name */
    char opener_name[16];
    bool is_authenticated; /* may make calls with DRM_NEEDS_AUTH */
    uint32_t magic;        /* GET_MAGIC; 0: none yet */
    bool is_magic_used;
};

/* What a call needs; DRM_RENDER: nothing, and it is allowed on render nodes. */
enum drm_permission {
    DRM_RENDER = 1,
    DRM_NEEDS_AUTH = 2,   /* an authenticated file */
    DRM_NEEDS_MASTER = 4, /* the master */
    DRM_NEEDS_ROOT = 8,   /* a privileged caller */
    DRM_NEEDS_ALL = DRM_NEEDS_AUTH | DRM_NEEDS_MASTER | DRM_NEEDS_ROOT
};

struct drm_row {
    uint32_t request; /* with the largest struct that the kernel supports */
    uint8_t needs;    /* enum drm_permission */
};

struct drm_cap {
    uint64_t cap, value;
};

/* A driver: constant. */
struct drm_driver {
    const char *name, *date, *description;
    int major, minor, patch;
    const struct drm_cap *caps; /* of GET_CAP; those that are not listed fail with unknown_cap */
    size_t cap_count;
    int unknown_cap;

    /* Finds the driver's row of a request's number; NULL: the core's is used, if there is one. */
    const struct drm_row *(*find)(uint32_t request);

    /* Performs the call of such a row; argument: the kernel's copy of the client's struct, both
     * input and output. */
    int (*call)(struct drm_file *file, const struct drm_row *row, void *argument,
                const struct drm_caller *caller);
};

struct drm_device {
    const struct drm_driver *driver;
    struct drm_file *files;
    struct drm_file *master; /* NULL: none */
    unsigned masters;        /* number of lines of masters so far */
    bool has_bus_id;         /* SET_VERSION was called */
};

/* Adds an opened file to a device, and removes it; the first one is the master. */
void drm_file_open(struct drm_device *device, bool render_node, struct drm_file *file);
void drm_file_close(struct drm_file *file);

/*
 * ioctl() of a device node. The size in the request gives the bytes to copy; fields beyond the
 * caller's struct are zero. Output is copied even if the call failed. Returns the call's result;
 * -ENOTTY: not a request of DRM; -EINVAL: unknown; -EACCES; -EFAULT; -ENOMEM.
 */
int drm_ioctl(struct drm_file *file, uint32_t request, uint64_t argument,
              const struct drm_caller *caller);

/* Copy from and to the caller. Return 0 or -EFAULT. */
static inline int drm_copy_in(const struct drm_caller *caller, void *to, uint64_t from,
                              size_t bytes)
{
    return caller->copy_in(caller->closure, to, from, bytes) ? 0 : -EFAULT;
}

static inline int drm_copy_out(const struct drm_caller *caller, uint64_t to, const void *from,
                               size_t bytes)
{
    return caller->copy_out(caller->closure, to, from, bytes) ? 0 : -EFAULT;
}

#endif
