/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_DEVICE_H
#define TALLY_DRIVER_I915_DEVICE_H

/*
 * What the parts of the driver know of each other: the device, its files and contexts (device.c,
 * context.c), the render engine (engine.c), and what PERF_OPEN and its streams need (perf.h).
 */

#include <errno.h>

#include <tally/platform.h>

#include "driver/i915/memory.h"
#include "intel/platforms.h"

/* ---- user memory ----------------------------------------------------------------------------- */

static inline int copy_in(const struct i915_caller *caller, void *to, uint64_t from, size_t bytes)
{
    return caller->copy_in(caller->closure, to, from, bytes) ? 0 : -EFAULT;
}

static inline int copy_out(const struct i915_caller *caller, uint64_t to, const void *from,
                           size_t bytes)
{
    return caller->copy_out(caller->closure, to, from, bytes) ? 0 : -EFAULT;
}

/* ---- contexts -------------------------------------------------------------------------------- */

struct i915_vm { /* a PPGTT, from Gen8 on; contexts may share one */
    unsigned references;
    struct i915_space space;
};

/* Power of slices, subslices and EUs. */
struct i915_sseu {
    uint8_t slice_mask, subslice_mask, min_eus, max_eus;
};

struct i915_context {
    struct i915_context *next; /* of the device's */
    unsigned references;
    struct i915_device *device;
    struct i915_file *file; /* NULL: the kernel's own, or its file is gone */
    uint32_t id;            /* in its file */
    bool closed;            /* the file knows it no more */
    bool is_used;           /* its engines stay what they are */
    struct i915_vm *vm;     /* NULL: it uses the GGTT */

    /* What the engine needs of it, made when it is used first: state_bytes is 0 before. */
    struct i915_object *state, *ring;
    uint32_t state_address, ring_address;
    uint32_t ring_tail;
    uint32_t tag;          /* its id while a stream filters by it; 0: by turns */
    uint32_t submitted_id; /* the id and the tail that the hardware was told last */
    uint32_t submitted_tail;

    bool has_map; /* its engines have numbers of the client's */
    uint64_t map; /* those which are render */

    struct i915_sseu sseu;
    int32_t priority;
    bool not_bannable, not_recoverable, not_persistent, no_error_capture;
    bool banned;
    bool not_preemptible; /* a stream holds preemption */
    uint32_t hangs, innocent;
};

/* Adds a context of a file, or of the kernel. -ENOMEM. */
int i915_context_new(struct i915_device *device, struct i915_file *file, struct i915_context **out);
void i915_context_drop(struct i915_context *context);

/* A file's context by its handle, 0 being the default one; NULL. Who finds it uses it; who peeks
 * does not. */
struct i915_context *i915_context_find(const struct i915_file *file, uint32_t id);
struct i915_context *i915_context_peek(const struct i915_file *file, uint32_t id);

/* Where its batches' addresses are. */
struct i915_space *i915_context_space(struct i915_context *context);

/* engines.c: CONTEXT_PARAM_ENGINES, once and before it is used. -EINVAL, -ENOENT, -EFAULT. */
int i915_context_set_engines(struct i915_context *context,
                             const struct drm_i915_gem_context_param *ask,
                             const struct i915_caller *caller);

/* Does it have the render engine? Is that the one that is meant, by class and instance or by index;
 * by the flags of EXECBUFFER2? 0, -EINVAL. */
bool i915_context_has_render(const struct i915_context *context);
int i915_context_find_engine(const struct i915_context *context, bool by_index,
                             const struct i915_engine_class_instance *engine);
int i915_context_find_ring(const struct i915_context *context, uint64_t flags);

/* Makes what the engine needs (image.c). 0, -ENOMEM, -ENOSPC. */
int i915_context_prepare(struct i915_context *context);

/* Words of its image: the registers of its ring, OACTXCONTROL, and the first flexible one. */
enum image_word {
    IMAGE_RING_HEAD,
    IMAGE_RING_TAIL,
    IMAGE_POWER_STATE,
    IMAGE_OACTXCONTROL,
    IMAGE_FLEX, /* the others follow, two dwords apart */
    IMAGE_WORDS
};
uint32_t i915_image_address(const struct i915_context *context, enum image_word word);
uint32_t i915_image_get(const struct i915_context *context, enum image_word word);
void i915_image_set(struct i915_context *context, enum image_word word, uint32_t value);

/* What clients say of power, checked against the device: 0 or -EINVAL. */
int i915_sseu_check(const struct i915_device *device,
                    const struct drm_i915_gem_context_param_sseu *from, struct i915_sseu *out);

/* R_PWR_CLK_STATE that asks for it. */
uint32_t i915_sseu_register(const struct i915_device *device, const struct i915_sseu *sseu);

/* Has the hardware been told of it, and not given it back? From Gen8 on. */
bool i915_context_in_hardware(const struct i915_context *context);

/* ---- files ----------------------------------------------------------------------------------- */

struct handle {
    uint32_t id;
    struct i915_object *object;
};

struct i915_file {
    struct i915_file *next;
    struct i915_device *device;
    bool render_node;
    struct handle *handles; /* by id */
    size_t handle_count, handle_capacity;
    struct i915_context *context; /* the default one */
    uint32_t next_context;
    struct i915_vm **vms; /* by id - 1 */
    size_t vm_count, vm_capacity;
};

struct i915_object *i915_file_object(const struct i915_file *file, uint32_t handle);
void i915_file_close_objects(struct i915_file *file); /* all of them, at its end */

/* A file's address space by its id, or NULL. A new space and a new id. */
struct i915_vm *i915_vm_find(const struct i915_file *file, uint32_t id);
struct i915_vm *i915_vm_new(void);
void i915_vm_drop(struct i915_vm *vm);

/* ---- the render engine ----------------------------------------------------------------------- */

struct i915_request {
    struct i915_request *next;
    struct i915_context *context;
    uint64_t seqno;
    uint32_t ring_start, ring_end; /* of its commands */
    struct i915_object
        *batch; /* the driver's own, which is in the GGTT until it is done; or NULL */
    struct i915_object **objects;
    size_t object_count;
};

struct i915_engine {
    struct i915_request *first, *last; /* in order; those that are not done */
    uint64_t issued, done;             /* seqnos */
    struct i915_object *status;        /* a page; done requests write their seqno to it */
    uint32_t status_address;
    uint64_t since_ns; /* the first request is the first since then */

    /* Execution lists: the contexts that were submitted last, and the tag that was given last. */
    struct i915_context *ports[2];
    uint64_t submitted; /* the latest request that is in them */
    uint32_t latest_tag;

    /* Gen7.5: one ring for all contexts. */
    struct i915_object *ring;
    uint32_t ring_address, ring_tail;

    uint32_t resets;
};

int i915_engine_init(struct i915_device *device);
void i915_engine_fini(struct i915_device *device);

struct i915_work {
    struct i915_context *context;
    uint64_t address; /* of the batch */
    bool privileged;  /* it is the driver's, in the GGTT */
    struct i915_object *batch;
    struct i915_object *const *objects; /* kept until it is done */
    size_t object_count;
};

/* Queues a batch. *fence is what stands for its end. -EIO, -ENOMEM, -ENOSPC, -EINTR. */
int i915_engine_submit(struct i915_device *device, const struct i915_work *work, uint64_t *fence);

/* Retires what is done, resets the engine if it hangs, submits. */
void i915_engine_tick(struct i915_device *device);
/* Does a request that is not done have the object in the space? */
bool i915_engine_uses(const struct i915_device *device, const struct i915_space *space,
                      const struct i915_object *object);

/* Is there a request that waits for a port? */
bool i915_engine_waits(const struct i915_device *device);

/* Waits for a fence; at most until a time. 0, -ETIME, -EINTR. */
int i915_engine_wait(struct i915_device *device, uint64_t fence, uint64_t until_ns);

/* The same, whatever signals come: a hang is the longest that it takes. */
void i915_engine_finish(struct i915_device *device, uint64_t fence);

/* Force wake of all domains, counted. */
void i915_wake_get(struct i915_device *device);
void i915_wake_put(struct i915_device *device);

/* ---- the device ------------------------------------------------------------------------------ */

struct i915_perf {
    uint32_t paranoid, max_sample_rate;
    struct i915_config *configs; /* by id */
    struct i915_stream *stream;  /* the one that owns the OA unit */
    struct i915_object *wait;    /* the batch that lets a configuration settle; NULL: no perf */
    uint32_t wait_address;
};

#define TOPOLOGY_ROOM 512

struct i915_device {
    struct i915_settings settings; /* as they are, without 0 */
    struct i915_hardware hardware;
    const struct intel_platform *platform;
    struct tally_topology topology;
    uint8_t topology_bytes[TOPOLOGY_ROOM]; /* the reply */
    size_t topology_size;
    struct i915_sseu sseu; /* all of it */

    uint64_t memory_used;
    uint64_t map_cookie;  /* the next to be given out */
    uint64_t execbuffers; /* how many there were */
    struct i915_space ggtt;
    struct i915_file *files;
    struct i915_context *contexts, *kernel_context;
    struct i915_engine engine;
    struct i915_perf perf;
    unsigned wakes;
};

static inline uint32_t read32(struct i915_device *device, uint32_t address)
{
    return device->hardware.read32(device->hardware.closure, address);
}

static inline void write32(struct i915_device *device, uint32_t address, uint32_t value)
{
    device->hardware.write32(device->hardware.closure, address, value);
}

/* Replaces the bits of `mask` by those of `value`. */
static inline void update32(struct i915_device *device, uint32_t address, uint32_t mask,
                            uint32_t value)
{
    write32(device, address, (read32(device, address) & ~mask) | (value & mask));
}

static inline uint64_t now_ns(const struct i915_device *device)
{
    return device->hardware.now_ns(device->hardware.closure);
}

/* Whatever signals come; and until one comes: -EINTR. */
static inline void sleep_through(struct i915_device *device, uint64_t ns)
{
    device->hardware.sleep_ns(device->hardware.closure, ns, false);
}

static inline int sleep_lightly(struct i915_device *device, uint64_t ns)
{
    return device->hardware.sleep_ns(device->hardware.closure, ns, true);
}

static inline bool has_execlists(const struct i915_device *device)
{
    return intel_has_execlists(device->platform);
}

/* Is the OA unit OAG, which counts for all contexts, with OAR, which counts for one? */
static inline bool has_oag(const struct i915_device *device)
{
    return device->platform->oa->map == OA_MAP_D;
}

static inline bool has_perf(const struct i915_device *device)
{
    return intel_has_perf(device->platform);
}

/* ---- calls, a function each ------------------------------------------------------------------ */

/* The argument is the kernel's copy, in and out. */
typedef int i915_call(struct i915_file *file, void *argument, const struct i915_caller *caller);

i915_call i915_version, i915_get_unique, i915_get_cap, i915_set_client_cap; /* about.c */
i915_call i915_getparam, i915_reg_read, i915_query;                         /* about.c, query.c */
i915_call i915_gem_create, i915_gem_create_ext, i915_gem_close;             /* gem.c */
i915_call i915_gem_pread, i915_gem_pwrite;                                  /* gem.c */
i915_call i915_gem_mmap, i915_gem_mmap_offset, i915_gem_set_domain, i915_gem_busy; /* gem.c */
i915_call i915_gem_wait, i915_gem_throttle, i915_gem_sw_finish, i915_gem_madvise;  /* gem.c */
i915_call i915_gem_set_tiling, i915_gem_get_tiling, i915_gem_set_caching;          /* gem.c */
i915_call i915_gem_get_caching, i915_gem_get_aperture;                             /* gem.c */
i915_call i915_context_create, i915_context_destroy, i915_context_getparam; /* context_calls.c */
i915_call i915_context_setparam, i915_vm_create, i915_vm_destroy, i915_reset_stats; /* same */
i915_call i915_execbuffer;
i915_call i915_perf_open, i915_perf_add_config, i915_perf_remove_config;

#endif
