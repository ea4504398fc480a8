/* SPDX-License-Identifier: MIT */
#include "driver/rig.h"

#include "driver/i915/device.h"

const char *const rig_platforms[7] = {"hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"};

bool has_perf_platform(const char *name)
{
    for (size_t i = 0; i < COUNT(rig_platforms); i++)
        if (!strcmp(rig_platforms[i], name))
            return true;
    return false;
}

/* ---- the client ------------------------------------------------------------------------------ */

static bool reaches(const struct rig *rig, uint64_t address, size_t bytes)
{
    uint64_t end = rig->readable_end ? rig->readable_end : USER + USER_BYTES;
    return address >= USER && address <= end && bytes <= end - address;
}

static bool user_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    const struct rig *rig = closure;
    if (!reaches(rig, from, bytes))
        return false;
    memcpy(to, rig->user + (from - USER), bytes);
    return true;
}

static bool user_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    const struct rig *rig = closure;
    if (!reaches(rig, to, bytes))
        return false;
    memcpy(rig->user + (to - USER), from, bytes);
    return true;
}

static int open_stream(void *closure, struct i915_stream *stream, unsigned flags)
{
    struct rig *rig = closure;
    if (rig->refuse_stream)
        return rig->refuse_stream;
    for (int i = 0; i < RIG_STREAMS; i++) {
        if (rig->streams[i])
            continue;
        rig->streams[i] = stream;
        rig->stream_flags = flags;
        return FIRST_FD + i;
    }
    return -EMFILE;
}

static int open_fence(void *closure, const struct i915_fences *fences)
{
    struct rig *rig = closure;
    rig->fences[0] = *fences;
    for (unsigned id = 0; id < CS_ENGINES; id++)
        rig->fence = fences->of[id] ? fences->of[id] : rig->fence;
    return FENCE_FD;
}

static int find_fence(void *closure, int descriptor, struct i915_fences *fences)
{
    const struct rig *rig = closure;
    unsigned index = (unsigned)(descriptor - FENCE_FD);
    if (index >= COUNT(rig->fences))
        return -EINVAL;
    *fences = rig->fences[index];
    return 0;
}

static int open_syncobj(void *closure, struct i915_syncobj *syncobj)
{
    struct rig *rig = closure;
    i915_syncobj_drop(rig->syncobj);
    rig->syncobj = i915_syncobj_hold(syncobj);
    return SYNCOBJ_FD;
}

static int find_syncobj(void *closure, int descriptor, struct i915_syncobj **out)
{
    const struct rig *rig = closure;
    *out = rig->syncobj;
    return descriptor == SYNCOBJ_FD && rig->syncobj ? 0 : -EINVAL;
}

static int open_object(void *closure, struct i915_object *object, unsigned flags)
{
    struct rig *rig = closure;
    (void)flags;
    i915_object_drop(rig->object);
    rig->object = i915_object_hold(object);
    return OBJECT_FD;
}

static int find_object(void *closure, int descriptor, struct i915_object **out)
{
    const struct rig *rig = closure;
    *out = rig->object;
    return descriptor < 0 ? -EBADF : descriptor == OBJECT_FD && rig->object ? 0 : -EINVAL;
}

/* ---- the client's memory, for objects in it -------------------------------------------------- */

static struct rig *rig_of(struct i915_process *process)
{
    return (struct rig *)(void *)((char *)process - offsetof(struct rig, process));
}

static bool access_user(struct i915_process *process, uint64_t address, void *data, size_t bytes,
                        bool write)
{
    return write ? user_out(rig_of(process), address, data, bytes)
                 : user_in(rig_of(process), data, address, bytes);
}

static bool reaches_user(struct i915_process *process, uint64_t address, uint64_t bytes,
                         enum i915_reach reach)
{
    (void)reach;
    return reaches(rig_of(process), address, bytes);
}

static void release_user(struct i915_process *process)
{
    rig_of(process)->processes--;
}

static struct i915_process *open_process(void *closure)
{
    struct rig *rig = closure;
    rig->processes++;
    return &rig->process;
}

struct rig *rig_new(const char *platform, const struct i915_settings *settings)
{
    return rig_new_gpu(&(struct tally_gpu_config){.platform = platform}, settings);
}

struct rig *rig_new_gpu(const struct tally_gpu_config *gpu, const struct i915_settings *settings)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct tally_error error = {0};
    struct i915_settings quick = settings ? *settings : (struct i915_settings){0};
    assert_non_null(rig);
    rig->platform = tally_platform_find(tally_sku_find(gpu->platform)->platform);
    rig->user = malloc(USER_BYTES);
    assert_non_null(rig->user);
    if (!quick.noa_delay_ns)
        quick.noa_delay_ns = 2000; /* the kernel's half millisecond is tested by itself */
    struct emulation_settings device = {.gpu = *gpu, .driver = quick};
    if (emulation_new(&device, &rig->emulation, &error) < 0)
        fail_msg("%s", error.message);
    rig->gpu = rig->emulation->gpu;
    rig->device = rig->emulation->device;
    rig->process = (struct i915_process){access_user, reaches_user, release_user, 0};
    rig->caller = (struct i915_caller){
        .drm = {true, user_in, user_out, rig, 0},
        .open_stream = open_stream,
        .open_fence = open_fence,
        .find_fence = find_fence,
        .open_syncobj = open_syncobj,
        .find_syncobj = find_syncobj,
        .open_object = open_object,
        .find_object = find_object,
        .open_process = open_process,
    };
    assert_int_equal(i915_file_open(rig->device, false, &rig->file), 0);
    return rig;
}

uint32_t rig_resets(const struct rig *rig)
{
    uint32_t resets = 0;
    FOR_ENGINES(const struct i915_engine, engine, rig->device)
    resets += engine->resets;
    return resets;
}

void rig_free(struct rig *rig)
{
    struct tally_error error = {0};
    uint32_t resets = rig_resets(rig);
    if (resets != rig->hangs)
        fail_msg("%u requests hung, expected %u", resets, rig->hangs);
    if (tally_gpu_fault(rig->gpu, &error) < 0 && !rig->hangs)
        fail_msg("%s", error.message);
    i915_syncobj_drop(rig->syncobj);
    i915_object_drop(rig->object);
    emulation_free(rig->emulation);
    if (rig->processes)
        fail_msg("%u objects still have the client's memory", rig->processes);
    free(rig->user);
    free(rig);
}

uint64_t rig_put(struct rig *rig, const void *bytes, size_t size)
{
    uint64_t at = USER + rig->used;
    rig->used += (size + 7) / 8 * 8;
    assert_true(rig->used <= USER_BYTES);
    if (bytes)
        memcpy(rig_at(rig, at), bytes, size);
    else
        memset(rig_at(rig, at), 0, size);
    return at;
}

void *rig_at(struct rig *rig, uint64_t address)
{
    return rig->user + (address - USER);
}

int rig_call(struct rig *rig, uint32_t request, void *argument, size_t size)
{
    uint64_t at = rig_put(rig, argument, size);
    int result = i915_ioctl(rig->file, request, at, &rig->caller);
    memcpy(argument, rig_at(rig, at), size);
    rig->used -= (size + 7) / 8 * 8;
    return result;
}

void rig_run_ns(struct rig *rig, uint64_t ns)
{
    emulation_run_ns(rig->emulation, ns);
}

bool rig_engines_done(const struct i915_device *device)
{
    return i915_device_is_idle(device);
}

/* ---- streams --------------------------------------------------------------------------------- */

int rig_open(struct rig *rig, uint32_t flags, const struct property *properties, size_t count)
{
    uint64_t before = rig->used;
    uint64_t at = rig_put(rig, properties, count * sizeof *properties);
    struct drm_i915_perf_open_param args = {flags, (uint32_t)count, at};
    int result = rig_call(rig, DRM_IOCTL_I915_PERF_OPEN, &args, sizeof args);
    rig->used = before;
    return result;
}

struct i915_stream *rig_stream(struct rig *rig, int descriptor)
{
    assert_in_range(descriptor, FIRST_FD, FIRST_FD + RIG_STREAMS - 1);
    return rig->streams[descriptor - FIRST_FD];
}

void rig_close(struct rig *rig, int descriptor)
{
    i915_stream_close(rig_stream(rig, descriptor));
    rig->streams[descriptor - FIRST_FD] = NULL;
}

int rig_add_set(struct rig *rig)
{
    static unsigned number;
    uint32_t pair[] = {0x9888, 0};
    uint64_t before = rig->used;
    struct drm_i915_perf_oa_config config = {.n_mux_regs = 1,
                                             .mux_regs_ptr = rig_put(rig, pair, sizeof pair)};
    char uuid[UUID_STRING_LEN + 1];
    snprintf(uuid, sizeof uuid, "01234567-89ab-cdef-0123-%012x", ++number);
    memcpy(config.uuid, uuid, UUID_STRING_LEN);
    int id = rig_call(rig, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config, sizeof config);
    rig->used = before;
    assert_true(id >= 2);
    return id;
}

int rig_open_usual(struct rig *rig, uint32_t flags, int exponent, const struct property *more,
                   size_t count)
{
    bool privileged = rig->caller.drm.privileged;
    rig->caller.drm.privileged = true;
    uint64_t set = (uint64_t)rig_add_set(rig);
    rig->caller.drm.privileged = privileged;
    struct property properties[10] = {
        {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
        {DRM_I915_PERF_PROP_OA_METRICS_SET, set},
        {DRM_I915_PERF_PROP_OA_FORMAT, rig->platform->default_format}};
    size_t used = 3;
    if (exponent >= 0)
        properties[used++] = (struct property){DRM_I915_PERF_PROP_OA_EXPONENT, (uint64_t)exponent};
    for (size_t i = 0; i < count; i++)
        properties[used++] = more[i];
    return rig_open(rig, flags, properties, used);
}

int64_t rig_read(struct rig *rig, int descriptor, uint64_t bytes, bool blocking)
{
    struct i915_stream *stream = rig_stream(rig, descriptor);
    return blocking ? i915_stream_wait(stream, &rig->caller, USER, bytes)
                    : i915_stream_read(stream, &rig->caller, USER, bytes, false);
}

struct records rig_records(struct rig *rig, int64_t bytes)
{
    struct records records = {0};
    for (int64_t at = 0; at < bytes;) {
        struct drm_i915_perf_record_header header;
        memcpy(&header, rig->user + at, sizeof header);
        assert_true(header.size >= sizeof header && header.size <= bytes - at);
        assert_int_equal(header.pad, 0);
        switch (header.type) {
        case DRM_I915_PERF_RECORD_SAMPLE:
            records.samples++;
            records.last = rig->user + at + sizeof header;
            records.first = records.first ? records.first : records.last;
            break;
        case DRM_I915_PERF_RECORD_OA_REPORT_LOST:
            records.report_lost++;
            break;
        case DRM_I915_PERF_RECORD_OA_BUFFER_LOST:
            records.buffer_lost++;
            break;
        default:
            records.others++;
        }
        at += header.size;
    }
    return records;
}

uint64_t rig_period_ns(const struct rig *rig, unsigned exponent)
{
    uint64_t hz = tally_gpu_timestamp_hz(rig->gpu);
    return ((UINT64_C(2) << exponent) * 1000000000 + hz - 1) / hz;
}

/* ---- objects and batches --------------------------------------------------------------------- */

uint32_t rig_create(struct rig *rig, uint64_t size)
{
    struct drm_i915_gem_create create = {.size = size};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CREATE, &create, 16), 0);
    return create.handle;
}

static void move(struct rig *rig, uint32_t request, uint32_t handle, uint64_t offset, uint64_t at,
                 size_t size)
{
    struct drm_i915_gem_pread io = {handle, 0, offset, size, at};
    assert_int_equal(rig_call(rig, request, &io, sizeof io), 0);
}

void rig_write(struct rig *rig, uint32_t handle, uint64_t offset, const void *bytes, size_t size)
{
    uint64_t before = rig->used;
    move(rig, DRM_IOCTL_I915_GEM_PWRITE, handle, offset, rig_put(rig, bytes, size), size);
    rig->used = before;
}

void rig_peek(struct rig *rig, uint32_t handle, uint64_t offset, void *bytes, size_t size)
{
    uint64_t before = rig->used, at = rig_put(rig, NULL, size);
    move(rig, DRM_IOCTL_I915_GEM_PREAD, handle, offset, at, size);
    memcpy(bytes, rig_at(rig, at), size);
    rig->used = before;
}

static int run(struct rig *rig, uint64_t engine, uint32_t context,
               struct drm_i915_gem_exec_object2 *objects, const uint32_t *handles, size_t count)
{
    uint64_t before = rig->used;
    for (size_t i = 0; i < count; i++) {
        objects[i].handle = handles[i];
        objects[i].offset = ADDRESS(i);
        objects[i].flags |= EXEC_OBJECT_PINNED;
    }
    struct drm_i915_gem_execbuffer2 exec = {
        .buffers_ptr = rig_put(rig, objects, count * sizeof *objects),
        .buffer_count = (uint32_t)count,
        .flags = engine | I915_EXEC_NO_RELOC,
        .rsvd1 = context,
        .rsvd2 = FENCE_FD + 1,
    };
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &exec, sizeof exec);
    rig->used = before;
    return result;
}

int rig_exec(struct rig *rig, uint32_t context, const uint32_t *handles, size_t count)
{
    struct drm_i915_gem_exec_object2 objects[8] = {{0}};
    for (size_t i = 0; i + 1 < count; i++)
        objects[i].flags = EXEC_OBJECT_WRITE;
    return run(rig, I915_EXEC_RENDER, context, objects, handles, count);
}

int rig_exec_on(struct rig *rig, uint64_t engine, uint32_t context, const uint32_t *handles,
                size_t count, uint64_t first_flags)
{
    struct drm_i915_gem_exec_object2 objects[8] = {{.flags = first_flags}};
    return run(rig, engine, context, objects, handles, count);
}

size_t rig_put_store(const struct rig *rig, uint32_t *to, uint64_t address, uint32_t value)
{
    if (rig->platform->version >= 80) {
        const uint32_t wide[] = {0x10000002, (uint32_t)address, (uint32_t)(address >> 32), value};
        memcpy(to, wide, sizeof wide);
    } else {
        const uint32_t narrow[] = {0x10000002, 0, (uint32_t)address, value};
        memcpy(to, narrow, sizeof narrow);
    }
    return 4;
}

uint32_t rig_context(struct rig *rig)
{
    struct drm_i915_gem_context_create create = {0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create, 8), 0);
    return create.ctx_id;
}

bool rig_is_busy(struct rig *rig, uint32_t handle)
{
    struct drm_i915_gem_busy busy = {handle, 0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &busy, sizeof busy), 0);
    return busy.busy;
}

/* Loads a register of the streamer that nothing reads, repeatedly: two clocks per pair. */
uint32_t rig_long_batch(struct rig *rig, uint32_t clocks)
{
    enum { PAIRS = 126, DWORDS = 1 + 2 * PAIRS, CLOCKS = 2 + 2 * PAIRS };
    uint32_t commands = clocks / CLOCKS, size = 4 * (commands * DWORDS + 2);
    uint32_t *dwords = calloc(1, size), handle = rig_create(rig, size);
    assert_non_null(dwords);
    for (uint32_t i = 0; i < commands; i++) {
        dwords[i * DWORDS] = 0x11000000 | (DWORDS - 2);
        for (uint32_t pair = 0; pair < PAIRS; pair++)
            dwords[i * DWORDS + 1 + 2 * pair] = 0x2678;
    }
    dwords[commands * DWORDS] = 0x05000000;
    rig_write(rig, handle, 0, dwords, size);
    free(dwords);
    return handle;
}
