/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_FENCES_H
#define TALLY_DRIVER_I915_FENCES_H

/* Fences of requests and of software, sets of them, and waits: fences.c, software.c. */

#include "driver/i915/i915.h"

struct i915_engine;
struct i915_request;

/*
 * A fence is the number of a request or a software fence, which counts all of them, followed by its
 * source: FENCE_SOURCE_BITS bits. 0: none.
 */
#define FENCE_SOURCE_BITS 3
static inline unsigned fence_source(uint64_t fence)
{
    return (unsigned)(fence & ((1u << FENCE_SOURCE_BITS) - 1));
}

static inline uint64_t fence_number(uint64_t fence)
{
    return fence >> FENCE_SOURCE_BITS;
}

static inline uint64_t fence_of(uint64_t number, unsigned source)
{
    return number << FENCE_SOURCE_BITS | source;
}

/* A software fence that is not signalled. */
struct i915_software {
    struct i915_software *next; /* of the device, by number */
    struct i915_timeline *timeline;
    uint64_t number;
    uint32_t value;
};

/* A fence that was signalled with an error. */
struct i915_failure {
    uint64_t fence;
    int error;
};

/* ---- fences ---------------------------------------------------------------------------------- */

/* Adds a fence to another one of the same source, or to a set. */
void i915_fence_add(struct i915_device *device, uint64_t *to, uint64_t fence);
void i915_fences_add(struct i915_device *device, struct i915_fences *fences, uint64_t fence);

/* Returns the number of requests or software fences that a fence stands for; the request of the
 * fence of one, or NULL if it was complete at the latest look; the index-th request of any fence,
 * or NULL if it is complete, or a software fence. i915_fence_has(): whether it stands for `one`,
 * too. */
size_t i915_fence_count(const struct i915_device *device, uint64_t fence);
struct i915_request *i915_fence_request(const struct i915_device *device, uint64_t fence);
struct i915_request *i915_fence_pending(const struct i915_device *device, uint64_t fence,
                                        size_t index);

bool i915_fence_has(const struct i915_device *device, uint64_t fence, uint64_t one);

/* Returns a fence of all requests of an engine that are incomplete. */
uint64_t i915_engine_all(struct i915_engine *engine);

/* Frees joints: those that are signalled; all. */
void i915_joints_retire(struct i915_device *device, unsigned source);
void i915_joints_fini(struct i915_device *device);

/* software.c: finds a software fence; NULL: it is signalled, or none. Returns the later of two
 * fences of a timeline; 0: they have no common one. */
struct i915_software *i915_software_find(const struct i915_device *device, uint64_t fence);
uint64_t i915_software_later(const struct i915_device *device, uint64_t first, uint64_t second);

/* Notes that a fence is signalled with an error: its request was ended by a reset. */
void i915_fence_fail(struct i915_device *device, uint64_t fence, int error);

/* ---- waits ----------------------------------------------------------------------------------- */

/* How the kernel waits, as I915_REQUEST_WAIT_BEGIN shows it. */
enum { I915_WAIT_INTERRUPTIBLE = 1, I915_WAIT_PRIORITY = 2, I915_WAIT_ALL = 4 };

/* Waits for a fence, at most until a time in ns. Returns 0, -ETIME or -EINTR. */
int i915_engine_wait(struct i915_device *device, uint64_t fence, uint32_t flags, uint64_t until_ns);

/* Adds fences that are not signalled to those of a wait. */
void i915_wait_more(struct i915_device *device, struct i915_wait *wait,
                    const struct i915_fences *fences);

/* Sleeps for a step of a wait. Returns 0, -ETIME or -EINTR. */
int i915_wait_step(struct i915_device *device, const struct i915_wait *wait);

/* Waits until all requests of all engines are complete. Returns 0 or -EINTR. */
int i915_engines_wait(struct i915_device *device);

/* Waits for a fence, uninterruptibly; at most until a hang is detected. */
void i915_engine_finish(struct i915_device *device, uint64_t fence);

#endif
