/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVER_RIG_H
#define TESTS_DRIVER_RIG_H

/*
 * A modelled GPU with the driver, a client's file, and the client's memory: an array that begins at
 * USER; addresses outside of it fault.
 */

#include "testing.h"

#include <errno.h>

#include <tally/platform.h>

#include "driver/i915/uapi.h"
#include "emulation/emulation.h"

#define USER       UINT64_C(0x10000000)
#define USER_BYTES (24u << 20)
#define FAULTY     (USER - 64) /* an unmapped address */

#define RIG_STREAMS 4
#define FIRST_FD    100
#define FENCE_FD    77 /* the latest output fence; then those of tests */
#define SYNCOBJ_FD  90
#define OBJECT_FD   91

struct rig {
    const struct tally_platform *platform;
    struct tally_gpu *gpu;
    struct emulation *emulation;
    struct i915_device *device;
    struct i915_file *file;
    struct i915_caller caller;
    uint8_t *user;
    uint64_t used;                            /* bytes of the client's memory */
    uint64_t readable_end;                    /* 0: all of the client's memory is accessible */
    struct i915_stream *streams[RIG_STREAMS]; /* by descriptor - FIRST_FD */
    unsigned stream_flags;
    int refuse_stream;            /* errno to return instead of a descriptor */
    uint64_t fence;               /* the latest fence */
    struct i915_fences fences[4]; /* of descriptors from FENCE_FD on */
    struct i915_syncobj *syncobj; /* of descriptor SYNCOBJ_FD, held; NULL: none */
    struct i915_object *object;   /* of descriptor OBJECT_FD, held; NULL: none */
    struct i915_process process;  /* the client's memory */
    unsigned processes;           /* number of times that it is open */
    unsigned hangs;               /* number of requests that hang on purpose */
};

/* Platforms with perf. */
extern const char *const rig_platforms[7];
bool has_perf_platform(const char *name);

/* Creates a rig for a platform, such as "hsw"; settings may be NULL. Fails the test on an error. */
struct rig *rig_new(const char *platform, const struct i915_settings *settings);
struct rig *rig_new_gpu(const struct tally_gpu_config *gpu, const struct i915_settings *settings);
void rig_free(struct rig *rig);

/* Number of resets of all engines. */
uint32_t rig_resets(const struct rig *rig);

/* Copies bytes into the client's memory (NULL: zeroes) and returns their address; returns a pointer
 * to the client's memory at an address. */
uint64_t rig_put(struct rig *rig, const void *bytes, size_t size);
void *rig_at(struct rig *rig, uint64_t address);

/* ioctl() with a struct, which is copied in and out. */
int rig_call(struct rig *rig, uint32_t request, void *argument, size_t size);

void rig_run_ns(struct rig *rig, uint64_t ns);

/* Whether all requests of all engines are complete. */
bool rig_engines_done(const struct i915_device *device);

/* ---- streams --------------------------------------------------------------------------------- */

struct property {
    uint64_t id, value;
};

/* PERF_OPEN. Returns the descriptor, or an errno. */
int rig_open(struct rig *rig, uint32_t flags, const struct property *properties, size_t count);
struct i915_stream *rig_stream(struct rig *rig, int descriptor);
void rig_close(struct rig *rig, int descriptor);

/* Adds a new metric set with one register. Returns its id. */
int rig_add_set(struct rig *rig);

/* Opens a stream with the full format, that set, an exponent (-1: none), and further properties. */
int rig_open_usual(struct rig *rig, uint32_t flags, int exponent, const struct property *more,
                   size_t count);

/* read() to the start of the client's memory. Returns its result. */
int64_t rig_read(struct rig *rig, int descriptor, uint64_t bytes, bool blocking);

/* The records of the latest read. */
struct records {
    unsigned samples, report_lost, buffer_lost, others;
    const uint8_t *first, *last; /* reports */
};
struct records rig_records(struct rig *rig, int64_t bytes);

/* Returns the period in ns of an exponent. */
uint64_t rig_period_ns(const struct rig *rig, unsigned exponent);

/* ---- objects and batches --------------------------------------------------------------------- */

uint32_t rig_create(struct rig *rig, uint64_t size);
void rig_write(struct rig *rig, uint32_t handle, uint64_t offset, const void *bytes, size_t size);
void rig_peek(struct rig *rig, uint32_t handle, uint64_t offset, void *bytes, size_t size);

#define ADDRESS(object) (UINT64_C(0x40000000) + UINT64_C(0x01000000) * (object))

/* Runs the last object as a batch in a context, with each object at ADDRESS(its index). Returns the
 * result of EXECBUFFER2. */
int rig_exec(struct rig *rig, uint32_t context, const uint32_t *handles, size_t count);

/* The same on an engine: I915_EXEC_BLT, ... or an index of the context's map; writes no object,
 * except by the flags of the first one. With I915_EXEC_FENCE_IN or _SUBMIT, after the fences of
 * descriptor FENCE_FD + 1. */
int rig_exec_on(struct rig *rig, uint64_t engine, uint32_t context, const uint32_t *handles,
                size_t count, uint64_t first_flags);

/* Writes an MI_STORE_DATA_IMM as a client's batch may have it. Returns its dwords. */
size_t rig_put_store(const struct rig *rig, uint32_t *to, uint64_t address, uint32_t value);
uint32_t rig_context(struct rig *rig);

/* Whether GEM_BUSY says that the GPU uses an object. */
bool rig_is_busy(struct rig *rig, uint32_t handle);

/* Creates a batch that does nothing for a number of clocks, plus a few for its end. */
uint32_t rig_long_batch(struct rig *rig, uint32_t clocks);

#endif
