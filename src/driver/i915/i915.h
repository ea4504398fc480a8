/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_I915_H
#define TALLY_DRIVER_I915_I915_H

/*
 * The i915 kernel interface for clients of the counters, with the behaviour of the newest kernel
 * (PERF-1 to PERF-8), on the hardware of hardware.h. docs/i915-driver.md lists the supported calls.
 * Usage:
 *
 *     i915_device_new(&settings, &hardware, &device, &error);
 *     i915_file_open(device, false, &file);              // open("/dev/dri/card0")
 *     i915_ioctl(file, request, pointer, &caller);       // ioctl(fd, request, pointer)
 *     i915_stream_read(stream, &caller, to, size, true); // read() of the fd of PERF_OPEN
 *
 * The driver has no thread and reads no clock of its own: the embedder runs the hardware until
 * i915_device_next_ns() at the latest, and then calls i915_device_tick(). Functions return the
 * results of the system calls, with errors as negative errno (including -ENOTSUPP).
 *
 * Thread rule: a device, its files and its streams are used by one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "driver/drm/drm.h"
#include "driver/i915/hardware.h"
#include "driver/i915/tracepoints.h"
#include "driver/i915/uapi.h"
#include "intel/cs/engines.h"
#include "intel/topology.h"

struct i915_device;
struct i915_file;
struct i915_stream;
struct i915_object;
struct i915_syncobj;

/* ---- fences ---------------------------------------------------------------------------------- */

/* The sources of fences: the engines, by their ids, and timelines of software. */
enum { I915_SOFTWARE = CS_ENGINES, I915_SOURCES };

/* What is waited for: one fence of each source, as i915_fence_done() takes it, which stands for one
 * request or software fence, or several. All 0: signalled. */
struct i915_fences {
    uint64_t of[I915_SOURCES];
};

/* Whether the fences are signalled. i915_fences_status() returns 1 if they are, 0 if not, or the
 * errno of a request that was ended by a reset. */
bool i915_fences_done(const struct i915_device *device, const struct i915_fences *fences);
int i915_fences_status(const struct i915_device *device, const struct i915_fences *fences);

/* Adds those of `more`, as SYNC_IOC_MERGE does. */
void i915_fences_merge(struct i915_device *device, struct i915_fences *fences,
                       const struct i915_fences *more);

/* Returns the number of requests and software fences in it; and the index-th one alone, or none. */
size_t i915_fences_at(const struct i915_device *device, const struct i915_fences *fences,
                      size_t index, struct i915_fences *out);

/*
 * software.c: timelines of software fences, as debugfs's sync/sw_sync makes them. A fence has a
 * value of 32 bits, and is signalled when its timeline, which begins at 0, has reached it.
 */
struct i915_timeline;

/* Creates a timeline; NULL: out of memory. i915_timeline_close() frees it, and signals its fences
 * with the error ENOENT; requests that wait for them do nothing. */
struct i915_timeline *i915_timeline_new(struct i915_device *device, const char *name);
void i915_timeline_close(struct i915_timeline *timeline);

/* Makes a fence. Returns 0 or -ENOMEM. */
int i915_timeline_fence(struct i915_timeline *timeline, uint32_t value, struct i915_fences *out);

/* Adds to a timeline's value. */
void i915_timeline_advance(struct i915_timeline *timeline, uint32_t by);

/* Whether there are software fences that are not signalled, which a wait may be for. */
bool i915_device_has_software(const struct i915_device *device);

/* Writes the name of the timeline of one fence: of software, or the context of a request, which is
 * named by the process that opened its file. Returns false, with "", if the fence is signalled or
 * there is no such context. */
bool i915_fences_timeline(const struct i915_device *device, const struct i915_fences *fences,
                          char *name, size_t size);

/* ---- the device ------------------------------------------------------------------------------ */

struct i915_settings {
    const char *platform;                  /* "hsw" or "hsw/gt3"; perf needs "hsw" or later */
    unsigned eus;                          /* 0: all of the SKU */
    const struct intel_topology *topology; /* copied; NULL: that of `eus` EUs */
    uint32_t timestamp_hz;                 /* 0: the platform's default */
    uint16_t device_id;                    /* PCI; 0: that of the SKU */
    uint16_t pci_revision;                 /* 0: that of the SKU */
    unsigned perf_revision;                /* 1 to 7; 0: 7, the newest */
    uint64_t memory_bytes;                 /* limit for used objects; 0: 2 GiB */
    uint64_t noa_delay_ns; /* settling time of a configuration; 0: 500000, as in the kernel */
    uint64_t hang_ns;      /* run time after which a request counts as hung; 0: 640 ms */

    /* Allocator of zeroed memory for objects; NULL: calloc() and free(). `cookie` is for the
     * embedder's use. */
    void *(*allocate)(void *closure, size_t bytes, uint64_t *cookie);
    void (*release)(void *closure, void *memory, size_t bytes, uint64_t cookie);
    void *closure;
};

/* Creates a device. Returns 0, -ENOMEM, or -EINVAL with a message if a setting is out of range. */
int i915_device_new(const struct i915_settings *settings, const struct i915_hardware *hardware,
                    struct i915_device **out, struct tally_error *error);

/* Frees a device with its files and streams; NULL is allowed. */
void i915_device_free(struct i915_device *device);

/* Catches up with the current time: retires completed requests, submits others, and runs the
 * stream's timer, which checks the report buffer, when it is due. */
void i915_device_tick(struct i915_device *device);

/* Returns the time in ns at which i915_device_tick() must be called at the latest; UINT64_MAX if
 * nothing is scheduled. */
uint64_t i915_device_next_ns(const struct i915_device *device);

/* Accesses memory by GPU address: space 0 is the GGTT, any other a context's. Returns false if an
 * address is not mapped. */
bool i915_memory_read(struct i915_device *device, uint32_t space, uint64_t address, void *data,
                      size_t bytes);
bool i915_memory_write(struct i915_device *device, uint32_t space, uint64_t address,
                       const void *data, size_t bytes);

/* The engines, by their names for clients: the index-th; false past the end. */
struct i915_engine_name {
    const char *name;                /* "vcs1" */
    uint16_t engine_class, instance; /* as in struct i915_engine_class_instance */
    const char *hardware;            /* its name in <tally/gpu.h>: "vcs2" */
    uint32_t mmio_base;
    uint16_t capabilities; /* as in struct drm_i915_engine_info */
    bool preempts;         /* the driver preempts its contexts */
    uint32_t preempt_ms;   /* the kernel's default of i915_engine_set_preemption() */
};
bool i915_engine_at(const struct i915_device *device, size_t index, struct i915_engine_name *out);

/* Returns the number of interrupts: one for each completed request. */
uint64_t i915_device_interrupts(const struct i915_device *device);

/* Sets the heartbeat interval of an engine by its name, after which a request counts as hung; 0:
 * never, which ends the requests of closed contexts. With the kernel's default that is after
 * hang_ns. Returns 0; -ENODEV: 0 is refused, because the engine cannot be preempted. */
#define I915_HEARTBEAT_MS 2500
int i915_engine_set_heartbeat(struct i915_device *device, const char *name, uint32_t ms);

/* Set for how long contexts of the same priority use an engine in turn, 0: until they are done; and
 * how long a batch may take to let itself be preempted, 0: any time. */
#define I915_TIMESLICE_MS 1
void i915_engine_set_timeslice(struct i915_device *device, const char *name, uint32_t ms);
void i915_engine_set_preemption(struct i915_device *device, const char *name, uint32_t ms);

/* The parameter i915.enable_hangcheck; false: no request counts as hung. */
void i915_device_detect_hangs(struct i915_device *device, bool detects);

/* The parameter i915.reset; by default single engines are reset, if the GPU can. */
enum i915_reset_level { I915_RESET_NONE, I915_RESET_GPU, I915_RESET_ENGINES };
void i915_device_set_reset(struct i915_device *device, enum i915_reset_level level);

/* Take and release force wake of all domains, as opening and closing debugfs's i915_forcewake_user
 * does; calls nest. */
void i915_wake_get(struct i915_device *device);
void i915_wake_put(struct i915_device *device);

/* As writing to debugfs's i915_wedged: takes the requests that run on engines for hung. The mask
 * has the kernel's bits: 0 render, 1 copy, from 10 on video, from 18 on video enhancement. */
void i915_device_reset(struct i915_device *device, uint64_t mask);

/* Ends all requests; the GPU is then lost. */
void i915_device_wedge(struct i915_device *device);

/* Whether the GPU is lost, since it hung and could not be reset; recover it by another reset. */
bool i915_device_is_wedged(const struct i915_device *device);
void i915_device_recover(struct i915_device *device);

/* The state of the GPU at the first hang since it was cleared, as text; size 0: there was none.
 * i915.error_capture=0: it is not kept. */
const char *i915_device_error(const struct i915_device *device, size_t *size);
void i915_device_clear_error(struct i915_device *device);
void i915_device_capture_errors(struct i915_device *device, bool captures);

/* Whether a client has given the device a name, by SET_VERSION. */
bool i915_device_has_name(const struct i915_device *device);

/* Discards the contents of objects that clients do not need (I915_MADV_DONTNEED) and the GPU does
 * not use. */
void i915_device_purge(struct i915_device *device);

/* Sets i915_settings.noa_delay_ns. Returns 0; -EINVAL: more than 32 bits of the timestamp. */
int i915_device_set_noa_delay(struct i915_device *device, uint64_t ns);
uint64_t i915_device_noa_delay(const struct i915_device *device);

/* perf_stream_paranoid and oa_max_sample_rate of /proc/sys/dev/i915. i915_sysctl_set() returns 0 or
 * -EINVAL. */
enum i915_sysctl { I915_PARANOID, I915_MAX_SAMPLE_RATE };
uint32_t i915_sysctl_get(const struct i915_device *device, enum i915_sysctl which);
int i915_sysctl_set(struct i915_device *device, enum i915_sysctl which, uint32_t value);

/* The frequencies of the GT in sysfs, in MHz: its range (RPn, RP1, RP0), the limits that clients
 * set, and the one that the driver requests, which is the highest that the limits allow (OA-16.14).
 */
enum i915_frequency {
    I915_RPN,
    I915_RP1,
    I915_RP0,
    I915_MIN,
    I915_MAX,
    I915_BOOST,
    I915_REQUESTED,
    I915_DEFAULT_MIN, /* initial limits, in steps as the kernel has them */
    I915_DEFAULT_MAX,
    I915_FREQUENCIES
};
uint32_t i915_frequency_get(const struct i915_device *device, enum i915_frequency which);

/* Sets I915_MIN, I915_MAX or I915_BOOST, to the nearest step. Returns 0; -EINVAL: beyond the range
 * or another limit. */
int i915_frequency_set(struct i915_device *device, enum i915_frequency which, uint32_t mhz);

/* Returns the actual frequency in MHz. It wakes the GT. */
uint32_t i915_frequency_actual(struct i915_device *device);

/* Lists the entries of /sys/class/drm/cardN/metrics, ordered by id: each is a directory named by
 * the uuid, with a file `id`. Returns their number, and stores at most `capacity` of them. */
struct i915_metric {
    char uuid[UUID_STRING_LEN + 1];
    uint64_t id;
};
size_t i915_metrics_list(const struct i915_device *device, struct i915_metric *out,
                         size_t capacity);

/* ---- the caller ------------------------------------------------------------------------------ */

/* What a call waits for during driver_io.sleep_ns(), and waited for when that interrupted it. */
struct i915_wait {
    struct i915_fences fences;
    bool any;          /* one engine's are enough */
    uint64_t changes;  /* not 0: for other calls, that change a sync object, too */
    uint64_t until_ns; /* the call's timeout */
};

/* How memory of a process is to be accessed. Memory of objects never can be. */
enum i915_reach {
    I915_REACH_MAPPED, /* it is mapped, whatever its protection */
    I915_REACH_READ,   /* all pages are there, to be read */
    I915_REACH_WRITE   /* or to be written */
};

/* Memory of a client's process, for objects of GEM_USERPTR. */
struct i915_process {
    /* Copies from or to (`write`) an address at this moment. False: it cannot be accessed. */
    bool (*access)(struct i915_process *process, uint64_t address, void *data, size_t bytes,
                   bool write);

    /* Whether a range can be accessed. */
    bool (*reaches)(struct i915_process *process, uint64_t address, uint64_t bytes,
                    enum i915_reach reach);
    void (*release)(struct i915_process *process);
    int64_t id; /* of the memory, for i915_wait_for_memory() */
};

/* A wait for a request that tracepoints have shown: its fence (0: none), and the record of its end.
 */
struct i915_traced_wait {
    uint64_t fence;
    struct i915_trace_request end;
};

/* The attempts of a call: see i915_ioctl_again(). */
struct i915_attempt {
    uint64_t begun_ns; /* time of the first attempt plus 1, which a timeout counts from */
    bool waits;        /* PERF_OPEN waits for this fence, of the requests before its own; 0: none */
    uint64_t before;
    struct i915_traced_wait wait; /* that continues: i915_attempt_end() */
};

struct i915_caller {
    struct drm_caller drm; /* must be first */

    /* Returns a file descriptor for a stream, or an errno. `flags` may contain
     * I915_PERF_FLAG_FD_CLOEXEC and _NONBLOCK. The embedder closes the stream with
     * i915_stream_close(). */
    int (*open_stream)(void *closure, struct i915_stream *stream, unsigned flags);

    /* Returns a descriptor for fences (a sync file), which polls readable once
     * i915_fences_done(). NULL: there are no such descriptors. */
    int (*open_fence)(void *closure, const struct i915_fences *fences);

    /* Finds the fences of a descriptor. Returns 0, or -EINVAL if it has none. NULL: input fences
     * are taken as signalled. */
    int (*find_fence)(void *closure, int descriptor, struct i915_fences *fences);

    /* Returns a descriptor for a sync object, which the embedder holds. NULL: -EINVAL. Finds the
     * sync object of a descriptor. Returns 0, or -EINVAL if it is none. */
    int (*open_syncobj)(void *closure, struct i915_syncobj *syncobj);
    int (*find_syncobj)(void *closure, int descriptor, struct i915_syncobj **out);

    /* Returns a descriptor of a dma-buf for an object, which the embedder holds; `flags` may
     * contain DRM_CLOEXEC and DRM_RDWR. NULL: -ENODEV. Finds the object of a descriptor. Returns 0,
     * -EBADF or -EINVAL. */
    int (*open_object)(void *closure, struct i915_object *object, unsigned flags);
    int (*find_object)(void *closure, int descriptor, struct i915_object **out);

    /* Returns the caller's process, which the driver releases; NULL with errno. NULL: -ENODEV. */
    struct i915_process *(*open_process)(void *closure);

    /* Returns CLOCK_MONOTONIC of the caller in ns. NULL: it is the device's time. */
    uint64_t (*monotonic_ns)(void *closure);

    /* GEM_MMAP: returns the address of the mapped object, or an errno. NULL: -ENODEV. */
    int64_t (*map)(void *closure, struct i915_object *object, uint64_t offset, uint64_t bytes);
};

/* ---- files ----------------------------------------------------------------------------------- */

/* Opens the device node. Returns 0 or -ENOMEM. */
int i915_file_open(struct i915_device *device, bool render_node, struct i915_file **out);
void i915_file_close(struct i915_file *file);

/* What a client has used, as fdinfo shows it: usage.c. */
struct i915_usage {
    uint64_t client; /* its id */
    struct {
        const char *name;  /* of the class: "video-enhance" */
        unsigned capacity; /* number of engines */
        uint64_t ns;       /* in which they executed its contexts */
    } classes[4];
    size_t class_count; /* 0 before Gen8 */
    /* Bytes of objects: all; also of other handles; used by the GPU; with pages; discardable. */
    uint64_t total, shared, active, resident, purgeable;
};
void i915_file_usage(struct i915_file *file, struct i915_usage *out);

/* ioctl() of a device node: DRM_IOCTL_*. `argument` is the third argument of ioctl(). */
int i915_ioctl(struct i915_file *file, uint32_t request, uint64_t argument,
               const struct i915_caller *caller);

/* The same for an embedder that interrupts a call's sleep, so that it returns -EINTR, and makes the
 * call again once i915_wait_over(). attempt: {0} for the first attempt, kept for the next ones;
 * i915_attempt_end() if there is none. */
int i915_ioctl_again(struct i915_file *file, uint32_t request, uint64_t argument,
                     const struct i915_caller *caller, struct i915_attempt *attempt);

/* Return the wait for the fence of a request; for those of all requests; of those that the hardware
 * has; and of those that use a range of a process's memory, as munmap() does. */
struct i915_wait i915_wait_for(uint64_t fence);
struct i915_wait i915_wait_for_all(struct i915_device *device);
struct i915_wait i915_wait_for_running(struct i915_device *device);
struct i915_wait i915_wait_for_memory(struct i915_device *device, int64_t process, uint64_t address,
                                      uint64_t bytes);

/* Return what the latest call waited for; and whether a wait is over. */
struct i915_wait i915_device_wait(const struct i915_device *device);
bool i915_wait_over(const struct i915_device *device, const struct i915_wait *wait);

/* Finds the object that mmap() of the device maps at an offset from MMAP_OFFSET. Returns 0, -EINVAL
 * if there is none or it is smaller than `bytes`, -EACCES if only other files have a handle of
 * it, or an errno of i915_object_map(). Hold the object while it is mapped. */
int i915_file_mapping(struct i915_file *file, uint64_t offset, uint64_t bytes,
                      struct i915_object **out);
void *i915_object_bytes(struct i915_object *object, uint64_t *size, uint64_t *cookie);

/* Gives an object memory that can be mapped. Returns 0, -ENOMEM, or -EFAULT if it was discarded. */
int i915_object_map(struct i915_object *object);
struct i915_object *i915_object_hold(struct i915_object *object);
void i915_object_drop(struct i915_object *object);

/* Returns the size of an object; the fences of its requests, or only of those that write it; and
 * adds fences that later requests wait for, as those of a reader or a writer. */
uint64_t i915_object_size(const struct i915_object *object);
struct i915_fences i915_object_fences(const struct i915_object *object, bool only_writes);
void i915_object_add_fences(struct i915_object *object, const struct i915_fences *fences,
                            bool writes);

struct i915_syncobj *i915_syncobj_hold(struct i915_syncobj *syncobj);
void i915_syncobj_drop(struct i915_syncobj *syncobj);

/* Whether the fence of a request is signalled; whether all requests are complete. */
bool i915_fence_done(const struct i915_device *device, uint64_t fence);
bool i915_device_is_idle(const struct i915_device *device);

/* ---- streams --------------------------------------------------------------------------------- */

/*
 * One attempt of read(). Returns the number of bytes, or an errno. For a blocking read, -EAGAIN
 * means that it would wait: advance time, tick, and call again, as i915_stream_wait() does.
 */
int64_t i915_stream_read(struct i915_stream *stream, const struct i915_caller *caller, uint64_t to,
                         uint64_t bytes, bool blocking);

/* A complete blocking read(), which sleeps with driver_io.sleep_ns(). Also returns -EINTR. */
int64_t i915_stream_wait(struct i915_stream *stream, const struct i915_caller *caller, uint64_t to,
                         uint64_t bytes);

/* Whether poll() reports POLLIN, the only event. */
bool i915_stream_poll(const struct i915_stream *stream);

/* Whether a nonblocking read returns nothing until the stream's timer runs again. */
bool i915_stream_is_empty(const struct i915_stream *stream);

/* ioctl() of a stream: I915_PERF_IOCTL_*; the argument is passed by value. */
int i915_stream_ioctl(struct i915_stream *stream, uint32_t request, uint64_t argument);

/* Closes the stream, after its last descriptor was closed. It may wait for the requests of the
 * render engine; i915_stream_last() returns the fence of the latest of them, which is signalled if
 * it does not. */
void i915_stream_close(struct i915_stream *stream);
uint64_t i915_stream_last(const struct i915_stream *stream);

#endif
