/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_DEVICE_H
#define TALLY_DRIVER_I915_DEVICE_H

/*
 * The driver's internal interface: the device, its files and contexts (device.c, context.c), and
 * the engines (engine.c, lists.c). perf.h has the part for perf streams.
 */

#include <errno.h>

#include <tally/platform.h>

#include "base/buffer.h"
#include "driver/domains.h"
#include "driver/i915/fences.h"
#include "driver/i915/memory.h"
#include "intel/cs/engines.h"
#include "intel/platforms.h"
#include "intel/skus.h"
#include "intel/symbols.h"

/* ---- user memory ----------------------------------------------------------------------------- */

static inline int copy_in(const struct i915_caller *caller, void *to, uint64_t from, size_t bytes)
{
    return drm_copy_in(&caller->drm, to, from, bytes);
}

static inline int copy_out(const struct i915_caller *caller, uint64_t to, const void *from,
                           size_t bytes)
{
    return drm_copy_out(&caller->drm, to, from, bytes);
}

/* extensions.c: calls table[name](closure, address of the link) for each link of a chain. Returns
 * 0, a handler's errno, -EFAULT, -E2BIG, or -EINVAL for a name without handler. */
typedef int i915_extension(void *closure, uint64_t at, const struct i915_caller *caller);
int i915_extensions_apply(const struct i915_caller *caller, uint64_t at,
                          i915_extension *const *table, size_t count, void *closure);

/* ---- contexts -------------------------------------------------------------------------------- */

struct i915_vm { /* a PPGTT (Gen8 and later), which contexts may share */
    unsigned references;
    uint64_t serial; /* counts address spaces from 1 on */
    struct i915_space space;
};

/* Powered slices, subslices and EUs. */
struct i915_sseu {
    uint8_t slice_mask, subslice_mask, min_eus, max_eus;
};

/*
 * What a context has on an engine: its state, allocated on first use and without image before, and
 * the order of its requests. On Gen7.5 only the render engine has an image. Indexes of an engine
 * map that have the same engine have a state each; one that stands for several engines has the
 * state of the first one, which moves among them.
 */
struct i915_state {
    struct i915_context *context;
    struct i915_engine *engine;
    struct i915_object *image, *ring;
    uint32_t image_address, ring_address;
    uint32_t ring_tail;
    uint32_t submitted_id; /* id and tail of the latest submission */
    uint32_t submitted_tail;
    uint64_t issued;     /* number of its latest request */
    uint64_t blocked;    /* the latest look at the engine's requests in which one had to wait */
    uint32_t seen_ticks; /* its CTX_TIMESTAMP, and the ticks in which it has run until then */
    uint64_t run_ticks;
    uint64_t timeline;     /* number of it, from 1 on; 0: not allocated */
    uint32_t seqno;        /* of its latest request */
    bool banned;           /* its requests are refused */
    uint8_t siblings;      /* engines to which it may move: 1 << id; 0: it stays */
    struct i915_sseu sseu; /* that clients set only for the render engine */
};

#define MAX_MAP (I915_EXEC_RING_MASK + 1)

struct i915_context {
    struct i915_context *next; /* in the device's list */
    unsigned references;
    struct i915_device *device;
    struct i915_file *file; /* NULL: the kernel context, or its file is closed */
    uint32_t id;            /* handle in its file */
    uint64_t serial;        /* counts contexts of clients from 1 on; 0: the kernel context */
    bool closed;            /* the handle was destroyed */
    bool is_used;           /* its engine map can no longer change */
    bool is_invalid;        /* its engine map cannot be used */
    struct i915_vm *vm;     /* NULL: the GGTT */

    struct i915_state *states; /* rows of CS_ENGINES */
    size_t rows;               /* at least 1 */
    uint32_t tag; /* fixed hardware id while a stream filters by the first state of the render
                     engine; 0: assigned per submission */

    bool has_map;            /* the client set an engine map */
    uint8_t map[MAX_MAP];    /* engines of an index: 1 << id; several: one of them is chosen */
    uint8_t row_of[MAX_MAP]; /* of its states */

    int32_t priority;
    bool single_timeline;  /* its requests run in order, on whatever engine */
    uint64_t latest_fence; /* of the latest of these */
    bool not_bannable, not_recoverable, not_persistent, no_error_capture;
    bool not_preemptible; /* a stream disabled preemption */
    uint32_t hangs, innocent;
    uint64_t hang_ns[2]; /* times of the latest hangs; 0: none */
};

/* Creates a context for a file, or for the kernel (NULL). Returns 0 or -ENOMEM. */
int i915_context_new(struct i915_device *device, struct i915_file *file, struct i915_context **out);

/* Gives a context that was not used yet rows of states. Returns 0 or -ENOMEM. */
int i915_context_set_rows(struct i915_context *context, size_t rows);
void i915_context_drop(struct i915_context *context);

/* Find a file's context by its handle; 0 is the default context. i915_context_peek() returns NULL
 * if it is unknown. i915_context_use() also marks it as used; it returns 0, -ENOENT, or -EINVAL if
 * its engine map cannot be used. */
int i915_context_use(const struct i915_file *file, uint32_t id, struct i915_context **out);
struct i915_context *i915_context_peek(const struct i915_file *file, uint32_t id);

/* Returns the address space of a context's batches. */
struct i915_space *i915_context_space(struct i915_context *context);

/* engines.c: sets CONTEXT_PARAM_ENGINES, at most once and before first use. Returns 0, -EINVAL,
 * -ENOENT or -EFAULT. */
int i915_context_set_engines(struct i915_context *context,
                             const struct drm_i915_gem_context_param *args,
                             const struct i915_caller *caller);

/* Whether a context has the render engine. */
bool i915_context_has_render(const struct i915_context *context);

/* Find a state by class and instance of its engine or by index, or by the flags of EXECBUFFER2.
 * Return 0 or -EINVAL. */
int i915_context_find_state(const struct i915_context *context, bool by_index,
                            const struct i915_engine_class_instance *name, struct i915_state **out);
int i915_context_find_ring(const struct i915_context *context, uint64_t flags,
                           struct i915_state **out);

/* Allocates the state of an engine (image.c). Returns 0, -ENOMEM or -ENOSPC. */
int i915_state_prepare(struct i915_state *state);

/* Returns its first state of the render engine. */
static inline struct i915_state *render_state(struct i915_context *context)
{
    return &context->states[CS_RCS0];
}

/* Iterates over the states of a context; `type` is struct i915_state, const or not. */
#define FOR_STATES(type, state, context)                                                           \
    for (type *state = (context)->states;                                                          \
         state < (context)->states + (context)->rows * CS_ENGINES; state++)

/* Dwords of the context image: ring registers; and of the render engine's, the power state,
 * OACTXCONTROL, and the first flexible EU register. */
enum image_word {
    IMAGE_RING_HEAD,
    IMAGE_RING_TAIL,
    IMAGE_BATCH,        /* the batch in which the context was preempted; bit 0: there is one */
    IMAGE_CONTEXT_TIME, /* saved by the hardware */
    IMAGE_POWER_STATE,
    IMAGE_OACTXCONTROL,
    IMAGE_FLEX, /* the other flexible registers follow at a stride of two dwords */
    IMAGE_WORDS
};
uint32_t i915_image_address(const struct i915_state *state, enum image_word word);
uint32_t i915_image_get(const struct i915_state *state, enum image_word word);
void i915_image_set(struct i915_state *state, enum image_word word, uint32_t value);

/* Changes the registers of the image to those of another engine of the class. */
void i915_image_move(const struct i915_state *state, const struct i915_engine *to);

/* Checks a client's power request against the device. Returns 0 or -EINVAL. */
int i915_sseu_check(const struct i915_device *device,
                    const struct drm_i915_gem_context_param_sseu *from, struct i915_sseu *out);

/* Returns the value of R_PWR_CLK_STATE for a power request. */
uint32_t i915_sseu_register(const struct i915_device *device, const struct i915_sseu *sseu);

/* lists.c: whether a state was submitted and the hardware has not released it yet (Gen8 and later).
 */
bool i915_state_in_hardware(const struct i915_state *state);

/* ---- files ----------------------------------------------------------------------------------- */

struct handle {
    uint32_t id;
    struct i915_object *object;
};

struct i915_file {
    struct drm_file drm; /* must be first */
    struct i915_file *next;
    struct i915_device *device;
    struct handle *handles; /* by id */
    size_t handle_count, handle_capacity;
    struct i915_context *context; /* the default context */
    uint8_t video;                /* its video engine, if it does not select one */
    struct i915_vm **vms;         /* by id - 1 */
    size_t vm_count, vm_capacity;
    struct i915_syncobj **syncobjs; /* by id - 1 */
    size_t syncobj_count, syncobj_capacity;
    size_t syncobj_free; /* none before this index is free */
    uint64_t hang_ns;    /* time of its latest hang, or at which it was opened */
    unsigned ban_score;
    uint64_t id;                     /* of the client: files are counted from 1 on */
    uint64_t past_ticks[CS_ENGINES]; /* in which contexts have run that are gone */
};

/* usage.c: adds the time in which a context ran to that of its file. Called when it is freed. */
void i915_usage_keep(struct i915_context *context);

/* Adds the ticks that the hardware has saved in a state's image since the latest call. */
void i915_usage_update(struct i915_state *state);

/* Must be called after a reset of the engine, which has not saved the state: its time continues
 * from that of its image. */
void i915_usage_reset(struct i915_state *state);

/* reset.c: whether its batches hung too often for a new context. */
bool i915_file_is_banned(const struct i915_file *file);

struct i915_object *i915_file_object(const struct i915_file *file, uint32_t handle);

/* Adds an object under the lowest free handle; takes over the reference. Returns 0 or -ENOMEM. */
int i915_file_add_handle(struct i915_file *file, struct i915_object *object, uint32_t *out);
void i915_file_close_objects(struct i915_file *file); /* closes all handles */

/* gem.c: whether a range is in the half of the address space that programs have. */
bool i915_is_user_range(uint64_t address, uint64_t size);

/* core.c: removes an object's name. */
void i915_object_forget_name(struct i915_object *object);

/* Return a file's address space by its id, or NULL; and a new address space, or NULL. */
struct i915_vm *i915_vm_find(const struct i915_file *file, uint32_t id);
struct i915_vm *i915_vm_new(struct i915_device *device);
void i915_vm_drop(struct i915_vm *vm);

/* Time between looks at what requests wait for: other requests, or only software fences. */
#define LOOK_NS      20000u
#define IDLE_LOOK_NS 1000000u

/* ---- the engines ----------------------------------------------------------------------------- */

struct i915_request {
    struct i915_request *next;           /* of the engine, by number */
    struct i915_request *ahead, *behind; /* in the queue */
    struct i915_request *raised;         /* the next one whose priority is raised */
    struct i915_state *state;
    uint64_t number;
    uint64_t fence; /* whose source is the engine to which it was submitted */
    uint32_t seqno; /* in its timeline */
    int32_t priority;
    bool queued;    /* it waits for no other engine */
    bool submitted; /* the hardware has it */
    bool began;
    bool skipped;                  /* it is ended without being executed */
    bool failed;                   /* likewise, since a fence that it waits for failed */
    bool resets_streams;           /* of struct i915_work */
    struct i915_fences waits;      /* until they are signalled; of its engine: are ahead of it */
    struct i915_fences follows;    /* until their requests begin */
    uint64_t look;                 /* schedule.c: the latest look at what holds it up, */
    bool held;                     /* and whether it waits for software */
    uint64_t expires_ns;           /* it does not wait for software fences any longer */
    uint32_t ring_start, ring_end; /* offsets of its commands in the ring */
    struct i915_object *batch; /* batch of the driver, in the GGTT until the request completes */
    uint64_t batch_address;
    struct i915_object **objects;
    size_t object_count;
};

#define ENGINE_NAME 8

struct i915_engine {
    struct i915_device *device;
    const struct cs_engine *hardware; /* NULL: the platform does not have it */
    char name[ENGINE_NAME];           /* of class and instance for clients: "vcs1" */
    struct i915_engine_class_instance named;
    uint16_t capabilities; /* of ENGINE_INFO */

    struct i915_request *first, *last; /* incomplete requests, by number */
    uint64_t issued;                   /* number of the latest request */
    uint64_t client_request;           /* that of the latest one of a client */
    struct i915_object *status;        /* the hardware's status page */
    uint32_t status_address;
    struct i915_request *active; /* which ran at the latest look; NULL: none did */
    uint64_t since, since_ns;    /* the latest request that ran, and the time at which it began */
    uint32_t heartbeat_ms;       /* interval of the kernel's heartbeats; 0: there are none */

    /* schedule.c: the requests that are ready, by priority, then by the time at which they were. */
    struct i915_request *front, *back;
    uint64_t looks;        /* number of looks at requests that were not ready */
    uint64_t slice_ns;     /* time at which the active request's slice began */
    uint64_t yields;       /* number of the request whose slice is over */
    uint32_t timeslice_ms; /* 0: contexts do not share the engine */
    uint32_t preempt_ms;   /* time for a batch to let itself be preempted; 0: any */

    /* pulse.c: the latest pulse that was sent, and the time at which it was; 0: none is awaited. */
    uint32_t pulse;
    uint64_t pulse_ns;

    /* lists.c: the states of the latest list; those of the one before, while the hardware may still
     * run it; whether the hardware has yet to start, on an idle engine. */
    struct i915_state *ports[2], *leaving[2];
    bool leaves, starts;
    uint64_t list_ns; /* time at which the latest list was submitted */
    uint32_t latest_tag;
    uint32_t status_read; /* index of the latest context status event that was read */

    /* Before Gen8: one ring for all contexts. */
    struct i915_object *ring;
    uint32_t ring_address, ring_tail;

    uint32_t resets;
    uint64_t interrupts;
};

/* Returns the address of a register of an engine, from that of the render engine's. */
static inline uint32_t register_of(const struct i915_engine *engine, uint32_t address)
{
    return address - RENDER_RING_BASE + engine->hardware->map.base;
}

/* Iterates over the engines of a device; `type` is struct i915_engine, const or not. */
#define FOR_ENGINES(type, engine, device)                                                          \
    for (type *engine = (device)->engines; engine < (device)->engines + CS_ENGINES; engine++)      \
        if (engine->hardware)

/* engines.c: finds the engines of the platform, and names them for clients. */
void i915_engines_name(struct i915_device *device);

/* Finds an engine by its name for clients; NULL if there is none. */
struct i915_engine *i915_engine_named(struct i915_device *device, const char *name);

int i915_engines_init(struct i915_device *device);
void i915_engines_fini(struct i915_device *device);

struct batch;

struct i915_work {
    struct i915_state *state;
    uint64_t address;    /* GPU address of the batch */
    bool privileged;     /* batch of the driver, in the GGTT */
    bool resets_streams; /* stream output begins at the start of its buffers */
    uint32_t flags;      /* of I915_REQUEST_QUEUE */
    struct i915_fences waits, follows;
    struct i915_object *batch;
    struct i915_object *const *objects; /* held until the request completes */
    size_t object_count;
};

/* Appends commands to the ring of a state, which must have space (Gen8 and later). */
void i915_state_append(struct i915_state *state, const struct batch *batch);

/* Queues a batch; *fence is signalled by its end. Returns 0, -EIO, -ENOMEM, -ENOSPC or -EINTR. */
int i915_engine_submit(struct i915_device *device, const struct i915_work *work, uint64_t *fence);

/* Retires completed requests, resets hung engines, submits further requests. */
void i915_engines_tick(struct i915_device *device);

/* Whether an incomplete request uses the object in the address space. */
bool i915_engines_use(struct i915_device *device, const struct i915_space *space,
                      const struct i915_object *object);

/* Returns the request that the hardware executed at the latest look, or NULL. */
struct i915_request *i915_engine_active(const struct i915_engine *engine);

/* Whether a request waits to be submitted. */
bool i915_engine_waits(const struct i915_engine *engine);

/* Whether a request is complete. */
bool i915_request_done(const struct i915_request *request);

/* heartbeat.c: returns the run time after which a request counts as hung; UINT64_MAX: it never
 * does.
 */
uint64_t i915_engine_limit_ns(const struct i915_engine *engine);

/* heartbeat.c: returns the time at which the request that runs counts as hung; UINT64_MAX: none
 * runs, or it never does. */
uint64_t i915_engine_hangs_at(const struct i915_engine *engine);

/* Ends the requests that are marked as skipped, none of which the hardware may have.
 * i915_engine_skip() resets the engine's hardware before. */
void i915_requests_skip(struct i915_engine *engine);
void i915_engine_skip(struct i915_engine *engine);

/* error.c: keeps the state of hung engines, a mask of 1 << id. */
void i915_error_capture(struct i915_device *device, unsigned engines);

/* reset.c: resets hung engines, a mask of 1 << id, and blames the contexts of their requests;
 * resets the whole GPU if it cannot reset single engines. */
void i915_reset(struct i915_device *device, unsigned engines);

/* reset.c: called when a context is closed: ends its requests if they need not end by themselves,
 * or if the client wants it. */
void i915_context_end(struct i915_context *context);

/* Must be called when hangs of the engine are not detected any more: ends the requests of closed
 * contexts. */
void i915_engine_end_closed(struct i915_engine *engine);

/* Replaces the batch of a request that the hardware has not reached by commands that do nothing. */
void i915_request_empty(const struct i915_request *request);

/* schedule.c: adds a request, behind those that it waits for; queues those that are ready; removes
 * one that is complete. */
void i915_schedule_add(struct i915_request *request);
void i915_schedule_queue(struct i915_engine *engine);
void i915_schedule_remove(struct i915_request *request);

/* Whether a request waits for those that are not queued, or for software; not for longer than the
 * kernel lets it. */
bool i915_request_waits(struct i915_device *device, struct i915_request *request);

/* Calls a function for each incomplete request that has to be complete before another one, of those
 * in its ring for the last one only, until it returns true; returns whether it did. */
typedef bool i915_before(struct i915_request *before, void *closure);
bool i915_request_any_before(const struct i915_request *request, i915_before *is, void *closure);

/* Returns a fence as i915_engine_all() does, without the requests that wait for software, directly
 * or through others. */
uint64_t i915_engine_unheld(struct i915_engine *engine);

/* Whether the hardware may switch from the active request to another one. */
bool i915_schedule_may_switch(const struct i915_request *active, const struct i915_request *to);

/* Returns the kernel's default of preempt_timeout_ms. */
uint32_t i915_engine_default_preempt_ms(const struct i915_engine *engine);

/* Ends the slice of the active request if it is over; returns whether the engine hangs, because it
 * cannot be preempted. */
bool i915_schedule_tick(struct i915_engine *engine);

/* Returns the time at which i915_schedule_tick() has something to do; UINT64_MAX: never. */
uint64_t i915_schedule_next_ns(const struct i915_engine *engine);

/* balance.c: moves a state that the hardware does not have, with its requests, to another engine.
 */
void i915_state_move(struct i915_state *state, struct i915_engine *to);

/* Moves a state without requests to the engine of its siblings that has the shortest queue. */
void i915_state_place(struct i915_state *state);

/* Returns a request that waits for another engine, has at least a priority, and could run on this
 * one; NULL: there is none. */
struct i915_request *i915_balance_rival(const struct i915_engine *engine, int64_t priority);

/* Moves such a request to an engine if it can begin there now. */
void i915_balance(struct i915_engine *engine);

/* lists.c: returns the request that the hardware executes, or NULL. */
struct i915_request *i915_lists_active(const struct i915_engine *engine);

/* Submits requests that are ready as an execution list; or one state alone, with the tail
 * of its ring, if i915_lists_ready(). */
void i915_lists_submit(struct i915_engine *engine);
bool i915_lists_ready(const struct i915_engine *engine);
void i915_lists_submit_alone(struct i915_engine *engine, struct i915_state *state);

/* Forgets a state that the hardware has released, before it is freed or moves. */
void i915_lists_forget(struct i915_state *state);

/* Reads the events of the context status buffer. */
void i915_lists_look(struct i915_engine *engine);

/* Must be called after a reset of the engine, and before its first use. */
void i915_lists_reset(struct i915_engine *engine);

/* pulse.c: sends a pulse when it is due, and lets a batch that it has interrupted run on. */
void i915_pulse_tick(struct i915_engine *engine);

/* Returns the time at which i915_pulse_tick() has something to do; UINT64_MAX: never. */
uint64_t i915_pulse_next_ns(const struct i915_engine *engine);

/* Must be called after a reset of the engine, which has ended the pulse. */
void i915_pulse_reset(struct i915_engine *engine);

/* tracepoints.c: contexts; requests; a queued one; the begin of a wait, unless *wait is the same
 * one, and its end. */
void i915_trace_context(const struct i915_context *context, enum i915_tracepoint tracepoint);
void i915_trace_request(const struct i915_request *request, enum i915_tracepoint tracepoint);
void i915_trace_queue(const struct i915_request *request, uint32_t flags);
void i915_trace_wait_begin(struct i915_device *device, uint64_t fence, uint32_t flags,
                           struct i915_traced_wait *wait);
void i915_trace_wait_end(struct i915_device *device, struct i915_traced_wait *wait);

/* frequency.c: sets the limits to the whole range. */
void i915_limits_init(struct i915_device *device);

/* As i915_wake_get() and i915_wake_put(), of the domains of an engine. */
void i915_wake_get_engine(const struct i915_engine *engine);
void i915_wake_put_engine(const struct i915_engine *engine);

/* ---- the device ------------------------------------------------------------------------------ */

struct i915_perf {
    uint32_t paranoid, max_sample_rate;
    struct i915_config *configs; /* by id */
    struct i915_stream *stream;  /* the stream that owns the OA unit */
    struct i915_object *wait;    /* batch that waits for a configuration to settle; NULL: no perf */
    uint32_t wait_address;
};

#define TOPOLOGY_BYTES 512

/* Limits of the GT's frequency, in steps of the platform. */
struct i915_limits {
    uint32_t min, max, boost;
};

struct i915_device {
    struct i915_settings settings; /* with defaults filled in */
    struct i915_hardware hardware;
    const struct intel_sku *sku;
    const struct intel_platform *platform;
    struct tally_topology topology;
    uint8_t topology_bytes[TOPOLOGY_BYTES]; /* the reply to the topology query */
    size_t topology_size;
    struct i915_sseu sseu; /* all slices, subslices and EUs */

    uint64_t memory_used;
    struct i915_object *objects;
    uint64_t opened;      /* number of files opened so far */
    uint64_t map_cookie;  /* the next mmap offset */
    uint64_t execbuffers; /* number of EXECBUFFER2 calls so far */
    struct i915_space ggtt;
    struct i915_file *files;
    struct drm_device drm;
    struct i915_object **named; /* objects with a name */
    size_t named_count, named_capacity;
    struct i915_context *contexts, *kernel_context;
    struct i915_context *pulse_context;    /* NULL: none was sent yet */
    const struct i915_state *latest_state; /* whose address space was accessed last, or NULL */
    uint64_t requests;                     /* number of requests so far */
    struct i915_engine engines[CS_ENGINES];
    bool balances;                           /* an index of a context stands for several engines */
    struct i915_joint *joints[I915_SOURCES]; /* fences.c */
    uint64_t held_looks;                     /* schedule.c */
    struct i915_software *software;          /* software.c */
    struct i915_wait wait;                   /* of the latest call that waited */
    uint64_t syncobj_changes;                /* number of changes of sync objects so far, plus 1 */
    struct i915_failure failed[1024];        /* the latest */
    size_t failures;
    struct i915_attempt *attempt; /* of the current call; NULL: it is made once */
    i915_trace_fn *trace;         /* or NULL */
    void *trace_closure;
    uint64_t context_count, space_count, timelines; /* made so far, for serial numbers */
    struct i915_perf perf;
    unsigned wakes[WAKE_DOMAINS];
    bool wedged;          /* lost: requests fail */
    unsigned reset_level; /* enum i915_reset_level */
    uint32_t full_resets; /* number of resets of the whole GPU */
    struct i915_limits limits;
    struct buffer error;     /* error.c: the state at the first hang; empty: there is none */
    bool captures_no_errors; /* i915.error_capture is off */
    bool detects_no_hangs;   /* i915.enable_hangcheck is off */
    bool finishes;           /* a wait that cannot be interrupted: hangs are detected anyway */
};

static inline uint32_t read32(struct i915_device *device, uint32_t address)
{
    return driver_read32(&device->hardware.io, address);
}

static inline void write32(struct i915_device *device, uint32_t address, uint32_t value)
{
    driver_write32(&device->hardware.io, address, value);
}

/* Replaces the bits of `mask` with those of `value`. */
static inline void update32(struct i915_device *device, uint32_t address, uint32_t mask,
                            uint32_t value)
{
    write32(device, address, (read32(device, address) & ~mask) | (value & mask));
}

static inline uint64_t now_ns(const struct i915_device *device)
{
    return driver_now_ns(&device->hardware.io);
}

/* Sleeps through signals; sleep_lightly() returns -EINTR on a signal. */
static inline void sleep_through(struct i915_device *device, uint64_t ns)
{
    driver_sleep_ns(&device->hardware.io, ns, false);
}

static inline int sleep_lightly(struct i915_device *device, uint64_t ns)
{
    return driver_sleep_ns(&device->hardware.io, ns, true);
}

/* Returns the time of the next look at what the hardware has had to do since a time: less often the
 * longer it takes. */
static inline uint64_t next_look_ns(const struct i915_device *device, uint64_t since_ns)
{
    uint64_t now = now_ns(device);
    return now + max_u64(LOOK_NS, (now - since_ns) / 8);
}

static inline struct i915_engine *render_engine(struct i915_device *device)
{
    return &device->engines[CS_RCS0];
}

static inline bool has_execlists(const struct i915_device *device)
{
    return intel_has_execlists(device->platform);
}

/* Whether there are two OA units: OAG counts for all contexts, OAR for one. */
static inline bool has_oag(const struct i915_device *device)
{
    return device->platform->oa->map == OA_MAP_D;
}

static inline bool has_perf(const struct i915_device *device)
{
    return intel_has_perf(device->platform);
}

/* ---- ioctls ---------------------------------------------------------------------------------- */

/* `argument` is the kernel's copy of the client's struct, both input and output. */
typedef int i915_call(struct i915_file *file, void *argument, const struct i915_caller *caller);

extern const struct drm_driver i915_driver; /* core.c */
const struct drm_row *i915_find_call(uint32_t request);
int i915_perform_call(struct drm_file *file, const struct drm_row *row, void *argument,
                      const struct drm_caller *caller);

i915_call i915_gem_flink, i915_gem_open;                        /* core.c */
i915_call i915_getparam, i915_reg_read, i915_query;             /* about.c, query.c */
i915_call i915_gem_create, i915_gem_create_ext, i915_gem_close; /* gem.c */
i915_call i915_gem_pread, i915_gem_pwrite;                      /* gem.c */
i915_call i915_gem_mmap, i915_gem_mmap_offset, i915_gem_set_domain, i915_gem_busy; /* gem.c */
i915_call i915_gem_wait, i915_gem_throttle, i915_gem_sw_finish, i915_gem_madvise;  /* gem.c */
i915_call i915_gem_set_tiling, i915_gem_get_tiling, i915_gem_set_caching;          /* gem.c */
i915_call i915_gem_get_caching, i915_gem_get_aperture;                             /* gem.c */
i915_call i915_context_create, i915_context_destroy, i915_context_getparam; /* context_calls.c */
i915_call i915_context_setparam, i915_vm_create, i915_vm_destroy, i915_reset_stats; /* same */
i915_call i915_execbuffer;
i915_call i915_syncobj_create, i915_syncobj_destroy, i915_syncobj_to_fd; /* syncobj_calls.c */
i915_call i915_syncobj_from_fd, i915_syncobj_wait, i915_syncobj_reset, i915_syncobj_signal;
i915_call i915_syncobj_timeline_wait, i915_syncobj_query, i915_syncobj_transfer;
i915_call i915_syncobj_timeline_signal;
i915_call i915_prime_to_fd, i915_prime_from_fd; /* prime.c */
i915_call i915_gem_userptr;                     /* userptr.c */
i915_call i915_perf_open, i915_perf_add_config, i915_perf_remove_config;

#endif
