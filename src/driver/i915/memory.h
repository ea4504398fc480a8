/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_MEMORY_H
#define TALLY_DRIVER_I915_MEMORY_H

/*
 * Objects (buffers of clients and of the driver) and address spaces (their GPU addresses).
 */

#include "base/minmax.h"
#include "driver/i915/i915.h"
#include "intel/cs/engines.h"

#define PAGE_BYTES 4096u

struct i915_object {
    struct i915_device *device;
    unsigned references;
    struct i915_object *next, **link; /* in the device's list */
    uint64_t size;                    /* a multiple of the page size */
    uint8_t *bytes;                   /* NULL: no memory was allocated yet, or it was discarded */
    struct i915_process *process;     /* GEM_USERPTR: whose memory it is, from an address on */
    uint64_t address;
    bool is_read_only;   /* for the GPU */
    uint64_t written;    /* by the GPU, or as a report by the driver: nothing from this offset on */
    uint64_t cookie;     /* for the embedder's use */
    uint64_t map_cookie; /* mmap offset in the device node; 0: none yet */
    uint32_t tiling, stride, caching;
    uint64_t read_by[I915_SOURCES], written_by[I915_SOURCES]; /* fences of the latest requests */
    bool has_pages;      /* it was read, written or used by the GPU */
    bool is_discardable; /* I915_MADV_DONTNEED */
    bool is_purged;      /* its contents were discarded */
    bool evictable;      /* a client's object, which may be unmapped to free addresses */
    unsigned handles;    /* of all files */
    uint32_t name;       /* GEM_FLINK; 0: none */
    bool closed;         /* all handles are closed */
    uint64_t *captures;  /* fences of requests that listed it with EXEC_OBJECT_CAPTURE */
    size_t capture_count, capture_capacity;
    uint64_t execbuffer; /* latest EXECBUFFER2 call that listed it, and its index there */
    uint32_t place;
};

/* Creates an object of at least `size` bytes with one reference; i915_object_reserve() without
 * memory. Returns 0 or -ENOMEM. */
int i915_object_new(struct i915_device *device, uint64_t size, struct i915_object **out);
int i915_object_reserve(struct i915_device *device, uint64_t size, struct i915_object **out);

/* Returns whether an engine has yet to read or write an object. */
bool i915_object_is_busy(const struct i915_object *object);

/* Gives an object pages for access to its contents. Returns 0; -ENOMEM; or -EFAULT if they may be,
 * or were, discarded, or the process does not have them. */
int i915_object_get_pages(struct i915_object *object);

/* Allocates an object's memory if it has none. Returns 0; -ENOMEM; -EFAULT: it was discarded. */
int i915_object_allocate(struct i915_object *object);

/* Copies from or to (`write`) the contents of an object that has pages. False: memory of a process
 * is gone. */
bool i915_object_copy(struct i915_object *object, uint64_t offset, void *data, size_t bytes,
                      bool write);

/* Notes that an object's contents belong to the error state of a request, by its fence. Returns 0
 * or -ENOMEM. */
int i915_object_capture(struct i915_object *object, uint64_t fence);
bool i915_object_is_captured(const struct i915_object *object, uint64_t fence);

/* Notes a write that ended at an offset. */
static inline void i915_object_written(struct i915_object *object, uint64_t end)
{
    object->written = max_u64(object->written, end);
}

/* Whether the GPU uses the object. i915_object_wait() waits until it does not, at most until a time
 * in ns; `flags` as of i915_engine_wait(). It returns 0, -ETIME or -EINTR. */
int i915_object_wait(const struct i915_object *object, uint32_t flags, uint64_t until_ns);

struct mapping {
    uint64_t address;
    struct i915_object *object; /* referenced */
};

struct i915_space {
    unsigned references;
    uint64_t first, end;      /* address range */
    struct mapping *mappings; /* sorted by address */
    size_t count, capacity;
    size_t latest; /* index of the latest access */
};

void i915_space_init(struct i915_space *space, uint64_t first, uint64_t end);
void i915_space_fini(struct i915_space *space);

/* Reads what the GPU sees at an address. Returns false if nothing is mapped at a part of it. */
bool i915_space_read(struct i915_space *space, uint64_t address, void *data, size_t bytes);

/* Returns an object's mapping in an address space, or NULL. */
const struct mapping *i915_space_find(const struct i915_space *space,
                                      const struct i915_object *object);

/* Maps an object at the lowest free aligned address (a power of two), so that it ends at or below
 * `limit`; i915_space_insert_from() at or above an address. Returns 0, -ENOSPC or -ENOMEM. */
int i915_space_insert(struct i915_space *space, struct i915_object *object, uint64_t alignment,
                      uint64_t limit, uint64_t *address);
int i915_space_insert_from(struct i915_space *space, struct i915_object *object, uint64_t first,
                           uint64_t alignment, uint64_t limit, uint64_t *address);

/* Maps an object at a page-aligned address. Returns 0, -ENOSPC if it is in use or out of range, or
 * -ENOMEM. */
int i915_space_insert_at(struct i915_space *space, struct i915_object *object, uint64_t address);

/* Returns an object that overlaps [address, address + bytes), or NULL. */
struct i915_object *i915_space_overlap(const struct i915_space *space, uint64_t address,
                                       uint64_t bytes);

void i915_space_remove(struct i915_space *space, const struct i915_object *object);

#endif
