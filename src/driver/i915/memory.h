/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_MEMORY_H
#define TALLY_DRIVER_I915_MEMORY_H

/*
 * Objects (buffers that clients and the driver own) and address spaces (where the GPU sees them).
 */

#include "driver/i915/i915.h"

#define PAGE_BYTES 4096u

struct i915_object {
    struct i915_device *device;
    unsigned references;
    uint64_t size; /* a multiple of pages */
    uint8_t *bytes;
    uint64_t cookie;     /* the embedder's */
    uint64_t map_cookie; /* the offset at which the device maps it; 0: none yet */
    uint32_t tiling, stride, caching;
    uint64_t read_by, written_by; /* the latest requests that do; 0: none */
    bool evictable;               /* a client's: it may lose its place in an address space */
    bool closed;                  /* no handle is left */
    uint64_t execbuffer;          /* the latest one that names it, and where in its list */
    uint32_t place;
};

/* A new object of at least `size` bytes with one reference. -ENOMEM. */
int i915_object_new(struct i915_device *device, uint64_t size, struct i915_object **out);

/* Is it in use by the GPU? */
bool i915_object_busy(const struct i915_object *object);

struct mapping {
    uint64_t address;
    struct i915_object *object; /* referenced */
};

struct i915_space {
    unsigned references;
    uint64_t first, end;      /* addresses that may be given out */
    struct mapping *mappings; /* by address */
    size_t count, capacity;
    size_t latest; /* where the latest access was */
};

void i915_space_init(struct i915_space *space, uint64_t first, uint64_t end);
void i915_space_fini(struct i915_space *space);

/* Where an object is in a space; NULL: nowhere. */
const struct mapping *i915_space_find(const struct i915_space *space,
                                      const struct i915_object *object);

/* Maps at the lowest free address of an alignment (a power of two), up to `limit` of it all. 0,
 * -ENOSPC, -ENOMEM. */
int i915_space_insert(struct i915_space *space, struct i915_object *object, uint64_t alignment,
                      uint64_t limit, uint64_t *address);

/* Maps at an address, a multiple of pages. 0; -ENOSPC: it is taken, or outside; -ENOMEM. */
int i915_space_insert_at(struct i915_space *space, struct i915_object *object, uint64_t address);

/* What lies in the way of [address, address + bytes); NULL: nothing. */
struct i915_object *i915_space_overlap(const struct i915_space *space, uint64_t address,
                                       uint64_t bytes);

void i915_space_remove(struct i915_space *space, const struct i915_object *object);

bool i915_space_read(struct i915_space *space, uint64_t address, void *data, size_t bytes);
bool i915_space_write(struct i915_space *space, uint64_t address, const void *data, size_t bytes);

#endif
