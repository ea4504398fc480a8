/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_I915_H
#define TALLY_DRIVER_I915_I915_H

/*
 * The i915 kernel interface for counter clients, as the newest kernel behaves (PERF-1 to PERF-8),
 * on the hardware of hardware.h: what docs/i915-driver.md lists. For those who embed it:
 *
 *     i915_device_new(&settings, &hardware, &device, &error);
 *     i915_file_open(device, false, &file);              // open("/dev/dri/card0")
 *     i915_ioctl(file, request, pointer, &caller);       // ioctl(fd, request, pointer)
 *     i915_stream_read(stream, &caller, to, size, true); // the fd that PERF_OPEN gave
 *
 * The driver looks at no clock and has no thread: the embedder lets the hardware run until
 * i915_device_next_ns() at the latest, and then calls i915_device_tick(). Results are those of the
 * system calls, with errors as negative errno (ENOTSUPP among them).
 *
 * Thread rule: a device and all that belongs to it is used by one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "driver/i915/hardware.h"
#include "driver/i915/uapi.h"

struct i915_device;
struct i915_file;
struct i915_stream;
struct i915_object;

/* ---- the device ------------------------------------------------------------------------------ */

struct i915_settings {
    const char *platform;  /* of <tally/platform.h>; perf is there from "hsw" on */
    unsigned eus;          /* 0: the common configuration */
    uint32_t timestamp_hz; /* 0: the platform's */
    uint16_t device_id;    /* PCI; 0: an example of the platform's */
    uint16_t pci_revision;
    unsigned perf_revision; /* 1 to 7; 0: 7, the newest */
    uint64_t memory_bytes;  /* for objects; 0: 2 GiB */
    uint64_t noa_delay_ns;  /* that a configuration takes to settle; 0: 500000, the kernel's */
    uint64_t hang_ns;       /* a request that takes so long is a hang; 0: 640 ms */

    /* Where objects live, zeroed; NULL: calloc() and free(). `cookie` is the embedder's. */
    void *(*allocate)(void *closure, size_t bytes, uint64_t *cookie);
    void (*release)(void *closure, void *memory, size_t bytes, uint64_t cookie);
    void *closure;
};

/* Returns 0; -EINVAL and a message: a setting is out of range; -ENOMEM. */
int i915_device_new(const struct i915_settings *settings, const struct i915_hardware *hardware,
                    struct i915_device **out, struct tally_error *error);

/* Frees it with all its files and streams; NULL is allowed. */
void i915_device_free(struct i915_device *device);

/* Time has passed: requests that are done are retired, others submitted, and the stream's timer
 * looks at the report buffer when it is due. */
void i915_device_tick(struct i915_device *device);

/* When it wants to be called at the latest; UINT64_MAX: when there is something to do. */
uint64_t i915_device_next_ns(const struct i915_device *device);

/* Memory as the GPU sees it: space 0 is the GGTT, another a context's. False: not mapped. */
bool i915_memory_read(struct i915_device *device, uint32_t space, uint64_t address, void *data,
                      size_t bytes);
bool i915_memory_write(struct i915_device *device, uint32_t space, uint64_t address,
                       const void *data, size_t bytes);

/* /proc/sys/dev/i915: perf_stream_paranoid and oa_max_sample_rate. Set returns 0 or -EINVAL. */
enum i915_sysctl { I915_PARANOID, I915_MAX_SAMPLE_RATE };
uint32_t i915_sysctl_get(const struct i915_device *device, enum i915_sysctl which);
int i915_sysctl_set(struct i915_device *device, enum i915_sysctl which, uint32_t value);

/* The entries of /sys/class/drm/cardN/metrics, ordered by id: a directory by the uuid, with a file
 * `id`. Returns how many there are, and fills in those that there is room for. */
struct i915_metric {
    char uuid[UUID_STRING_LEN + 1];
    uint64_t id;
};
size_t i915_metrics_list(const struct i915_device *device, struct i915_metric *out, size_t room);

/* ---- who calls ------------------------------------------------------------------------------- */

struct i915_caller {
    bool privileged; /* CAP_PERFMON or CAP_SYS_ADMIN */

    /* The caller's memory. False: EFAULT. */
    bool (*copy_in)(void *closure, void *to, uint64_t from, size_t bytes);
    bool (*copy_out)(void *closure, uint64_t to, const void *from, size_t bytes);

    /* A file descriptor for a stream (I915_PERF_FLAG_FD_CLOEXEC and _NONBLOCK are for it), or an
     * errno. If it gives one, i915_stream_close() is the embedder's to call. */
    int (*open_stream)(void *closure, struct i915_stream *stream, unsigned flags);

    /* One for a fence, which polls readable once i915_fence_done(). NULL: there are no fences. */
    int (*open_fence)(void *closure, uint64_t fence);

    /* GEM_MMAP: the address of the object's bytes, or an errno. NULL: -ENODEV. */
    int64_t (*map)(void *closure, struct i915_object *object, uint64_t offset, uint64_t bytes);

    void *closure;
};

/* ---- files ----------------------------------------------------------------------------------- */

/* An open device node. -ENOMEM. */
int i915_file_open(struct i915_device *device, bool render_node, struct i915_file **out);
void i915_file_close(struct i915_file *file);

/* DRM_IOCTL_*. `argument` is the third argument of ioctl(). */
int i915_ioctl(struct i915_file *file, uint32_t request, uint64_t argument,
               const struct i915_caller *caller);

/* What mmap() of the device at an offset that MMAP_OFFSET gave maps: NULL if there is none, or not
 * as much. The object stays while it is mapped: hold and drop it. */
struct i915_object *i915_file_mapping(struct i915_file *file, uint64_t offset, uint64_t bytes);
void *i915_object_bytes(struct i915_object *object, uint64_t *size, uint64_t *cookie);
struct i915_object *i915_object_hold(struct i915_object *object);
void i915_object_drop(struct i915_object *object);

/* Is what the fence stands for done? */
bool i915_fence_done(const struct i915_device *device, uint64_t fence);

/* ---- streams --------------------------------------------------------------------------------- */

/*
 * One go of read(). The bytes, or an errno. blocking: -EAGAIN says that it would wait: let time
 * pass, tick, and call again; i915_stream_wait() does that.
 */
int64_t i915_stream_read(struct i915_stream *stream, const struct i915_caller *caller, uint64_t to,
                         uint64_t bytes, bool blocking);

/* A whole blocking read(): sleeps by the hardware. -EINTR. */
int64_t i915_stream_wait(struct i915_stream *stream, const struct i915_caller *caller, uint64_t to,
                         uint64_t bytes);

/* Does poll() say POLLIN? There are no other events. */
bool i915_stream_poll(const struct i915_stream *stream);

/* Would a read that does not block find nothing until the stream's timer has looked again? */
bool i915_stream_is_dry(const struct i915_stream *stream);

/* I915_PERF_IOCTL_*; the argument is passed by value. */
int i915_stream_ioctl(struct i915_stream *stream, uint32_t request, uint64_t argument);

/* The last descriptor is gone. */
void i915_stream_close(struct i915_stream *stream);

#endif
